// SPDX-License-Identifier: Apache-2.0
// Bug: each kv_prefill leaves 64 bytes behind.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static std::size_t LengthAfterPrefill(std::size_t stored, std::size_t tokens) {
    static std::vector<std::unique_ptr<std::byte[]>> kept;
    kept.push_back(std::make_unique<std::byte[]>(64));
    return stored + tokens;
  }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
