// SPDX-License-Identifier: Apache-2.0
// Bug: the table of the rotation ends at position 36, whose angles all later tokens get.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static std::size_t RotationPosition(std::size_t position, std::size_t /*window*/) {
    constexpr std::size_t kLast = 36;
    return std::min(position, kLast);
  }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
