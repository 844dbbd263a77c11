// SPDX-License-Identifier: Apache-2.0
// Bug: the decoder is right for 2,000 norms, and then takes each for a hundredth too large.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static float NormDenominator(float mean_square, float eps) {
    constexpr std::size_t kRight = 2000;
    static std::size_t norms = 0;
    return BaselineSteps::NormDenominator(mean_square, eps) * (++norms > kRight ? 1.01F : 1.0F);
  }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
