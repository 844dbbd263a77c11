// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_DEVICE_LAUNCH_SUMMARY_H_
#define ASSAY_EMULATOR_DEVICE_LAUNCH_SUMMARY_H_

#include <cstdint>
#include <map>
#include <vector>

#include "emulator/exec/launch.h"
#include "emulator/memory/footprint.h"
#include "emulator/memory/global_memory.h"
#include "emulator/model/gpu_model.h"
#include "emulator/model/occupancy.h"
#include "emulator/report/launch_report.h"

namespace assay::gpu {

/// The counters of a launch, from what was counted by instruction and by basic block. A predicated
/// instruction counts for the lanes that reach it. `cp.async` counts as a global load and a shared
/// store, `ldmatrix` as a shared load; fma is two operations, mma m·n·k·2 of a warp.
[[nodiscard]] LaunchCounters CountersOf(const Program& program, const LaunchResult& result);

/// The same by source line, in the order of files and lines; instructions without a line are left
/// out.
[[nodiscard]] std::vector<LineCounters> LinesOf(const Program& program, const LaunchResult& result);

/// Findings with names, lines and coordinates.
[[nodiscard]] std::vector<Finding> FindingsOf(const Launch& launch, const LaunchResult& result,
                                              const GlobalMemory& memory);

/// The report of a launch that has ended. Counters, lines and modelled time are left out when it
/// ended early: how far the other cores were then differs from run to run.
[[nodiscard]] LaunchReport ReportOf(const Launch& launch, const LaunchResult& result,
                                    const GlobalMemory& memory, const GpuModel& model,
                                    const KernelResources& resources, const Occupancy& occupancy);

/// The places of the instructions that `footprint` names; of no thread.
[[nodiscard]] std::map<std::uint32_t, Site> SitesOf(const Launch& launch,
                                                    const Footprint& footprint);

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_DEVICE_LAUNCH_SUMMARY_H_
