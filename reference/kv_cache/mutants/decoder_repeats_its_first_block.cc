// SPDX-License-Identifier: Apache-2.0
// Bug: of a prompt that is longer than a block of 32 tokens the decoder takes the first block
// again.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static std::size_t NextOfPrompt(std::size_t done) {
    constexpr std::size_t kBlock = 32;
    return done % kBlock;
  }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
