// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_KV_CACHE_BASELINE_DECODER_H_
#define ASSAY_REFERENCE_KV_CACHE_BASELINE_DECODER_H_

// The decoder of interface.h: tokens go through all layers in blocks, so that each weight is read
// once a block.

#include "baseline_cache.h"

namespace assay::kv_baseline {

/// Tokens that go through the layers together.
inline constexpr std::size_t kDecoderBlock = 32;

/// out[i] = matrix row . x[i], for `tokens` vectors of `inputs`; matrix [outputs][inputs].
inline void MultiplyMatrix(const float* matrix, std::size_t outputs, std::size_t inputs,
                           const float* x, std::size_t tokens, float* out) {
  for (std::size_t row = 0; row < outputs; ++row) {
    for (std::size_t token = 0; token < tokens; ++token) {
      Vector sum = hn::Zero(Floats());
      ForEachVector(inputs, WholeVectors(inputs), [&](std::size_t column, auto part) {
        sum = hn::MulAdd(LoadFloats(matrix + row * inputs + column, part),
                         LoadFloats(x + token * inputs + column, part), sum);
      });
      out[token * outputs + row] = hn::GetLane(hn::SumOfLanes(Floats(), sum));
    }
  }
}

/// Where each tensor lies in the weights. Offsets in floats.
struct DecoderLayout {
  explicit DecoderLayout(const kv_decoder_config& config)
      : width(static_cast<std::size_t>(config.width)),
        head_size(static_cast<std::size_t>(config.head_size)),
        query_width(static_cast<std::size_t>(config.query_heads) * head_size),
        kv_width(static_cast<std::size_t>(config.kv_heads) * head_size),
        mlp_width(static_cast<std::size_t>(config.mlp_width)),
        vocabulary(static_cast<std::size_t>(config.vocabulary)),
        attention_size(width + 2 * (query_width + kv_width) * width),
        layer_size(attention_size + (mlp_width > 0 ? width + 3 * mlp_width * width : 0)),
        first_layer(vocabulary * width),
        final_norm(first_layer + static_cast<std::size_t>(config.layers) * layer_size),
        count(final_norm + width + vocabulary * width) {}

  std::size_t width, head_size, query_width, kv_width, mlp_width, vocabulary;
  std::size_t attention_size;
  std::size_t layer_size;
  std::size_t first_layer;
  std::size_t final_norm;
  std::size_t count;
};

inline int CheckDecoder(const kv_decoder_config& config, kv_config* cache) {
  *cache = {config.layers,
            config.query_heads,
            config.kv_heads,
            config.head_size,
            1,
            config.capacity,
            KV_F32,
            0,
            0,
            config.window};
  const bool is_valid = std::min(config.width, config.vocabulary) >= 1 && config.mlp_width >= 0 &&
                        config.rope_base >= 0 && config.norm_eps >= 0 &&
                        (config.rope_base == 0 || config.head_size % 2 == 0);
  return is_valid ? CheckConfig(*cache) : KV_INVALID_ARGUMENT;
}

template <class Steps>
class Decoder {
 public:
  /// Throws std::bad_alloc. `cache` as CheckDecoder filled it.
  Decoder(const kv_decoder_config& config, const kv_config& cache, const float* weights)
      : config_(config),
        layout_(config),
        cache_(cache),
        weights_(weights, weights + layout_.count),
        x_(kDecoderBlock * layout_.width),
        normal_(x_.size()),
        q_(kDecoderBlock * layout_.query_width),
        k_(kDecoderBlock * layout_.kv_width),
        v_(k_.size()),
        attended_(q_.size()),
        added_(x_.size()),
        gate_(kDecoderBlock * layout_.mlp_width),
        up_(gate_.size()) {}

  int Reset() {
    position_ = 0;
    return cache_.Free(0);
  }

  int Prefill(std::size_t count, const std::int32_t* tokens, float* logits) {
    if (count == 0 || !tokens || !logits ||
        !std::all_of(tokens, tokens + count, [this](std::int32_t token) {
          return token >= 0 && token < config_.vocabulary;
        })) {
      return KV_INVALID_ARGUMENT;
    }
    if (!Steps::FitsCapacity(position_, count, CapacityOf(config_.window, config_.capacity))) {
      return KV_CAPACITY;
    }
    std::size_t last = 0;
    for (std::size_t done = 0; done < count; done += last) {
      last = std::min(kDecoderBlock, count - done);
      TakeIn(tokens + Steps::NextOfPrompt(done), last);
    }
    const std::size_t width = layout_.width;
    Normalise(weights_.data() + layout_.final_norm, x_.data() + (last - 1) * width, 1);
    MultiplyMatrix(weights_.data() + layout_.final_norm + width, layout_.vocabulary, width,
                   normal_.data(), 1, logits);
    return KV_OK;
  }

 private:
  /// normal_ = rmsnorm of `tokens` vectors.
  void Normalise(const float* gain, const float* x, std::size_t tokens) {
    const std::size_t width = layout_.width;
    for (std::size_t token = 0; token < tokens; ++token) {
      float mean_square = 0;
      MultiplyMatrix(x + token * width, 1, width, x + token * width, 1, &mean_square);
      mean_square /= static_cast<float>(width);
      const float inverse = 1 / Steps::NormDenominator(mean_square, config_.norm_eps);
      for (std::size_t i = 0; i < width; ++i) {
        normal_[token * width + i] = gain[i] * (x[token * width + i] * inverse);
      }
    }
  }

