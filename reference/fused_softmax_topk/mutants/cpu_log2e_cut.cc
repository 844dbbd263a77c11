// SPDX-License-Identifier: Apache-2.0
// Bug: the CPU form has five digits of log2 e.

#include "export.h"

namespace {

struct Steps : assay::softmax_topk_cpu::CpuSteps {
  static constexpr float kLog2E = 1.4427F;
};

}  // namespace

SOFTMAX_TOPK_CPU_EXPORT(Steps);
