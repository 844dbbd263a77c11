// SPDX-License-Identifier: Apache-2.0
// Bug: in the CPU form, in rows as long as those that are timed, probabilities have the precision
// of halves.

#include "export.h"

namespace {

struct Steps : assay::softmax_topk_cpu::CpuSteps {
  static float Probability(float exponential, float sum, std::size_t vocabulary) {
    const float exact = exponential / sum;
    // Without the denormals of a half, so that small ones are off no more than large ones.
    return vocabulary < 32'000 ? exact
                               : static_cast<float>(static_cast<_Float16>(exact * 1024)) / 1024;
  }
};

}  // namespace

SOFTMAX_TOPK_CPU_EXPORT(Steps);
