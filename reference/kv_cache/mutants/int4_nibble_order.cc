// SPDX-License-Identifier: Apache-2.0
// Bug: the two codes of a byte are written in the other order than they are read.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static std::uint8_t PackCodes(std::int8_t low, std::int8_t high) {
    return BaselineSteps::PackCodes(high, low);
  }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
