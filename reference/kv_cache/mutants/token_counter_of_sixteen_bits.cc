// SPDX-License-Identifier: Apache-2.0
// Bug: attention counts tokens in 16 bits, and wraps at 65,536.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static TokenRange VisibleTokens(const QueryPlace& place) {
    QueryPlace wrapped = place;
    wrapped.position = static_cast<std::uint16_t>(place.position);
    return BaselineSteps::VisibleTokens(wrapped);
  }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
