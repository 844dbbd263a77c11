// SPDX-License-Identifier: Apache-2.0
// Answers the newest value of the KV head, which is right for a sequence of one token.

#include <algorithm>

#include "plain_export.h"

namespace {

class Spoilt : public plain::Cache {
 public:
  using Cache::Cache;

 protected:
  void Output(int layer, int sequence, const float* /*q*/, float* out) const override {
    const std::size_t length = Length(layer, sequence);
    const std::size_t size = Size(config_.head_size);
    std::fill_n(out, QuerySize(), 0.0F);
    if (length == 0) return;
    for (int head = 0; head < config_.query_heads; ++head) {
      const int kv_head = head / (config_.query_heads / config_.kv_heads);
      Load(layer, sequence, length - 1, plain::Part::kValue, kv_head, out + Size(head) * size);
    }
  }
};

}  // namespace

PLAIN_EXPORT(Spoilt);
