// SPDX-License-Identifier: Apache-2.0
// An honest adapter and its "submission" in one: an operation for each thing that can travel.
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "host/adapter.h"

extern "C" int toy_missing(int);
#pragma weak toy_missing

namespace {

int Status(std::int32_t status) { return status; }

template <class T>
void Double(std::size_t count, const T* in, T* out) {
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = static_cast<T>(in[i] + in[i]);
  }
}

/// Every scalar type at once, told apart by its digit of the sum.
int Scalars(std::int8_t a, std::uint8_t b, std::int16_t c, std::uint16_t d, std::int32_t e,
            std::uint32_t f, std::int64_t g, std::uint64_t h, float i, double j, double* sum) {
  *sum = a + b + c + d + e + static_cast<double>(f) + static_cast<double>(g) +
         static_cast<double>(h) + static_cast<double>(i) + j;
  return 0;
}

void Increment(std::size_t count, double* values) {
  for (std::size_t i = 0; i < count; ++i) {
    values[i] += 1.0;
  }
}

/// The address of an argument, so that a test sees how it is aligned.
void AddressOf(const float* in, std::uint64_t* address) {
  *address = reinterpret_cast<std::uintptr_t>(in);
}

int SaveNumbers(std::size_t tensors, std::size_t count, assay_save_fn save, void* context) {
  for (std::size_t t = 0; t < tensors; ++t) {
    char name[24];
    std::snprintf(name, sizeof name, "t%zu", t);
    auto* memory = static_cast<float*>(save(context, name, count * sizeof(float)));
    if (memory == nullptr) {
      return static_cast<int>(t);  // How many it got.
    }
    if (reinterpret_cast<std::uintptr_t>(memory) % 64 != 0) {
      return -1;
    }
    for (std::size_t i = 0; i < count; ++i) {
      memory[i] = static_cast<float>(100 * t + i);
    }
  }
  return static_cast<int>(tensors);
}

int SaveTwice(assay_save_fn save, void* context) {
  const bool first = save(context, "same", 8) != nullptr;
  const bool second = save(context, "same", 8) != nullptr;
  const bool empty = save(context, "", 8) != nullptr;
  const bool longest = save(context, std::string(63, 'n').c_str(), 8) != nullptr;
  const bool too_long = save(context, std::string(64, 'n').c_str(), 8) != nullptr;
  return first * 1 + second * 2 + empty * 4 + longest * 8 + too_long * 16;
}

/// Saves with its own context, with none, with that of the first call and with that of the call
/// before: a bit for each that gave memory, in that order.
int SaveWithContexts(assay_save_fn save, void* context) {
  static void* const first = context;
  static void* before = context;
  const bool own = save(context, "own", 8) != nullptr;
  const bool none = save(nullptr, "none", 8) != nullptr;
  const bool of_first = save(first, "first", 8) != nullptr;
  const bool of_before = save(before, "before", 8) != nullptr;
  before = context;
  return own * 1 + none * 2 + of_first * 4 + of_before * 8;
}

/// Sums the floats of tensor "t0"; status 1 when it is not there, 2 when it is not aligned.
int LoadNumbers(assay_load_fn load, void* context, double* sum) {
  std::size_t bytes = 0;
  const auto* memory = static_cast<const float*>(load(context, "t0", &bytes));
  *sum = 0;
  if (memory == nullptr) {
    return 1;
  }
  if (reinterpret_cast<std::uintptr_t>(memory) % 64 != 0) {
    return 2;
  }
  for (std::size_t i = 0; i < bytes / sizeof(float); ++i) {
    *sum += static_cast<double>(memory[i]);
  }
  return 0;
}

/// Has the client square the numbers, `times` times over.
int Square(std::size_t count, std::uint32_t times, double* values) {
  int status = 0;
  for (std::uint32_t i = 0; i < times && status == 0; ++i) {
    const double scale = 1.0;
    std::vector<double> squares(count);
    status = assay::host::Upcall(7, {{values, count * sizeof(double)}, {&scale, sizeof scale}},
                                 {{squares.data(), count * sizeof(double)}});
    std::memcpy(values, squares.data(), count * sizeof(double));
  }
  return status;
}

void Sleep(std::uint32_t milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

/// Keeps that much memory until the next call of it.
void Keep(std::uint64_t bytes) {
  static std::vector<char> kept;
  kept = std::vector<char>(bytes, 'k');
}

/// Takes that many blocks of 1 KiB and gives back all but the last, behind which they lie about.
void FreeAllButTheLast(std::uint64_t blocks) {
  static std::unique_ptr<std::array<char, 1024>> last;
  std::vector<std::unique_ptr<std::array<char, 1024>>> all(blocks);
  for (auto& block : all) {
    block = std::make_unique<std::array<char, 1024>>();
    block->fill('b');
  }
  last = std::move(all.back());
}

/// Adds one to the first element, through a sleeping thread that outlives the call: allowed.
void StartSleeper(std::uint32_t milliseconds) { std::thread(Sleep, milliseconds).detach(); }

/// How often a thread has woken since the first call; it wakes every millisecond.
void Ticks(std::uint64_t* count) {
  static std::atomic<std::uint64_t> ticks = 0;
  static std::once_flag started;
  std::call_once(started, [] {
    std::thread([] {
      for (;;) {
        Sleep(1);
        ++ticks;
      }
    }).detach();
  });
  *count = ticks;
}

}  // namespace

ASSAY_OPERATION("ticks", Ticks);
ASSAY_OPERATION("status", Status);
ASSAY_OPERATION("double_i8", Double<std::int8_t>);
ASSAY_OPERATION("double_u8", Double<std::uint8_t>);
ASSAY_OPERATION("double_i16", Double<std::int16_t>);
ASSAY_OPERATION("double_u16", Double<std::uint16_t>);
ASSAY_OPERATION("double_i32", Double<std::int32_t>);
ASSAY_OPERATION("double_u32", Double<std::uint32_t>);
ASSAY_OPERATION("double_i64", Double<std::int64_t>);
ASSAY_OPERATION("double_u64", Double<std::uint64_t>);
ASSAY_OPERATION("double_f32", Double<float>);
ASSAY_OPERATION("double_f64", Double<double>);
ASSAY_OPERATION("scalars", Scalars);
ASSAY_OPERATION("increment", Increment);
ASSAY_OPERATION("address_of", AddressOf);
ASSAY_OPERATION("save_numbers", SaveNumbers);
ASSAY_OPERATION("save_twice", SaveTwice);
ASSAY_OPERATION("save_with_contexts", SaveWithContexts);
ASSAY_OPERATION("load_numbers", LoadNumbers);
ASSAY_OPERATION("square", Square);
ASSAY_OPERATION("keep", Keep);
ASSAY_OPERATION("free_all_but_the_last", FreeAllButTheLast);
ASSAY_OPERATION("sleep", Sleep);
ASSAY_OPERATION("start_sleeper", StartSleeper);
ASSAY_OPERATION("missing", toy_missing);
