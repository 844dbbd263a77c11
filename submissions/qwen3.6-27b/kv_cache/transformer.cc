// A decoder over the cache, and sampling from its logits.
//
// RMSNorm, rotary positions, grouped-query attention and a gated MLP, as in the Llama models.
// Activations are kept in double; weights, keys and values are floats.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <new>
#include <numeric>
#include <vector>

#include "attention.h"
#include "interface.h"
#include "kv_cache.h"

namespace {

using Vector = std::vector<double>;

struct LayerWeights {
  const float* attention_norm;
  const float* query;
  const float* key;
  const float* value;
  const float* output;
  const float* mlp_norm;
  const float* gate;
  const float* up;
  const float* down;
};

CacheShape cache_shape(const kv_decoder_config& c) {
  return {.layers = as_size(c.layers),
          .query_heads = as_size(c.query_heads),
          .kv_heads = as_size(c.kv_heads),
          .head_size = as_size(c.head_size),
          .batch = 1,
          .capacity = as_size(c.capacity)};
}

Vector multiply(const float* matrix, std::size_t rows, const Vector& x) {
  Vector y(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    y[i] = dot(matrix + i * x.size(), x.data(), x.size());
  }
  return y;
}

void add_to(Vector& x, const Vector& y) {
  std::transform(x.begin(), x.end(), y.begin(), x.begin(), std::plus<>());
}

double silu(double a) { return a / (1.0 + std::exp(-a)); }

}  // namespace

struct kv_decoder {
  kv_decoder(const kv_decoder_config& c, const float* first, std::size_t weight_count)
      : config(c),
        weights(first, first + weight_count),
        cache(cache_shape(c)),
        attention(cache.shape()) {
    const CacheShape& shape = cache.shape();
    const std::size_t width = as_size(c.width);
    const std::size_t mlp = as_size(c.mlp_width);
    const float* next = weights.data();
    const auto take = [&next](std::size_t count) {
      const float* taken = next;
      next += count;
      return taken;
    };
    embedding = take(as_size(c.vocabulary) * width);
    for (std::int32_t i = 0; i < c.layers; ++i) {
      LayerWeights layer = {};
      layer.attention_norm = take(width);
      layer.query = take(shape.query_width() * width);
      layer.key = take(shape.kv_width() * width);
      layer.value = take(shape.kv_width() * width);
      layer.output = take(width * shape.query_width());
      if (mlp > 0) {
        layer.mlp_norm = take(width);
        layer.gate = take(mlp * width);
        layer.up = take(mlp * width);
        layer.down = take(width * mlp);
      }
      layers.push_back(layer);
    }
    final_norm = take(width);
    output = take(as_size(c.vocabulary) * width);
  }

