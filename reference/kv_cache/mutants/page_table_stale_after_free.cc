// SPDX-License-Identifier: Apache-2.0
// Bug: a freed sequence keeps its page table: it goes on to write into pages that others have by
// then.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  template <class Pool>
  static void ReleasePages(Pool& pool, std::vector<std::int32_t>& table) {
    for (const std::int32_t page : table) {
      pool.Release(page);
    }
  }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
