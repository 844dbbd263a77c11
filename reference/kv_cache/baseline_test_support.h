// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_KV_CACHE_BASELINE_TEST_SUPPORT_H_
#define ASSAY_REFERENCE_KV_CACHE_BASELINE_TEST_SUPPORT_H_

// The plainest cache there is, vectors of tokens and attention in double, and a pair of it and the
// baseline that gets every call alike.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "interface.h"

namespace assay::kv_baseline {

inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
inline constexpr double kRounding = 0x1p-24;

using Values = std::vector<float>;

inline std::mt19937& Random() {
  static std::mt19937 random(1);
  return random;
}

inline std::size_t RandomBelow(std::size_t end) { return Random()() % end; }

inline Values RandomValues(std::size_t count, float scale = 1) {
  std::normal_distribution<float> normal(0, scale);
  Values values(count);
  std::ranges::generate(values, [&] { return normal(Random()); });
  return values;
}

/// What stands for the `count` values at x, one head of one token, once they are stored.
inline Values StoredValues(const float* x, std::size_t count, int storage) {
  Values stored(x, x + count);
  if (storage == KV_F16) {
    std::ranges::transform(stored, stored.begin(), [](float value) {
      return static_cast<float>(static_cast<Eigen::half>(value));
    });
  } else if (storage != KV_F32) {
    const float largest_code = storage == KV_INT8 ? 127 : 7;
    const std::size_t group = storage == KV_INT8 ? count : 32;
    for (std::size_t first = 0; first < count; first += group) {
      const std::size_t last = std::min(count, first + group);
      float largest = 0;
      for (std::size_t i = first; i < last; ++i) {
        largest = std::max(largest, std::abs(x[i]));
      }
      const float scale = largest / largest_code;
      for (std::size_t i = first; i < last; ++i) {
        stored[i] = scale == 0 ? 0 : std::nearbyint(x[i] / scale) * scale;
      }
    }
  }
  return stored;
}

struct Expected {
  std::vector<double> value;
  std::vector<double> bound;  ///< How far off float arithmetic may be, in any order.
};

class PlainCache {
 public:
  explicit PlainCache(const kv_config& config) : config_(config) {}

  /// k and v are those of one token.
  void Append(int layer, int sequence, const float* k, const float* v) {
    Tokens& tokens = lists_[{layer, sequence}];
    tokens.k.push_back(Store(k));
    tokens.v.push_back(Store(v));
  }

  void Free(int sequence) {
    for (int layer = 0; layer < config_.layers; ++layer) {
      lists_.erase({layer, sequence});
    }
  }

  void Fork(int parent, int child) {
    for (int layer = 0; layer < config_.layers; ++layer) {
      lists_[{layer, child}] = lists_[{layer, parent}];
    }
  }

  [[nodiscard]] std::size_t Length(int layer, int sequence) {
    return lists_[{layer, sequence}].k.size();
  }
  [[nodiscard]] std::size_t LongestLength(int sequence) {
    std::size_t longest = 0;
    for (int layer = 0; layer < config_.layers; ++layer) {
      longest = std::max(longest, Length(layer, sequence));
    }
    return longest;
  }
  [[nodiscard]] std::size_t Oldest(int layer, int sequence) {
    const auto window = static_cast<std::size_t>(config_.window);
    const std::size_t length = Length(layer, sequence);
    return window > 0 && length > window ? length - window : 0;
  }
  const Values& Key(int layer, int sequence, std::size_t token) {
    return lists_[{layer, sequence}].k[token];
  }
  const Values& Value(int layer, int sequence, std::size_t token) {
    return lists_[{layer, sequence}].v[token];
  }

  /// The output of a query at `position`.
  Expected Attend(int layer, int sequence, std::size_t position, const float* q) {
    Expected all;
    for (int head = 0; head < config_.query_heads; ++head) {
      const Expected one = AttendHead(lists_[{layer, sequence}], position, q, head);
      all.value.insert(all.value.end(), one.value.begin(), one.value.end());
      all.bound.insert(all.bound.end(), one.bound.begin(), one.bound.end());
    }
    return all;
  }

 private:
  struct Tokens {
    std::vector<Values> k, v;
  };

  [[nodiscard]] std::size_t HeadSize() const { return static_cast<std::size_t>(config_.head_size); }

