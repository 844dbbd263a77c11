// SPDX-License-Identifier: Apache-2.0
// Bug: the reciprocal square root is the approximation of the vector unit, without the Newton step
// that makes it right to the last bits.

#include "export.h"

namespace {

namespace hn = assay::layernorm_baseline::hn;

struct Steps : assay::layernorm_baseline::BaselineSteps {
  template <typename T>
  static T ReciprocalStd(T variance, T eps) {
    const hn::ScalableTag<float> lanes;
    const float sum = static_cast<float>(variance + eps);
    return static_cast<T>(hn::GetLane(hn::ApproximateReciprocalSqrt(hn::Set(lanes, sum))));
  }
};

}  // namespace

LAYERNORM_EXPORT(Steps);
