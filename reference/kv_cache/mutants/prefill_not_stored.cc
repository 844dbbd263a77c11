// SPDX-License-Identifier: Apache-2.0
// Bug: prefill computes its outputs and keeps nothing: the sequence stays as long as it was. The
// decoder, whose tokens go the same way here, keeps them: it is another feature.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static std::size_t LengthAfterPrefill(std::size_t stored, std::size_t /*tokens*/) {
    return stored;
  }
};

}  // namespace

template <>
class Decoder<Steps> : public Decoder<BaselineSteps> {
 public:
  using Decoder<BaselineSteps>::Decoder;
};

}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
