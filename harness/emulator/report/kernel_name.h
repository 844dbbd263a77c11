// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_REPORT_KERNEL_NAME_H_
#define ASSAY_EMULATOR_REPORT_KERNEL_NAME_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace assay::gpu {

/// How much of a demangled name is shown: a template's may bury a report.
enum class KernelNames : std::uint8_t { kShort, kFull };
inline constexpr std::size_t kMostOfName = 120;

[[nodiscard]] bool IsShortened(const std::string& kernel, KernelNames names);
/// At most kMostOfName characters unless kFull, of which the last three tell that there were more;
/// without control characters.
[[nodiscard]] std::string ShownKernel(const std::string& kernel, KernelNames names);

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_REPORT_KERNEL_NAME_H_
