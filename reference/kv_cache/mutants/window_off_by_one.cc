// SPDX-License-Identifier: Apache-2.0
// Bug: a query with a window misses the oldest token that it should see.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static TokenRange VisibleTokens(const QueryPlace& place) {
    TokenRange visible = BaselineSteps::VisibleTokens(place);
    if (visible.first > 0 && place.window > 1) {
      ++visible.first;
    }
    return visible;
  }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
