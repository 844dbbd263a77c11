// SPDX-License-Identifier: Apache-2.0
// The baseline handed in: its traffic and its times must come out near the baseline's. Its headers
// are copied beside it before it is graded.

#include "export.cuh"

SOFTMAX_TOPK_EXPORT(assay::softmax_topk_baseline::BaselineSteps);
