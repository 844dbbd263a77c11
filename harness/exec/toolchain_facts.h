// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EXEC_TOOLCHAIN_FACTS_H_
#define ASSAY_EXEC_TOOLCHAIN_FACTS_H_

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "build/cuda_toolkit.h"

namespace assay {

/// What decides whether this machine compiles what it compiled before: its processor, versions of
/// the compilers, size and time of their passes, of the linker, of the C and C++ libraries and of a
/// header of each, and the command lines of both flavors as a submission gets them. Equal values:
/// nothing changed. With `cuda` the same of nvcc. Starts a dozen small programs: 30 ms. An error
/// (kind kConfiguration) where a compiler is missing or does not say its version.
[[nodiscard]] Result<nlohmann::json> DescribeToolchain(const std::filesystem::path& compiler,
                                                       const std::optional<CudaToolkit>& cuda);

}  // namespace assay

#endif  // ASSAY_EXEC_TOOLCHAIN_FACTS_H_
