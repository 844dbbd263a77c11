// SPDX-License-Identifier: Apache-2.0
// The decoder against one in double that computes all tokens anew for each token; sampling.

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "baseline_test_support.h"

namespace assay::kv_baseline {
namespace {

// ----------------------------------------------------------------------------------------- decoder

kv_decoder_config DecoderConfig() {
  return {.layers = 2,
          .width = 24,
          .query_heads = 4,
          .kv_heads = 2,
          .head_size = 6,
          .mlp_width = 40,
          .vocabulary = 50,
          .capacity = 80,
          .window = 0,
          .rope_base = 10000,
          .norm_eps = 1e-5F};
}

using Doubles = std::vector<double>;

/// The decoder of interface.h in double, all tokens anew for each token.
class PlainDecoder {
 public:
  PlainDecoder(const kv_decoder_config& config, const Values& weights)
      : config_(config), weights_(weights.begin(), weights.end()) {}

  Doubles Logits(const std::vector<int>& tokens) {
    next_ = weights_.data();
    const double* embedding = Take(config_.vocabulary * config_.width);
    std::vector<Doubles> x;
    for (const int token : tokens) {
      const double* row = embedding + std::ptrdiff_t{token} * config_.width;
      x.emplace_back(row, row + config_.width);
    }
    for (int layer = 0; layer < config_.layers; ++layer) {
      AddAttention(x);
      if (config_.mlp_width > 0) {
        AddMlp(x);
      }
    }
    const double* gain = Take(config_.width);
    return Multiply(Take(config_.vocabulary * config_.width), config_.vocabulary,
                    Normal(x.back(), gain));
  }

 private:
  const double* Take(int count) { return std::exchange(next_, next_ + count); }

  static Doubles Multiply(const double* matrix, int outputs, const Doubles& x) {
    Doubles out(static_cast<std::size_t>(outputs));
    for (double& sum : out) {
      for (const double value : x) {
        sum += *matrix++ * value;
      }
    }
    return out;
  }

  [[nodiscard]] Doubles Normal(const Doubles& x, const double* gain) const {
    double squares = 0;
    for (const double value : x) {
      squares += value * value;
    }
    Doubles out = x;
    for (double& value : out) {
      value *= *gain++ / std::sqrt(squares / static_cast<double>(x.size()) + config_.norm_eps);
    }
    return out;
  }

  void Rotate(Doubles& heads, std::size_t position) const {
    const auto d = static_cast<std::size_t>(config_.head_size);
    for (std::size_t head = 0; head < heads.size() && config_.rope_base > 0; head += d) {
      for (std::size_t i = 0; i < d / 2; ++i) {
        const double angle = static_cast<double>(position) *
                             std::pow(static_cast<double>(config_.rope_base),
                                      -2 * static_cast<double>(i) / static_cast<double>(d));
        const double a = heads[head + i];
        const double b = heads[head + i + d / 2];
        heads[head + i] = a * std::cos(angle) - b * std::sin(angle);
        heads[head + i + d / 2] = a * std::sin(angle) + b * std::cos(angle);
      }
    }
  }

  [[nodiscard]] Doubles Attention(const Doubles& q, const std::vector<Doubles>& k,
                                  const std::vector<Doubles>& v) const {
    const auto d = static_cast<std::size_t>(config_.head_size);
    const auto group = static_cast<std::size_t>(config_.query_heads / config_.kv_heads);
    const auto window = static_cast<std::size_t>(config_.window);
    Doubles out(q.size());
    for (std::size_t head = 0; head < q.size() / d; ++head) {
      double total = 0;
      for (std::size_t j = window > 0 && k.size() > window ? k.size() - window : 0; j < k.size();
           ++j) {
        double score = 0;
        for (std::size_t i = 0; i < d; ++i) {
          score += q[head * d + i] * k[j][head / group * d + i];
        }
        const double weight = std::exp(score / std::sqrt(static_cast<double>(d)));
        total += weight;
        for (std::size_t i = 0; i < d; ++i) {
          out[head * d + i] += weight * v[j][head / group * d + i];
        }
      }
      for (std::size_t i = 0; i < d; ++i) {
        out[head * d + i] /= total;
      }
    }
    return out;
  }

