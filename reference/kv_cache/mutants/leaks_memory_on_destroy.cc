// SPDX-License-Identifier: Apache-2.0
// Bug: the memory of a destroyed cache is never given back.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static std::shared_ptr<std::byte> Allocate(std::size_t size_bytes) {
    static std::vector<std::shared_ptr<std::byte>> kept;
    kept.push_back(BaselineSteps::Allocate(size_bytes));
    return kept.back();
  }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
