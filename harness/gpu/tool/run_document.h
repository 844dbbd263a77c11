// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GPU_TOOL_RUN_DOCUMENT_H_
#define ASSAY_GPU_TOOL_RUN_DOCUMENT_H_

#include <string>

#include "emulator/model/gpu_model.h"
#include "emulator/report/kernel_name.h"
#include "gpu/tool/run_cuda.h"

namespace assay::gpu {

/// A run as one JSON document, `assay cuda run --json`: `gpu` (id and name), `exit_code`, `signal`
/// (0: none), `error_count` and `warning_count` (of findings), `findings` (merged over launches),
/// `launch_count`, `launches` (each as in report/json.h, in order, one a line), `launches_left_out`
/// (kept out for their size) and `faults` (reports that could not be read).
[[nodiscard]] std::string RunDocument(const CudaRun& run, const GpuModel& model);

/// A run for people: its counters kernel by kernel, with `lines` their source lines, then findings
/// and the error summary.
enum class SourceLines { kHidden, kShown };
[[nodiscard]] std::string RunText(const CudaRun& run, const GpuModel& model, SourceLines lines,
                                  KernelNames names = KernelNames::kShort);

}  // namespace assay::gpu

#endif  // ASSAY_GPU_TOOL_RUN_DOCUMENT_H_
