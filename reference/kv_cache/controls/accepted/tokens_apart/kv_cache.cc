// SPDX-License-Identifier: Apache-2.0
// Keeps each token in memory of its own, as pages of one token: forks share tokens and never copy
// one, and the pages of the configuration are counted alone. Right, with no two tokens beside each
// other.

#include <algorithm>
#include <memory>
#include <vector>

#include "plain_export.h"

namespace {

class Apart : public plain::Cache {
 public:
  explicit Apart(const kv_config& config)
      : Cache(config), tokens_(Size(config.layers) * Size(config.batch)) {}

  int Free(int sequence) override {
    const int status = Cache::Free(sequence);
    for (int layer = 0; status == KV_OK && layer < config_.layers; ++layer) {
      TokensOf(layer, sequence).clear();
    }
    return status;
  }

  int Fork(int parent, int child) override {
    const int status = Cache::Fork(parent, child);
    for (int layer = 0; status == KV_OK && layer < config_.layers; ++layer) {
      TokensOf(layer, child) = TokensOf(layer, parent);
    }
    return status;
  }

 protected:
  void Store(int layer, int sequence, const float* k, const float* v) override {
    const std::size_t vector_bytes = storage_.Bytes();
    const std::shared_ptr<std::byte[]> token(new std::byte[token_bytes_]);
    std::byte* to = token.get();
    for (const float* part : {k, v}) {
      for (int head = 0; head < config_.kv_heads; ++head, to += vector_bytes) {
        storage_.Store(part + Size(head) * Size(config_.head_size), to);
      }
    }
    // A call that was undone may have left tokens behind the end.
    const std::size_t position = Length(layer, sequence) - 1;
    std::vector<Token>& tokens = TokensOf(layer, sequence);
    if (config_.window > 0) {
      tokens.resize(std::max(tokens.size(), position % Slots() + 1));
    } else {
      tokens.resize(position + 1);
    }
    tokens[position % Room()] = token;
  }

  void Load(int layer, int sequence, std::size_t position, plain::Part part, int head,
            float* x) const override {
    const int vector = head + (part == plain::Part::kValue ? config_.kv_heads : 0);
    const std::vector<Token>& tokens = tokens_[Size(layer) * Size(config_.batch) + Size(sequence)];
    storage_.Load(tokens[position % Room()].get() + Size(vector) * storage_.Bytes(), x);
  }

 private:
  using Token = std::shared_ptr<std::byte[]>;

  std::vector<Token>& TokensOf(int layer, int sequence) {
    return tokens_[Size(layer) * Size(config_.batch) + Size(sequence)];
  }
  /// Of one sequence in one layer: with a window its tokens take turns.
  std::size_t Room() const { return Size(config_.window > 0 ? config_.window : config_.capacity); }

  std::vector<std::vector<Token>> tokens_;  ///< [layer][sequence]
};

}  // namespace

PLAIN_EXPORT(Apart);
PLAIN_EXPORT_DECODER(plain::Decoder);
PLAIN_EXPORT_SAMPLE(plain::Sample);
