// SPDX-License-Identifier: Apache-2.0
#include "machine/machine.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <thread>

#include "machine/machine_kernels.h"
#include "process/processors.h"

namespace assay {
namespace {

using Clock = std::chrono::steady_clock;

std::string CpuModel() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    constexpr std::string_view kKey = "model name";
    const std::size_t colon = line.find(": ");
    if (line.starts_with(kKey) && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "unknown processor";
}

/// Zeroed memory whose pages the thread that first writes them owns.
class Array {
 public:
  explicit Array(std::size_t floats)
      : bytes_(floats * sizeof(float)),
        data_(::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (data_ != MAP_FAILED) {
      ::madvise(data_, bytes_, MADV_HUGEPAGE);
    }
  }
  ~Array() {
    if (data_ != MAP_FAILED) {
      ::munmap(data_, bytes_);
    }
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  [[nodiscard]] float* data() const {
    return data_ == MAP_FAILED ? nullptr : static_cast<float*>(data_);
  }

 private:
  std::size_t bytes_;
  void* data_;
};

/// Of the last-level cache that processor 0 has a part in. Not sysconf: in virtual machines it adds
/// up caches of processors that are not there, and arrays of four times 256 MiB take seconds to
/// page in.
std::size_t LastLevelCache_bytes() {
  std::size_t largest_bytes = 0;
  for (int index = 0; index < 8; ++index) {
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) +
                       "/size");
    std::size_t kibibytes = 0;
    char unit = 0;
    if (file >> kibibytes >> unit && unit == 'K') {
      largest_bytes = std::max(largest_bytes, kibibytes << 10);
    }
  }
  if (largest_bytes > 0) {
    return largest_bytes;
  }
  const long cache = ::sysconf(_SC_LEVEL3_CACHE_SIZE);
  return cache > 0 ? static_cast<std::size_t>(cache) : std::size_t{32} << 20;
}

std::size_t ElementsPerArray() {
  const std::size_t cache_bytes = LastLevelCache_bytes();
  const std::size_t bytes =
      std::clamp(cache_bytes * 4, std::size_t{64} << 20, std::size_t{512} << 20);
  return bytes / sizeof(float);
}

// The widest of those that were built.
const MachineKernels& KernelsOfThisMachine() {
#ifdef ASSAY_PORTABLE
  return __builtin_cpu_supports("x86-64-v4") != 0 ? v4::kKernels : v3::kKernels;
#else
  return native::kKernels;
#endif
}

void PinTo(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(processor), &set);
  ::pthread_setaffinity_np(::pthread_self(), sizeof set, &set);
}

/// Runs `work(thread)` on `threads` pinned threads `repetitions` times, all starting together, and
/// returns the least time from the first start to the last end of one repetition, in seconds.
template <class Work>
double BestSeconds(int threads, int repetitions, const Work& work) {
  const std::vector<int> processors = UsableProcessors();
  double best = std::numeric_limits<double>::infinity();
  Clock::time_point start;
  bool running = false;
  const auto on_phase = [&]() noexcept {
    const auto now = Clock::now();
    if (running) {
      best = std::min(best, std::chrono::duration<double>(now - start).count());
    }
    running = !running;
    start = Clock::now();
  };
  std::barrier barrier(threads, on_phase);
  std::vector<std::jthread> workers;
  workers.reserve(static_cast<std::size_t>(threads));
  for (int thread = 0; thread < threads; ++thread) {
    workers.emplace_back([&, thread] {
      PinTo(processors[static_cast<std::size_t>(thread) % processors.size()]);
      for (int repetition = 0; repetition < repetitions; ++repetition) {
        barrier.arrive_and_wait();
        work(thread);
        barrier.arrive_and_wait();
      }
    });
  }
  workers.clear();
  return best;
}

}  // namespace

Machine DescribeMachine() {
  utsname names = {};
  ::uname(&names);
  return Machine{.cpu_model = CpuModel(),
                 .cores = static_cast<int>(UsableProcessors().size()),
                 .memory_bytes = std::int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE),
                 .kernel = std::string(names.sysname) + " " + names.release};
}

double MeasureBandwidth(int threads) {
  const MachineKernels& kernels = KernelsOfThisMachine();
  const std::size_t elements = ElementsPerArray();
  const Array a(elements);
  const Array b(elements);
  const Array c(elements);
  if (a.data() == nullptr || b.data() == nullptr || c.data() == nullptr) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  // Whole 64-byte vectors for each thread.
  const std::size_t share = elements / static_cast<std::size_t>(threads) / 16 * 16;
  const auto part = [share](const Array& array, int thread) {
    return array.data() + static_cast<std::size_t>(thread) * share;
  };
  BestSeconds(threads, 1, [&](int thread) {
    std::fill_n(part(a, thread), share, 1.0F);
    std::fill_n(part(b, thread), share, 2.0F);
    std::fill_n(part(c, thread), share, 0.0F);
  });
  constexpr int kRepetitions = 8;
  const double ordinary = BestSeconds(threads, kRepetitions, [&](int thread) {
    kernels.triad_ordinary(part(c, thread), part(a, thread), part(b, thread), share);
  });
  const double streaming = BestSeconds(threads, kRepetitions, [&](int thread) {
    kernels.triad_streaming(part(c, thread), part(a, thread), part(b, thread), share);
  });
  const double bytes = 3.0 * sizeof(float) * static_cast<double>(share) * threads;
  return bytes / std::min(ordinary, streaming);
}

double MeasureFma(int threads) {
  const MachineKernels& kernels = KernelsOfThisMachine();
  constexpr std::size_t kSteps = 1'000'000;
  constexpr int kRepetitions = 5;
  std::vector<float> results(static_cast<std::size_t>(threads) * 64);  // A cache line each.
  const double seconds = BestSeconds(threads, kRepetitions, [&](int thread) {
    results[static_cast<std::size_t>(thread) * 64] +=
        kernels.fma_chains(kSteps, static_cast<float>(thread));
  });
  // Using the results keeps the compiler from dropping the work.
  const bool finite = std::ranges::all_of(results, [](float value) { return value < 1e30F; });
  return finite ? kFlopsPerFmaStep * static_cast<double>(kSteps) * threads / seconds
                : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace assay
