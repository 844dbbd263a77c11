// SPDX-License-Identifier: Apache-2.0
// Bug: all layers are stored into the first one.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static std::size_t StoredLayer(std::size_t /*layer*/) { return 0; }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
