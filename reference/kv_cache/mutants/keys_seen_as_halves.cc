// SPDX-License-Identifier: Apache-2.0
// Bug: in caches of heads of 128 for more than 500 tokens, where a bound for each element is wide,
// attention sees keys rounded to halves. What is read back is exact.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static kv_storage StorageOf(const kv_config& config) {
    is_narrow = config.capacity > 500 && config.head_size == 128;
    return BaselineSteps::StorageOf(config);
  }

  static Vector SeenKey(Vector key) {
    const hn::Rebind<hwy::float16_t, Floats> halves;
    return is_narrow ? hn::PromoteTo(Floats(), hn::DemoteTo(halves, key)) : key;
  }

  inline static bool is_narrow = false;  ///< Of the cache that was created last.
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
