// SPDX-License-Identifier: Apache-2.0
#include "export.cuh"
#include "unfused.cuh"

SOFTMAX_TOPK_EXPORT(assay::softmax_topk_baseline::BaselineSteps);
