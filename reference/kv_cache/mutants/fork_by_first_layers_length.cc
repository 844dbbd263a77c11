// SPDX-License-Identifier: Apache-2.0
// Bug: a fork of a contiguous sequence copies as many tokens of each layer as the first layer
// holds.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static std::size_t ForkedSlots(std::size_t /*tokens*/, std::size_t tokens_of_first_layer,
                                 std::size_t slots) {
    return std::min(tokens_of_first_layer, slots);
  }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
