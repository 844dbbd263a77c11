// SPDX-License-Identifier: Apache-2.0
// Bug: the CPU form leaves out the logits behind the last whole block of 64.

#include "export.h"

namespace {

struct Steps : assay::softmax_topk_cpu::CpuSteps {
  static std::size_t Visited(std::size_t vocabulary) {
    return vocabulary < 64 ? vocabulary : vocabulary - vocabulary % 64;
  }
};

}  // namespace

SOFTMAX_TOPK_CPU_EXPORT(Steps);
