// SPDX-License-Identifier: Apache-2.0
// Bug: query heads of a KV head are counted in 64, the rows of a block: the 65th is the first
// again.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static std::size_t QueryHead(std::size_t kv_head, std::size_t member, std::size_t group,
                               std::size_t kv_heads) {
    constexpr std::size_t kRows = 64;
    return BaselineSteps::QueryHead(kv_head, member % kRows, group, kv_heads);
  }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