  /// Angles in double: at the last positions a float's would be off by a hundredth.
  void Rotate(float* heads, std::size_t row_width, std::size_t tokens) const {
    const std::size_t d = layout_.head_size;
    for (std::size_t i = 0; i < d / 2; ++i) {
      const double frequency = std::pow(Steps::RotationBase(config_.rope_base),
                                        -2.0 * static_cast<double>(i) / static_cast<double>(d));
      const auto [first, second] = Steps::RotatedPair(i, d);
      for (std::size_t token = 0; token < tokens; ++token) {
        const double angle =
            frequency * static_cast<double>(Steps::RotationPosition(
                            position_ + token, static_cast<std::size_t>(config_.window)));
        const auto cosine = static_cast<float>(std::cos(angle));
        const auto sine = static_cast<float>(std::sin(angle));
        for (float* head = heads + token * row_width; head < heads + (token + 1) * row_width;
             head += d) {
          const float a = head[first];
          const float b = head[second];
          head[first] = a * cosine - b * sine;
          head[second] = a * sine + b * cosine;
        }
      }
    }
  }

  void AddToX(std::size_t tokens) {
    for (std::size_t i = 0; i < tokens * layout_.width; ++i) {
      x_[i] += added_[i];
    }
  }

  /// Tokens that fit through all layers; x_ is what comes out.
  void TakeIn(const std::int32_t* tokens, std::size_t count) {
    const std::size_t width = layout_.width;
    for (std::size_t i = 0; i < count; ++i) {
      std::copy_n(weights_.data() + static_cast<std::size_t>(tokens[i]) * width, width,
                  x_.data() + i * width);
    }
    for (std::int32_t layer = 0; layer < config_.layers; ++layer) {
      const float* const weights = weights_.data() + layout_.first_layer +
                                   static_cast<std::size_t>(layer) * layout_.layer_size;
      AddAttention(weights, layer, count);
      if (layout_.mlp_width > 0) {
        AddMlp(weights + layout_.attention_size, count);
      }
    }
    position_ += count;
  }

  void AddAttention(const float* weights, std::int32_t layer, std::size_t count) {
    const std::size_t width = layout_.width;
    const float* const wq = weights + width;
    const float* const wk = wq + layout_.query_width * width;
    const float* const wv = wk + layout_.kv_width * width;
    const float* const wo = wv + layout_.kv_width * width;
    Normalise(weights, x_.data(), count);
    MultiplyMatrix(wq, layout_.query_width, width, normal_.data(), count, q_.data());
    MultiplyMatrix(wk, layout_.kv_width, width, normal_.data(), count, k_.data());
    MultiplyMatrix(wv, layout_.kv_width, width, normal_.data(), count, v_.data());
    if (config_.rope_base > 0) {
      Rotate(q_.data(), layout_.query_width, count);
      Rotate(k_.data(), layout_.kv_width, count);
    }
    cache_.Prefill(layer, 0, count, q_.data(), k_.data(), v_.data(), attended_.data());
    MultiplyMatrix(wo, width, layout_.query_width, attended_.data(), count, added_.data());
    AddToX(count);
  }

  void AddMlp(const float* weights, std::size_t count) {
    const std::size_t width = layout_.width;
    const float* const wgate = weights + width;
    const float* const wup = wgate + layout_.mlp_width * width;
    const float* const wdown = wup + layout_.mlp_width * width;
    Normalise(weights, x_.data(), count);
    MultiplyMatrix(wgate, layout_.mlp_width, width, normal_.data(), count, gate_.data());
    MultiplyMatrix(wup, layout_.mlp_width, width, normal_.data(), count, up_.data());
    for (std::size_t i = 0; i < count * layout_.mlp_width; ++i) {
      gate_[i] = Steps::GatedUnit(gate_[i], up_[i]);
    }
    MultiplyMatrix(wdown, width, layout_.mlp_width, gate_.data(), count, added_.data());
    AddToX(count);
  }

  kv_decoder_config config_;
  DecoderLayout layout_;
  Cache<Steps> cache_;
  std::vector<float> weights_;
  std::size_t position_ = 0;
  // Of one block of tokens: [token][...].
  std::vector<float> x_, normal_, q_, k_, v_, attended_, added_, gate_, up_;
};

/// kv_decoder_create.
template <class Handle>
int CreateDecoder(const kv_decoder_config* config, const float* weights, std::size_t weight_count,
                  Handle** handle) {
  if (!config || !weights || !handle) {
    return KV_INVALID_ARGUMENT;
  }
  kv_config cache = {};
  const int status = CheckDecoder(*config, &cache);
  if (status == KV_INVALID_ARGUMENT || DecoderLayout(*config).count != weight_count) {
    return KV_INVALID_ARGUMENT;
  }
  if (status != KV_OK) {
    return status;
  }
  *handle = new Handle(*config, cache, weights);
  return KV_OK;
}

}  // namespace assay::kv_baseline

#endif  // ASSAY_REFERENCE_KV_CACHE_BASELINE_DECODER_H_
