// SPDX-License-Identifier: Apache-2.0
#include "export.h"

SOFTMAX_TOPK_CPU_EXPORT(assay::softmax_topk_cpu::CpuSteps);
