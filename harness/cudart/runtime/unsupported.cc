// SPDX-License-Identifier: Apache-2.0
// Functions of libcudart that the emulated GPU lacks. They link, and fail by name when called.
// No CUDA header is included: each is declared without its parameters here, which on x86-64 and
// AArch64 is called alike, since the caller cleans up.
#include <string_view>

namespace assay::gpu::runtime {

/// Tells that `function` is lacking, and records and returns cudaErrorNotSupported.
int FailUnsupported(std::string_view function);

}  // namespace assay::gpu::runtime

extern "C" {
#define X(name) \
  int name() { return assay::gpu::runtime::FailUnsupported(#name); }
#include "cudart/runtime/unsupported.inc"
#undef X
}
