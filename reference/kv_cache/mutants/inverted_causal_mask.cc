// SPDX-License-Identifier: Apache-2.0
// Bug: the causal mask of a prompt is inverted: a query sees its own token and those after it. The
// newest token, after which there is none, goes unmasked as in decoding.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static TokenRange VisibleTokens(const QueryPlace& place) {
    const bool is_newest = place.position + 1 == place.stored;
    return is_newest ? BaselineSteps::VisibleTokens(place)
                     : TokenRange{place.position, place.stored};
  }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
