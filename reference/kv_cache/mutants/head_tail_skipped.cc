// SPDX-License-Identifier: Apache-2.0
// Bug: the elements of a head beyond a multiple of 16 take no part in attention.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static std::size_t VisitedColumns(std::size_t head_size) { return head_size / 16 * 16; }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
