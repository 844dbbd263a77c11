// SPDX-License-Identifier: Apache-2.0
// Sequences of different lengths in one call: tag `varlen`. And what is kept apart: tag
// `abstraction`.

#include <array>

#include "suite_support.h"

namespace assay::kvcache {
namespace {

constexpr Config kBatch{
    .query_heads = 4, .kv_heads = 4, .head_size = 64, .batch = 5, .capacity = 300};

class Varlen : public KvCacheTest {
 protected:
  void SetUp() override {
    KvCacheTest::SetUp();
    Tag({"varlen"});
  }

  void FillTo(Driver& cache, std::span<const std::size_t> lengths) {
    for (std::size_t s = 0; s < lengths.size(); ++s) {
      Fill(cache, static_cast<std::int32_t>(s), lengths[s]);
    }
  }
};

TEST_F(Varlen, TwoSequences) {
  Driver& cache = Open(kBatch);
  Fill(cache, 0, 5);
  Fill(cache, 1, 9);
  Attend(cache, std::array{0, 1});
}

TEST_F(Varlen, EqualLengths) {
  Driver& cache = Open(kBatch);
  for (int step = 0; step < 6; ++step) {
    Right(cache.Append(0, Sequences(5), Draw(cache, 5)));
    AttendAll(cache);
  }
  Right(cache.CheckAll());
}

TEST_F(Varlen, FourLengths) {
  Driver& cache = Open(kBatch);
  FillTo(cache, std::array<std::size_t, 5>{12, 100, 3, 57, 1});
  AttendAll(cache);
  Right(cache.CheckAll());
}

TEST_F(Varlen, AnEmptySequenceAmongOthers) {
  Driver& cache = Open(kBatch);
  FillTo(cache, std::array<std::size_t, 5>{20, 0, 33, 0, 7});
  AttendAll(cache);
}

TEST_F(Varlen, InAnyOrderAndAgain) {
  Driver& cache = Open(kBatch);
  FillTo(cache, std::array<std::size_t, 5>{20, 4, 33, 90, 7});
  Attend(cache, std::array{3, 1, 3, 0, 0, 4, 2});
  Attend(cache, std::array{4});
  Attend(cache, std::array{2, 2});
}

TEST_F(Varlen, SomeDecodeWhileOthersWait) {
  Driver& cache = Open(kBatch);
  FillTo(cache, std::array<std::size_t, 5>{30, 10, 25, 5, 18});
  for (int step = 0; step < 10; ++step) {
    const std::array<std::int32_t, 2> pair{static_cast<std::int32_t>(random()() % 5),
                                           static_cast<std::int32_t>(random()() % 5)};
    Right(cache.Append(0, pair, Draw(cache, 2)));
    AttendAll(cache);
  }
  Right(cache.CheckAll());
}

TEST_F(Varlen, ASequenceRepeatedInOneCall) {
  Driver& cache = Open(kBatch);
  Right(cache.Append(0, std::array{1, 1, 0, 1, 2, 0, 1}, Draw(cache, 7)));
  Right(cache.CheckAll());
  AttendAll(cache);
}

TEST_F(Varlen, AFullSequenceStopsTheWholeCall) {
  Config config = kBatch;
  config.capacity = 6;
  Driver& cache = Open(config);
  Fill(cache, 1, 6);
  Right(cache.Append(0, std::array{0, 1, 2}, Draw(cache, 3)));
  Right(cache.CheckAll());
  Right(cache.Append(0, std::array{0, 2, 0, 2}, Draw(cache, 4)));
  Right(cache.CheckAll());
  AttendAll(cache);
}

TEST_F(Varlen, ManySequences) {
  constexpr std::int32_t kSequences = 64;
  Driver& cache =
      Open({.query_heads = 1, .kv_heads = 1, .head_size = 16, .batch = kSequences, .capacity = 12});
  for (int step = 0; step < 10; ++step) {
    Right(cache.Append(0, Sequences(kSequences), Draw(cache, kSequences)));
  }
  AttendAll(cache);
  Right(cache.CheckAll());
}

/// One to thousands of tokens, mixed.
TEST_F(Varlen, Ragged) {
  constexpr std::int32_t kSequences = 9;
  Driver& cache = Open(
      {.query_heads = 2, .kv_heads = 2, .head_size = 64, .batch = kSequences, .capacity = 4096});
  for (std::int32_t s = 0; s < kSequences; ++s) {
    const std::size_t most = s % 3 == 0 ? 4096 : 64;
    Fill(cache, s, s == 4 ? 1 : 1 + random()() % most);
  }
  AttendAll(cache);
}

/// Long ones, whose memory ends inside a page of the system: what gives a freed one's back must not
/// take its neighbour's beginning, or end.
TEST_F(Varlen, LongNeighboursOfAFreedSequence) {
  Driver& cache =
      Open({.query_heads = 1, .kv_heads = 1, .head_size = 100, .batch = 5, .capacity = 1400});
  for (std::int32_t sequence = 0; sequence < 5; ++sequence) {
    Fill(cache, sequence, 1400);
  }
  for (const std::int32_t freed : {1, 3}) {
    Right(cache.Free(freed));
    for (const std::int32_t sequence : {0, 2, 4}) {
      Right(cache.CheckStored(0, sequence));
    }
  }
  Fill(cache, 1, 20);
  Right(cache.CheckAll());
}

class Abstraction : public KvCacheTest {
 protected:
  void SetUp() override {
    KvCacheTest::SetUp();
    Tag({"abstraction"});
  }
};

TEST_F(Abstraction, TwoCachesAlive) {
  Config config = kBatch;
  config.batch = 1;
  Driver& first = Open(config);
  Driver& second = Open(config);
  Fill(first, 0, 20);
  Right(second.CheckAll());
  Fill(second, 0, 11);
  Fill(first, 0, 3);
  for (Driver* cache : {&first, &second}) {
    Attend(*cache, 0);
    Right(cache->CheckAll());
  }
  Right(first.Free(0));
  Attend(second, 0);
}

TEST_F(Abstraction, CachesOfDifferentShapes) {
  Driver& small = Open({.query_heads = 2, .kv_heads = 2, .head_size = 32, .capacity = 16});
  Driver& large =
      Open({.layers = 2, .query_heads = 6, .kv_heads = 6, .head_size = 96, .capacity = 64});
  for (int step = 0; step < 8; ++step) {
    Decode(small, 0, 2);
    Decode(large, 0, 1);
  }
  Right(small.CheckAll());
  Right(large.CheckAll());
}

TEST_F(Abstraction, ACacheOutlivesAnother) {
  Config config = kBatch;
  config.batch = 1;
  for (int round = 0; round < 4; ++round) {
    Driver& kept = Open(config);
    auto passing = Driver::Create(Link(), config);
    if (!passing) {
      FailCase(passing.error());
    }
    Fill(kept, 0, 9);
    Fill(*passing, 0, 9);
    Right(passing->Destroy());
    Attend(kept, 0);
    Decode(kept, 0, 2);
  }
}

TEST_F(Abstraction, ManyLayers) {
  Driver& cache =
      Open({.layers = 32, .query_heads = 2, .kv_heads = 2, .head_size = 16, .capacity = 8});
  Decode(cache, 0, 4);
  Right(cache.CheckAll());
}

}  // namespace
}  // namespace assay::kvcache
