// SPDX-License-Identifier: Apache-2.0
// Bug: scores are not divided by sqrt(head_size).

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static float ScoreScale(std::size_t /*head_size*/) { return 1; }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
