// SPDX-License-Identifier: Apache-2.0
// Bug: how many sequences share a page is counted in eight bits with a sign: from 128 on it is
// written into without a copy.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static bool CopiesOnWrite(std::int32_t sharers) {
    return BaselineSteps::CopiesOnWrite(static_cast<std::int8_t>(sharers));
  }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
