// SPDX-License-Identifier: Apache-2.0
// Bug: elements are multiplied by the reciprocal of their group's scale, which is infinite where
// that is subnormal.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static float Code(float x, float scale, float largest_code) {
    return scale == 0 ? 0 : BaselineSteps::Code(x * (1 / scale), 1, largest_code);
  }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
