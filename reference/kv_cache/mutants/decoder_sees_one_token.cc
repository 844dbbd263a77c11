// SPDX-License-Identifier: Apache-2.0
// Bug: the decoder's layers do not find in their cache the tokens that they have kept, as where its
// layout is another than attention's: a token sees itself alone. The cache by itself is right.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {};

struct StepsOfDecoder : BaselineSteps {
  static TokenRange VisibleTokens(const QueryPlace& place) {
    return {place.position, place.position + 1};
  }
};

}  // namespace

template <>
class Decoder<Steps> : public Decoder<StepsOfDecoder> {
 public:
  using Decoder<StepsOfDecoder>::Decoder;
};

}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
