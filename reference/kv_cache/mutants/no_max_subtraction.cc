// SPDX-License-Identifier: Apache-2.0
// Bug: the largest score is not subtracted before exp.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static float Pivot(float /*largest_score*/) { return 0; }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
