// SPDX-License-Identifier: Apache-2.0
// Bug: a call that copied a shared page and then finds no page gives the copy back, and its
// sequence goes on with it: whoever takes the page next overwrites that sequence.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static std::int32_t UndoneCopy(std::int32_t copy, std::int32_t /*replaced*/) { return copy; }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
