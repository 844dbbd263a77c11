// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_REPORT_SANITIZER_TEXT_H_
#define ASSAY_EMULATOR_REPORT_SANITIZER_TEXT_H_

#include <string>

#include "emulator/report/finding.h"
#include "emulator/report/kernel_name.h"
#include "emulator/report/run_summary.h"

namespace assay::gpu {

/// One finding in the words and the shape of compute-sanitizer, so that people and scripts that
/// read its reports read ours:
///
///     ========= Invalid __global__ read of size 4 bytes
///     =========     at scale(float*, float, int) in scale.cu:12 (ld.global.f32)
///     =========     by thread (232,0,0) in block (3,0,0)
///     =========     Address 0x7f0000001fa0 is out of bounds
///     =========     and is 1 bytes after the nearest allocation at 0x7f0000001000 of size 4000
///     bytes
///
/// Where it gives an offset in machine code we give the PTX instruction. Without -lineinfo the
/// place is a line of PTX.
[[nodiscard]] std::string SanitizerText(const Finding& finding,
                                        KernelNames names = KernelNames::kShort);

/// The first hundred findings, then the errors that launches ended with, the sum of
/// leaks, then `========= ERROR SUMMARY: N errors`; the number is of places, and the same fault in
/// many threads counts once.
[[nodiscard]] std::string SanitizerText(const RunSummary& run,
                                        KernelNames names = KernelNames::kShort);

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_REPORT_SANITIZER_TEXT_H_
