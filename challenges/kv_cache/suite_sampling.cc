// SPDX-License-Identifier: Apache-2.0
// kv_sample, which is optional: tag `sampling`.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "decoder.h"
#include "suite_support.h"

namespace assay::kvcache {
namespace {

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

/// Vocabularies in turn, one as large as what the call before it kept among them: what is left of
/// one call, a list that was cut or sorted, is not the next's.
TEST_F(Sampling, VocabulariesInTurn) {
  for (const std::size_t small : {1U, 2U, 15U, 40U, 129U}) {
    const auto kept = static_cast<std::int32_t>(small);
    for (const std::size_t large : {2 * small, 5 * small + 3, std::size_t{700}}) {
      for (const std::int32_t top_k : {0, 1, kept}) {
        ExpectAdmitted(DrawLogits(large), 1, kept, DrawUniform());
        ExpectAdmitted(DrawLogits(small), 1, top_k, DrawUniform());
        ExpectAdmitted(DrawLogits(small), 0, top_k, DrawUniform());
        ExpectAdmitted(DrawLogits(large), 1, top_k, DrawUniform());
      }
      ExpectAdmitted(DrawLogits(large), 0, kept, DrawUniform());  // Keeps one.
      ExpectAdmitted(DrawLogits(1), 1, 0, DrawUniform());
      ExpectAdmitted(DrawLogits(small), 1, 0, DrawUniform());
    }
  }
}

/// What the first call of a process decides must not hold for those behind it: in a fresh host, and
/// in another the last of them first.
TEST_F(Sampling, FirstOfItsProcessIsAnother) {
  struct Asked {
    std::size_t vocabulary;
    float temperature;
    std::int32_t top_k;
  };
  const std::vector<Asked> calls = {{1, 1, 0},    {40, 0, 0},    {40, 1, 0}, {40, 0.3F, 0},
                                    {40, 1, 5},   {40, 0.3F, 9}, {41, 1, 1}, {700, 1, 0},
                                    {700, 2, 50}, {700, 0, 3}};
  InBothOrders({kHost}, calls, [this](const Asked& asked) {
    for (int i = 0; i < 8; ++i) {
      ExpectAdmitted(DrawLogits(asked.vocabulary), asked.temperature, asked.top_k, DrawUniform());
    }
  });
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

/// By which nothing can be divided, and whose inverse is no float.
TEST_F(Sampling, TemperaturesNextToNothing) {
  for (const float temperature :
       {std::numeric_limits<float>::denorm_min(), 1e-40F, std::numeric_limits<float>::min()}) {
    for (const float uniform : {0.1F, 0.4F, 0.6F, 0.9F}) {
      ExpectAdmitted({0, 2, -3, 2}, temperature, 0, uniform);
      ExpectAdmitted({0, 2, -3, 2}, temperature, 3, uniform);
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

/// Each number just inside and just outside what is allowed, with each of the others: -0 is not
/// below 0, and no temperature excuses another number. What is refused writes no token.
TEST_F(Sampling, EachNumberAtItsEdgesWithEachOther) {
  using Limits = std::numeric_limits<float>;
  constexpr float kLeast = Limits::denorm_min();
  constexpr float kMost = Limits::infinity();
  constexpr float kNan = Limits::quiet_NaN();
  constexpr std::int32_t kNoToken = -77;
  const std::vector<float> logits = {1, 3, 2, 3};
  const auto count = static_cast<std::int32_t>(logits.size());
  for (const float temperature : {0.0F, -0.0F, 1.0F, kMost, -kLeast, -1.0F, -kMost, kNan}) {
    for (const float uniform : {0.0F, -0.0F, kLeast, 1 - 0x1p-24F, 1.0F, 1 + 0x1p-23F, -kLeast,
                                -1.0F, kMost, -kMost, kNan}) {
      for (const std::int32_t top_k : {0, 1, 4, INT32_MAX, -1, INT32_MIN}) {
        for (const std::int32_t vocabulary : {count, 0, -1, INT32_MIN}) {
          const bool is_right =
              temperature >= 0 && uniform >= 0 && uniform < 1 && top_k >= 0 && vocabulary >= 1;
          std::array<std::int32_t, 1> token{kNoToken};
          Invocation call("kv_sample");
          call.Scalar(vocabulary).Input(logits).Scalar(temperature).Scalar(top_k).Scalar(uniform);
          call.InOut(token);
          ExpectStatus(is_right ? KV_OK : KV_INVALID_ARGUMENT, call);
          if (is_right ? !MaySample(logits, temperature, top_k, uniform, token[0])
                       : token[0] != kNoToken) {
            FailCase(
                fmt::format("kv_sample(vocabulary {}, temperature {}, top_k {}, uniform {}) "
                            "gives token {}",
                            vocabulary, temperature, top_k, uniform, token[0]));
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace assay::kvcache
