// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_CUDA_CHECK_TEXT_H_
#define ASSAY_CLI_CUDA_CHECK_TEXT_H_

#include <nlohmann/json.hpp>
#include <string>

#include "exec/gpu_check_compare.h"
#include "exec/gpu_check_run.h"

namespace assay {

/// What is printed of an outcome as it comes, lines; empty for counters that agree. What programs
/// and suites said passes PlainLines.
[[nodiscard]] std::string CudaCheckEventText(const GpuCheckEvent& event);

/// The lines behind all outcomes: how many agree, and what was not compared and why.
[[nodiscard]] std::string CudaCheckSummary(const GpuCheckReport& report);

/// `assay cuda check --json`: `gpu`, `agrees`, `programs` (name, verdict, exit_code, detail),
/// `counters` (name, verdict, reason, differences), `no_counters`, `hosts` (challenge, host, cases
/// on both GPUs, differences, failure), `benches`, `no_challenges`.
[[nodiscard]] nlohmann::json CudaCheckToJson(const GpuCheckReport& report);

}  // namespace assay

#endif  // ASSAY_CLI_CUDA_CHECK_TEXT_H_
