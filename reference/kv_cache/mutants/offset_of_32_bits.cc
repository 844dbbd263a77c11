// SPDX-License-Identifier: Apache-2.0
// Bug: offsets count floats in 32 bits, and wrap at 16 GiB.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static std::size_t Offset(std::size_t offset_bytes) {
    const auto floats = static_cast<std::uint32_t>(offset_bytes / sizeof(float));
    return std::size_t{floats} * sizeof(float) + offset_bytes % sizeof(float);
  }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
