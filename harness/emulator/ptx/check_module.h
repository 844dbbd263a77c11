// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_PTX_CHECK_MODULE_H_
#define ASSAY_EMULATOR_PTX_CHECK_MODULE_H_

#include <string>

#include "emulator/ptx/module.h"

namespace assay::gpu::ptx {

/// What of `module` breaks a promise of module.h, such as an index past its end; empty when
/// nothing does. For tests and fuzzers: the parser never makes such a module.
[[nodiscard]] std::string FindInconsistency(const Module& module);

}  // namespace assay::gpu::ptx

#endif  // ASSAY_EMULATOR_PTX_CHECK_MODULE_H_
