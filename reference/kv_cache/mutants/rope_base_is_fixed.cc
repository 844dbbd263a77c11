// SPDX-License-Identifier: Apache-2.0
// Bug: the base of the rotation is 10,000 whatever the configuration says.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static double RotationBase(float base) { return base > 0 ? 10'000 : 0; }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
