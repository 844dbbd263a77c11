// SPDX-License-Identifier: Apache-2.0
// Bug: kv_get_usage counts keys and forgets values.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static std::uint64_t UsedBytes(std::uint64_t reported) { return reported / 2; }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
