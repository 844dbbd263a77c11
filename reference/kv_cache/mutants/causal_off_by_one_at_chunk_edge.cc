// SPDX-License-Identifier: Apache-2.0
// Bug: in every chunk but the first a query sees one token of its future, where the chunk has one.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static TokenRange VisibleTokens(const QueryPlace& place) {
    TokenRange visible = BaselineSteps::VisibleTokens(place);
    if (place.chunk > 0) {
      visible.last = std::min(visible.last + 1, place.stored);
    }
    return visible;
  }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
