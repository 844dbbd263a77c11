// SPDX-License-Identifier: Apache-2.0
// The same answer in every call of one sequence, whatever came before: tag `integrity`. Against
// code that remembers by pointer, by slot or by content, that is right for the first calls alone,
// or that computes in a narrower type than it says.

#include <fmt/format.h>

#include <array>
#include <cstddef>

#include "suite_support.h"

namespace assay::kvcache {
namespace {

constexpr Config kPlain{.query_heads = 4, .kv_heads = 4, .head_size = 64, .capacity = 512};

class Integrity : public KvCacheTest {
 protected:
  void SetUp() override {
    KvCacheTest::SetUp();
    Tag({"integrity"});
  }
};

/// The same buffers at the same addresses with other queries, and nothing stored in between.
TEST_F(Integrity, OtherQueriesOverTheSameTokens) {
  Driver& cache = Open(kPlain);
  Fill(cache, 0, 100);
  for (int call = 0; call < 20; ++call) {
    Attend(cache, 0);
  }
}

TEST_F(Integrity, NoDriftOverManyCalls) {
  Driver& cache = Open(kPlain);
  Decode(cache, 0, 180);
  Right(cache.CheckAll());
}

TEST_F(Integrity, TheSameLengthWithOtherTokens) {
  Driver& cache = Open(kPlain);
  const Tokens query = Draw(cache, 1);
  for (int round = 0; round < 12; ++round) {
    Fill(cache, 0, 48);
    Right(cache.Attend(0, std::array{0}, query));
    Right(cache.Free(0));
  }
}

/// Two histories that differ in one element of one token, which no sample of ends or strides holds.
TEST_F(Integrity, TwinsThatDifferInOneElement) {
  Driver& cache = Open(kPlain);
  const Tokens query = Draw(cache, 1);
  Tokens tokens = Draw(cache, 90);
  for (int round = 0; round < 6; ++round) {
    Right(cache.Append(0, 0, tokens));
    Right(cache.Attend(0, std::array{0}, query));
    Right(cache.Free(0));
    const std::size_t at = 64 + random()() % (tokens.v.size() - 128);
    tokens.v[at / 8 * 8 + 3] += 1000;
  }
}

TEST_F(Integrity, ShapesInTurn) {
  for (int round = 0; round < 12; ++round) {
    constexpr std::int32_t kShapes[][2] = {{2, 64}, {8, 32}, {1, 128}, {4, 80}};
    const auto [heads, size] = kShapes[round % 4];
    Driver& cache =
        Open({.query_heads = heads, .kv_heads = heads, .head_size = size, .capacity = 64});
    Fill(cache, 0, 20);
    Decode(cache, 0, 2);
  }
}

/// Where the bound is a few roundings wide: arithmetic over halves is outside it.
TEST_F(Integrity, FullPrecisionOnShortHeads) {
  Driver& cache = Open({.query_heads = 4, .kv_heads = 4, .head_size = 4, .capacity = 8});
  for (int round = 0; round < 30; ++round) {
    Fill(cache, 0, 3);
    Attend(cache, 0);
    Right(cache.Free(0));
  }
}

/// Many small calls in one process, all compared, from a fresh seed. A bug that shows in a share p
/// of the calls, whatever decides in which, is seen with a chance of 1 - (1 - p)^n: with the
/// kOperations below, n of them, in 95 of 100 runs where it shows once in n / 3 calls or more
/// often. A call that counts to some number is seen where that is at most n.
TEST_F(Integrity, ManySmallCalls) {
  constexpr std::size_t kOperations = 12'000;
  ExpectManyCallsRight({.query_heads = 2, .kv_heads = 2, .head_size = 8, .capacity = 30},
                       {.prefill = false}, kOperations);
}

}  // namespace
}  // namespace assay::kvcache