  [[nodiscard]] Values Store(const float* x) const {
    Values row;
    for (int head = 0; head < config_.kv_heads; ++head) {
      const Values stored = StoredValues(x + static_cast<std::size_t>(head) * HeadSize(),
                                         HeadSize(), config_.storage);
      row.insert(row.end(), stored.begin(), stored.end());
    }
    return row;
  }

  Expected AttendHead(const Tokens& tokens, std::size_t position, const float* q, int head) {
    const std::size_t d = HeadSize();
    const auto window = static_cast<std::size_t>(config_.window);
    const std::size_t first = window > 0 && position + 1 > window ? position + 1 - window : 0;
    const int kv_head = head / (config_.query_heads / config_.kv_heads);
    const std::size_t kv = static_cast<std::size_t>(kv_head) * d;
    const float* query = q + static_cast<std::size_t>(head) * d;
    std::vector<double> scores;
    double score_error = 0;
    for (std::size_t j = first; j <= position; ++j) {
      double dot = 0;
      double magnitude = 0;
      for (std::size_t i = 0; i < d; ++i) {
        const double term = static_cast<double>(query[i]) * tokens.k[j][kv + i];
        dot += term;
        magnitude += std::abs(term);
      }
      const double scale = 1 / std::sqrt(static_cast<double>(d));
      scores.push_back(dot * scale);
      score_error =
          std::max(score_error, magnitude * scale * static_cast<double>(d + 6) * kRounding);
    }
    const double largest = std::ranges::max(scores);
    double total = 0;
    Expected out = {std::vector<double>(d), std::vector<double>(d)};
    const double steps = static_cast<double>(2 * scores.size() + 20) * kRounding;
    const double spread = (largest - std::ranges::min(scores)) * 2 * kRounding;
    for (std::size_t j = first; j <= position; ++j) {
      const double weight = std::exp(scores[j - first] - largest);
      total += weight;
      for (std::size_t i = 0; i < d; ++i) {
        out.value[i] += weight * tokens.v[j][kv + i];
        out.bound[i] += weight * std::abs(tokens.v[j][kv + i]);
      }
    }
    for (std::size_t i = 0; i < d; ++i) {
      out.value[i] /= total;
      out.bound[i] = out.bound[i] / total * (2 * score_error + spread + steps) + 1e-37;
    }
    return out;
  }

