// SPDX-License-Identifier: Apache-2.0
// The CPU form against the oracle at NaN, infinities and zeros of both signs, in every token, head,
// sequence and element of small caches. What reads a token that is not finite may be anything; all
// else is as if that token were not there, also where its memory is used again: a cache stays from
// row to row of the tests.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "client/compare.h"
#include "decoder.h"
#include "interface.h"
#include "oracle.h"
#include "special_values.h"

namespace assay::kvcache {
namespace {

using Values = std::vector<float>;

/// Ordinary numbers, no two neighbours alike.
Values OrdinaryValues(std::size_t count, float first) {
  Values values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = first + std::sin(static_cast<float>(i) * 1.7F + first);
  }
  return values;
}

/// A cache of the baseline.
class Cache {
 public:
  explicit Cache(const Config& config) : config_(config) {
    const kv_config given = {.layers = config.layers,
                             .query_heads = config.query_heads,
                             .kv_heads = config.kv_heads,
                             .head_size = config.head_size,
                             .batch = config.batch,
                             .capacity = config.capacity,
                             .storage = static_cast<std::int32_t>(config.storage),
                             .page_size = config.page_size,
                             .pages = config.pages,
                             .window = config.window};
    EXPECT_EQ(kv_create(&given, &cache_), KV_OK);
  }
  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;
  ~Cache() { kv_destroy(cache_); }

  kv_cache* get() { return cache_; }
  [[nodiscard]] const Config& config() const { return config_; }

  /// Tokens in an empty sequence: the outputs of a prefill, and of a query after it.
  void ExpectPrefillRight(const Values& k, const Values& v) {
    const std::size_t tokens = k.size() / config_.KeyElements();
    const std::size_t width = config_.QueryElements();
    const Values q = OrdinaryValues((tokens + 1) * width, 1);
    Values out(q.size());
    const int sequence = 0;
    ASSERT_EQ(kv_free(cache_, sequence), KV_OK);
    ASSERT_EQ(kv_prefill(cache_, 0, sequence, tokens, q.data(), k.data(), v.data(), out.data()),
              KV_OK);
    ASSERT_EQ(
        kv_attend(cache_, 0, 1, &sequence, q.data() + tokens * width, out.data() + tokens * width),
        KV_OK);
    const History history{.k = Stored(config_, k), .v = Stored(config_, v)};
    for (std::size_t i = 0; i <= tokens; ++i) {
      ExpectOutput(history, std::min(i, tokens - 1), std::span(q).subspan(i * width, width),
                   std::span(out).subspan(i * width, width));
    }
  }

  void ExpectOutput(const History& history, std::size_t position, std::span<const float> q,
                    std::span<const float> got) const {
    const Answer want = Attend(config_, history, position, q);
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (!std::isnan(want.bound[i])) {
        ASSERT_LE(std::abs(static_cast<double>(got[i]) - want.out[i]), want.bound[i])
            << "position " << position << ", element " << i << ": " << got[i] << " instead of "
            << want.out[i];
      }
    }
  }

 private:
  Config config_;
  kv_cache* cache_ = nullptr;
};

/// Calls `visit` with a row of six special values, for each of them; ends where it fails.
template <class Visit>
void ForEachRowOfSix(const std::array<float, 6>& values, Visit visit) {
  const Values rows = EveryRowOf(values, kMostSpecialValues);
  for (std::size_t first = 0; first < rows.size(); first += kMostSpecialValues) {
    const Values row(rows.begin() + static_cast<std::ptrdiff_t>(first),
                     rows.begin() + static_cast<std::ptrdiff_t>(first + kMostSpecialValues));
    visit(row);
    ASSERT_FALSE(testing::Test::HasFailure()) << "the row is " << testing::PrintToString(row);
  }
}

TEST(KvSpecialValues, EveryRowOfSixTokens) {
  const Values ordinary = OrdinaryValues(kMostSpecialValues, 0.5F);
  for (const Storage storage : {Storage::kF32, Storage::kF16}) {
    Cache cache({.head_size = 1, .capacity = 6, .storage = storage, .window = 2});
    ForEachRowOfSix(kSpecialValues<float>, [&](const Values& row) {
      cache.ExpectPrefillRight(row, ordinary);
      cache.ExpectPrefillRight(ordinary, row);
    });
  }
}

TEST(KvSpecialValues, EveryRowOfSixTokens_WithoutAWindow) {
  const Values ordinary = OrdinaryValues(kMostSpecialValues, 0.5F);
  Cache cache({.head_size = 1, .capacity = 6, .page_size = 4, .pages = 2});
  ForEachRowOfSix(kSpecialValues<float>, [&](const Values& row) {
    cache.ExpectPrefillRight(row, ordinary);
    cache.ExpectPrefillRight(ordinary, row);
  });
}

