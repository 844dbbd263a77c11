// SPDX-License-Identifier: Apache-2.0
// The CPU half of the baseline handed in.

#include "export.h"

SOFTMAX_TOPK_CPU_EXPORT(assay::softmax_topk_cpu::CpuSteps);
