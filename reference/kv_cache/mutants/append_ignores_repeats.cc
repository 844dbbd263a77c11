// SPDX-License-Identifier: Apache-2.0
// Bug: a sequence that stands several times in a call keeps the last of its tokens alone.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static std::size_t AppendPosition(std::size_t /*stored*/, std::size_t stored_before) {
    return stored_before;
  }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
