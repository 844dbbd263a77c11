// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_CORE_DEVICE_OPTIONS_H_
#define ASSAY_EMULATOR_CORE_DEVICE_OPTIONS_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <string_view>

#include "emulator/model/gpu_model.h"

namespace assay::gpu {

/// The order in which warps and blocks run, all of them legal on hardware.
enum class Schedule : std::uint8_t {
  kAscending,  ///< Warps and blocks from the lowest, each as far as it can go.
  kReversed,   ///< From the highest, within the blocks that are resident together.
  kRandom,     ///< Shuffled by the seed, preempted at random memory operations.
};
enum class Checking : std::uint8_t { kOff, kOn };
enum class Approximation : std::uint8_t {
  kRounded,    ///< ex2, rsqrt … as near to correctly rounded as f32 through f64 is.
  kPerturbed,  ///< Moved by the seed within the documented error.
};

/// How whoever started a program ends its kernels: from a signal handler, from any thread.
struct StopRequest {
  std::atomic<int> signal{0};  ///< Not 0: the launch that runs ends where it is, with error 702.
  std::atomic<bool> kernel_runs{false};  ///< Set by the device; cleared by who hears its reports.
};

struct DeviceOptions {
  GpuModel model = H100();
  Schedule schedule = Schedule::kAscending;
  std::uint64_t seed = 0;
  Checking checking = Checking::kOn;
  Approximation approximation = Approximation::kRounded;
  unsigned workers = 0;                  ///< Cores to run blocks on; 0: all of this machine.
  std::uint64_t memory_limit_bytes = 0;  ///< 0: the least of the GPU's memory and half of ours.
  std::uint64_t instruction_limit =
      100'000'000'000;  ///< Thread-instructions a launch: the watchdog.
  /// Where device printf goes; nothing: stdout.
  std::function<void(std::string_view)> print = {};
  StopRequest* stop = nullptr;  ///< Null: nobody asks.
};

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_CORE_DEVICE_OPTIONS_H_
