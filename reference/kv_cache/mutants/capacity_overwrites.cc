// SPDX-License-Identifier: Apache-2.0
// Bug: a full sequence takes tokens all the same; a contiguous one loses its oldest.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static bool FitsCapacity(std::size_t /*stored*/, std::size_t /*tokens*/,
                           std::size_t /*capacity*/) {
    return true;
  }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
