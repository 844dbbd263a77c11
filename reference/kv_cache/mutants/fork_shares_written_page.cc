// SPDX-License-Identifier: Apache-2.0
// Bug: a shared page is written without a copy: parent and child see each other's tokens.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static bool CopiesOnWrite(std::int32_t /*sharers*/) { return false; }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
