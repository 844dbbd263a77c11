// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CUDART_RUNTIME_LACKING_LIBRARIES_H_
#define ASSAY_CUDART_RUNTIME_LACKING_LIBRARIES_H_

#include <string_view>

namespace assay::gpu::runtime {

/// A library of CUDA that calls the driver, for which the emulated GPU has none.
struct LackingLibrary {
  std::string_view file;    ///< libcublas, of libcublas.so.13.
  std::string_view name;    ///< As its manual calls it.
  std::string_view prefix;  ///< What the names of its functions begin with.
};

/// The one whose file this is, with or without a folder and a version. Null: none of them.
[[nodiscard]] const LackingLibrary* FindLackingLibrary(std::string_view file);

/// Whether `function` is named as those of `library` are: cuInit, and neither cudaMalloc nor
/// custom, is of libcuda.
[[nodiscard]] bool IsFunctionOf(const LackingLibrary& library, std::string_view function);

}  // namespace assay::gpu::runtime

#endif  // ASSAY_CUDART_RUNTIME_LACKING_LIBRARIES_H_
