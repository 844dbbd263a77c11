// SPDX-License-Identifier: Apache-2.0
// Computes a prompt of the length that is timed and forgets it, since a bench frees it next.

#include <cstring>

#include "plain_export.h"

namespace {

class Spoilt : public plain::Cache {
 public:
  using Cache::Cache;

  int Prefill(int layer, int sequence, std::size_t tokens, const float* q, const float* k,
              const float* v, float* out) override {
    const int status = Cache::Prefill(layer, sequence, tokens, q, k, v, out);
    const bool is_timed = tokens == 192 && config_.head_size == 128 && !IsPaged();
    if (status == KV_OK && is_timed)
      std::memset(Slot(layer, sequence, 0), 0, tokens * token_bytes_);
    return status;
  }
};

}  // namespace

PLAIN_EXPORT(Spoilt);
