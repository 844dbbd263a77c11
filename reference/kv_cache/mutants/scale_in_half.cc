// SPDX-License-Identifier: Apache-2.0
// Bug: the scale of a group is rounded to binary16 before it is stored.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static float GroupScale(float largest, float largest_code) {
    const hn::CappedTag<float, 1> one;
    const hn::Rebind<hwy::float16_t, hn::CappedTag<float, 1>> half;
    const float scale = BaselineSteps::GroupScale(largest, largest_code);
    return hn::GetLane(hn::PromoteTo(one, hn::DemoteTo(half, hn::Set(one, scale))));
  }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
