// SPDX-License-Identifier: Apache-2.0
// Bug: query head h reads KV head h % kv_heads: neighbours are spread instead of grouped.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static std::size_t QueryHead(std::size_t kv_head, std::size_t member, std::size_t /*group*/,
                               std::size_t kv_heads) {
    return member * kv_heads + kv_head;
  }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
