// SPDX-License-Identifier: Apache-2.0
// Bug: sampling keeps one token more than top_k says.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static std::size_t KeptTokens(std::size_t top_k, std::size_t vocabulary) {
    return top_k == 0 ? vocabulary : std::min(top_k + 1, vocabulary);
  }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
