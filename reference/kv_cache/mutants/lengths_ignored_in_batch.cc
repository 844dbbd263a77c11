// SPDX-License-Identifier: Apache-2.0
// Bug: every sequence of a call is taken to be as long as the longest one, as far as there are
// slots.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static std::size_t LengthInBatch(std::size_t /*own*/, std::size_t longest,
                                   std::size_t addressable) {
    return std::min(longest, addressable);
  }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
