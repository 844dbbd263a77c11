// SPDX-License-Identifier: Apache-2.0
// Bug: silu is a exp(a) / (1 + exp(a)), which is infinity over infinity for gates above 88.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static float GatedUnit(float gate, float up) {
    return gate * std::exp(gate) / (1 + std::exp(gate)) * up;
  }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
