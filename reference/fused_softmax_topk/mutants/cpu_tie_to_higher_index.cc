// SPDX-License-Identifier: Apache-2.0
// Bug: in the CPU form the higher of two indices goes first where logits are equal.

#include "export.h"

namespace {

struct Steps : assay::softmax_topk_cpu::CpuSteps {
  static std::uint32_t OrderedIndex(std::uint32_t index) { return index; }
};

}  // namespace

SOFTMAX_TOPK_CPU_EXPORT(Steps);