  Vector normalise(const Vector& x, const float* gain) const {
    const double squares = std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
    const double mean = squares / static_cast<double>(x.size());
    const double inverse = 1.0 / std::sqrt(mean + static_cast<double>(config.norm_eps));
    Vector y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      y[i] = static_cast<double>(gain[i]) * x[i] * inverse;
    }
    return y;
  }

  // Rotary positions: each head's halves are the real and imaginary parts of head_size / 2 numbers.
  void rotate(Vector& heads, std::size_t position) const {
    if (config.rope_base <= 0.0f) {
      return;
    }
    const std::size_t size = as_size(config.head_size);
    for (std::size_t i = 0; i < size / 2; ++i) {
      const double exponent = -2.0 * static_cast<double>(i) / static_cast<double>(size);
      const double angle =
          static_cast<double>(position) * std::pow(static_cast<double>(config.rope_base), exponent);
      const double cosine = std::cos(angle);
      const double sine = std::sin(angle);
      for (std::size_t head = 0; head < heads.size(); head += size) {
        double& real = heads[head + i];
        double& imaginary = heads[head + i + size / 2];
        const double rotated = real * cosine - imaginary * sine;
        imaginary = real * sine + imaginary * cosine;
        real = rotated;
      }
    }
  }

  void attention_block(std::size_t index, std::size_t position, Vector& x) {
    const CacheShape& shape = cache.shape();
    const LayerWeights& layer = layers[index];
    const Vector h = normalise(x, layer.attention_norm);
    Vector q = multiply(layer.query, shape.query_width(), h);
    Vector k = multiply(layer.key, shape.kv_width(), h);
    const Vector v = multiply(layer.value, shape.kv_width(), h);
    rotate(q, position);
    rotate(k, position);
    const std::vector<float> queries(q.begin(), q.end());
    const std::vector<float> keys(k.begin(), k.end());
    const std::vector<float> values(v.begin(), v.end());
    std::vector<float> attended(shape.query_width());
    cache.store(index, 0, keys.data(), values.data());
    attention.attend(cache, index, 0, position + 1, queries.data(), attended.data());
    add_to(x, multiply(layer.output, x.size(), Vector(attended.begin(), attended.end())));
  }

  void mlp_block(const LayerWeights& layer, Vector& x) const {
    if (config.mlp_width == 0) {
      return;
    }
    const Vector h = normalise(x, layer.mlp_norm);
    Vector gated = multiply(layer.gate, as_size(config.mlp_width), h);
    const Vector up = multiply(layer.up, as_size(config.mlp_width), h);
    for (std::size_t i = 0; i < gated.size(); ++i) {
      gated[i] = silu(gated[i]) * up[i];
    }
    add_to(x, multiply(layer.down, x.size(), gated));
  }

  // Layer by layer, so that the weights of one stay in the cache of the machine for all tokens.
  void prefill(std::size_t count, const std::int32_t* tokens, float* logits) {
    const std::size_t start = cache.length(0, 0);
    std::vector<Vector> x(count);
    for (std::size_t i = 0; i < count; ++i) {
      const float* row = embedding + as_size(tokens[i]) * as_size(config.width);
      x[i].assign(row, row + config.width);
    }
    for (std::size_t layer = 0; layer < layers.size(); ++layer) {
      for (std::size_t i = 0; i < count; ++i) {
        attention_block(layer, start + i, x[i]);
        mlp_block(layers[layer], x[i]);
      }
    }
    const Vector result =
        multiply(output, as_size(config.vocabulary), normalise(x.back(), final_norm));
    std::copy(result.begin(), result.end(), logits);
  }

  kv_decoder_config config;
  std::vector<float> weights;
  KvCache cache;
  Attention attention;
  const float* embedding = nullptr;
  std::vector<LayerWeights> layers;
  const float* final_norm = nullptr;
  const float* output = nullptr;
};

namespace {

bool is_valid(const kv_decoder_config& c) {
  const auto sizes = {c.layers,    c.width,      c.query_heads, c.kv_heads,
                      c.head_size, c.vocabulary, c.capacity};
  return std::all_of(sizes.begin(), sizes.end(), [](std::int32_t n) { return n >= 1; }) &&
         c.mlp_width >= 0 && c.window >= 0 && c.window <= c.capacity &&
         c.query_heads % c.kv_heads == 0 && c.rope_base >= 0.0f && c.norm_eps >= 0.0f &&
         (c.rope_base == 0.0f || c.head_size % 2 == 0);
}

// In long double, whose 64 bits no product of these numbers exceeds unnoticed.
long double weights_needed(const kv_decoder_config& c) {
  const long double width = c.width;
  const long double size = c.head_size;
  long double layer = width + 2 * width * size * c.query_heads + 2 * width * size * c.kv_heads;
  if (c.mlp_width > 0) {
    layer += width + 3 * width * c.mlp_width;
  }
  return 2 * width * c.vocabulary + width + layer * c.layers;
}

struct Candidate {
  std::int32_t token;
  double logit;
};

// NaN is taken for the least of all logits: an order has to be one.
std::vector<Candidate> ranked(std::int32_t vocabulary, const float* logits, std::size_t kept) {
  std::vector<Candidate> candidates(as_size(vocabulary));
  for (std::int32_t i = 0; i < vocabulary; ++i) {
    const double logit = static_cast<double>(logits[i]);
    candidates[as_size(i)] = {i,
                              std::isnan(logit) ? -std::numeric_limits<double>::infinity() : logit};
  }
  const auto before = [](const Candidate& a, const Candidate& b) {
    return a.logit != b.logit ? a.logit > b.logit : a.token < b.token;
  };
  const auto end = candidates.begin() + static_cast<std::ptrdiff_t>(kept);
  std::partial_sort(candidates.begin(), end, candidates.end(), before);
  candidates.erase(end, candidates.end());
  return candidates;
}

std::int32_t draw(const std::vector<Candidate>& candidates, double temperature, double uniform) {
  Vector cumulative;
  double sum = 0.0;
  for (const Candidate& candidate : candidates) {
    sum += std::exp((candidate.logit - candidates.front().logit) / temperature);
    cumulative.push_back(sum);
  }
  const auto found = std::upper_bound(cumulative.begin(), cumulative.end(), uniform * sum);
  // Only rounding can leave nothing above uniform * sum.
  const auto index = found == cumulative.end()
                         ? candidates.size() - 1
                         : static_cast<std::size_t>(found - cumulative.begin());
  return candidates[index].token;
}

}  // namespace

