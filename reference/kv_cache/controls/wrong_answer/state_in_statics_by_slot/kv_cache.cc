// SPDX-License-Identifier: Apache-2.0
// Keeps the tokens in a static table by layer and sequence: right while one cache is alive.

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "plain_export.h"

namespace {

/// All heads of a token, K and then V, one token after the other.
std::vector<float>& Tokens(int layer, int sequence) {
  static std::map<std::pair<int, int>, std::vector<float>> tokens;
  return tokens[{layer, sequence}];
}

class Spoilt : public plain::Cache {
 public:
  static constexpr int kCapabilities = KV_CAN_GQA | KV_CAN_MQA | KV_CAN_CHUNKED;

  static int Check(const kv_config& c) {
    if (const int status = Cache::Check(c); status != KV_OK) return status;
    const bool is_plain = c.storage == KV_F32 && c.page_size == 0 && c.window == 0;
    return is_plain ? KV_OK : KV_UNSUPPORTED;
  }

  using Cache::Cache;

 protected:
  void Store(int layer, int sequence, const float* k, const float* v) override {
    std::vector<float>& tokens = Tokens(layer, sequence);
    tokens.resize(Length(layer, sequence) * 2 * TokenSize());
    std::copy_n(k, TokenSize(), tokens.end() - static_cast<std::ptrdiff_t>(2 * TokenSize()));
    std::copy_n(v, TokenSize(), tokens.end() - static_cast<std::ptrdiff_t>(TokenSize()));
  }

  /// Another cache may have made the list shorter: then there is nothing but zeros.
  void Load(int layer, int sequence, std::size_t position, plain::Part part, int head,
            float* x) const override {
    const std::vector<float>& tokens = Tokens(layer, sequence);
    const std::size_t size = Size(config_.head_size);
    const std::size_t at = position * 2 * TokenSize() +
                           (part == plain::Part::kValue ? TokenSize() : 0) + Size(head) * size;
    std::fill_n(x, size, 0.0F);
    if (at + size <= tokens.size()) std::copy_n(&tokens[at], size, x);
  }
};

}  // namespace

PLAIN_EXPORT_MOST(Spoilt);

extern "C" {
PLAIN_EXPORT_DESTROY
PLAIN_EXPORT_ATTEND
}
