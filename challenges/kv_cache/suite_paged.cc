// SPDX-License-Identifier: Apache-2.0
// Pages and their pool, of one sequence that is appended to: tag `paged`; sequences that share
// pages: tag `fork`; pages with chunks: tag `hybrid`. Pages of several sequences are in
// suite_combinations.cc.

#include <algorithm>
#include <array>
#include <limits>

#include "suite_support.h"

namespace assay::kvcache {
namespace {

constexpr Config kPaged{.query_heads = 4,
                        .kv_heads = 4,
                        .head_size = 64,
                        .batch = 4,
                        .capacity = 256,
                        .page_size = 16,
                        .pages = 40};
constexpr Config kOneSequence{.query_heads = 4,
                              .kv_heads = 4,
                              .head_size = 64,
                              .capacity = 256,
                              .page_size = 16,
                              .pages = 20};

class Paged : public KvCacheTest {
 protected:
  void SetUp() override {
    KvCacheTest::SetUp();
    Tag({"paged"});
    Need({KV_CAN_PAGED});
  }

  void FillNan(Driver& cache, std::int32_t sequence, std::size_t count) {
    Tokens tokens = Draw(cache, count);
    std::ranges::fill(tokens.k, std::numeric_limits<float>::quiet_NaN());
    std::ranges::fill(tokens.v, std::numeric_limits<float>::quiet_NaN());
    Right(cache.Append(0, sequence, tokens));
  }
};

TEST_F(Paged, LengthsAroundAPage) {
  for (const std::size_t tokens : {1U, 15U, 16U, 17U, 31U, 32U, 33U}) {
    Driver& cache = Open(kOneSequence);
    Fill(cache, 0, tokens);
    Attend(cache, 0);
    Right(cache.CheckAll());
  }
}

TEST_F(Paged, EachPageIsTakenWhenItIsNeeded) {
  Driver& cache = Open(kOneSequence);
  for (int token = 0; token < 50; ++token) {
    Fill(cache, 0, 1);
    Right(cache.CheckUsage());
  }
  Attend(cache, 0);
}

TEST_F(Paged, LongerThanAnyPowerOfTwo) {
  Config config = kOneSequence;
  config.capacity = 1100;
  config.pages = 70;
  Driver& cache = Open(config);
  for (const std::size_t tokens : {127U, 2U, 896U}) {
    Fill(cache, 0, tokens);
    Attend(cache, 0);
  }
}

TEST_F(Paged, PagesOfOddSizes) {
  for (const std::int32_t size : {1, 3, 7, 24, 100}) {
    Config config = kOneSequence;
    config.page_size = size;
    config.pages = 300 / size;
    Driver& cache = Open(config);
    for (const std::size_t tokens : {52U, 31U}) {
      Fill(cache, 0, tokens);
      Attend(cache, 0);
      Right(cache.CheckAll());
    }
  }
}

TEST_F(Paged, PagesLongerThanASequence) {
  for (const std::int32_t size : {41, 64, 1000}) {
    Config config = kOneSequence;
    config.capacity = 40;
    config.page_size = size;
    config.pages = 2;
    Driver& cache = Open(config);
    Fill(cache, 0, 40);
    Attend(cache, 0);
    Right(cache.CheckAll());
  }
}

/// A page holds tokens of all layers, whichever layer comes first.
TEST_F(Paged, LayersSharePages) {
  Config config = kOneSequence;
  config.layers = 3;
  Driver& cache = Open(config);
  Fill(cache, 0, 20, 1);
  Right(cache.CheckUsage());
  Fill(cache, 0, 33, 0);
  Fill(cache, 0, 5, 2);
  Right(cache.CheckAll());
  Decode(cache, 0, 3);
  for (const std::int32_t layer : {0, 1, 2}) {
    Attend(cache, 0, layer);
  }
}

TEST_F(Paged, AnEmptyPoolIsSaidAndNothingStored) {
  Config config = kOneSequence;
  config.pages = 5;
  Driver& cache = Open(config);
  Fill(cache, 0, 72);
  Right(cache.CheckAll());
  Fill(cache, 0, 9);
  Right(cache.CheckAll());
  Fill(cache, 0, 8);  // The last page has room.
  Attend(cache, 0);
  Right(cache.CheckAll());
}

/// The fifth token is one too many for the sequence and for the pool, the fourth for the pool
/// alone.
TEST_F(Paged, CapacityComesBeforeAnEmptyPool) {
  Config config = kOneSequence;
  config.capacity = 20;
  config.pages = 1;
  Driver& cache = Open(config);
  Fill(cache, 0, 16);
  Fill(cache, 0, 5);
  Fill(cache, 0, 4);
  Right(cache.CheckAll());
}

TEST_F(Paged, ThePoolRecovers) {
  Config config = kOneSequence;
  config.pages = 6;
  Driver& cache = Open(config);
  for (const std::size_t tokens : {96U, 81U, 17U, 96U, 40U}) {
    Fill(cache, 0, tokens);
    Right(cache.CheckAll());
    Attend(cache, 0);
    Right(cache.Free(0));
    Right(cache.CheckAll());
  }
}

TEST_F(Paged, FreedTwiceIsFreedOnce) {
  Driver& cache = Open(kOneSequence);
  Fill(cache, 0, 40);
  Right(cache.Free(0));
  Right(cache.Free(0));
  Right(cache.CheckUsage());
  Fill(cache, 0, 200);
  Attend(cache, 0);
  Right(cache.CheckAll());
}

/// What lies behind the last token of a page is what was there before.
TEST_F(Paged, StaleNanBehindTheEnd) {
  Config config = kOneSequence;
  config.pages = 4;
  Driver& cache = Open(config);
  FillNan(cache, 0, 64);
  Right(cache.Free(0));
  for (const std::size_t tokens : {1U, 17U, 21U}) {
    Fill(cache, 0, tokens);
    Attend(cache, 0);
    Right(cache.Free(0));
  }
}

TEST_F(Paged, StaleLoudTokensBehindTheEnd) {
  Config config = kOneSequence;
  config.pages = 4;
  Driver& cache = Open(config);
  Tokens loud = Draw(cache, 64);
  std::ranges::fill(loud.k, 1e3F);
  std::ranges::fill(loud.v, -1e4F);
  Right(cache.Append(0, 0, loud));
  Right(cache.Free(0));
  Fill(cache, 0, 19);
  Attend(cache, 0);
}

class PagedWith : public KvCacheTest {};

TEST_F(PagedWith, Chunks) {
  Tag({"hybrid"});
  Need({KV_CAN_PAGED, KV_CAN_CHUNKED, KV_CAN_HYBRID});
  Driver& cache = Open(kPaged);
  for (const std::size_t chunk : {10U, 22U, 1U, 40U}) {
    Prefill(cache, 0, chunk);
    Right(cache.CheckAll());
  }
  Decode(cache, 0, 3);
}

class Fork : public KvCacheTest {
 protected:
  void SetUp() override {
    KvCacheTest::SetUp();
    Tag({"fork"});
    Need({KV_CAN_FORK});
    RequireOperation("kv_fork");
  }

