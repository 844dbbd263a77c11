// SPDX-License-Identifier: Apache-2.0
// The baseline in this process against the plainest cache there is. The suite judges it a second
// time, as it judges submissions.

#include <limits>
#include <utility>
#include <vector>

#include "baseline_test_support.h"

namespace assay::kv_baseline {
namespace {

// --------------------------------------------------------------------------- storage and shapes

TEST(KvBaseline, EveryHeadSizeAndStorage_StoresExactlyAndAttends) {
  for (int storage : {KV_F32, KV_F16, KV_INT8, KV_INT4}) {
    for (int head_size = 1; head_size <= 70; ++head_size) {
      SCOPED_TRACE(testing::Message() << "storage " << storage << ", head size " << head_size);
      kv_config config = Config();
      config.storage = storage;
      config.head_size = head_size;
      config.query_heads = 4;
      Pair pair(config);
      ASSERT_EQ(pair.Prefill(0, 0, 7), KV_OK);
      ASSERT_EQ(pair.Append(0, {0, 1, 0}), KV_OK);
      pair.ExpectSame();
    }
  }
}

TEST(KvBaseline, CommonHeadSizes_EveryGroup) {
  for (int head_size : {64, 80, 96, 128, 200, 256}) {
    for (const auto& [query_heads, kv_heads] :
         {std::pair{1, 1}, {8, 8}, {8, 4}, {9, 3}, {8, 2}, {5, 1}, {7, 1}, {80, 1}}) {
      SCOPED_TRACE(testing::Message() << head_size << ", " << query_heads << "/" << kv_heads);
      kv_config config = Config();
      config.head_size = head_size;
      config.query_heads = query_heads;
      config.kv_heads = kv_heads;
      Pair pair(config);
      ASSERT_EQ(pair.Prefill(0, 1, 70), KV_OK);
      pair.ExpectAttention(0, {1, 0, 1});
    }
  }
}

TEST(KvBaseline, SpecialGroups_KeepTheirMeaning) {
  for (int storage : {KV_F16, KV_INT8, KV_INT4}) {
    kv_config config = Config();
    config.storage = storage;
    config.head_size = 40;
    Pair pair(config);
    const Values zeros(pair.KvWidth(), 0.0F);
    Values outlier(pair.KvWidth(), 0.01F);
    outlier[3] = -1e4F;
    Values tiny(pair.KvWidth(), 1e-44F);
    Values mixed = zeros;
    mixed[39] = 1.0F;
    for (const Values& k : {zeros, outlier, tiny, mixed}) {
      ASSERT_EQ(pair.PrefillOf(0, 0, 1, k, zeros), KV_OK);
    }
    pair.ExpectSame();
  }
}

TEST(KvBaseline, F16_RoundsToNearestEvenAndOverflowsToInfinity) {
  kv_config config = Config();
  config.storage = KV_F16;
  config.head_size = 4;
  config.query_heads = config.kv_heads = 1;
  Pair pair(config);
  const Values k = {1.0F + 0x1p-11F, 1.0F + 0x1.8p-10F, 65519.0F, 65520.0F};
  const Values v = {-0x1p-25F, 0x1.8p-24F, -65520.0F, kNan};
  const int sequence = 0;
  ASSERT_EQ(kv_append(pair.cache(), 0, 1, &sequence, k.data(), v.data()), KV_OK);
  Values read_k(4);
  Values read_v(4);
  ASSERT_EQ(kv_read(pair.cache(), 0, 0, 0, 1, read_k.data(), read_v.data()), KV_OK);
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(read_k, (Values{1.0F, 1.0F + 0x1p-9F, 65504.0F, inf}));
  EXPECT_EQ(read_v[1], 0x1p-23F);
  EXPECT_EQ(read_v[2], -inf);
  EXPECT_TRUE(std::isnan(read_v[3]));
}

TEST(KvBaseline, ScoresFarApart_AreSubtractedFirst) {
  Pair pair(Config());
  const Values k = RandomValues(100 * pair.KvWidth(), 100);
  ASSERT_EQ(pair.PrefillOf(0, 0, 100, k, RandomValues(k.size())), KV_OK);
  pair.ExpectAttention(0, {0}, 3000);
}

TEST(KvBaseline, LongSequence_WithinBounds) {
  kv_config config = Config();
  config.query_heads = config.kv_heads = config.batch = 1;
  config.head_size = 8;
  config.capacity = 131072;
  Pair pair(config);
  for (int chunk = 0; chunk < 2; ++chunk) {
    const std::vector<int> sequences(65536, 0);
    ASSERT_EQ(pair.Append(0, sequences), KV_OK);
    pair.ExpectAttention(0, {0}, 30);  // Few tokens weigh so much that none can be left out.
  }
  EXPECT_EQ(pair.Append(0, {0}), KV_CAPACITY);
  EXPECT_EQ(pair.Usage().bytes, 131072U * 2 * 8 * 4);
}

// --------------------------------------------------------------------------------- prefill, window

TEST(KvBaseline, ChunksOfAnySize_SeeAllThatWasStored) {
  for (int storage : {KV_F32, KV_INT4}) {
    for (int page_size : {0, 1, 16, 7}) {
      kv_config config = Paged(page_size, page_size == 0 ? 0 : 300);
      config.storage = storage;
      config.query_heads = 4;
      Pair pair(config);
      for (std::size_t chunk : {std::size_t{1}, std::size_t{63}, std::size_t{64}, std::size_t{65},
                                std::size_t{2}, std::size_t{100}}) {
        ASSERT_EQ(pair.Prefill(0, 1, chunk), KV_OK);
      }
      pair.ExpectSame();
    }
  }
}

TEST(KvBaseline, NanInALaterToken_DoesNotReachEarlierQueries) {
  Pair pair(Config());
  Values k = RandomValues(80 * pair.KvWidth());
  Values v = RandomValues(80 * pair.KvWidth());
  k[40 * pair.KvWidth()] = kNan;
  v[40 * pair.KvWidth() + 1] = kNan;
  const Values q = RandomValues(80 * pair.QueryWidth());
  Values out(80 * pair.QueryWidth(), kNan);
  ASSERT_EQ(kv_prefill(pair.cache(), 0, 0, 80, q.data(), k.data(), v.data(), out.data()), KV_OK);
  for (std::size_t i = 0; i < 40; ++i) {
    pair.plain().Append(0, 0, k.data() + i * pair.KvWidth(), v.data() + i * pair.KvWidth());
    ExpectWithin(out.data() + i * pair.QueryWidth(),
                 pair.plain().Attend(0, 0, i, q.data() + i * pair.QueryWidth()));
  }
}

TEST(KvBaseline, NanOfAFreedSequence_IsGone) {
  for (int page_size : {0, 16}) {
    kv_config config = Paged(page_size, page_size == 0 ? 0 : 2);
    config.batch = 1;
    Pair pair(config);
    const Values nans(30 * pair.KvWidth(), kNan);
    const Values q(30 * pair.QueryWidth());
    Values out(q.size());
    ASSERT_EQ(kv_prefill(pair.cache(), 0, 0, 30, q.data(), nans.data(), nans.data(), out.data()),
              KV_OK);
    pair.Free(0);
    ASSERT_EQ(pair.Prefill(0, 0, 5), KV_OK);
    ASSERT_EQ(pair.Append(0, {0}), KV_OK);
    pair.ExpectSame();
  }
}

TEST(KvBaseline, Window_SeesTheNewestAlone) {
  for (int window : {1, 2, 16, 63, 64, 65, 300}) {
    SCOPED_TRACE(window);
    kv_config config = Config();
    config.window = window;
    config.query_heads = 4;
    Pair pair(config);
    ASSERT_EQ(pair.Append(0, {0, 1, 0}), KV_OK);
    ASSERT_EQ(pair.Prefill(0, 0, 150), KV_OK);
    ASSERT_EQ(pair.Prefill(0, 1, 10), KV_OK);
    ASSERT_EQ(pair.Prefill(0, 0, 100), KV_OK);
    ASSERT_EQ(pair.Append(0, {0, 1, 0}), KV_OK);
    pair.ExpectSame();
    std::size_t length = 0;
    ASSERT_EQ(kv_length(pair.cache(), 0, 0, &length), KV_OK);
    EXPECT_EQ(length, 254U);
    if (window < 254) {
      Values k(pair.KvWidth());
      Values v(pair.KvWidth());
      EXPECT_EQ(kv_read(pair.cache(), 0, 0, 253 - static_cast<std::size_t>(window), 1, k.data(),
                        v.data()),
                KV_INVALID_ARGUMENT);
    }
  }
}

// ------------------------------------------------------------------------------------------ errors

TEST(KvBaseline, Create_RefusesWhatIsWrong) {
  const auto status_of = [](auto&& change) {
    kv_config config = Config();
    change(config);
    kv_cache* cache = nullptr;
    const int status = kv_create(&config, &cache);
    EXPECT_EQ(cache != nullptr, status == KV_OK);
    kv_destroy(cache);
    return status;
  };
  EXPECT_EQ(status_of([](kv_config&) {}), KV_OK);
  for (auto member : {&kv_config::layers, &kv_config::query_heads, &kv_config::kv_heads,
                      &kv_config::head_size, &kv_config::batch, &kv_config::capacity}) {
    EXPECT_EQ(status_of([=](kv_config& config) { config.*member = 0; }), KV_INVALID_ARGUMENT);
    EXPECT_EQ(status_of([=](kv_config& config) { config.*member = -1; }), KV_INVALID_ARGUMENT);
  }
  EXPECT_EQ(status_of([](kv_config& config) { config.kv_heads = 3; }), KV_INVALID_ARGUMENT);
  EXPECT_EQ(status_of([](kv_config& config) { config.storage = 4; }), KV_INVALID_ARGUMENT);
  EXPECT_EQ(status_of([](kv_config& config) { config.storage = -1; }), KV_INVALID_ARGUMENT);
  EXPECT_EQ(status_of([](kv_config& config) { config.pages = 4; }), KV_INVALID_ARGUMENT);
  EXPECT_EQ(status_of([](kv_config& config) { config.page_size = 4; }), KV_INVALID_ARGUMENT);
  EXPECT_EQ(status_of([](kv_config& config) { config.window = 301; }), KV_INVALID_ARGUMENT);
  EXPECT_EQ(status_of([](kv_config& config) { config.window = -1; }), KV_INVALID_ARGUMENT);
  EXPECT_EQ(status_of([](kv_config& config) { config.head_size = 257; }), KV_UNSUPPORTED);
  EXPECT_EQ(
      status_of([](kv_config& config) { config.page_size = config.pages = config.window = 4; }),
      KV_UNSUPPORTED);
  EXPECT_EQ(status_of([](kv_config& config) {
              config.layers = config.batch = config.capacity = config.query_heads =
                  config.kv_heads = std::numeric_limits<std::int32_t>::max();
            }),
            KV_OUT_OF_MEMORY);
  kv_cache* cache = nullptr;
  const kv_config config = Config();
  EXPECT_EQ(kv_create(nullptr, &cache), KV_INVALID_ARGUMENT);
  EXPECT_EQ(kv_create(&config, nullptr), KV_INVALID_ARGUMENT);
  EXPECT_EQ(kv_destroy(nullptr), KV_OK);
}

TEST(KvBaseline, NullCache_IsInvalid) {
  std::size_t length = 0;
  kv_usage usage = {};
  float x = 0;
  const int sequence = 0;
  EXPECT_EQ(kv_prefill(nullptr, 0, 0, 1, &x, &x, &x, &x), KV_INVALID_ARGUMENT);
  EXPECT_EQ(kv_append(nullptr, 0, 1, &sequence, &x, &x), KV_INVALID_ARGUMENT);
  EXPECT_EQ(kv_attend(nullptr, 0, 1, &sequence, &x, &x), KV_INVALID_ARGUMENT);
  EXPECT_EQ(kv_free(nullptr, 0), KV_INVALID_ARGUMENT);
  EXPECT_EQ(kv_fork(nullptr, 0, 1), KV_INVALID_ARGUMENT);
  EXPECT_EQ(kv_length(nullptr, 0, 0, &length), KV_INVALID_ARGUMENT);
  EXPECT_EQ(kv_get_usage(nullptr, &usage), KV_INVALID_ARGUMENT);
  EXPECT_EQ(kv_read(nullptr, 0, 0, 0, 1, &x, &x), KV_INVALID_ARGUMENT);
}

TEST(KvBaseline, CallThatFails_ChangesNothing) {
  kv_config config = Config();
  config.capacity = 10;
  Pair pair(config);
  ASSERT_EQ(pair.Prefill(0, 0, 8), KV_OK);
  EXPECT_EQ(pair.Prefill(0, 0, 3), KV_CAPACITY);
  EXPECT_EQ(pair.Append(0, {0, 1, 0, 1, 0}), KV_CAPACITY);
  EXPECT_EQ(pair.Append(0, {1, 2}), KV_INVALID_ARGUMENT);
  EXPECT_EQ(pair.Append(0, {1, -1}), KV_INVALID_ARGUMENT);
  EXPECT_EQ(pair.Append(1, {1}), KV_INVALID_ARGUMENT);
  EXPECT_EQ(pair.Append(-1, {1}), KV_INVALID_ARGUMENT);
  EXPECT_EQ(pair.Prefill(0, 2, 1), KV_INVALID_ARGUMENT);
  EXPECT_EQ(pair.Prefill(1, 0, 0), KV_INVALID_ARGUMENT);
  EXPECT_EQ(pair.Fork(0, 0), KV_INVALID_ARGUMENT);
  EXPECT_EQ(pair.Fork(1, 0), KV_INVALID_ARGUMENT);
  EXPECT_EQ(pair.Fork(0, 2), KV_INVALID_ARGUMENT);
  EXPECT_EQ(kv_free(pair.cache(), 2), KV_INVALID_ARGUMENT);
  Values k(pair.KvWidth() * 9);
  Values v = k;
  EXPECT_EQ(kv_read(pair.cache(), 0, 0, 0, 9, k.data(), v.data()), KV_INVALID_ARGUMENT);
  EXPECT_EQ(kv_read(pair.cache(), 0, 0, 8, 1, k.data(), v.data()), KV_INVALID_ARGUMENT);
  EXPECT_EQ(kv_read(pair.cache(), 0, 0, 1, SIZE_MAX, k.data(), v.data()), KV_INVALID_ARGUMENT);
  EXPECT_EQ(pair.Prefill(0, 1, 0), KV_OK);
  EXPECT_EQ(pair.Append(0, {}), KV_OK);
  EXPECT_EQ(pair.Append(0, {0, 1, 0}), KV_OK);
  pair.ExpectSame();
}

TEST(KvBaseline, TwoCaches_KnowNothingOfEachOther) {
  Pair one(Config());
  Pair other(Config());
  ASSERT_EQ(one.Prefill(0, 0, 5), KV_OK);
  ASSERT_EQ(other.Prefill(0, 0, 9), KV_OK);
  ASSERT_EQ(one.Append(0, {0, 1}), KV_OK);
  one.ExpectSame();
  other.ExpectSame();
}

}  // namespace
}  // namespace assay::kv_baseline
