// SPDX-License-Identifier: Apache-2.0
// Leaves out every optional function and reports no capability: one KV head for each query head, in
// float, contiguous. What it does not claim is not asked for.

#include "plain_export.h"

namespace {

class Small : public plain::Cache {
 public:
  static constexpr int kCapabilities = 0;

  static int Check(const kv_config& c) {
    if (const int status = Cache::Check(c); status != KV_OK) return status;
    const bool is_plain =
        c.kv_heads == c.query_heads && c.storage == KV_F32 && c.page_size == 0 && c.window == 0;
    return is_plain ? KV_OK : KV_UNSUPPORTED;
  }

  using Cache::Cache;

  int Prefill(int layer, int sequence, std::size_t tokens, const float* q, const float* k,
              const float* v, float* out) override {
    const bool is_there = IsThere(layer, sequence);
    if (is_there && tokens > 0 && Length(layer, sequence) > 0) return KV_UNSUPPORTED;
    return Cache::Prefill(layer, sequence, tokens, q, k, v, out);
  }
};

}  // namespace

PLAIN_EXPORT_MOST(Small);

extern "C" {
PLAIN_EXPORT_DESTROY
PLAIN_EXPORT_ATTEND
}
