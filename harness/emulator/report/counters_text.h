// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_REPORT_COUNTERS_TEXT_H_
#define ASSAY_EMULATOR_REPORT_COUNTERS_TEXT_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "emulator/report/kernel_name.h"
#include "emulator/report/run_summary.h"

namespace assay::gpu {

/// The counters of one kernel over all its launches, for people. Memory traffic stands at four
/// levels that are never merged: bytes that lanes asked for, sectors, compulsory DRAM bytes, DRAM
/// bytes through a modelled L2. Times are modelled on the GPU `gpu_name` and say so. Rows of zeros
/// are left out.
[[nodiscard]] std::string CountersText(const KernelSummary& kernel, std::string_view gpu_name,
                                       KernelNames names = KernelNames::kShort);

/// The content of a source file; nothing when it cannot be read.
using ReadSource = std::function<std::optional<std::string>(const std::string& path)>;

/// The source lines of one kernel: executions by warps, lanes of 32, bytes, sectors a request with
/// the ideal, divergent branches, and the text of the line where `read` has it. Nothing was
/// compiled with -lineinfo: a line says so.
[[nodiscard]] std::string LinesText(const KernelSummary& kernel, const ReadSource& read);

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_REPORT_COUNTERS_TEXT_H_
