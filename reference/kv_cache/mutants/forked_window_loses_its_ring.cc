// SPDX-License-Identifier: Apache-2.0
// Bug: a fork of a sequence with a window copies the slots that were written since its ring began
// anew, and not those of the turn before.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static std::size_t ForkedSlots(std::size_t tokens, std::size_t tokens_of_first_layer,
                                 std::size_t slots) {
    const bool is_ring = tokens > slots && tokens % slots > 0;
    return BaselineSteps::ForkedSlots(is_ring ? tokens % slots : tokens, tokens_of_first_layer,
                                      slots);
  }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