  void AddAttention(std::vector<Doubles>& x) {
    const int query_width = config_.query_heads * config_.head_size;
    const int kv_width = config_.kv_heads * config_.head_size;
    const double* gain = Take(config_.width);
    const double* wq = Take(query_width * config_.width);
    const double* wk = Take(kv_width * config_.width);
    const double* wv = Take(kv_width * config_.width);
    const double* wo = Take(query_width * config_.width);
    std::vector<Doubles> k;
    std::vector<Doubles> v;
    for (std::size_t position = 0; position < x.size(); ++position) {
      const Doubles normal = Normal(x[position], gain);
      Doubles q = Multiply(wq, query_width, normal);
      k.push_back(Multiply(wk, kv_width, normal));
      v.push_back(Multiply(wv, kv_width, normal));
      Rotate(q, position);
      Rotate(k.back(), position);
      Add(x[position], Multiply(wo, config_.width, Attention(q, k, v)));
    }
  }

  void AddMlp(std::vector<Doubles>& x) {
    const double* gain = Take(config_.width);
    const double* wgate = Take(config_.mlp_width * config_.width);
    const double* wup = Take(config_.mlp_width * config_.width);
    const double* wdown = Take(config_.mlp_width * config_.width);
    for (Doubles& token : x) {
      const Doubles normal = Normal(token, gain);
      Doubles gate = Multiply(wgate, config_.mlp_width, normal);
      const Doubles up = Multiply(wup, config_.mlp_width, normal);
      for (std::size_t i = 0; i < gate.size(); ++i) {
        gate[i] = gate[i] / (1 + std::exp(-gate[i])) * up[i];
      }
      Add(token, Multiply(wdown, config_.width, gate));
    }
  }

  static void Add(Doubles& to, const Doubles& what) {
    std::ranges::transform(to, what, to.begin(), std::plus<>());
  }

