// SPDX-License-Identifier: Apache-2.0
// Every function is there and refuses every call: the other zero of the scale.

#include "interface.h"

extern "C" {

int ln_forward_cuda_f32(size_t, size_t, const float*, const float*, const float*, float, float*,
                        float*, float*, ln_stream) {
  return LN_UNSUPPORTED;
}
size_t ln_backward_cuda_workspace_bytes(size_t, size_t) { return 0; }
int ln_backward_cuda_f32(size_t, size_t, const float*, const float*, const float*, const float*,
                         const float*, float*, float*, float*, void*, size_t, ln_stream) {
  return LN_UNSUPPORTED;
}

}  // extern "C"
