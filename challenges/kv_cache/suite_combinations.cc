// SPDX-License-Identifier: Apache-2.0
// What takes several features at once: tag `combinations`. The other cases are about one thing, so
// that a wrong mask, a lost prompt or mixed-up sequences fail the cases of that feature and these.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "suite_support.h"

namespace assay::kvcache {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

constexpr Config kPlain{
    .query_heads = 4, .kv_heads = 4, .head_size = 64, .batch = 3, .capacity = 512};
constexpr Config kPaged{.query_heads = 4,
                        .kv_heads = 4,
                        .head_size = 64,
                        .batch = 4,
                        .capacity = 256,
                        .page_size = 16,
                        .pages = 40};

/// Prompts, beside tokens that are stored, other sequences, and values at the edge.
class Together : public KvCacheTest {
 protected:
  void SetUp() override {
    KvCacheTest::SetUp();
    Tag({"combinations"});
  }
};

TEST_F(Together, PrefillThenDecode) {
  Driver& cache = Open(kPlain);
  Prefill(cache, 0, 40);
  Decode(cache, 0, 8);
}

TEST_F(Together, APromptOfHeadsOfOneElement) {
  Driver& cache = Open({.query_heads = 3, .kv_heads = 3, .head_size = 1, .capacity = 40});
  Prefill(cache, 0, 17);
  Decode(cache, 0, 5);
}

TEST_F(Together, NoTokensAfterAPrompt) {
  Driver& cache = Open(kPlain);
  Prefill(cache, 0, 5);
  Prefill(cache, 0, 0);
  Right(cache.CheckLengths());
}

TEST_F(Together, PrefillOneWhileOthersHoldTokens) {
  Driver& cache = Open(kPlain);
  Fill(cache, 0, 44);
  Prefill(cache, 2, 61);
  Prefill(cache, 1, 1);
  AttendAll(cache);
  Right(cache.CheckAll());
}

TEST_F(Together, APromptBeyondTheCapacityInABatch) {
  Config config = kPlain;
  config.capacity = 10;
  Driver& cache = Open(config);
  Fill(cache, 1, 4);
  Prefill(cache, 0, 11);
  Right(cache.CheckAll());
  Prefill(cache, 0, 10);
  AttendAll(cache);
}

TEST_F(Together, PromptsOfOneShape) {
  Driver& cache = Open(kPlain);
  for (int round = 0; round < 12; ++round) {
    Prefill(cache, round % 2, 32);
    Right(cache.Free(round % 2));
  }
}

/// As Integrity.ManySmallCalls, of all kinds of calls.
TEST_F(Together, ManySmallCallsOfAllKinds) {
  ExpectManyCallsRight(
      {.query_heads = 2, .kv_heads = 2, .head_size = 8, .batch = 3, .capacity = 30}, {}, 3'000);
}

/// Scores about so large for every token, either sign.
TEST_F(Together, LargeScoresInAPrompt) {
  for (const double score : {1e2, 1e4, 1e6}) {
    Driver& cache = Open(kPlain);
    const double scale = std::sqrt(score / std::sqrt(64.0));
    const Tokens tokens =
        Draw(cache, 60, {.query_scale = scale, .key_scale = scale, .value_scale = 1});
    Right(cache.Prefill(0, 0, tokens));
    Right(cache.Attend(0, std::array{0}, Slice(cache.config(), tokens, 3, 1)));
  }
}

/// Each score larger than all before: a running maximum changes at every token.
TEST_F(Together, ScoresThatRiseInAPrompt) {
  for (const float step : {0.05F, -0.05F, 2.0F}) {
    Driver& cache = Open(kPlain);
    Tokens tokens = Draw(cache, 300);
    const std::size_t elements = cache.config().KeyElements();
    for (std::size_t i = 0; i < tokens.k.size(); ++i) {
      const std::size_t token = i / elements;
      tokens.k[i] = step * static_cast<float>(token) / 8;
    }
    std::ranges::fill(tokens.q, 1.0F);
    Right(cache.Prefill(0, 0, tokens));
  }
}

/// All scores 0, and from a token on so much larger that what came before counts less and less, and
/// then not at all: sums that are scaled late, or never, overflow in between. Where the values from
/// there on are 0, the output is what is left of the others.
TEST_F(Together, ScoresThatJump) {
  Config config = kPlain;
  config.query_heads = 1;
  config.kv_heads = 1;
  config.capacity = 1200;
  for (const std::size_t before : {3U, 40U, 513U, 1030U}) {
    for (const float jump : {8.0F, 20.0F, 60.0F, 80.0F, 87.0F, 90.0F, 300.0F, 1e4F, -87.0F}) {
      Driver& cache = Open(config);
      Tokens tokens = Draw(cache, before + 20, {.value_scale = 1e3});
      const auto jumps_at = static_cast<std::ptrdiff_t>(before * 64);
      std::fill(tokens.k.begin(), tokens.k.begin() + jumps_at, 0.0F);
      std::fill(tokens.k.begin() + jumps_at, tokens.k.end(), jump / 8);
      std::ranges::fill(tokens.q, 1.0F);
      Right(cache.Append(0, 0, tokens));
      Right(cache.Attend(0, std::array{0}, Slice(config, tokens, 0, 1)));
      Right(cache.Prefill(0, 1, tokens));
      std::fill(tokens.v.begin() + jumps_at, tokens.v.end(), 0.0F);
      Right(cache.Prefill(0, 2, tokens));
    }
  }
}

/// Only what comes after it sees it.
TEST_F(Together, NanInAPrompt) {
  Driver& cache = Open(kPlain);
  Tokens tokens = Draw(cache, 40);
  tokens.k[25 * cache.config().KeyElements()] = kNan;
  tokens.v[30 * cache.config().KeyElements() + 70] = kInfinity;
  Right(cache.Prefill(0, 0, tokens));
}

TEST_F(Together, NanStaysWithItsSequence) {
  for (const float bad : {kNan, kInfinity, -kInfinity}) {
    Driver& cache = Open(kPlain);
    Tokens tokens = Draw(cache, 12);
    tokens.k[3 * cache.config().KeyElements() + 5] = bad;
    tokens.v[7 * cache.config().KeyElements() + 60] = bad;
    Fill(cache, 0, 30);
    Fill(cache, 2, 21);
    Right(cache.Append(0, 1, tokens));
    AttendAll(cache);
    Attend(cache, std::array{1, 0, 1, 2});
    Prefill(cache, 0, 0);
    Right(cache.CheckAll());
  }
}

/// Vectors that a head does not fill, with what another cache's left in them.
TEST_F(Together, NanStaysWithItsCache) {
  std::vector<Storage> storages = {Storage::kF32};
  if (Has(KV_CAN_F16)) {
    storages.push_back(Storage::kF16);
  }
  for (const Storage storage : storages) {
    for (const std::int32_t large : {7, 15, 31}) {
      Driver& bad = Open({.head_size = large, .capacity = 5, .storage = storage});
      Tokens tokens = Draw(bad, 5);
      std::ranges::fill(tokens.k, kNan);
      std::ranges::fill(tokens.v, kNan);
      Right(bad.Append(0, 0, tokens));
      for (const std::int32_t small : {1, 2, 5, 17}) {
        Driver& good = Open({.head_size = small, .capacity = 5, .storage = storage});
        Fill(good, 0, 5);
        Attend(bad, 0);
        Attend(good, 0);
        Right(good.CheckStored(0, 0));
      }
    }
  }
}

TEST_F(Together, NanInAQueryStaysWithIt) {
  Driver& cache = Open(kPlain);
  Fill(cache, 0, 40);
  Fill(cache, 1, 40);
  Tokens queries = Draw(cache, 2);
  queries.q[3] = kNan;  // The model finds NaN for this head alone, where anything is right.
  Right(cache.Attend(0, std::array{0, 1}, queries));
  AttendAll(cache);
}

TEST_F(Together, APromptAfterNanWasFreed) {
  Driver& cache = Open(kPlain);
  Tokens tokens = Draw(cache, 200);
  std::ranges::fill(tokens.k, kNan);
  std::ranges::fill(tokens.v, kNan);
  Right(cache.Append(0, 0, tokens));
  Right(cache.Free(0));
  Prefill(cache, 0, 37);
}

/// Pages of several sequences, and of prompts.
class PagedTogether : public Together {
 protected:
  void SetUp() override {
    Together::SetUp();
    Need({KV_CAN_PAGED});
  }
};

TEST_F(PagedTogether, Prompt) {
  Driver& cache = Open(kPaged);
  Prefill(cache, 1, 83);
  Attend(cache, 1);
  Right(cache.CheckAll());
}

/// Chunks that begin in a page which sequences share, and end in it or beyond.
TEST_F(PagedTogether, ChunksIntoASharedPage) {
  Need({KV_CAN_FORK, KV_CAN_CHUNKED, KV_CAN_HYBRID});
  NeedOptionalOperation("kv_fork");
  for (const std::size_t chunk : {1U, 2U, 12U, 13U, 30U}) {
    Driver& cache = Open(kPaged);
    Prefill(cache, 0, 20);
    Right(cache.Fork(0, 1));
    for (const std::int32_t sequence : {1, 0}) {
      Prefill(cache, sequence, chunk);
      Right(cache.CheckAll());
    }
    Attend(cache, std::array{0, 1});
  }
}

TEST_F(PagedTogether, PagesOfSequencesLieAmongEachOther) {
  Driver& cache = Open(kPaged);
  for (int token = 0; token < 60; ++token) {
    Right(cache.Append(0, Sequences(4), Draw(cache, 4)));
  }
  AttendAll(cache);
  Right(cache.CheckAll());
}

TEST_F(PagedTogether, AnEmptyPoolIsSaidAndNothingStored) {
  Config config = kPaged;
  config.pages = 5;
  Driver& cache = Open(config);
  Fill(cache, 0, 40);
  Fill(cache, 1, 32);
  Right(cache.CheckAll());
  Right(cache.Append(0, std::array{0, 1, 0}, Draw(cache, 3)));
  Right(cache.CheckAll());
  Prefill(cache, 2, 3);
  Right(cache.CheckAll());
  Fill(cache, 0, 8);  // The last page has room.
  AttendAll(cache);
}

/// Prompts that are too long for the sequence and for the pool, and for the pool alone.
TEST_F(PagedTogether, CapacityComesBeforeAnEmptyPool) {
  Config config = kPaged;
  config.capacity = 20;
  config.pages = 1;
  Driver& cache = Open(config);
  Fill(cache, 0, 16);
  Prefill(cache, 1, 21);
  Prefill(cache, 1, 20);
  Right(cache.CheckAll());
}

TEST_F(PagedTogether, ThePoolRecovers) {
  Config config = kPaged;
  config.pages = 6;
  Driver& cache = Open(config);
  for (int round = 0; round < 5; ++round) {
    Fill(cache, 0, 48);
    Fill(cache, 1, 48);
    Fill(cache, 2, 1);
    Right(cache.CheckAll());
    Right(cache.Free(round % 2));
    Fill(cache, 2, 30);
    AttendAll(cache);
    Right(cache.CheckAll());
    for (const std::int32_t sequence : {0, 1, 2}) {
      Right(cache.Free(sequence));
    }
  }
  Right(cache.CheckAll());
}

TEST_F(PagedTogether, FreedTwiceIsFreedOnce) {
  Driver& cache = Open(kPaged);
  Fill(cache, 0, 40);
  Fill(cache, 1, 40);
  Right(cache.Free(0));
  Right(cache.Free(0));
  Right(cache.CheckUsage());
  Fill(cache, 2, 60);
  Fill(cache, 3, 60);
  Fill(cache, 0, 20);
  AttendAll(cache);
  Right(cache.CheckAll());
}

/// Sequences of all lengths come and go, and the free pages lie anywhere.
TEST_F(PagedTogether, FragmentedPool) {
  Driver& cache = Open(kPaged);
  for (int step = 0; step < 60; ++step) {
    const auto sequence = static_cast<std::int32_t>(random()() % 4);
    if (cache.model().Length(0, sequence) > 120 || random()() % 4 == 0) {
      Right(cache.Free(sequence));
    } else {
      Fill(cache, sequence, 1 + random()() % 50);
    }
    Right(cache.CheckUsage());
    if (step % 6 == 0) {
      AttendAll(cache);
    }
  }
  Right(cache.CheckAll());
}

/// What lies behind the last token of a page is what another sequence left there.
TEST_F(PagedTogether, StaleTokensOfOthersBehindTheEnd) {
  for (const float stale : {kNan, -1e4F}) {
    Config config = kPaged;
    config.pages = 4;
    Driver& cache = Open(config);
    Tokens tokens = Draw(cache, 64);
    std::ranges::fill(tokens.k, std::abs(stale));
    std::ranges::fill(tokens.v, stale);
    Right(cache.Append(0, 0, tokens));
    Right(cache.Free(0));
    for (const std::size_t count : {1U, 17U, 21U}) {
      Fill(cache, 1, count);
      Attend(cache, 1);
      Right(cache.Free(1));
    }
    Prefill(cache, 2, 27);
  }
}

TEST_F(PagedTogether, GroupedHeads) {
  Need({KV_CAN_GQA});
  Config config = kPaged;
  config.query_heads = 12;
  Driver& cache = Open(config);
  Prefill(cache, 0, 50);
  Fill(cache, 1, 23);
  AttendAll(cache);
}

/// A window over a prompt.
class WindowTogether : public Together {
 protected:
  void SetUp() override {
    Together::SetUp();
    Need({KV_CAN_WINDOW});
  }

  static Config Sliding(std::int32_t window, std::int32_t capacity) {
    return {.query_heads = 2,
            .kv_heads = 2,
            .head_size = 48,
            .batch = 2,
            .capacity = capacity,
            .window = window};
  }
};

TEST_F(WindowTogether, Prompt) {
  for (const std::size_t tokens : {10U, 24U, 25U, 90U}) {
    Driver& cache = Open(Sliding(24, 40));
    Prefill(cache, 1, tokens);
    Decode(cache, 1, 3);
  }
}

TEST_F(WindowTogether, Chunks) {
  Need({KV_CAN_CHUNKED});
  Driver& cache = Open(Sliding(24, 24));
  for (const std::size_t chunk : {7U, 30U, 1U, 24U, 3U}) {
    Prefill(cache, 0, chunk);
    Right(cache.CheckStored(0, 0));
  }
}

}  // namespace
}  // namespace assay::kvcache