  kv_config config_;
  std::map<std::pair<int, int>, Tokens> lists_;  // By layer and sequence.
};

inline void ExpectWithin(const float* got, const Expected& want) {
  for (std::size_t i = 0; i < want.value.size(); ++i) {
    ASSERT_LE(std::abs(got[i] - want.value[i]), want.bound[i])
        << "element " << i << ": " << got[i] << " instead of " << want.value[i];
  }
}

/// A cache of the baseline beside a plain one; every call goes to both.
class Pair {
 public:
  explicit Pair(const kv_config& config) : config_(config), plain_(config) {
    EXPECT_EQ(kv_create(&config, &cache_), KV_OK);
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
  ~Pair() { kv_destroy(cache_); }

  kv_cache* cache() { return cache_; }
  PlainCache& plain() { return plain_; }

  int Prefill(int layer, int sequence, std::size_t tokens) {
    return PrefillOf(layer, sequence, tokens, RandomValues(tokens * KvWidth()),
                     RandomValues(tokens * KvWidth()));
  }

  int PrefillOf(int layer, int sequence, std::size_t tokens, const Values& k, const Values& v) {
    const Values q = RandomValues(tokens * QueryWidth());
    Values out(tokens * QueryWidth(), kNan);
    const int status =
        kv_prefill(cache_, layer, sequence, tokens, q.data(), k.data(), v.data(), out.data());
    if (status != KV_OK) {
      return status;
    }
    for (std::size_t i = 0; i < tokens; ++i) {
      plain_.Append(layer, sequence, k.data() + i * KvWidth(), v.data() + i * KvWidth());
      ExpectWithin(out.data() + i * QueryWidth(),
                   plain_.Attend(layer, sequence, plain_.Length(layer, sequence) - 1,
                                 q.data() + i * QueryWidth()));
    }
    return KV_OK;
  }

  int Append(int layer, const std::vector<int>& sequences) {
    const Values k = RandomValues(sequences.size() * KvWidth());
    const Values v = RandomValues(sequences.size() * KvWidth());
    const int status =
        kv_append(cache_, layer, sequences.size(), sequences.data(), k.data(), v.data());
    for (std::size_t i = 0; i < sequences.size() && status == KV_OK; ++i) {
      plain_.Append(layer, sequences[i], k.data() + i * KvWidth(), v.data() + i * KvWidth());
    }
    return status;
  }

  void Free(int sequence) {
    EXPECT_EQ(kv_free(cache_, sequence), KV_OK);
    plain_.Free(sequence);
  }

  int Fork(int parent, int child) {
    const int status = kv_fork(cache_, parent, child);
    if (status == KV_OK) {
      plain_.Fork(parent, child);
    }
    return status;
  }

  /// Attends over the sequences in one call, scores far apart when `scale` is large.
  void ExpectAttention(int layer, const std::vector<int>& sequences, float scale = 1) {
    const Values q = RandomValues(sequences.size() * QueryWidth(), scale);
    Values out(sequences.size() * QueryWidth(), kNan);
    ASSERT_EQ(kv_attend(cache_, layer, sequences.size(), sequences.data(), q.data(), out.data()),
              KV_OK);
    for (std::size_t i = 0; i < sequences.size(); ++i) {
      const std::size_t length = plain_.Length(layer, sequences[i]);
      const float* got = out.data() + i * QueryWidth();
      if (length == 0) {
        EXPECT_THAT(Values(got, got + QueryWidth()), testing::Each(0.0F));
      } else {
        ExpectWithin(got,
                     plain_.Attend(layer, sequences[i], length - 1, q.data() + i * QueryWidth()));
      }
    }
  }

  /// Lengths and stored values of all sequences, and one call of attention over all of them.
  void ExpectSame() {
    std::vector<int> all(static_cast<std::size_t>(config_.batch));
    std::iota(all.begin(), all.end(), 0);
    for (int layer = 0; layer < config_.layers; ++layer) {
      for (const int sequence : all) {
        ExpectSameTokens(layer, sequence);
      }
      ExpectAttention(layer, all);
    }
  }

  [[nodiscard]] kv_usage Usage() const {
    kv_usage usage = {};
    EXPECT_EQ(kv_get_usage(cache_, &usage), KV_OK);
    return usage;
  }

  [[nodiscard]] std::size_t QueryWidth() const {
    return static_cast<std::size_t>(config_.query_heads) *
           static_cast<std::size_t>(config_.head_size);
  }
  [[nodiscard]] std::size_t KvWidth() const {
    return static_cast<std::size_t>(config_.kv_heads) * static_cast<std::size_t>(config_.head_size);
  }

 private:
  void ExpectSameTokens(int layer, int sequence) {
    std::size_t length = 0;
    ASSERT_EQ(kv_length(cache_, layer, sequence, &length), KV_OK);
    ASSERT_EQ(length, plain_.Length(layer, sequence));
    const std::size_t oldest = plain_.Oldest(layer, sequence);
    Values k((length - oldest) * KvWidth(), kNan);
    Values v = k;
    ASSERT_EQ(kv_read(cache_, layer, sequence, oldest, length - oldest, k.data(), v.data()), KV_OK);
    for (std::size_t token = oldest; token < length; ++token) {
      const auto begin = static_cast<std::ptrdiff_t>((token - oldest) * KvWidth());
      const auto end = begin + static_cast<std::ptrdiff_t>(KvWidth());
      ASSERT_EQ(Values(k.begin() + begin, k.begin() + end), plain_.Key(layer, sequence, token));
      ASSERT_EQ(Values(v.begin() + begin, v.begin() + end), plain_.Value(layer, sequence, token));
    }
  }

  kv_config config_;
  kv_cache* cache_ = nullptr;
  PlainCache plain_;
};

inline kv_config Config() {
  return {.layers = 1,
          .query_heads = 2,
          .kv_heads = 2,
          .head_size = 16,
          .batch = 2,
          .capacity = 300,
          .storage = KV_F32,
          .page_size = 0,
          .pages = 0,
          .window = 0};
}

inline kv_config Paged(int page_size, int pages) {
  kv_config config = Config();
  config.page_size = page_size;
  config.pages = pages;
  return config;
}

}  // namespace assay::kv_baseline

#endif  // ASSAY_REFERENCE_KV_CACHE_BASELINE_TEST_SUPPORT_H_
