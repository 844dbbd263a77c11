// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "cudart/runtime/state.h"

namespace assay::gpu::runtime {

int FailUnsupported(std::string_view function);

int FailUnsupported(std::string_view function) {
  return Enter<Needs::kNothing>([&](State& state) {
    Notice(state, function, cudaErrorNotSupported, "is not supported by the emulated GPU");
    return cudaErrorNotSupported;
  });
}

}  // namespace assay::gpu::runtime
