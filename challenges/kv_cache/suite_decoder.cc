// SPDX-License-Identifier: Apache-2.0
// The small decoder, step by step: tag `decoder`. With a prompt, grouped heads or a window: tag
// `combinations`. All of it is optional.

#include "suite_decoder.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace assay::kvcache {
namespace {

class Decoder : public DecoderTest {
 protected:
  void SetUp() override {
    DecoderTest::SetUp();
    Tag({"decoder"});
    NeedDecoder();
  }
};

TEST_F(Decoder, StepByStep) {
  Twin twin = Open(kBare);
  Steps(twin, 12);
}

TEST_F(Decoder, OneTokenAlone) {
  Twin twin = Open(kBare);
  Prefill(twin, 1);
}

TEST_F(Decoder, OneLayer) {
  DecoderConfig config = kBare;
  config.layers = 1;
  Twin twin = Open(config);
  Steps(twin, 18);
}

TEST_F(Decoder, WithMlp) {
  DecoderConfig config = kBare;
  config.mlp_width = 70;
  Twin twin = Open(config);
  Steps(twin, 13);
}

TEST_F(Decoder, WithRotation) {
  DecoderConfig config = kBare;
  config.rope_base = 10000;
  Twin twin = Open(config);
  Steps(twin, 31);
}

TEST_F(Decoder, FullStepByStep) {
  Twin twin = Open(kFull);
  Steps(twin, 20);
}

TEST_F(Decoder, ResetMakesItNew) {
  Twin twin = Open(kBare);
  Steps(twin, 12);
  Reset(twin);
  Steps(twin, 14);  // Through the length that it had before.
}

TEST_F(Decoder, ResetMakesRotationStartAnew) {
  Twin twin = Open(kFull);
  Steps(twin, 23);
  Reset(twin);
  Steps(twin, 6);
}

TEST_F(Decoder, TwoAlive) {
  Twin first = Open(kBare);
  Twin second = Open(kBare);
  Steps(first, 8);
  Steps(second, 3);
  Steps(first, 2);
  Steps(second, 2);
}

/// Embeddings of zero: only eps keeps the norm finite.
TEST_F(Decoder, NormOfNothing) {
  DecoderConfig config = kBare;
  config.layers = 1;
  config.norm_eps = 1e-3F;
  std::vector<float> weights = DrawWeights(random(), config);
  std::fill_n(weights.begin(), config.vocabulary * config.width, 0.0F);
  Twin twin{.config = config, .oracle = OracleDecoder(config, weights)};
  ASSERT_EQ(Create(config, weights, &twin.handle), KV_OK);
  decoders_.push_back(twin.handle);
  Steps(twin, 2);
}

/// Of either sign it is 0, and one that is next to nothing is none that is below.
TEST_F(Decoder, NormWithoutEps) {
  for (const float eps : {0.0F, -0.0F, std::numeric_limits<float>::denorm_min()}) {
    DecoderConfig config = kBare;
    config.norm_eps = eps;
    Twin twin = Open(config);
    Steps(twin, 3);
  }
}

/// Gates so far from zero that exp of them is no float: the unit gives the gate itself, or nothing.
TEST_F(Decoder, GatesFarFromZero) {
  DecoderConfig config = kBare;
  config.layers = 1;
  config.mlp_width = 24;
  std::vector<float> weights = DrawWeights(random(), config);
  const auto matrix = static_cast<std::ptrdiff_t>(config.mlp_width) * config.width;
  const auto tail = (1 + static_cast<std::ptrdiff_t>(config.vocabulary)) * config.width;
  const auto gate = weights.end() - tail - 3 * matrix;
  std::for_each(gate, gate + matrix, [](float& weight) { weight *= 200; });
  Twin twin{.config = config, .oracle = OracleDecoder(config, weights)};
  const int status = Create(config, weights, &twin.handle);
  if (status == KV_UNSUPPORTED) {
    Skip("kv_decoder_create says KV_UNSUPPORTED");
  }
  ASSERT_EQ(status, KV_OK);
  decoders_.push_back(twin.handle);
  Steps(twin, 3);
}

/// Where eps is as large as what it is added to.
TEST_F(Decoder, NormWithALargeEps) {
  DecoderConfig config = kBare;
  config.norm_eps = 0.5F;
  Twin twin = Open(config);
  Steps(twin, 3);
}

TEST_F(Decoder, CapacityIsAnEnd) {
  DecoderConfig config = kBare;
  config.capacity = 6;
  Twin twin = Open(config);
  Steps(twin, 5);
  std::vector<float> logits(static_cast<std::size_t>(config.vocabulary));
  const std::vector<std::int32_t> prompt{1, 2};
  Invocation prefill("kv_decoder_prefill");
  prefill.Scalar(twin.handle).Scalar(prompt.size()).Input(prompt).Output(logits);
  ExpectStatus(KV_CAPACITY, prefill);
  Steps(twin, 1);
  Invocation step("kv_decoder_step");
  step.Scalar(twin.handle).Scalar(3).Output(logits);
  ExpectStatus(KV_CAPACITY, step);
}

TEST_F(Decoder, TokensAndWeightsThatAreNot) {
  Twin twin = Open(kBare);
  std::vector<float> logits(static_cast<std::size_t>(kBare.vocabulary));
  for (const std::int32_t token : {-1, kBare.vocabulary, 1 << 30}) {
    Invocation step("kv_decoder_step");
    step.Scalar(twin.handle).Scalar(token).Output(logits);
    ExpectStatus(KV_INVALID_ARGUMENT, step);
  }
  Steps(twin, 2);
  std::uint64_t handle = 0;
  const std::vector<float> short_weights(WeightCount(kBare) - 1);
  if (const int status = Create(kBare, short_weights, &handle); status != KV_INVALID_ARGUMENT) {
    FailCase("kv_decoder_create with one weight too few returned " + StatusName(status) +
             " instead of KV_INVALID_ARGUMENT");
  }
}

/// The decoder together with what a cache may be wrong about by itself.
class DecoderWith : public DecoderTest {
 protected:
  void SetUp() override {
    DecoderTest::SetUp();
    Tag({"combinations"});
    NeedDecoder();
  }

