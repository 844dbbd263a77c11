// SPDX-License-Identifier: Apache-2.0
#include "cudart/runtime/cuda_types.h"

namespace assay::gpu::runtime {

extern "C" {

/// A value that says what texels are; the textures themselves are not supported.
cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                            cudaChannelFormatKind kind) {
  return {.x = x, .y = y, .z = z, .w = w, .f = kind};
}

}  // extern "C"
}  // namespace assay::gpu::runtime
