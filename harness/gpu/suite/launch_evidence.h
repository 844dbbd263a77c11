// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GPU_SUITE_LAUNCH_EVIDENCE_H_
#define ASSAY_GPU_SUITE_LAUNCH_EVIDENCE_H_

#include <cstdint>
#include <string_view>

#include "emulator/report/launch_report.h"
#include "evidence/evidence.h"

namespace assay::gpu {

/// What evidence keeps of a launch. Values by these names; Nsight Compute's own where it has a
/// metric of that meaning, else `assay__…`:
///
///     launch__grid_size                              blocks
///     launch__block_size                             threads a block
///     launch__registers_per_thread                   absent where there was no SASS
///     launch__shared_mem_per_block_static            bytes
///     launch__shared_mem_per_block_dynamic           bytes
///     assay__local_bytes_per_thread
///     sm__maximum_warps_per_active_cycle_pct         theoretical occupancy, 0 to 100
///     assay__modelled_time_ns                        a roofline model, never a measurement
///     assay__error                                   cudaError_t's number
///
/// and all of LaunchCounters by the names of emulator/report/README.md
/// (`smsp__sass_data_bytes_mem_global_op_ld.sum`, `dram__bytes_read.sum` …), without the mix. A
/// value that is absent is 0.
[[nodiscard]] LaunchEvidence ToEvidence(std::string_view label, std::string_view gpu,
                                        const LaunchReport& report);

/// Bytes of global loads that each take 16 bytes a thread. At most global_load.bytes.
[[nodiscard]] inline std::uint64_t Vector16LoadBytes(const LaunchCounters& counters) {
  return counters.vector16_load_bytes;
}

}  // namespace assay::gpu

#endif  // ASSAY_GPU_SUITE_LAUNCH_EVIDENCE_H_
