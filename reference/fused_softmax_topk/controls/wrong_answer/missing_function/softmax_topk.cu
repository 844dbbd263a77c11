// SPDX-License-Identifier: Apache-2.0
// Leaves out softmax_topk_workspace_bytes, which is required.

#include "interface.h"

extern "C" int softmax_topk_f32(size_t /*rows*/, size_t /*vocabulary*/, size_t /*k*/,
                                const float* /*logits*/, size_t /*row_stride*/,
                                float* /*probabilities*/, int32_t* /*indices*/, void* /*workspace*/,
                                size_t /*workspace_bytes*/, softmax_topk_stream /*stream*/) {
  return SOFTMAX_TOPK_OK;
}