  Driver& OpenPaged() {
    Need({KV_CAN_PAGED});
    return Open(kPaged);
  }

  /// Both go on by themselves, and neither hears of it.
  void ExpectTheyPart(Driver& cache, std::int32_t parent, std::int32_t child) {
    Right(cache.CheckAll());
    for (const std::int32_t sequence : {child, parent, child}) {
      Fill(cache, sequence, 3);
      Right(cache.CheckAll());
      Attend(cache, std::array{parent, child});
    }
  }
};

TEST_F(Fork, AChildHasItsParentsTokens) {
  Driver& cache = OpenPaged();
  Fill(cache, 0, 37);
  Right(cache.Fork(0, 2));
  Right(cache.CheckAll());
  Attend(cache, std::array{2, 0});
}

TEST_F(Fork, InTheMiddleOfAPage) {
  Driver& cache = OpenPaged();
  Fill(cache, 0, 37);
  Right(cache.Fork(0, 1));
  ExpectTheyPart(cache, 0, 1);
}

TEST_F(Fork, AtTheEndOfAPage) {
  Driver& cache = OpenPaged();
  Fill(cache, 0, 32);
  Right(cache.Fork(0, 1));
  ExpectTheyPart(cache, 0, 1);
}

TEST_F(Fork, OfAnEmptySequence) {
  Driver& cache = OpenPaged();
  Right(cache.Fork(3, 1));
  ExpectTheyPart(cache, 3, 1);
}

TEST_F(Fork, TheParentWritesFirst) {
  Driver& cache = OpenPaged();
  Fill(cache, 0, 21);
  Right(cache.Fork(0, 1));
  Fill(cache, 0, 2);
  Right(cache.CheckAll());
  Attend(cache, std::array{0, 1});
}

TEST_F(Fork, OfAFork) {
  Driver& cache = OpenPaged();
  Fill(cache, 0, 25);
  Right(cache.Fork(0, 1));
  Fill(cache, 1, 4);
  Right(cache.Fork(1, 2));
  Right(cache.Fork(0, 3));
  for (const std::int32_t sequence : {3, 2, 0, 1}) {
    Fill(cache, sequence, 5);
    Right(cache.CheckAll());
  }
  AttendAll(cache);
}

/// All that share a page store into it in one call: each has its own afterwards.
TEST_F(Fork, AllWriteInOneCall) {
  Driver& cache = OpenPaged();
  Fill(cache, 0, 21);
  for (const std::int32_t child : {1, 2, 3}) {
    Right(cache.Fork(0, child));
  }
  Right(cache.Append(0, std::array{2, 0, 3, 1, 2}, Draw(cache, 5)));
  Right(cache.CheckAll());
  AttendAll(cache);
}

TEST_F(Fork, TheParentIsFreed) {
  Driver& cache = OpenPaged();
  Fill(cache, 0, 41);
  Right(cache.Fork(0, 1));
  Right(cache.Free(0));
  Right(cache.CheckAll());
  Fill(cache, 0, 50);
  Fill(cache, 1, 2);
  AttendAll(cache);
  Right(cache.Free(1));
  Right(cache.Free(0));
  Right(cache.CheckAll());
}

TEST_F(Fork, WithoutAPageForTheCopy) {
  Need({KV_CAN_PAGED});
  Config config = kPaged;
  config.pages = 2;
  Driver& cache = Open(config);
  Fill(cache, 0, 20);
  Right(cache.Fork(0, 1));
  Fill(cache, 1, 1);
  Right(cache.CheckAll());
  Right(cache.Free(0));
  Fill(cache, 1, 1);
  Right(cache.CheckAll());
  Attend(cache, 1);
}

/// What stores nothing copies no page, and needs none.
TEST_F(Fork, NoTokensIntoASharedPage) {
  Need({KV_CAN_PAGED, KV_CAN_CHUNKED});
  Config config = kPaged;
  config.pages = 2;
  Driver& cache = Open(config);
  Fill(cache, 0, 20);
  Right(cache.Fork(0, 1));
  for (const std::int32_t sequence : {1, 0}) {
    Prefill(cache, sequence, 0);
    Right(cache.Append(0, {}, Draw(cache, 0)));
    Right(cache.CheckAll());
  }
  Attend(cache, std::array{0, 1});
}

TEST_F(Fork, LayersOfDifferentLengths) {
  Need({KV_CAN_PAGED});
  Config config = kPaged;
  config.layers = 2;
  Driver& cache = Open(config);
  Fill(cache, 0, 20, 0);
  Fill(cache, 0, 3, 1);
  Right(cache.Fork(0, 1));
  Fill(cache, 1, 4, 1);
  Right(cache.CheckAll());
  Fill(cache, 0, 4, 1);
  Fill(cache, 0, 1, 0);
  Right(cache.CheckAll());
  for (const std::int32_t layer : {0, 1}) {
    Attend(cache, std::array{0, 1}, layer);
  }
}

TEST_F(Fork, OfAContiguousCache) {
  Driver& cache =
      Open({.query_heads = 2, .kv_heads = 2, .head_size = 32, .batch = 3, .capacity = 64});
  Fill(cache, 0, 22);
  Right(cache.Fork(0, 1));
  ExpectTheyPart(cache, 0, 1);
  Right(cache.Free(0));
  AttendAll(cache);
}

TEST_F(Fork, OntoWhatIsNotEmpty) {
  Driver& cache = OpenPaged();
  Fill(cache, 0, 5);
  Fill(cache, 1, 5);
  for (const std::array<std::int32_t, 2> pair :
       {std::array{0, 1}, std::array{0, 0}, std::array{2, 2}, std::array{-1, 2},
        std::array{0, 4}}) {
    Right(cache.Fork(pair[0], pair[1]));
    Right(cache.CheckAll());
  }
}

/// A fork that is refused shares nothing: a store takes no copy, and what is freed is free.
TEST_F(Fork, ARefusalSharesNothing) {
  Need({KV_CAN_PAGED});
  Config config = kPaged;
  config.batch = 2;
  config.pages = 4;
  Driver& cache = Open(config);
  Fill(cache, 0, 5);
  Fill(cache, 1, 20);
  for (const std::array<std::int32_t, 2> pair :
       {std::array{0, 1}, std::array{1, 0}, std::array{1, 1}, std::array{1, 2}}) {
    Right(cache.Fork(pair[0], pair[1]));
  }
  for (const std::int32_t sequence : {0, 1}) {
    Fill(cache, sequence, 1);
    Right(cache.CheckUsage());
  }
  for (const std::int32_t sequence : {0, 1}) {
    Right(cache.Free(sequence));
    Right(cache.CheckUsage());
  }
  Fill(cache, 1, 64);  // All pages that there are.
  Attend(cache, 1);
}

}  // namespace
}  // namespace assay::kvcache
