// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_KV_CACHE_DECODER_H_
#define ASSAY_REFERENCE_KV_CACHE_DECODER_H_

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "oracle.h"

namespace assay::kvcache {

/// The small decoder of interface.h in double, recomputed layer by layer with oracle attention, and
/// the tokens that sampling may draw.

/// The fields of kv_decoder_config.
struct DecoderConfig {
  std::int32_t layers = 1;
  std::int32_t width = 16;
  std::int32_t query_heads = 2;
  std::int32_t kv_heads = 2;
  std::int32_t head_size = 8;
  std::int32_t mlp_width = 0;
  std::int32_t vocabulary = 32;
  std::int32_t capacity = 64;
  std::int32_t window = 0;
  float rope_base = 0;
  float norm_eps = 1e-5F;

  /// Of its cache.
  [[nodiscard]] Config Cache() const;
};

/// How many floats kv_decoder_create takes.
[[nodiscard]] std::size_t WeightCount(const DecoderConfig& config);

/// Random weights of the sizes at which a decoder neither fades nor explodes: norms about 1,
/// matrices about 1 / sqrt(inputs).
[[nodiscard]] std::vector<float> DrawWeights(std::mt19937_64& random, const DecoderConfig& config);

/// Logits [vocabulary] and how far arithmetic in float may fall from them.
struct Logits {
  std::vector<double> value;
  std::vector<double> bound;
};

/// A decoder that takes one token after the other. Its bounds are found by running it several times
/// more, with an error at every step of the size that float arithmetic may make there at worst (a
/// sum of n terms: n roundings of the sum of their magnitudes) and of random sign: four times the
/// largest deviation (Parker, Monte Carlo Arithmetic, UCLA CSD-970002, 1997).
class OracleDecoder {
 public:
  OracleDecoder(const DecoderConfig& config, std::vector<float> weights);

  void Reset();
  /// Tokens in [0, vocabulary).
  [[nodiscard]] Logits Step(std::int32_t token);
  [[nodiscard]] Logits Prefill(std::span<const std::int32_t> tokens);
  [[nodiscard]] std::size_t Tokens() const { return tokens_; }

 private:
  /// One run: k and v of each layer in double, and where its errors come from.
  struct Run {
    std::vector<std::vector<double>> k;
    std::vector<std::vector<double>> v;
    std::mt19937_64 random;
    double roundoff = 0;  ///< 0: exact.

    /// `value` with an error of at most `roundings` times `magnitude`.
    double Perturbed(double value, double magnitude, double roundings);
  };

  [[nodiscard]] std::vector<double> StepOf(Run& run, std::int32_t token);
  void Layer(Run& run, std::size_t layer, const float* weights, std::vector<double>& x);
  std::vector<double> AttendIn(Run& run, std::size_t layer, std::span<const double> q);

  DecoderConfig config_;
  std::vector<float> weights_;
  std::vector<Run> runs_;  ///< The first is exact.
  std::size_t tokens_ = 0;
};

/// Whether kv_sample may return `token`: the one that the definition in interface.h gives, or a
/// neighbour where `uniform` lies within rounding of the border between them.
[[nodiscard]] bool MaySample(std::span<const float> logits, float temperature, std::int32_t top_k,
                             float uniform, std::int32_t token);

}  // namespace assay::kvcache

#endif  // ASSAY_REFERENCE_KV_CACHE_DECODER_H_