  kv_decoder_config config_;
  Doubles weights_;
  const double* next_ = nullptr;
};

std::size_t WeightCount(const kv_decoder_config& config) {
  const int heads_width = (config.query_heads + config.kv_heads) * config.head_size;
  const int mlp = config.mlp_width > 0 ? config.width + 3 * config.mlp_width * config.width : 0;
  const int layer = config.width + 2 * heads_width * config.width + mlp;
  const int count = 2 * config.vocabulary * config.width + config.width + config.layers * layer;
  return static_cast<std::size_t>(count);
}

void ExpectDecodes(const kv_decoder_config& config) {
  const Values weights = RandomValues(WeightCount(config), 0.3F);
  kv_decoder* decoder = nullptr;
  ASSERT_EQ(kv_decoder_create(&config, weights.data(), weights.size(), &decoder), KV_OK);
  PlainDecoder plain(config, weights);
  for (int round = 0; round < 2; ++round) {
    std::vector<int> tokens;
    for (const std::size_t count : {std::size_t{3}, std::size_t{1}, std::size_t{1}, std::size_t{40},
                                    std::size_t{33}, std::size_t{1}}) {
      for (std::size_t i = 0; i < count; ++i) {
        tokens.push_back(static_cast<int>(RandomBelow(50)));
      }
      Values logits(50, kNan);
      const int status =
          count == 1
              ? kv_decoder_step(decoder, tokens.back(), logits.data())
              : kv_decoder_prefill(decoder, count, &tokens[tokens.size() - count], logits.data());
      ASSERT_EQ(status, KV_OK);
      const Doubles want = plain.Logits(tokens);
      for (std::size_t i = 0; i < want.size(); ++i) {
        ASSERT_NEAR(logits[i], want[i], 1e-4) << "after " << tokens.size() << " tokens";
      }
    }
    const std::vector<int> too_many(2, 0);
    Values logits(50);
    // In a window old tokens make room, and there is no end.
    EXPECT_EQ(kv_decoder_prefill(decoder, 2, too_many.data(), logits.data()),
              config.window > 0 ? KV_OK : KV_CAPACITY);
    EXPECT_EQ(kv_decoder_step(decoder, 50, logits.data()), KV_INVALID_ARGUMENT);
    EXPECT_EQ(kv_decoder_reset(decoder), KV_OK);
  }
  EXPECT_EQ(kv_decoder_destroy(decoder), KV_OK);
}

TEST(KvBaseline, Decoder_AgreesWithAPlainOneInDouble) {
  ExpectDecodes(DecoderConfig());
  kv_decoder_config config = DecoderConfig();
  config.window = 5;
  ExpectDecodes(config);
  config.window = 0;
  config.rope_base = 0;
  config.mlp_width = 0;
  ExpectDecodes(config);
}

TEST(KvBaseline, Decoder_RefusesWhatIsWrong) {
  const Values weights(WeightCount(DecoderConfig()));
  const auto status_of = [&](auto&& change, std::size_t count) {
    kv_decoder_config config = DecoderConfig();
    change(config);
    kv_decoder* decoder = nullptr;
    const int status = kv_decoder_create(&config, weights.data(), count, &decoder);
    kv_decoder_destroy(decoder);
    return status;
  };
  const auto same = [](kv_decoder_config&) {};
  EXPECT_EQ(status_of(same, weights.size()), KV_OK);
  EXPECT_EQ(status_of(same, weights.size() - 1), KV_INVALID_ARGUMENT);
  EXPECT_EQ(status_of([](kv_decoder_config& config) { config.width = 0; }, weights.size()),
            KV_INVALID_ARGUMENT);
  EXPECT_EQ(status_of([](kv_decoder_config& config) { config.kv_heads = 3; }, weights.size()),
            KV_INVALID_ARGUMENT);
  EXPECT_EQ(status_of([](kv_decoder_config& config) { config.norm_eps = kNan; }, weights.size()),
            KV_INVALID_ARGUMENT);
  EXPECT_EQ(status_of([](kv_decoder_config& config) { config.norm_eps = -1; }, weights.size()),
            KV_INVALID_ARGUMENT);
  EXPECT_EQ(status_of([](kv_decoder_config& config) { config.norm_eps = 0; }, weights.size()),
            KV_OK);
  // Halves of an odd head are not pairs.
  kv_decoder_config odd = DecoderConfig();
  odd.head_size = 5;
  for (const float rope_base : {0.0F, 10000.0F}) {
    odd.rope_base = rope_base;
    const Values odd_weights(WeightCount(odd));
    kv_decoder* decoder = nullptr;
    EXPECT_EQ(kv_decoder_create(&odd, odd_weights.data(), odd_weights.size(), &decoder),
              rope_base > 0 ? KV_INVALID_ARGUMENT : KV_OK);
    kv_decoder_destroy(decoder);
  }
  EXPECT_EQ(kv_decoder_create(nullptr, weights.data(), 1, nullptr), KV_INVALID_ARGUMENT);
  EXPECT_EQ(kv_decoder_reset(nullptr), KV_INVALID_ARGUMENT);
  EXPECT_EQ(kv_decoder_step(nullptr, 0, nullptr), KV_INVALID_ARGUMENT);
}

// ---------------------------------------------------------------------------------------- sampling

int Sampled(const Values& logits, float temperature, int top_k, float uniform) {
  std::int32_t token = -1;
  EXPECT_EQ(kv_sample(static_cast<int>(logits.size()), logits.data(), temperature, top_k, uniform,
                      &token),
            KV_OK);
  return token;
}

TEST(KvBaseline, Sample_GoesDownTheCumulativeProbability) {
  const float ln2 = std::log(2.0F);
  const Values logits = {0, 2 * ln2, ln2, ln2};  // 1, 4, 2, 2 ninths.
  EXPECT_EQ(Sampled(logits, 1, 0, 0), 1);
  EXPECT_EQ(Sampled(logits, 1, 0, 0.44F), 1);
  EXPECT_EQ(Sampled(logits, 1, 0, 0.45F), 2);
  EXPECT_EQ(Sampled(logits, 1, 0, 0.67F), 3);
  EXPECT_EQ(Sampled(logits, 1, 0, 0.9F), 0);
  EXPECT_EQ(Sampled(logits, 1, 2, 0.99F), 2);
  EXPECT_EQ(Sampled(logits, 1, 9, 0.99F), 0);
  EXPECT_EQ(Sampled(logits, 0, 0, 0.99F), 1);
  EXPECT_EQ(Sampled(logits, 0.1F, 0, 0.9F), 1);
  EXPECT_EQ(Sampled({3, 3, 3}, 0, 0, 0.5F), 0);
  EXPECT_EQ(Sampled({1000, -1000, 999}, 1, 0, 0.8F), 2);
}

TEST(KvBaseline, Sample_RefusesWhatIsWrong) {
  const float logit = 0;
  std::int32_t token = 0;
  EXPECT_EQ(kv_sample(0, &logit, 1, 0, 0, &token), KV_INVALID_ARGUMENT);
  EXPECT_EQ(kv_sample(1, &logit, -1, 0, 0, &token), KV_INVALID_ARGUMENT);
  EXPECT_EQ(kv_sample(1, &logit, kNan, 0, 0, &token), KV_INVALID_ARGUMENT);
  EXPECT_EQ(kv_sample(1, &logit, 1, -1, 0, &token), KV_INVALID_ARGUMENT);
  EXPECT_EQ(kv_sample(1, &logit, 1, 0, 1, &token), KV_INVALID_ARGUMENT);
  EXPECT_EQ(kv_sample(1, &logit, 1, 0, -0.1F, &token), KV_INVALID_ARGUMENT);
  EXPECT_EQ(kv_sample(1, &logit, 1, 0, kNan, &token), KV_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace assay::kv_baseline
