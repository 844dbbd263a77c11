// SPDX-License-Identifier: Apache-2.0
// Bug: the rotation pairs neighbours, (2i, 2i + 1), where the contract pairs halves.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static std::pair<std::size_t, std::size_t> RotatedPair(std::size_t i, std::size_t /*head_size*/) {
    return {2 * i, 2 * i + 1};
  }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