  void ExpectPromptRight(const DecoderConfig& config, std::size_t tokens, int steps) {
    Twin twin = Open(config);
    Prefill(twin, tokens);
    Steps(twin, steps);
  }
};

TEST_F(DecoderWith, APrompt) { ExpectPromptRight(kBare, 20, 5); }

TEST_F(DecoderWith, APromptOfOneLayer) {
  DecoderConfig config = kBare;
  config.layers = 1;
  ExpectPromptRight(config, 15, 3);
}

TEST_F(DecoderWith, APromptAndAnMlp) {
  DecoderConfig config = kBare;
  config.mlp_width = 70;
  ExpectPromptRight(config, 9, 4);
}

TEST_F(DecoderWith, ARotatedPrompt) {
  DecoderConfig config = kBare;
  config.rope_base = 10000;
  ExpectPromptRight(config, 25, 6);
}

TEST_F(DecoderWith, TwoPrompts) {
  Twin twin = Open(kFull);
  Prefill(twin, 30);
  Steps(twin, 10);
  Prefill(twin, 7);
  Steps(twin, 2);
}

TEST_F(DecoderWith, APromptAfterAReset) {
  Twin twin = Open(kBare);
  Prefill(twin, 12);
  Reset(twin);
  Prefill(twin, 5);
  Steps(twin, 9);
}

TEST_F(DecoderWith, GroupedHeads) {
  DecoderConfig config = kFull;
  config.kv_heads = 2;
  ExpectPromptRight(config, 18, 5);
}

/// Positions count from the beginning of the sequence, wherever in a ring a token lies.
TEST_F(DecoderWith, AWindow) {
  DecoderConfig config = kFull;
  config.window = 12;
  config.capacity = 16;
  ExpectPromptRight(config, 10, 25);
}

}  // namespace
}  // namespace assay::kvcache
