// SPDX-License-Identifier: Apache-2.0
// Bug: all sequences of the batch are stored into one list.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static std::size_t StoredSequence(std::size_t /*sequence*/) { return 0; }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
