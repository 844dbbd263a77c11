// SPDX-License-Identifier: Apache-2.0
// What queries see: after many calls, of long sequences, through windows, and to the precision of
// floats. Beside the tests of a submission, those that the hundred of the scale is graded with.
// Exit status 0: every check passed.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "checked_cache.h"
#include "interface.h"

namespace {

using checked::Cache;
using checked::Check;
using checked::Contiguous;
using checked::Floats;
using checked::kTolerance;
using checked::Noise;

void TestManyOutputs() {
  constexpr int32_t kBatch = 50;
  Cache cache(Contiguous(1, 8, kBatch, 4));
  std::vector<int32_t> sequences;
  for (int32_t s = 0; s < kBatch; ++s) {
    cache.Append(s, 1 + static_cast<size_t>(s % 3));
    sequences.push_back(s);
  }
  const Floats q = Noise(cache.width() * kBatch);
  bool right = true;
  for (int call = 0; call < 250; ++call) {
    const Floats out = cache.Attend(sequences, q);
    for (int32_t s = 0; s < kBatch; ++s) {
      const size_t at = static_cast<size_t>(s) * cache.width();
      right = right && cache.DistanceOf(s, cache.Length(s), &q[at], &out[at]).largest < kTolerance;
    }
  }
  Check(right, "each of 12,500 outputs sees all tokens");
}

void TestLongSequence() {
  Cache cache(Contiguous(1, 8, 1, 131072));
  cache.Append(0, 65530);
  bool right = true;
  for (int i = 0; i < 12; ++i) {
    cache.Append(0, 1);
    right = right && cache.IsRight(0);
  }
  cache.Append(0, 60000);
  Check(right && cache.IsRight(0), "a sequence of over 65,536 tokens is seen whole");
}

// The bound of interface.h for what is random and of mean 0: half of it is what float needs.
void TestMeanError(int32_t head_size, const char* name) {
  constexpr size_t kTokens = 900;
  Cache cache(Contiguous(2, head_size, 1, 1024));
  cache.Append(0, kTokens);
  const Floats q = Noise(cache.width());
  const Floats out = cache.Attend({0}, q);
  const double allowed =
      4 * 0x1p-24 * (1.5 * std::sqrt(head_size) + 0.4 * std::sqrt(static_cast<double>(kTokens)));
  Check(cache.DistanceOf(0, kTokens, q.data(), out.data()).relative_rms <= allowed, name);
}

void TestWindow() {
  constexpr size_t kPrompt = 11;
  kv_config config = Contiguous(2, 16, 1, 8);
  config.window = 5;
  Cache cache(config);
  const size_t width = cache.width();
  const Floats q = Noise(kPrompt * width);
  const Floats out = cache.Prefill(0, q, Noise(kPrompt * width), Noise(kPrompt * width));
  bool right = true;
  for (size_t i = 0; i < kPrompt; ++i) {
    right =
        right && cache.DistanceOf(0, i + 1, &q[i * width], &out[i * width]).largest < kTolerance;
  }
  Check(right, "a query of a prompt sees the newest 5 tokens");
  right = true;
  for (int i = 0; i < 12; ++i) {
    cache.Append(0, 1);
    right = right && cache.IsRight(0);
  }
  Check(right, "and so does one of a decoding step, for ever");
}

// --------------------------------------------------------------------------------------- decoder

constexpr size_t kVocabulary = 5;
constexpr size_t kWidth = 8;

kv_decoder_config SmallDecoder() {
  return {.layers = 1,
          .width = kWidth,
          .query_heads = 1,
          .kv_heads = 1,
          .head_size = kWidth,
          .mlp_width = 0,
          .vocabulary = kVocabulary,
          .capacity = 64,
          .window = 0,
          .rope_base = 0,
          .norm_eps = 1e-5F};
}

// embedding; attention_norm, Wq, Wk, Wv, Wo; final_norm, Woutput.
constexpr size_t kWeightCount = 2 * kVocabulary * kWidth + 2 * kWidth + 4 * kWidth * kWidth;

// Logits after a prompt; none where it fails.
Floats Logits(const kv_decoder_config& config, const Floats& weights,
              const std::vector<int32_t>& tokens) {
  Floats logits(kVocabulary);
  kv_decoder* decoder = nullptr;
  bool ok = kv_decoder_create(&config, weights.data(), weights.size(), &decoder) == KV_OK;
  for (size_t i = 0; ok && i < tokens.size(); ++i) {
    ok = kv_decoder_step(decoder, tokens[i], logits.data()) == KV_OK;
  }
  kv_decoder_destroy(decoder);
  return ok ? logits : Floats();
}

bool Near(const Floats& a, const Floats& b) {
  return !a.empty() && std::equal(a.begin(), a.end(), b.begin(), b.end(), [](float x, float y) {
    return std::fabs(x - y) <= 1e-4F * (1 + std::fabs(y));
  });
}

// Without weights in the layers, logits are the output matrix times the norm of the embedding.
void TestNormEps() {
  kv_decoder_config config = SmallDecoder();
  config.norm_eps = 0.5F;
  Floats weights(kWeightCount, 0.0F);
  const size_t final_norm = kWeightCount - kWidth - kVocabulary * kWidth;
  const Floats embedding = Noise(kWidth);
  std::copy(embedding.begin(), embedding.end(), weights.begin() + kWidth);  // Of token 1.
  std::fill_n(weights.begin() + final_norm, kWidth, 1.0F);
  double mean_square = 0;
  for (const float value : embedding) {
    mean_square += static_cast<double>(value) * value / kWidth;
  }
  Floats expected;
  for (size_t i = 0; i < kVocabulary; ++i) {
    weights[final_norm + kWidth + i * kWidth + i] = 1.0F;
    expected.push_back(static_cast<float>(embedding[i] / std::sqrt(mean_square + 0.5)));
  }
  Check(Near(Logits(config, weights, {1}), expected), "eps is part of the norm");
}

// Embeddings of 1, of which the MLP adds 1 to the first element: silu(200) / 200.
void TestGateFarFromZero() {
  kv_decoder_config config = SmallDecoder();
  config.mlp_width = 1;
  Floats weights(kWeightCount + 4 * kWidth, 0.0F);
  const auto ones = [&](size_t first) { std::fill_n(weights.begin() + first, kWidth, 1.0F); };
  ones(kWidth);  // Of token 1.
  const size_t final_norm = weights.size() - kWidth - kVocabulary * kWidth;
  ones(final_norm);
  const size_t mlp_norm = final_norm - 4 * kWidth;
  ones(mlp_norm);
  weights[mlp_norm + kWidth] = 200;
  weights[mlp_norm + 2 * kWidth] = 1.0F / 200;
  weights[mlp_norm + 3 * kWidth] = 1;
  Floats expected;
  for (size_t i = 0; i < kVocabulary; ++i) {
    weights[final_norm + kWidth + i * kWidth + i] = 1.0F;
    expected.push_back((i == 0 ? 2.0F : 1.0F) / std::sqrt((4.0F + 7.0F) / 8.0F));
  }
  Check(Near(Logits(config, weights, {1}), expected), "a gate of 200 lets all through");
}

// In one layer, what a window does not see acts on nothing, and attention depends on how far tokens
// lie apart: logits are those of the seen tokens alone.
void TestRotationWithWindow() {
  const Floats weights = Noise(kWeightCount);
  kv_decoder_config config = SmallDecoder();
  config.rope_base = 100;
  const std::vector<int32_t> tokens = {0, 3, 1, 4, 1, 2, 0, 2, 4, 3, 1, 0, 4, 2, 3, 3, 1};
  const Floats seen_alone = Logits(config, weights, {tokens.end() - 7, tokens.end()});
  config.window = 7;
  Check(Near(Logits(config, weights, tokens), seen_alone),
        "tokens are rotated by their positions, also with a window");
}

}  // namespace

int main() {
  TestManyOutputs();
  TestLongSequence();
  TestMeanError(64, "the mean error of heads of 64 is that of floats");
  TestMeanError(128, "the mean error of heads of 128 is that of floats");
  TestMeanError(256, "the mean error of heads of 256 is that of floats");
  TestWindow();
  TestNormEps();
  TestGateFarFromZero();
  TestRotationWithWindow();
  return checked::failures == 0 ? 0 : 1;
}
