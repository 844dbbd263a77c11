// SPDX-License-Identifier: Apache-2.0
// The same answer in every call of one sequence, whatever came before: tag `integrity`. Against
// code that remembers by pointer, by slot or by content, that is right for the first calls alone,
// or that computes in a narrower type than it says. Of caches of all kinds in turn: tag
// `combinations`.

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <vector>

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

/// With what else is reported.
class InTurn : public KvCacheTest {
 protected:
  void SetUp() override {
    KvCacheTest::SetUp();
    Tag({"combinations"});
  }
};

/// Two caches in turn, one of whose numbers is another: what is remembered of one is not the
/// other's.
TEST_F(InTurn, CachesThatDifferInOneNumber) {
  constexpr Config kOne{
      .layers = 2, .query_heads = 2, .kv_heads = 2, .head_size = 64, .batch = 2, .capacity = 40};
  const Config in_pages = [=] {
    Config config = kOne;
    config.page_size = 8;
    config.pages = 12;
    return config;
  }();
  std::vector<std::array<Config, 2>> pairs;
  const auto add = [&](const Config& one, auto change) {
    pairs.push_back({one, one});
    change(pairs.back()[1]);
  };
  add(kOne, [](Config& other) { other.head_size = 49; });
  add(kOne, [](Config& other) { other.head_size = 63; });
  add(kOne, [](Config& other) { other.query_heads = other.kv_heads = 3; });
  add(kOne, [](Config& other) { other.layers = 3; });
  add(kOne, [](Config& other) { other.batch = 3; });
  add(kOne, [](Config& other) { other.capacity = 37; });
  const auto add_if = [&](kv_capability capability, const Config& one, auto change) {
    if (Has(capability)) {
      add(one, change);
    }
  };
  add_if(KV_CAN_GQA, kOne, [](Config& other) { other.query_heads = 4; });
  add_if(KV_CAN_F16, kOne, [](Config& other) { other.storage = Storage::kF16; });
  add_if(KV_CAN_INT8, kOne, [](Config& other) { other.storage = Storage::kInt8; });
  add_if(KV_CAN_INT4, kOne, [](Config& other) { other.storage = Storage::kInt4; });
  add_if(KV_CAN_WINDOW, kOne, [](Config& other) { other.window = 3; });
  add_if(KV_CAN_PAGED, in_pages, [=](Config& other) { other = kOne; });
  add_if(KV_CAN_PAGED, in_pages, [](Config& other) { other.page_size = 4; });
  add_if(KV_CAN_PAGED, in_pages, [](Config& other) { other.pages = 11; });
  for (const auto& [one, other] : pairs) {
    const std::array<Driver*, 2> caches = {&Open(one), &Open(other)};
    for (int turn = 0; turn < 3; ++turn) {
      for (Driver* cache : caches) {
        Fill(*cache, 0, 4, turn % 2);
        Attend(*cache, 0, turn % 2);
      }
    }
    Right(caches[0]->CheckAll());
    Right(caches[1]->CheckAll());
  }
}

/// What the first cache of a process decides, or the first of some kind, must not hold for those
/// behind it: in a fresh host, and in another the last of them first.
TEST_F(InTurn, FirstOfItsProcessIsAnother) {
  std::vector<Config> configs;
  const auto add = [&](auto change) {
    configs.push_back({.layers = 2,
                       .query_heads = 2,
                       .kv_heads = 2,
                       .head_size = 64,
                       .batch = 2,
                       .capacity = 40});
    change(configs.back());
  };
  const auto add_if = [&](kv_capability capability, auto change) {
    if (Has(capability)) {
      add(change);
    }
  };
  add([](Config&) {});
  add([](Config& other) { other.head_size = 49; });
  add([](Config& other) { other.head_size = 128; });
  add([](Config& other) { other.query_heads = other.kv_heads = 3; });
  add([](Config& other) { other.layers = 3; });
  add([](Config& other) { other.batch = 3; });
  add([](Config& other) { other.capacity = 1100; });
  add_if(KV_CAN_GQA, [](Config& other) { other.query_heads = 4; });
  struct Narrow {
    kv_capability capability;
    Storage storage;
  };
  for (const auto [capability, storage] :
       {Narrow{KV_CAN_F16, Storage::kF16}, Narrow{KV_CAN_INT8, Storage::kInt8},
        Narrow{KV_CAN_INT4, Storage::kInt4}}) {
    for (const std::int32_t head_size : {64, 49}) {
      add_if(capability, [=](Config& other) {
        other.storage = storage;
        other.head_size = head_size;
      });
    }
  }
  for (const std::int32_t size : {3, 20}) {
    add_if(KV_CAN_WINDOW, [=](Config& other) { other.window = size; });
    add_if(KV_CAN_PAGED, [=](Config& other) {
      other.page_size = size;
      other.pages = 20;
    });
  }
  InBothOrders({kHost}, configs, [this](const Config& config) {
    auto cache = Driver::Create(Link(), config);
    if (!cache) {
      FailCase(cache.error());
    }
    Prefill(*cache, 0, 3);
    Fill(*cache, 0, static_cast<std::size_t>(config.capacity) - 7);
    Attend(*cache, 0);
    Fill(*cache, 0, 2, 1);
    Attend(*cache, 0, 1);
    Right(cache->CheckAll());
    Right(cache->Destroy());
  });
}

}  // namespace
}  // namespace assay::kvcache
