// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_REPORT_DEMANGLED_KERNEL_H_
#define ASSAY_EMULATOR_REPORT_DEMANGLED_KERNEL_H_

#include <string>

namespace assay::gpu {

/// As a person wrote it: demangled, and without what nvcc puts before the name of a static kernel.
/// What is no mangled name is returned as it is.
[[nodiscard]] std::string DemangledKernel(const std::string& name);

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_REPORT_DEMANGLED_KERNEL_H_
