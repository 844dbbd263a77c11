// SPDX-License-Identifier: Apache-2.0
// The small decoder, step by step, and sampling: tags `decoder` and `sampling`. The decoder with a
// prompt, grouped heads or a window: tag `combinations`. All of it is optional.

#include "suite_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
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

class Sampling : public KvCacheTest {
 protected:
  void SetUp() override {
    KvCacheTest::SetUp();
    Tag({"sampling"});
    NeedOptionalOperation("kv_sample");
  }

  std::int32_t Sample(const std::vector<float>& logits, float temperature, std::int32_t top_k,
                      float uniform) {
    std::array<std::int32_t, 1> token{-1};
    Invocation call("kv_sample");
    call.Scalar(static_cast<std::int32_t>(logits.size())).Input(logits).Scalar(temperature);
    call.Scalar(top_k).Scalar(uniform).Output(token);
    ExpectStatus(KV_OK, call);
    return token[0];
  }

  void ExpectAdmitted(const std::vector<float>& logits, float temperature, std::int32_t top_k,
                      float uniform) {
    const std::int32_t token = Sample(logits, temperature, top_k, uniform);
    if (!MaySample(logits, temperature, top_k, uniform, token)) {
      FailCase(
          fmt::format("kv_sample({} logits, temperature {}, top_k {}, uniform {}) gives token "
                      "{}, at which the cumulative probability does not pass it",
                      logits.size(), temperature, top_k, uniform, token));
    }
  }

  std::vector<float> DrawLogits(std::size_t count) {
    std::normal_distribution<float> normal(0, 2);
    std::vector<float> logits(count);
    std::ranges::generate(logits, [&] { return normal(random()); });
    return logits;
  }

  float DrawUniform() { return static_cast<float>(random()() >> 40) * 0x1p-24F; }
};

TEST_F(Sampling, TemperatureZeroIsTheLargest) {
  std::vector<float> logits = DrawLogits(100);
  ExpectAdmitted(logits, 0, 0, 0.9F);
  logits[17] = logits[60] = 50;
  EXPECT_EQ(Sample(logits, 0, 0, 0.5F), 17);
  EXPECT_EQ(Sample(logits, 0, 5, 0.999F), 17);
}

/// Which their bits do not say.
TEST_F(Sampling, ZerosOfBothSignsAreEqual) {
  EXPECT_EQ(Sample({-1, -0.0F, 0.0F, -0.0F}, 0, 0, 0.5F), 1);
  EXPECT_EQ(Sample({-1, -0.0F, 0.0F, -0.0F}, 1, 1, 0.5F), 1);
  std::vector<float> logits(40, -0.0F);
  for (std::size_t i = 1; i < logits.size(); i += 2) {
    logits[i] = 0.0F;
  }
  for (const float uniform : {0.01F, 0.26F, 0.51F, 0.99F}) {
    ExpectAdmitted(logits, 1, 0, uniform);
    ExpectAdmitted(logits, 1, 4, uniform);
  }
}

TEST_F(Sampling, AllTokens) {
  const std::vector<float> logits = DrawLogits(300);
  for (int i = 0; i < 60; ++i) {
    ExpectAdmitted(logits, 1, 0, DrawUniform());
  }
}

TEST_F(Sampling, TopK) {
  const std::vector<float> logits = DrawLogits(300);
  for (const std::int32_t top_k : {1, 2, 5, 40, 299, 300, 1000}) {
    for (int i = 0; i < 20; ++i) {
      ExpectAdmitted(logits, 1, top_k, DrawUniform());
    }
    ExpectAdmitted(logits, 1, top_k, 0);
    ExpectAdmitted(logits, 1, top_k, 1 - 0x1p-24F);
  }
}

TEST_F(Sampling, Temperature) {
  const std::vector<float> logits = DrawLogits(60);
  for (const float temperature : {0.1F, 0.7F, 2.0F, 50.0F}) {
    for (int i = 0; i < 25; ++i) {
      ExpectAdmitted(logits, temperature, i % 2 == 0 ? 0 : 10, DrawUniform());
    }
  }
}

TEST_F(Sampling, EqualLogits) {
  const std::vector<float> logits(40, 1.5F);
  for (const float uniform : {0.01F, 0.26F, 0.51F, 0.99F}) {
    ExpectAdmitted(logits, 1, 0, uniform);
    ExpectAdmitted(logits, 1, 4, uniform);
  }
}

