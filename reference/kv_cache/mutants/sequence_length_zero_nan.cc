// SPDX-License-Identifier: Apache-2.0
// Bug: the output of an empty sequence is 0 / 0.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static float EmptyOutput() { return std::numeric_limits<float>::quiet_NaN(); }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
