// SPDX-License-Identifier: Apache-2.0
// Goes through the tokens twice, for the largest score and for the sums, one after the other and in
// float: right, with the longest chains of roundings that the contract allows.

#include <vector>

#include "plain_export.h"

namespace {

class TwoPasses : public plain::Cache {
 public:
  using Cache::Cache;

 protected:
  void Output(int layer, int sequence, const float* q, float* out) const override {
    const std::size_t size = Size(config_.head_size);
    const std::size_t group = QuerySize() / TokenSize();
    for (std::size_t head = 0; head < Size(config_.query_heads); ++head) {
      OutputOfHead(layer, sequence, static_cast<int>(head / group), q + head * size,
                   out + head * size);
    }
  }

 private:
  void OutputOfHead(int layer, int sequence, int kv_head, const float* q, float* out) const {
    const std::size_t size = Size(config_.head_size);
    const std::size_t length = Length(layer, sequence);
    const std::size_t first = FirstSeen(length);
    std::vector<float> row(size);
    std::vector<float> scores;
    scores.reserve(length - first);
    float largest = -std::numeric_limits<float>::infinity();
    for (std::size_t j = first; j < length; ++j) {
      See(layer, sequence, j, plain::Part::kKey, kv_head, row.data());
      float score = 0;
      for (std::size_t i = 0; i < size; ++i) score += q[i] * row[i];
      scores.push_back(score / std::sqrt(static_cast<float>(size)));
      largest = std::max(largest, scores.back());
    }
    float weights = 0;
    std::fill_n(out, size, 0.0F);
    for (std::size_t j = first; j < length; ++j) {
      See(layer, sequence, j, plain::Part::kValue, kv_head, row.data());
      const float weight = std::exp(scores[j - first] - largest);
      weights += weight;
      for (std::size_t i = 0; i < size; ++i) out[i] += weight * row[i];
    }
    for (std::size_t i = 0; length > 0 && i < size; ++i) out[i] /= weights;
  }
};

}  // namespace

PLAIN_EXPORT(TwoPasses);
PLAIN_EXPORT_DECODER(plain::Decoder);
PLAIN_EXPORT_SAMPLE(plain::Sample);
