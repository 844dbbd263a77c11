// SPDX-License-Identifier: Apache-2.0
// Bug: kv_read begins at the first token of the sequence, whatever it is asked for.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static std::size_t TokenToRead(std::size_t /*first*/, std::size_t i) { return i; }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
