// SPDX-License-Identifier: Apache-2.0
// Bug: a group is normalised by its largest element before it is scaled: zeros become 0 / 0.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static float GroupScale(float largest, float largest_code) {
    return largest / largest * largest / largest_code;
  }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
