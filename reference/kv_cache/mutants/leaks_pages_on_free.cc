// SPDX-License-Identifier: Apache-2.0
// Bug: the last page of a freed sequence is lost to the pool.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  template <class Pool>
  static void ReleasePages(Pool& pool, std::vector<std::int32_t>& table) {
    if (!table.empty()) {
      table.pop_back();
    }
    BaselineSteps::ReleasePages(pool, table);
  }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
