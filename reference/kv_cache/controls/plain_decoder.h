// SPDX-License-Identifier: Apache-2.0
#ifndef PLAIN_DECODER_H_
#define PLAIN_DECODER_H_

// The optional parts of interface.h, right and plain: the decoder and the sampler. Copied beside a
// control's sources like plain_kv.h.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <new>
#include <numeric>
#include <vector>

#include "interface.h"
#include "plain_kv.h"

namespace plain {

class Decoder {
 public:
  static kv_config CacheConfig(const kv_decoder_config& c) {
    return {c.layers,   c.query_heads, c.kv_heads, c.head_size, 1,
            c.capacity, KV_F32,        0,          0,           c.window};
  }

  /// In double: the product of any numbers that a configuration can hold is far from infinite.
  static double WeightCount(const kv_decoder_config& c) {
    const double width = c.width;
    const double of_queries = static_cast<double>(c.query_heads) * c.head_size;
    const double of_keys = static_cast<double>(c.kv_heads) * c.head_size;
    const double of_mlp = c.mlp_width > 0 ? width + 3 * width * c.mlp_width : 0;
    const double of_layer = width + 2 * width * (of_queries + of_keys) + of_mlp;
    return 2 * width * c.vocabulary + c.layers * of_layer + width;
  }

  static int Check(const kv_decoder_config& c, std::size_t weight_count) {
    if (c.width < 1 || c.vocabulary < 1 || c.mlp_width < 0) return KV_INVALID_ARGUMENT;
    if (!(c.rope_base >= 0) || !(c.norm_eps >= 0)) return KV_INVALID_ARGUMENT;
    if (c.rope_base > 0 && c.head_size % 2 != 0) return KV_INVALID_ARGUMENT;
    // What is not supported is said last, and the weights of an invalid cache cannot be counted.
    const int status = Cache::Check(CacheConfig(c));
    if (status == KV_INVALID_ARGUMENT) return status;
    return WeightCount(c) == static_cast<double>(weight_count) ? status : KV_INVALID_ARGUMENT;
  }

  Decoder(const kv_decoder_config& config, const float* weights, std::size_t weight_count)
      : config_(config), weights_(weights, weights + weight_count), cache_(CacheConfig(config)) {}
  virtual ~Decoder() = default;

  virtual int Reset() { return cache_.Free(0); }

  virtual int Prefill(std::size_t count, const std::int32_t* tokens, float* logits) {
    std::size_t length = 0;
    cache_.GetLength(0, 0, &length);
    if (count < 1) return KV_INVALID_ARGUMENT;
    for (std::size_t i = 0; i < count; ++i) {
      if (tokens[i] < 0 || tokens[i] >= config_.vocabulary) return KV_INVALID_ARGUMENT;
    }
    if (config_.window == 0 && count > Size(config_.capacity) - length) return KV_CAPACITY;
    std::vector<float> x;
    for (std::size_t i = 0; i < count; ++i) x = Layers(tokens[i], length + i);
    x = Norm(x, Take(Size(config_.width)));
    const std::vector<float> y = Times(Size(config_.vocabulary), x);
    std::copy(y.begin(), y.end(), logits);
    return KV_OK;
  }

 protected:
  const kv_decoder_config& config() const { return config_; }

 private:
  static std::size_t Size(int count) { return static_cast<std::size_t>(count); }

  /// The next weights in the order in which they lie.
  const float* Take(std::size_t count) {
    const float* taken = weights_.data() + taken_;
    taken_ += count;
    return taken;
  }

  std::vector<float> Times(std::size_t rows, const std::vector<float>& x) {
    std::vector<float> y(rows);
    for (float& value : y) value = static_cast<float>(Dot(Take(x.size()), x.data(), x.size()));
    return y;
  }

  std::vector<float> Norm(const std::vector<float>& x, const float* gains) const {
    const double mean = Dot(x.data(), x.data(), x.size()) / static_cast<double>(x.size());
    const double scale = 1 / std::sqrt(mean + static_cast<double>(config_.norm_eps));
    std::vector<float> y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = static_cast<float>(gains[i] * x[i] * scale);
    return y;
  }

