// SPDX-License-Identifier: Apache-2.0
// Every function is there and refuses every call: the other zero of the scale.

#include "interface.h"

extern "C" {

size_t softmax_topk_workspace_bytes(size_t, size_t, size_t) { return 0; }
int softmax_topk_f32(size_t, size_t, size_t, const float*, size_t, float*, int32_t*, void*, size_t,
                     softmax_topk_stream) {
  return SOFTMAX_TOPK_UNSUPPORTED;
}
int softmax_topk_alternative_f32(size_t, size_t, size_t, const float*, size_t, float*, int32_t*,
                                 void*, size_t, softmax_topk_stream) {
  return SOFTMAX_TOPK_UNSUPPORTED;
}
int softmax_topk_f16(size_t, size_t, size_t, const uint16_t*, size_t, float*, int32_t*, void*,
                     size_t, softmax_topk_stream) {
  return SOFTMAX_TOPK_UNSUPPORTED;
}
int softmax_topk_bf16(size_t, size_t, size_t, const uint16_t*, size_t, float*, int32_t*, void*,
                      size_t, softmax_topk_stream) {
  return SOFTMAX_TOPK_UNSUPPORTED;
}
int softmax_topk_cpu_f32(size_t, size_t, size_t, const float*, size_t, float*, int32_t*) {
  return SOFTMAX_TOPK_UNSUPPORTED;
}

}  // extern "C"
