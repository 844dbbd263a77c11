// SPDX-License-Identifier: Apache-2.0
// Keeps keys transposed: of each page, layer and KV head the first bytes of all tokens, then their
// second bytes, and so on, in all storages. Right, though no key lies in one piece.

#include <cstring>
#include <vector>

#include "plain_export.h"

namespace {

class Transposed : public plain::Cache {
 public:
  using Cache::Cache;

  int Fork(int parent, int child) override {
    const int status = Cache::Fork(parent, child);
    // What the plain cache copies of a contiguous sequence is the beginning of each layer.
    for (int layer = 0; status == KV_OK && !IsPaged() && layer < config_.layers; ++layer) {
      if (Length(layer, parent) > 0) {
        std::memcpy(Slot(layer, child, 0), Slot(layer, parent, 0), Slots() * token_bytes_);
      }
    }
    return status;
  }

 protected:
  void Store(int layer, int sequence, const float* k, const float* v) override {
    const std::size_t position = Length(layer, sequence) - 1;
    std::vector<std::byte> row(storage_.Bytes());
    for (int head = 0; head < config_.kv_heads; ++head) {
      storage_.Store(k + Size(head) * Size(config_.head_size), row.data());
      for (std::size_t i = 0; i < row.size(); ++i) {
        *KeyByte(layer, sequence, position, head, i) = row[i];
      }
      storage_.Store(v + Size(head) * Size(config_.head_size),
                     Value(layer, sequence, position, head));
    }
  }

  void Load(int layer, int sequence, std::size_t position, plain::Part part, int head,
            float* x) const override {
    if (part == plain::Part::kValue) {
      storage_.Load(Value(layer, sequence, position, head), x);
      return;
    }
    std::vector<std::byte> row(storage_.Bytes());
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = *KeyByte(layer, sequence, position, head, i);
    }
    storage_.Load(row.data(), x);
  }

 private:
  /// Where the layer of the page, or of the sequence, begins that the token is in.
  std::byte* Layer(int layer, int sequence, std::size_t position) const {
    return Slot(layer, sequence, position - position % Slots());
  }
  std::byte* KeyByte(int layer, int sequence, std::size_t position, int head,
                     std::size_t byte) const {
    const std::size_t place = (Size(head) * storage_.Bytes() + byte) * Slots();
    return Layer(layer, sequence, position) + place + position % Slots();
  }
  std::byte* Value(int layer, int sequence, std::size_t position, int head) const {
    const std::size_t keys = Size(config_.kv_heads) * storage_.Bytes() * Slots();
    const std::size_t place = position % Slots() * Size(config_.kv_heads) + Size(head);
    return Layer(layer, sequence, position) + keys + place * storage_.Bytes();
  }
};

}  // namespace

PLAIN_EXPORT(Transposed);
PLAIN_EXPORT_DECODER(plain::Decoder);
PLAIN_EXPORT_SAMPLE(plain::Sample);
