// SPDX-License-Identifier: Apache-2.0
// A tiny submission in several qualities: one host executable for each SCALE_MODE. They are to
// suite_main_test.cc and bench_main_test.cc what controls are to a challenge.
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <thread>

#include "host/adapter.h"

namespace {

enum class Mode {
  kRight,
  kTwiceTheWork,  ///< Right, and takes twice as long.
  kWrong,         ///< The last element is off.
  kLeavesLast,    ///< Never writes the last element.
  kWrongOnThird,  ///< Right for two calls of scale_f32.
  kDiesOnThird,   ///< Right for two calls of scale_f32 in one process.
  kHangs,
  kDiesAtStart,
  kOnlyScale,  ///< Right, without the optional operation.
  kSaysUnsupported,
  kReadsPastEnd,  ///< Of its own memory: only a sanitizer sees it.
  kSlowToStart,   ///< Right, and each process waits long before its first message.
  /// Right, with a thread that looks for fresh inputs where the last call had them, and does the
  /// work as soon as they are there.
  kWorksEarly,
};
constexpr Mode kMode = Mode::SCALE_MODE;

std::int64_t calls = 0;
volatile float own_past_end = 0;

[[maybe_unused]] const bool started = [] {
  if (kMode == Mode::kDiesAtStart) {
    std::abort();
  }
  if (kMode == Mode::kSlowToStart) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  }
  return true;
}();

constexpr std::uint64_t kSteps = kMode == Mode::kTwiceTheWork ? 40'000 : 20'000;

void Work() {
  volatile std::uint64_t work = 0;
  for (std::uint64_t i = 0; i < kSteps || kMode == Mode::kHangs; ++i) {
    work = work + i;
  }
}

/// Fresh inputs are told by their first elements.
constexpr std::size_t kTold = 4;
std::atomic<const float*> last_x = nullptr;
float worked_on[kTold] = {};
std::atomic<bool> works = false;

bool HasWorkedOn(const float* x) { return std::equal(x, x + kTold, worked_on); }

void WorkEarly() {
  for (;;) {
    std::this_thread::sleep_for(std::chrono::microseconds(10));
    const float* const x = last_x;
    if (x == nullptr || HasWorkedOn(x)) {
      continue;
    }
    works = true;
    std::copy(x, x + kTold, worked_on);
    Work();
    works = false;
  }
}

/// y = factor * x, and some 10 us of arithmetic that the compiler cannot leave out, so that the
/// time of a call is work and not waiting.
int ScaleF32(std::size_t count, const float* x, float factor, float* y) {
  ++calls;
  if (kMode == Mode::kDiesOnThird && calls == 3) {
    std::abort();
  }
  if (kMode == Mode::kSaysUnsupported) {
    return 2;
  }
  if (kMode == Mode::kReadsPastEnd) {
    const std::unique_ptr<float[]> own(new float[count]);
    const volatile std::size_t past = count;
    own_past_end = own[past];
  }
  const bool watched = kMode == Mode::kWorksEarly && count >= kTold;
  if (watched && last_x == nullptr) {
    std::thread(WorkEarly).detach();
  }
  while (watched && works) {
    std::this_thread::yield();
  }
  if (!watched || !HasWorkedOn(x)) {
    Work();
  }
  if (watched) {
    std::copy(x, x + kTold, worked_on);
    last_x = x;
  }
  const std::size_t written = kMode == Mode::kLeavesLast && count > 0 ? count - 1 : count;
  for (std::size_t i = 0; i < written; ++i) {
    y[i] = factor * x[i];
  }
  const bool wrong = kMode == Mode::kWrong || (kMode == Mode::kWrongOnThird && calls > 2);
  if (wrong && count > 0) {
    y[count - 1] += 1;
  }
  return 0;
}

/// How often scale_f32 was called in this process.
int CountCalls(std::int64_t* result) {
  *result = calls;
  return 0;
}

/// How many processors this process may use.
int CountProcessors(std::int64_t* result) {
  cpu_set_t set;
  CPU_ZERO(&set);
  *result = ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : -1;
  return 0;
}

}  // namespace

ASSAY_OPERATION("scale_f32", ScaleF32);
[[maybe_unused]] static const bool optional_operation = [] {
  if constexpr (kMode != Mode::kOnlyScale) {
    static const assay::host::internal::Registration<&CountCalls> registration("count_calls", true);
    static const assay::host::internal::Registration<&CountProcessors> processors(
        "count_processors", true);
  }
  return true;
}();
