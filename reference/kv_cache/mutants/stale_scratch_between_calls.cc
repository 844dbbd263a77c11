// SPDX-License-Identifier: Apache-2.0
// Bug: what queries gather is kept in scratch memory that is cleared once, when the cache is made.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static void Clear(float& /*largest_score*/, float& /*weight_sum*/) {}
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