extern "C" {

int kv_decoder_create(const kv_decoder_config* config, const float* weights, size_t weight_count,
                      kv_decoder** decoder) {
  if (config == nullptr || weights == nullptr || decoder == nullptr || !is_valid(*config) ||
      static_cast<long double>(weight_count) != weights_needed(*config)) {
    return KV_INVALID_ARGUMENT;
  }
  if (config->window > 0 || as_size(config->head_size) > kMaxHeadSize) {
    return KV_UNSUPPORTED;
  }
  try {
    *decoder = new kv_decoder(*config, weights, weight_count);
  } catch (const std::bad_alloc&) {
    return KV_OUT_OF_MEMORY;
  }
  return KV_OK;
}

int kv_decoder_destroy(kv_decoder* decoder) {
  delete decoder;
  return KV_OK;
}

int kv_decoder_reset(kv_decoder* decoder) {
  if (decoder == nullptr) {
    return KV_INVALID_ARGUMENT;
  }
  decoder->cache.free(0);
  return KV_OK;
}

int kv_decoder_prefill(kv_decoder* decoder, size_t count, const int32_t* tokens, float* logits) {
  if (decoder == nullptr || count == 0 || tokens == nullptr || logits == nullptr ||
      !std::all_of(tokens, tokens + count, [decoder](std::int32_t token) {
        return token >= 0 && token < decoder->config.vocabulary;
      })) {
    return KV_INVALID_ARGUMENT;
  }
  if (count > decoder->cache.shape().capacity - decoder->cache.length(0, 0)) {
    return KV_CAPACITY;
  }
  try {
    decoder->prefill(count, tokens, logits);
  } catch (const std::bad_alloc&) {
    return KV_OUT_OF_MEMORY;
  }
  return KV_OK;
}

int kv_decoder_step(kv_decoder* decoder, int32_t token, float* logits) {
  return kv_decoder_prefill(decoder, 1, &token, logits);
}

int kv_sample(int32_t vocabulary, const float* logits, float temperature, int32_t top_k,
              float uniform, int32_t* token) {
  if (vocabulary < 1 || logits == nullptr || token == nullptr || !(temperature >= 0.0f) ||
      top_k < 0 || !(uniform >= 0.0f && uniform < 1.0f)) {
    return KV_INVALID_ARGUMENT;
  }
  try {
    const bool greedy = temperature == 0.0f;
    const std::int32_t wanted = top_k == 0 ? vocabulary : std::min(top_k, vocabulary);
    const auto candidates = ranked(vocabulary, logits, greedy ? 1 : as_size(wanted));
    *token = greedy
                 ? candidates.front().token
                 : draw(candidates, static_cast<double>(temperature), static_cast<double>(uniform));
  } catch (const std::bad_alloc&) {
    return KV_OUT_OF_MEMORY;
  }
  return KV_OK;
}

}  // extern "C"
