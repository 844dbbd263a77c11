// SPDX-License-Identifier: Apache-2.0
// Bug: from the 1,024th logit of a row on, the CPU form has two equal ones side by side in the
// wrong order.

#include <algorithm>

#include "export.h"

namespace {

struct Steps : assay::softmax_topk_cpu::CpuSteps {
  /// Its own inverse, as that of the baseline is.
  static std::uint32_t OrderedIndex(std::uint32_t index) {
    const std::uint32_t other = ~index;
    return std::min(index, other) >= 1024 ? other ^ 1U : other;
  }
};

}  // namespace

SOFTMAX_TOPK_CPU_EXPORT(Steps);
