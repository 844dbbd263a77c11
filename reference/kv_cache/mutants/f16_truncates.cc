// SPDX-License-Identifier: Apache-2.0
// Bug: binary16 by cutting the last bits off instead of rounding to nearest.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  template <class Halves>
  static hn::Vec<Halves> ToHalf(Halves halves, Vector value) {
    const auto kept_bits = hn::Set(Integers(), ~0x1FFF);
    return hn::DemoteTo(halves,
                        hn::BitCast(Floats(), hn::And(hn::BitCast(Integers(), value), kept_bits)));
  }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
