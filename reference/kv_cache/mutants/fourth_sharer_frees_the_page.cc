// SPDX-License-Identifier: Apache-2.0
// Bug: of a page that four sequences share, the first that is freed takes two of them along: it
// goes back to the pool while one still has it.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  template <class Pool>
  static void ReleasePages(Pool& pool, std::vector<std::int32_t>& table) {
    for (const std::int32_t page : table) {
      constexpr std::int32_t kMany = 4;
      if (pool.Sharers(page) >= kMany) {
        pool.Release(page);
      }
    }
    BaselineSteps::ReleasePages(pool, table);
  }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
