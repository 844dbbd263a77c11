// SPDX-License-Identifier: Apache-2.0
// Bug: the last page is read to its end, whatever lies behind the last token.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static TokenRange VisibleTokens(const QueryPlace& place) {
    TokenRange visible = BaselineSteps::VisibleTokens(place);
    if (place.page_size > 0) {
      visible.last = RoundUp(visible.last, place.page_size);
    }
    return visible;
  }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
