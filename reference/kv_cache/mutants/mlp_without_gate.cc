// SPDX-License-Identifier: Apache-2.0
// Bug: the MLP leaves out the gate: silu(up) in place of silu(gate) * up.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static float GatedUnit(float /*gate*/, float up) { return up / (1 + std::exp(-up)); }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
