// SPDX-License-Identifier: Apache-2.0
// Bug: the CPU form leaves out the logit behind the last whole block of 4,096 where it is alone.

#include "export.h"

namespace {

struct Steps : assay::softmax_topk_cpu::CpuSteps {
  static std::size_t Visited(std::size_t vocabulary) {
    return vocabulary > 4096 && vocabulary % 4096 == 1 ? vocabulary - 1 : vocabulary;
  }
};

}  // namespace

SOFTMAX_TOPK_CPU_EXPORT(Steps);
