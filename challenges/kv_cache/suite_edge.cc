// SPDX-License-Identifier: Apache-2.0
// Values and lengths at the edge of the contract, of one sequence that is appended to: tags `edge`
// and `long`; beyond it: tag `stretch`; a window: tag `window`.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "suite_support.h"

namespace assay::kvcache {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

class Edge : public KvCacheTest {
 protected:
  void SetUp() override {
    KvCacheTest::SetUp();
    Tag({"edge"});
  }

  static constexpr Config kPlain{
      .query_heads = 2, .kv_heads = 2, .head_size = 64, .capacity = 4096};

  /// Scores about `score` for every token, either sign.
  void ExpectRightAtScore(double score) {
    Driver& cache = Open(kPlain);
    const double scale = std::sqrt(score / std::sqrt(64.0));
    const Tokens tokens =
        Draw(cache, 60, {.query_scale = scale, .key_scale = scale, .value_scale = 1});
    Right(cache.Append(0, 0, tokens));
    for (const std::size_t query : {0U, 3U, 31U, 59U}) {
      Right(cache.Attend(0, std::array{0}, Slice(cache.config(), tokens, query, 1)));
    }
  }
};

TEST_F(Edge, ScoresOfAHundred) { ExpectRightAtScore(100); }
TEST_F(Edge, ScoresOfTenThousand) { ExpectRightAtScore(1e4); }
TEST_F(Edge, ScoresOfAMillion) { ExpectRightAtScore(1e6); }

/// 1e8, either sign: as large as they may be.
TEST_F(Edge, LargestScores) {
  Driver& cache = Open(kPlain);
  Tokens tokens = Draw(cache, 60);
  const std::size_t elements = cache.config().KeyElements();
  for (std::size_t i = 0; i < tokens.k.size(); ++i) {
    tokens.k[i] += i / elements % 2 == 0 ? 3.5e3F : -3.5e3F;
  }
  std::ranges::fill(tokens.q, 3.5e3F);
  Right(cache.Append(0, 0, tokens));
  Right(cache.Attend(0, std::array{0}, Slice(cache.config(), tokens, 0, 1)));
}

TEST_F(Edge, AllScoresFarBelowZero) {
  Driver& cache = Open(kPlain);
  Tokens tokens = Draw(cache, 40);
  std::ranges::transform(tokens.q, tokens.q.begin(), [](float x) { return -30 - std::abs(x); });
  std::ranges::transform(tokens.k, tokens.k.begin(), [](float x) { return 1 + std::abs(x); });
  Right(cache.Append(0, 0, tokens));
  Right(cache.Attend(0, std::array{0}, Slice(cache.config(), tokens, 0, 1)));
}

/// The first token at 0 and all others at -30: what they weigh must not get lost, nor grow.
TEST_F(Edge, OneTokenOutweighsAll) {
  Driver& cache = Open(kPlain);
  Tokens tokens = Draw(cache, 500);
  const std::size_t elements = cache.config().KeyElements();
  for (std::size_t i = 0; i < tokens.k.size(); ++i) {
    tokens.k[i] = i < elements ? 0.0F : -30.0F / 8;
    tokens.v[i] *= i < elements ? 1e-9F : 1e4F;
  }
  std::ranges::fill(tokens.q, 1.0F);
  Right(cache.Append(0, 0, tokens));
  Right(cache.Attend(0, std::array{0}, Slice(cache.config(), tokens, 0, 1)));
}

/// Each score larger than all before: a running maximum changes at every token.
TEST_F(Edge, ScoresThatRise) {
  for (const float step : {0.05F, -0.05F, 2.0F}) {
    Driver& cache = Open(kPlain);
    Tokens tokens = Draw(cache, 300);
    const std::size_t elements = cache.config().KeyElements();
    for (std::size_t i = 0; i < tokens.k.size(); ++i) {
      const std::size_t token = i / elements;
      tokens.k[i] = step * static_cast<float>(token) / 8;
    }
    std::ranges::fill(tokens.q, 1.0F);
    Right(cache.Append(0, 0, tokens));
    Right(cache.Attend(0, std::array{0}, Slice(cache.config(), tokens, 0, 1)));
  }
}

TEST_F(Edge, EqualKeysGiveTheMean) {
  Driver& cache = Open(kPlain);
  Tokens tokens = Draw(cache, 2000);
  std::ranges::fill(tokens.k, 0.75F);
  Right(cache.Append(0, 0, tokens));
  Attend(cache, 0);
}

/// Values that cancel: the bound follows what is summed, not what is left.
TEST_F(Edge, ValuesThatCancel) {
  Driver& cache = Open(kPlain);
  Tokens tokens = Draw(cache, 1000, {.query_scale = 1e-3, .key_scale = 1e-3});
  const std::size_t elements = cache.config().KeyElements();
  for (std::size_t i = 0; i < tokens.v.size(); ++i) {
    tokens.v[i] = i / elements % 2 == 0 ? 1e4F : -1e4F;
  }
  Right(cache.Append(0, 0, tokens));
  Attend(cache, 0);
}

TEST_F(Edge, ValuesOfEveryMagnitude) {
  Driver& cache = Open(kPlain);
  for (const double scale : {1e-30, 1e-12, 1.0, 1e4}) {
    Right(cache.Append(0, 0, Draw(cache, 8, {.value_scale = scale})));
    Attend(cache, 0);
  }
}

/// Below the least normal number, which some machines are told to take for zero.
TEST_F(Edge, SubnormalTokens) {
  Driver& cache = Open(kPlain);
  Right(cache.Append(0, 0, Draw(cache, 20, {.key_scale = 1e-39, .value_scale = 1e-41})));
  Right(cache.CheckStored(0, 0));
  Attend(cache, 0);
}

/// What is not finite reaches the queries after it, and stays as it was stored.
TEST_F(Edge, NanStaysWhereItIs) {
  for (const float bad : {kNan, kInfinity, -kInfinity}) {
    Driver& cache = Open(kPlain);
    Fill(cache, 0, 30);
    Attend(cache, 0);
    Tokens tokens = Draw(cache, 12);
    tokens.k[3 * cache.config().KeyElements() + 5] = bad;
    tokens.v[7 * cache.config().KeyElements() + 60] = bad;
    Right(cache.Append(0, 0, tokens));
    Attend(cache, 0);
    Right(cache.CheckAll());
  }
}

TEST_F(Edge, NanIsForgottenWhenFreed) {
  Driver& cache = Open(kPlain);
  Tokens tokens = Draw(cache, 200);
  std::ranges::fill(tokens.k, kNan);
  std::ranges::fill(tokens.v, kNan);
  Right(cache.Append(0, 0, tokens));
  Attend(cache, 0);
  Right(cache.Free(0));
  for (const std::size_t count : {1U, 3U, 60U}) {
    Fill(cache, 0, count);
    Attend(cache, 0);
  }
}

TEST_F(Edge, NanInAQueryStaysThere) {
  Driver& cache = Open(kPlain);
  Fill(cache, 0, 40);
  Tokens queries = Draw(cache, 2);
  queries.q[3] = kNan;  // The model finds NaN for this head alone, where anything is right.
  Right(cache.Attend(0, std::array{0, 0}, queries));
  Attend(cache, 0);
}

class Long : public KvCacheTest {
 protected:
  void SetUp() override {
    KvCacheTest::SetUp();
    Tag({"edge", "long"});
  }