TEST_F(Sampling, LogitsOfAnySize) {
  std::vector<float> logits = DrawLogits(50);
  for (float& logit : logits) {
    logit = logit * 100 + 5000;
  }
  logits[3] = -std::numeric_limits<float>::infinity();
  for (int i = 0; i < 10; ++i) {
    ExpectAdmitted(logits, 1, 0, DrawUniform());
    ExpectAdmitted(logits, 200, 10, DrawUniform());
  }
}

/// Which all have their share, however low a temperature is.
TEST_F(Sampling, EqualLogitsAtAnyTemperature) {
  for (const float temperature : {1e-30F, 1e-7F, 1e-3F, 1e3F, 1e30F}) {
    for (const float uniform : {0.1F, 0.4F, 0.6F, 0.9F}) {
      ExpectAdmitted({0, 2, -3, 2}, temperature, 2, uniform);
    }
  }
}

/// Their quotients by a temperature differ by less than a float of that size tells apart, or are
/// infinite: just before and behind where the first token ends.
TEST_F(Sampling, LargeLogitsCloseTogether) {
  for (const float temperature : {0.3F, 0.7F, 1.9F}) {
    for (const float largest : {3e4F, -3e4F, 1e6F}) {
      const double second = std::exp(-1.0 / static_cast<double>(temperature));
      for (const double past : {-1e-4, -4e-5, 4e-5, 1e-4}) {
        const auto uniform = static_cast<float>(1 / (1 + second) + past);
        ExpectAdmitted({largest, largest - 1}, temperature, 0, uniform);
      }
    }
  }
  for (const float uniform : {0.0F, 0.5F, 0.99F}) {
    ExpectAdmitted({1e38F, 2e38F}, 0.1F, 0, uniform);
    ExpectAdmitted({-3e38F, 3e38F}, 1, 2, uniform);
  }
}

/// More tokens than 16 bits tell apart; those from 65,536 on have nearly all weight.
TEST_F(Sampling, ALargeVocabulary) {
  std::vector<float> logits = DrawLogits(100'003);
  for (std::size_t i = 65'536; i < logits.size(); ++i) {
    logits[i] += 12;
  }
  ExpectAdmitted(logits, 0, 0, 0.5F);
  for (const std::int32_t top_k : {0, 3, 1'500, 70'000}) {
    for (int i = 0; i < 3; ++i) {
      ExpectAdmitted(logits, 1, top_k, DrawUniform());
    }
  }
}

/// Tokens that are next to nothing each, and together a part: where in it `uniform` falls counts.
TEST_F(Sampling, ALongTail) {
  struct Tail {
    std::size_t tokens;
    float below;
  };
  for (const auto& [tokens, below] : {Tail{131'072, 14}, Tail{1'000, 14}, Tail{60, 11}}) {
    std::vector<float> logits(tokens, -below);
    logits[0] = 0;
    const double weight = static_cast<double>(tokens - 1) * std::exp(-static_cast<double>(below));
    for (const double place : {0.2, 0.5, 0.8}) {
      ExpectAdmitted(logits, 1, 0, static_cast<float>((1 + place * weight) / (1 + weight)));
    }
  }
}

/// All tokens are then equally likely.
TEST_F(Sampling, TemperaturesBeyondAllLogits) {
  for (const float temperature : {1e38F, std::numeric_limits<float>::infinity()}) {
    for (const float uniform : {0.1F, 0.4F, 0.6F, 0.9F}) {
      ExpectAdmitted({3, 2, 1, 0}, temperature, 0, uniform);
    }
  }
}

TEST_F(Sampling, Misuse) {
  const std::vector<float> logits = DrawLogits(10);
  std::array<std::int32_t, 1> token{};
  const auto expect_refused = [&](std::int32_t vocabulary, float temperature, std::int32_t top_k,
                                  float uniform) {
    Invocation call("kv_sample");
    call.Scalar(vocabulary).Input(logits).Scalar(temperature).Scalar(top_k).Scalar(uniform);
    call.Output(token);
    ExpectStatus(KV_INVALID_ARGUMENT, call);
  };
  expect_refused(0, 1, 0, 0.5F);
  expect_refused(10, -1, 0, 0.5F);
  expect_refused(10, std::numeric_limits<float>::quiet_NaN(), 0, 0.5F);
  expect_refused(10, 1, -1, 0.5F);
  expect_refused(10, 1, 0, 1);
  expect_refused(10, 1, 0, -0.1F);
}

}  // namespace
}  // namespace assay::kvcache
