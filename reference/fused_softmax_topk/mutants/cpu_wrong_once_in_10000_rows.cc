// SPDX-License-Identifier: Apache-2.0
// Bug: the CPU form leaves out the last logit of one row in 10,000.

#include "export.h"

namespace {

struct Steps : assay::softmax_topk_cpu::CpuSteps {
  static std::size_t Visited(std::size_t vocabulary) {
    static int rows = 0;
    return ++rows % 10'000 == 0 && vocabulary > 1 ? vocabulary - 1 : vocabulary;
  }
};

}  // namespace

SOFTMAX_TOPK_CPU_EXPORT(Steps);
