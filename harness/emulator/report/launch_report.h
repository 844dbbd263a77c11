// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_REPORT_LAUNCH_REPORT_H_
#define ASSAY_EMULATOR_REPORT_LAUNCH_REPORT_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/report/counters.h"
#include "emulator/report/finding.h"

namespace assay::gpu {

/// What a kernel asks of a multiprocessor.
struct KernelResources {
  std::optional<std::uint32_t> registers_per_thread;  ///< ptxas's figure; nothing: no SASS at hand.
  std::uint64_t static_shared_bytes = 0;
  std::uint64_t constant_bytes = 0;
  std::uint64_t local_bytes = 0;  ///< A thread's: PTX's or, where it is more, ptxas's stack frame.
  std::uint32_t max_threads_per_block = 1024;
};

/// One launch, whole: the value that reports are made of.
struct LaunchReport {
  std::uint64_t launch = 0;  ///< From 0, in the order of the program.
  std::string kernel;        ///< Demangled.
  std::array<std::uint32_t, 3> grid{};
  std::array<std::uint32_t, 3> block{};
  std::uint64_t dynamic_shared_bytes = 0;
  KernelResources resources = {};
  double theoretical_occupancy = 0;     ///< 0 to 1, on the named GPU.
  std::string occupancy_limiter = {};   ///< "registers", "shared memory", "warps", "blocks"
  double modelled_time_ns = 0;          ///< model/roofline.h; never a measurement.
  std::string modelled_limiter = {};    ///< "DRAM", "issue", "f32", …
  std::uint64_t emulation_time_ns = 0;  ///< Wall time that the emulator took.
  LaunchCounters counters = {};
  std::vector<LineCounters> lines = {};
  std::vector<Finding> findings = {};
  int error = 0;                  ///< cudaError_t's number; 0: success.
  std::string error_detail = {};  ///< In words, for a person.
};

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_REPORT_LAUNCH_REPORT_H_
