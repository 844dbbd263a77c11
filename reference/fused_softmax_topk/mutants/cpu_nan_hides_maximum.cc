// SPDX-License-Identifier: Apache-2.0
// Bug: the CPU form takes the largest of four vectors pair by pair. Where either operand is NaN,
// x86's maximum is the second: a NaN in one vector hides the largest logit of the block in its
// lane.

#include "export.h"

namespace {

using assay::softmax_topk_cpu::FloatVector;

struct Steps : assay::softmax_topk_cpu::CpuSteps {
  static FloatVector Largest(FloatVector /*floor*/, FloatVector v0, FloatVector v1, FloatVector v2,
                             FloatVector v3) {
    namespace hn = assay::softmax_topk_cpu::hn;
    return hn::Max(hn::Max(v0, v1), hn::Max(v2, v3));
  }
};

}  // namespace

SOFTMAX_TOPK_CPU_EXPORT(Steps);
