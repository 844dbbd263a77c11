// SPDX-License-Identifier: Apache-2.0
// No token sees one that comes after it: tag `causal`; and `chunked` where a prompt comes in parts,
// each of which sees all before it.

#include <algorithm>
#include <cmath>
#include <random>

#include "suite_support.h"

namespace assay::kvcache {
namespace {

constexpr Config kPlain{.query_heads = 4, .kv_heads = 4, .head_size = 64, .capacity = 2048};

class Causal : public KvCacheTest {
 protected:
  void SetUp() override {
    KvCacheTest::SetUp();
    Tag({"causal"});
  }
};

TEST_F(Causal, TwoTokens) { Prefill(Open(kPlain), 0, 2); }
TEST_F(Causal, Prompt) { Prefill(Open(kPlain), 0, 47); }
TEST_F(Causal, LongPrompt) { Prefill(Open(kPlain), 0, 700); }
TEST_F(Causal, PromptsOfManyLengths) {
  for (const std::size_t tokens : {3U, 15U, 16U, 17U, 31U, 32U, 33U, 63U, 64U, 65U, 127U, 129U}) {
    Prefill(Open(kPlain), 0, tokens);
  }
}

/// With one head there is no order of heads and tokens to get wrong: only the mask is judged.
TEST_F(Causal, OneHead) {
  Driver& cache = Open({.head_size = 64, .capacity = 64});
  Prefill(cache, 0, 2);
  Right(cache.Free(0));
  Prefill(cache, 0, 33);
}

TEST_F(Causal, OneElement) {
  Driver& cache = Open({.head_size = 1, .capacity = 64});
  Prefill(cache, 0, 40);
}

TEST_F(Causal, OneHeadAndALongPrompt) {
  Driver& cache = Open({.head_size = 32, .capacity = 500});
  Prefill(cache, 0, 500);
}

/// A token that draws every query that can see it: whoever sees it too early gives its value.
TEST_F(Causal, ALoudTokenIsNotHeardBefore) {
  Driver& cache = Open({.query_heads = 2, .kv_heads = 2, .head_size = 32, .capacity = 64});
  for (const std::size_t loud : {1U, 20U, 39U}) {
    Tokens tokens = Draw(cache, 40);
    std::ranges::fill(tokens.q, 1.0F);
    const std::size_t elements = cache.config().KeyElements();
    std::fill_n(tokens.k.begin() + static_cast<std::ptrdiff_t>(loud * elements), elements, 5.0F);
    std::fill_n(tokens.v.begin() + static_cast<std::ptrdiff_t>(loud * elements), elements, 1e3F);
    Right(cache.Prefill(0, 0, tokens));
    Right(cache.Free(0));
  }
}

class Chunked : public KvCacheTest {
 protected:
  void SetUp() override {
    KvCacheTest::SetUp();
    Tag({"chunked"});
    Need({KV_CAN_CHUNKED});
  }

  /// The prompt in parts of at most `chunk` tokens.
  void PrefillInChunks(Driver& cache, const Tokens& prompt, std::size_t chunk) {
    for (std::size_t at = 0; at < prompt.count; at += chunk) {
      const std::size_t count = std::min(chunk, prompt.count - at);
      Right(cache.Prefill(0, 0, Slice(cache.config(), prompt, at, count)));
    }
  }
};

TEST_F(Chunked, PowersOfTwo) {
  for (const std::size_t chunk : {16U, 32U, 64U}) {
    Driver& cache = Open(kPlain);
    PrefillInChunks(cache, Draw(cache, 160), chunk);
    Right(cache.CheckAll());
  }
}

TEST_F(Chunked, SizesThatDivideNothing) {
  for (const std::size_t chunk : {1U, 2U, 7U, 37U, 99U}) {
    Driver& cache = Open(kPlain);
    PrefillInChunks(cache, Draw(cache, 100), chunk);
    Decode(cache, 0, 2);
  }
}

TEST_F(Chunked, RandomSizes) {
  for (int i = 0; i < 4; ++i) {
    Driver& cache = Open(kPlain);
    const Tokens prompt = Draw(cache, 150);
    for (std::size_t at = 0; at < prompt.count;) {
      const std::size_t count = std::min<std::size_t>(1 + random()() % 60, prompt.count - at);
      Right(cache.Prefill(0, 0, Slice(cache.config(), prompt, at, count)));
      at += count;
    }
    Attend(cache, 0);
  }
}

TEST_F(Chunked, AfterAppendedTokens) {
  Driver& cache = Open(kPlain);
  Fill(cache, 0, 21);
  Prefill(cache, 0, 30);
  Decode(cache, 0, 3);
  Prefill(cache, 0, 5);
}

/// How far apart the two ways are: what the study printed of its best submission. Each is within
/// its bound; this says how much of it is used. On one input for ever, so that a submission can
/// state its own number and be held to it.
TEST_F(Chunked, DiffersLittleFromWhole) {
  constexpr std::size_t kPrompt = 240;
  Driver& whole = Open(kPlain);
  Driver& parts = Open(kPlain);
  std::mt19937_64 fixed(1);
  const Tokens prompt = DrawTokens(fixed, kPlain, kPrompt);
  Right(whole.Prefill(0, 0, prompt));
  double difference = 0;
  for (std::size_t at = 0; at < kPrompt; at += 48) {
    Right(parts.Prefill(0, 0, Slice(parts.config(), prompt, at, 48)));
    for (std::size_t i = 0; i < parts.out().size(); ++i) {
      const double whole_out =
          static_cast<double>(whole.out()[at * parts.config().QueryElements() + i]);
      difference = std::max(difference, std::abs(static_cast<double>(parts.out()[i]) - whole_out));
    }
  }
  Metric("chunked_prefill_difference", difference);
}

}  // namespace
}  // namespace assay::kvcache
