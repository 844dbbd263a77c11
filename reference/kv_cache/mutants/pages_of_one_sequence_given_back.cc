// SPDX-License-Identifier: Apache-2.0
// Bug: a call that finds too few pages gives back those of the last sequence that got one; those of
// the sequences before it are lost.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {};

}  // namespace

template <>
void Slots<Steps>::UndoReserved() {
  const std::size_t last = taken_.empty() ? 0 : taken_.back().sequence;
  for (; !taken_.empty(); taken_.pop_back()) {
    const Taken& taken = taken_.back();
    std::vector<std::int32_t>& table = tables_[taken.sequence];
    if (taken.sequence != last) {
      continue;
    }
    pool_.Release(table[taken.index]);
    if (taken.replaced == PagePool::kNone) {
      table.pop_back();
    } else {
      pool_.Share(taken.replaced);
      table[taken.index] = taken.replaced;
    }
  }
}

}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