  /// One head with its last and first tokens heard through all others.
  void ExpectRightAt(std::size_t tokens) {
    Driver& cache = Open({.query_heads = 1,
                          .kv_heads = 1,
                          .head_size = 32,
                          .capacity = static_cast<std::int32_t>(tokens)});
    Tokens all = Draw(cache, tokens);
    for (const std::size_t loud : {std::size_t{0}, tokens / 2, tokens - 1}) {
      for (std::size_t i = 0; i < 32; ++i) {
        all.k[loud * 32 + i] = 2.5F;
        all.v[loud * 32 + i] = 100;
      }
    }
    Right(cache.Append(0, 0, all));
    Right(cache.CheckLengths());
    Tokens query = Draw(cache, 1);
    std::ranges::fill(query.q, 1.0F);
    Right(cache.Attend(0, std::array{0}, query));
    Attend(cache, 0);
  }
};

TEST_F(Long, Tokens4097) { ExpectRightAt(4097); }
TEST_F(Long, Tokens32768) { ExpectRightAt(32768); }
TEST_F(Long, Tokens65537) { ExpectRightAt(65537); }
TEST_F(Long, Tokens131072) { ExpectRightAt(131072); }

TEST_F(Long, EqualKeys65536) {
  Driver& cache = Open({.head_size = 16, .capacity = 65536});
  Tokens tokens = Draw(cache, 65536);
  std::ranges::fill(tokens.k, 0.5F);
  std::ranges::fill(tokens.v, 3.0F);
  Right(cache.Append(0, 0, tokens));
  Attend(cache, 0);
}

/// Caches that no memory would hold, though almost nothing of them is ever touched. An
/// implementation that takes all memory beforehand may say that there is not so much, or run into
/// its limit: then nothing is asked. One that has a cache of that size is held to it.
class Stretch : public KvCacheTest {
 protected:
  void SetUp() override {
    KvCacheTest::SetUp();
    Tag({"stretch"});
    if (sanitized()) {
      Skip("a sanitizer's allocator ends the process where there is not so much");
    }
  }

