// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_BUILD_CUDA_TOOLKIT_H_
#define ASSAY_BUILD_CUDA_TOOLKIT_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "build/toolchain.h"
#include "sandbox/mount.h"
#include "spec/submission_spec.h"

namespace assay {

/// What compiles .cu sources. Both paths are empty where Assay was built without a toolkit.
struct CudaToolkit {
  std::filesystem::path nvcc;
  std::filesystem::path include;  ///< The folder of cuda_runtime_api.h.
};

/// The toolkit that baselines and mutants were compiled with: found by
/// harness/cmake/AssayCuda.cmake when Assay was built. In a package (ASSAY_PORTABLE), which is
/// built on another machine, that of /usr/local/cuda or else of /usr. PATH plays no part.
[[nodiscard]] const CudaToolkit& InstalledCuda();

/// How a person gets one, where there is none.
[[nodiscard]] std::string_view HowToGetNvcc();

/// The toolkit in the first of `prefixes` that has one: `<prefix>/bin/nvcc` and the headers in
/// `<prefix>/include`. Both paths are empty where none has.
[[nodiscard]] CudaToolkit FindCuda(const std::vector<std::filesystem::path>& prefixes);

/// `flags` without the choice of a host compiler where the toolkit brings the g++ that it takes: as
/// CUDA 11 does.
[[nodiscard]] std::vector<std::string> NvccFlagsFor(const CudaToolkit& toolkit,
                                                    std::vector<std::string> flags);

/// Whether nvcc compiles `source`: its name ends with .cu.
[[nodiscard]] bool IsCudaSource(std::string_view source);
/// Whether one of the sources of its implementation is compiled by nvcc. Then its host has a CUDA
/// runtime, and its other sources may call it.
[[nodiscard]] bool UsesCuda(const SubmissionSpec& submission);

/// Whether any file of it is compiled by nvcc, its own tests and benchmarks too.
[[nodiscard]] bool NeedsNvcc(const SubmissionSpec& submission);

/// nvcc's flags of a flavor: ASSAY_NVCC_FLAGS of harness/cmake/AssayOptions.cmake; sanitizers are
/// of its host code alone.
[[nodiscard]] std::vector<std::string> NvccFlags(BuildFlavor flavor);

/// The argument of nvcc that hands `flag` to g++ as it is.
[[nodiscard]] std::string ForHostCompiler(std::string_view flag);

/// The flags by which g++ and nvcc find the toolkit's headers: none where the compiler searches
/// their folder already, as that of Debian's toolkit, /usr/include. To name such a folder moves it
/// before the C++ library's, whose `#include_next <math.h>` then finds nothing.
[[nodiscard]] std::vector<std::string> HeaderFlags(const CudaToolkit& toolkit);

/// What nvcc needs to see beside ToolchainMounts(): the toolkit where it is installed in another
/// place than those, and Debian's configuration of it.
[[nodiscard]] std::vector<Mount> CudaMounts(const CudaToolkit& toolkit);

/// An error of kind kConfiguration, with the remedy, unless there is an nvcc.
[[nodiscard]] Status RequireCuda(const CudaToolkit& toolkit);

/// `nvcc 13.0.88`, for evidence. Errors as RequireCuda, and for an nvcc that does not run.
[[nodiscard]] Result<std::string> NvccVersion(const CudaToolkit& toolkit = InstalledCuda());

}  // namespace assay

#endif  // ASSAY_BUILD_CUDA_TOOLKIT_H_