/// In the second of two tokens: no head reads another's.
TEST(KvSpecialValues, EveryRowOfSixHeads) {
  Values k = OrdinaryValues(2 * kMostSpecialValues, 0.5F);
  Values v = OrdinaryValues(2 * kMostSpecialValues, -0.5F);
  Cache cache({.query_heads = 12, .kv_heads = 6, .head_size = 1, .capacity = 2});
  ForEachRowOfSix(kSpecialValues<float>, [&](const Values& row) {
    std::ranges::copy(row, k.begin() + kMostSpecialValues);
    std::ranges::rotate_copy(row, row.begin() + 1, v.begin() + kMostSpecialValues);
    cache.ExpectPrefillRight(k, v);
  });
}

/// One head of two: what lies beside a head in memory is not of it.
TEST(KvSpecialValues, EveryRowOfSixElements) {
  for (const Storage storage : {Storage::kF32, Storage::kF16}) {
    Cache cache(
        {.query_heads = 2, .kv_heads = 2, .head_size = 6, .capacity = 2, .storage = storage});
    for (const std::size_t place : {0U, 6U, 12U, 18U}) {
      ForEachRowOfSix(kSpecialValues<float>, [&](const Values& row) {
        Values k = OrdinaryValues(4 * kMostSpecialValues, 0.5F);
        Values v = OrdinaryValues(4 * kMostSpecialValues, -0.5F);
        std::ranges::copy(row, k.begin() + static_cast<std::ptrdiff_t>(place));
        std::ranges::copy(row, v.begin() + static_cast<std::ptrdiff_t>(place));
        cache.ExpectPrefillRight(k, v);
      });
    }
  }
}

/// One call for all: no sequence reads another's.
TEST(KvSpecialValues, EveryRowOfSixSequences) {
  const std::vector<int> all = {0, 1, 2, 3, 4, 5};
  Cache cache({.head_size = 1, .batch = 6, .capacity = 1});
  const Values q = OrdinaryValues(all.size(), 1);
  Values out(all.size());
  ForEachRowOfSix(kSpecialValues<float>, [&](const Values& row) {
    for (const int sequence : all) {
      ASSERT_EQ(kv_free(cache.get(), sequence), KV_OK);
    }
    ASSERT_EQ(kv_append(cache.get(), 0, all.size(), all.data(), row.data(), row.data()), KV_OK);
    ASSERT_EQ(kv_attend(cache.get(), 0, all.size(), all.data(), q.data(), out.data()), KV_OK);
    for (std::size_t i = 0; i < all.size(); ++i) {
      cache.ExpectOutput({.k = {row[i]}, .v = {row[i]}}, 0, std::span(q).subspan(i, 1),
                         std::span(out).subspan(i, 1));
    }
  });
}

/// Finite ones, since INT8 and INT4 are asked for no others.
TEST(KvSpecialValues, EveryRowOfSixElements_Quantised) {
  constexpr std::array<float, 6> kFinite = {-0.0F, 0.0F, 1, -1, 1e-40F, 1e4F};
  for (const Storage storage : {Storage::kInt8, Storage::kInt4}) {
    Cache cache({.head_size = 6, .capacity = 1, .storage = storage});
    Values k(kMostSpecialValues);
    Values v(kMostSpecialValues);
    ForEachRowOfSix(kFinite, [&](const Values& row) {
      cache.ExpectPrefillRight(row, row);
      ASSERT_EQ(kv_read(cache.get(), 0, 0, 0, 1, k.data(), v.data()), KV_OK);
      ASSERT_EQ(k, Stored(cache.config(), row));
      ASSERT_EQ(v, k);
    });
  }
}

/// Where the interface says what is drawn: of numbers; and of +infinity only at temperature 0.
TEST(KvSpecialValues, EveryRowOfUpToSixLogits) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr std::array<float, 5> kLogits = {-kInfinity, -0.0F, 0.0F, 1.0F, kInfinity};
  for (std::size_t length = 1; length <= kMostSpecialValues; ++length) {
    const Values rows = EveryRowOf(kLogits, length);
    for (std::size_t first = 0; first < rows.size(); first += length) {
      const std::span<const float> row = std::span(rows).subspan(first, length);
      const float largest = std::ranges::max(row);
      const std::vector<float> temperatures =
          std::isfinite(largest) ? std::vector<float>{0, 0.7F} : std::vector<float>{0};
      for (const float temperature : temperatures) {
        for (const float uniform : {0.0F, 0.37F, 0.9999F}) {
          for (const std::int32_t top_k : {0, 2}) {
            std::int32_t token = -1;
            ASSERT_EQ(kv_sample(static_cast<std::int32_t>(length), row.data(), temperature, top_k,
                                uniform, &token),
                      KV_OK);
            ASSERT_TRUE(MaySample(row, temperature, top_k, uniform, token))
                << "token " << token << " of "
                << testing::PrintToString(Values(row.begin(), row.end())) << " at temperature "
                << temperature << ", top_k " << top_k << ", uniform " << uniform;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace assay::kvcache