  Driver CreateOrSkip(const Config& config) {
    auto cache = Driver::Create(Link(), config);
    if (!cache) {
      Skip(cache.error().detail);
    }
    return *std::move(cache);
  }

  void RightOrSkip(const Outcome& outcome) {
    if (outcome && outcome->verdict == Verdict::kMemoryLimit) {
      Skip(outcome->detail);
    }
    Right(outcome);
  }
};

/// More elements than 32 bits count.
TEST_F(Stretch, OffsetsBeyond32Bits) {
  Driver cache = CreateOrSkip(
      {.layers = 66, .query_heads = 4, .kv_heads = 4, .head_size = 128, .capacity = 131072});
  for (const std::int32_t layer : {65, 32, 0, 33}) {
    RightOrSkip(cache.Append(layer, 0, Draw(cache, 40)));
    RightOrSkip(cache.CheckStored(layer, 0));
  }
  for (const std::int32_t layer : {65, 0, 33, 32}) {
    RightOrSkip(cache.Attend(layer, std::array{0}, Draw(cache, 1)));
  }
  Right(cache.Destroy());
}

/// The same of the pages in use, each of 16 MiB with one token in it.
TEST_F(Stretch, PagesBeyond32Bits) {
  Need({KV_CAN_PAGED});
  constexpr std::int32_t kSequences = 1030;
  Driver cache = CreateOrSkip({.layers = 256,
                               .query_heads = 2,
                               .kv_heads = 2,
                               .head_size = 256,
                               .batch = kSequences,
                               .capacity = 16,
                               .page_size = 16,
                               .pages = kSequences});
  for (const std::int32_t layer : {255, 0}) {
    RightOrSkip(cache.Append(layer, Sequences(kSequences), Draw(cache, kSequences)));
    RightOrSkip(cache.CheckUsage());
    for (const std::int32_t sequence : {0, 255, 256, 512, 1023, 1024, 1029}) {
      RightOrSkip(cache.CheckStored(layer, sequence));
      RightOrSkip(cache.Attend(layer, std::array{sequence}, Draw(cache, 1)));
    }
  }
  Right(cache.Destroy());
}

/// More tokens than 31 and 32 bits count, of heads of one element, of which few are stored.
TEST_F(Stretch, SlotsBeyond32Bits) {
  constexpr std::int32_t kSequences = 32'770;
  Driver cache = CreateOrSkip({.head_size = 1, .batch = kSequences, .capacity = 131'072});
  constexpr std::array kStored = {kSequences - 1, 32'768, 0, 16'384, 16'383, 32'767};
  for (const std::int32_t sequence : kStored) {
    RightOrSkip(cache.Append(0, sequence, Draw(cache, 3)));
  }
  for (const std::int32_t sequence : kStored) {
    RightOrSkip(cache.CheckStored(0, sequence));
    RightOrSkip(cache.Attend(0, std::array{sequence}, Draw(cache, 1)));
  }
  Right(cache.Destroy());
}

/// The same of four pages.
TEST_F(Stretch, SlotsOfPagesBeyond32Bits) {
  Need({KV_CAN_PAGED});
  Driver cache = CreateOrSkip(
      {.head_size = 1, .batch = 4, .capacity = 131'072, .page_size = 1 << 30, .pages = 4});
  for (const std::int32_t sequence : {3, 0, 2, 1}) {
    RightOrSkip(cache.Append(0, sequence, Draw(cache, 3)));
    RightOrSkip(cache.CheckUsage());
  }
  for (const std::int32_t sequence : {0, 1, 2, 3}) {
    RightOrSkip(cache.CheckStored(0, sequence));
    RightOrSkip(cache.Attend(0, std::array{sequence}, Draw(cache, 1)));
  }
  Right(cache.Destroy());
}

/// Of one layer, whose values lie 2 GiB and 4 GiB behind their keys, if they lie apart.
TEST_F(Stretch, ValuesBeyond32BitsOfTheirKeys) {
  for (const std::int32_t heads : {32, 64}) {
    Driver cache = CreateOrSkip(
        {.query_heads = heads, .kv_heads = heads, .head_size = 128, .capacity = 131'072});
    RightOrSkip(cache.Prefill(0, 0, Draw(cache, 1)));
    RightOrSkip(cache.Append(0, 0, Draw(cache, 1)));
    RightOrSkip(cache.CheckStored(0, 0));
    RightOrSkip(cache.Attend(0, std::array{0}, Draw(cache, 1)));
    Right(cache.Destroy());
  }
}

/// Pages of 16 MiB with one token in each: one of the last is copied on write.
TEST_F(Stretch, CopiesBeyond32Bits) {
  Need({KV_CAN_PAGED, KV_CAN_FORK});
  NeedOptionalOperation("kv_fork");
  constexpr std::int32_t kParents = 256;
  Driver cache = CreateOrSkip({.query_heads = 8,
                               .kv_heads = 8,
                               .head_size = 64,
                               .batch = kParents + 1,
                               .capacity = 4096,
                               .page_size = 4096,
                               .pages = kParents + 4});
  RightOrSkip(cache.Append(0, Sequences(kParents), Draw(cache, kParents)));
  RightOrSkip(cache.Fork(kParents - 1, kParents));
  RightOrSkip(cache.Append(0, kParents, Draw(cache, 1)));
  for (const std::int32_t sequence : {0, 1, kParents - 1, kParents}) {
    RightOrSkip(cache.CheckStored(0, sequence));
    RightOrSkip(cache.Attend(0, std::array{sequence}, Draw(cache, 1)));
  }
  RightOrSkip(cache.CheckUsage());
  Right(cache.Destroy());
}

class Window : public KvCacheTest {
 protected:
  void SetUp() override {
    KvCacheTest::SetUp();
    Tag({"window"});
    Need({KV_CAN_WINDOW});
  }

  static Config Sliding(std::int32_t window, std::int32_t capacity) {
    return {
        .query_heads = 2, .kv_heads = 2, .head_size = 48, .capacity = capacity, .window = window};
  }

  /// Tokens of which a window hides some may be refused (interface.h).
  void ExpectReadOrRefused(Driver& cache, std::size_t first, std::size_t count) {
    if (first < cache.model().FirstVisible(0, 0)) {
      std::vector<float> k(count * cache.config().KeyElements());
      std::vector<float> v(k.size());
      Invocation call("kv_read");
      call.Scalar(cache.handle()).Scalar(0).Scalar(0).Scalar(first).Scalar(count);
      call.Output(k).Output(v);
      if (Call(kHost, call).status == KV_INVALID_ARGUMENT) {
        return;
      }
    }
    Right(cache.CheckStored(0, 0, first, count));
  }
};

TEST_F(Window, SeesTheNewestAlone) {
  for (const std::int32_t window : {1, 2, 16, 33}) {
    Driver& cache = Open(Sliding(window, 64));
    for (int token = 0; token < 50; ++token) {
      Fill(cache, 0, 1);
      Attend(cache, 0);
    }
    Right(cache.CheckAll());
  }
}

TEST_F(Window, GoesOnBeyondTheCapacity) {
  Driver& cache = Open(Sliding(20, 20));
  for (int step = 0; step < 12; ++step) {
    Fill(cache, 0, 9);
    Attend(cache, 0);
    Right(cache.CheckAll());
  }
}

/// Of what it hides in whole, in part and not at all, on both sides of the end of a ring.
TEST_F(Window, ReadsAcrossItsEdge) {
  for (const std::size_t tokens : {9U, 16U, 21U}) {
    Driver& cache = Open(Sliding(8, 64));
    Fill(cache, 0, tokens);
    for (std::size_t first = 0; first < tokens; ++first) {
      for (std::size_t count = 1; first + count <= tokens; ++count) {
        ExpectReadOrRefused(cache, first, count);
      }
    }
  }
}

TEST_F(Window, StartsAnewWhenFreed) {
  Driver& cache = Open(Sliding(16, 16));
  Fill(cache, 0, 41);
  Right(cache.Free(0));
  Fill(cache, 0, 5);
  Attend(cache, 0);
  Right(cache.CheckAll());
}

}  // namespace
}  // namespace assay::kvcache
