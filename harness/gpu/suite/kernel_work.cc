// SPDX-License-Identifier: Apache-2.0
#include "gpu/suite/kernel_work.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::gpu {

KernelWork WorkOf(std::span<const LaunchReport> launches) {
  KernelWork work;
  for (const LaunchReport& launch : launches) {
    const LaunchCounters& counters = launch.counters;
    work.loaded += counters.global_load.bytes;
    work.distinct += counters.compulsory_read_bytes;
    work.stored += counters.global_store.bytes + counters.global_atomic.bytes +
                   counters.global_reduction.bytes;
  }
  return work;
}

std::string FaultOfWork(const KernelDuty& duty, std::span<const LaunchReport> launches,
                        const remote::CopiedBytes& copied, Counters counters) {
  if (const std::uint64_t most = kFlagBytes + duty.plan_bytes; copied.to_host > most) {
    return fmt::format(
        "{} copied {} bytes of device memory to the host, mapped and managed memory counted; {} "
        "are allowed",
        duty.operation, copied.to_host, most);
  }
  if (counters == Counters::kNone) {
    return "";
  }
  const KernelWork work = WorkOf(launches);
  if (std::min(work.loaded, work.distinct) < duty.input_bytes) {
    return fmt::format(
        "the kernels of {} loaded {} bytes of global memory, {} of them distinct, of {} of {}",
        duty.operation, work.loaded, work.distinct, duty.input_bytes, duty.input);
  }
  if (work.stored < duty.output_bytes) {
    return fmt::format("the kernels of {} stored {} bytes to global memory, of {} of outputs",
                       duty.operation, work.stored, duty.output_bytes);
  }
  return "";
}

}  // namespace assay::gpu