  void Rotate(std::vector<float>& heads, std::size_t position) const {
    if (config_.rope_base <= 0) return;
    const std::size_t size = Size(config_.head_size);
    for (std::size_t head = 0; head < heads.size(); head += size) {
      for (std::size_t i = 0; i < size / 2; ++i) {
        const double exponent = -2.0 * static_cast<double>(i) / static_cast<double>(size);
        const double angle = static_cast<double>(position) *
                             std::pow(static_cast<double>(config_.rope_base), exponent);
        float& lower = heads[head + i];
        float& upper = heads[head + i + size / 2];
        const double was_lower = lower;
        const double was_upper = upper;
        lower = static_cast<float>(was_lower * std::cos(angle) - was_upper * std::sin(angle));
        upper = static_cast<float>(was_lower * std::sin(angle) + was_upper * std::cos(angle));
      }
    }
  }

  /// All layers for one token; leaves Take() at the final norm.
  std::vector<float> Layers(std::int32_t token, std::size_t position) {
    const std::size_t width = Size(config_.width);
    taken_ = 0;
    const float* embedding = Take(width * Size(config_.vocabulary)) + Size(token) * width;
    std::vector<float> x(embedding, embedding + width);
    for (int layer = 0; layer < config_.layers; ++layer) {
      Add(x, Attention(layer, Norm(x, Take(width)), position));
      if (config_.mlp_width > 0) Add(x, Mlp(Norm(x, Take(width))));
    }
    return x;
  }

  std::vector<float> Attention(int layer, const std::vector<float>& h, std::size_t position) {
    const std::size_t queries = Size(config_.query_heads) * Size(config_.head_size);
    const std::size_t keys = Size(config_.kv_heads) * Size(config_.head_size);
    std::vector<float> q = Times(queries, h);
    std::vector<float> k = Times(keys, h);
    const std::vector<float> v = Times(keys, h);
    Rotate(q, position);
    Rotate(k, position);
    std::vector<float> out(queries);
    cache_.Prefill(layer, 0, 1, q.data(), k.data(), v.data(), out.data());
    return Times(h.size(), out);
  }

  std::vector<float> Mlp(const std::vector<float>& h) {
    std::vector<float> gate = Times(Size(config_.mlp_width), h);
    const std::vector<float> up = Times(gate.size(), h);
    for (std::size_t i = 0; i < gate.size(); ++i) {
      const double a = gate[i];
      gate[i] = static_cast<float>(a / (1 + std::exp(-a)) * up[i]);
    }
    return Times(h.size(), gate);
  }

  static void Add(std::vector<float>& x, const std::vector<float>& y) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += y[i];
  }

  kv_decoder_config config_;
  std::vector<float> weights_;
  std::size_t taken_ = 0;
  Cache cache_;
};

/// kv_decoder_create for a complete kv_decoder.
template <class Handle>
int CreateDecoder(const kv_decoder_config* config, const float* weights, std::size_t weight_count,
                  Handle** decoder) {
  if (config == nullptr || weights == nullptr || decoder == nullptr) return KV_INVALID_ARGUMENT;
  if (const int status = Handle::Check(*config, weight_count); status != KV_OK) return status;
  try {
    *decoder = new Handle(*config, weights, weight_count);
    return KV_OK;
  } catch (const std::bad_alloc&) {
    return KV_OUT_OF_MEMORY;
  }
}

/// kv_sample.
inline int Sample(std::int32_t vocabulary, const float* logits, float temperature,
                  std::int32_t top_k, float uniform, std::int32_t* token) {
  if (vocabulary < 1 || !(temperature >= 0) || !(uniform >= 0 && uniform < 1) || top_k < 0) {
    return KV_INVALID_ARGUMENT;
  }
  std::vector<std::int32_t> order(static_cast<std::size_t>(vocabulary));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int32_t a, std::int32_t b) { return logits[a] > logits[b]; });
  if (top_k > 0 && top_k < vocabulary) order.resize(static_cast<std::size_t>(top_k));
  *token = order.front();
  if (temperature == 0) return KV_OK;
  const double largest = logits[order.front()];
  std::vector<double> weights;
  for (const std::int32_t index : order) {
    weights.push_back(std::exp((logits[index] - largest) / static_cast<double>(temperature)));
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  double cumulative = 0;
  for (std::size_t i = 0; i < order.size() && cumulative <= uniform; ++i) {
    cumulative += weights[i] / sum;
    *token = order[i];
  }
  return KV_OK;
}

}  // namespace plain

#endif  // PLAIN_DECODER_H_
