// SPDX-License-Identifier: Apache-2.0
// Bug: one output in 3,000 of kv_attend leaves the newest token out.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static std::size_t LengthInBatch(std::size_t own, std::size_t /*longest*/,
                                   std::size_t /*addressable*/) {
    constexpr std::size_t kRight = 3000;
    static std::size_t outputs = 0;
    return own > 0 && ++outputs % kRight == 0 ? own - 1 : own;
  }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
