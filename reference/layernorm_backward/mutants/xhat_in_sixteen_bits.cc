// SPDX-License-Identifier: Apache-2.0
// Bug: xhat is rounded to eleven bits of fraction, as if it were saved in half precision.

#include "export.h"

namespace {

namespace hn = assay::layernorm_baseline::hn;

struct Steps : assay::layernorm_baseline::BaselineSteps {
  template <typename V>
  static V Normalize(V deviation, V offset, V rstd) {
    const V xhat = BaselineSteps::Normalize(deviation, offset, rstd);
    // Adding and subtracting c * xhat leaves the leading bits of the fraction of xhat.
    const hn::DFromV<V> lanes;
    constexpr int kDroppedBits = sizeof(hn::TFromD<hn::DFromV<V>>) == 4 ? 13 : 42;
    const V shifted = hn::Mul(
        xhat,
        hn::Set(lanes, static_cast<hn::TFromD<hn::DFromV<V>>>(std::int64_t{1} << kDroppedBits)));
    return hn::Sub(hn::Add(shifted, xhat), shifted);
  }
};

}  // namespace

LAYERNORM_EXPORT(Steps);
