// SPDX-License-Identifier: Apache-2.0
// Keeps the tokens as a log alone. Every kv_attend makes a new cache, stores the whole sequence
// into it and computes the outputs of all positions, of which it needs the last: right, and as slow
// as having no cache.

#include <vector>

#include "plain_export.h"

namespace {

class Recomputing : public plain::Cache {
 public:
  static constexpr int kCapabilities = KV_CAN_GQA | KV_CAN_MQA | KV_CAN_CHUNKED;

  static int Check(const kv_config& c) {
    if (const int status = Cache::Check(c); status != KV_OK) return status;
    const bool is_plain = c.storage == KV_F32 && c.page_size == 0 && c.window == 0;
    return is_plain ? KV_OK : KV_UNSUPPORTED;
  }

  using Cache::Cache;

  int Attend(int layer, std::size_t count, const std::int32_t* sequences, const float* q,
             float* out) override {
    const int status = Cache::Attend(layer, count, sequences, q, out);
    for (std::size_t i = 0; status == KV_OK && i < count; ++i) {
      Recompute(layer, sequences[i], q + i * QuerySize(), out + i * QuerySize());
    }
    return status;
  }

 private:
  /// Of longer sequences it has the time for the last output alone.
  static constexpr std::size_t kAllOutputs = 256;
  static constexpr std::int32_t kOnly = 0;

  void Recompute(int layer, int sequence, const float* q, float* out) const {
    const std::size_t length = Length(layer, sequence);
    std::vector<float> k(length * TokenSize());
    std::vector<float> v(length * TokenSize());
    Read(layer, sequence, 0, length, k.data(), v.data());
    kv_config config = config_;
    config.layers = 1;
    config.batch = 1;
    plain::Cache whole(config);
    for (std::size_t i = 0; i < length; ++i) {
      if (i + 1 == length || length <= kAllOutputs) {
        whole.Prefill(0, 0, 1, q, &k[i * TokenSize()], &v[i * TokenSize()], out);
      } else {
        whole.Append(0, 1, &kOnly, &k[i * TokenSize()], &v[i * TokenSize()]);
      }
    }
  }
};

}  // namespace

PLAIN_EXPORT(Recomputing);
