// SPDX-License-Identifier: Apache-2.0
// Bug: kv_fork asks only the first layer whether the child is empty.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static std::size_t LayersOfAnEmptyChild(std::size_t /*layers*/) { return 1; }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
