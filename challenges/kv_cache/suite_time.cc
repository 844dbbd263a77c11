// SPDX-License-Identifier: Apache-2.0
// What shows with the number of calls: each operation some thousand times in one process, its
// answers compared throughout. Tag `integrity`, or that of the operation. What the process keeps of
// them is in suite_leaks.cc.

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "suite_decoder.h"
#include "suite_support.h"

namespace assay::kvcache {
namespace {

/// More than 1,024, so that what counts to a thousand, or in a byte, is seen.
constexpr int kCompared = 1'200;

/// Many calls of each kind, all compared.
class ManyCalls : public DecoderTest {
 protected:
  static constexpr Config kSmall{
      .query_heads = 2, .kv_heads = 2, .head_size = 8, .batch = 4, .capacity = 24};

  static Config InPages(Config config) {
    config.page_size = 4;
    config.pages = 14;
    return config;
  }
};

TEST_F(ManyCalls, Prefills) {
  Tag({"combinations"});
  Driver& cache = Open(kSmall);
  for (int i = 0; i < kCompared; ++i) {
    KvCacheTest::Prefill(cache, i % 4, 2 + static_cast<std::size_t>(i % 3));
    Right(cache.Free(i % 4));
  }
}

TEST_F(ManyCalls, Reads) {
  Tag({"integrity"});
  Config config = kSmall;
  config.batch = 1;
  Driver& cache = Open(config);
  for (int i = 0; i < kCompared; ++i) {
    if (i % 20 == 0) {
      Right(cache.Free(0));
    }
    Fill(cache, 0, 1);
    Right(cache.CheckStored(0, 0));
    Right(cache.CheckUsage());
    Right(cache.CheckLengths());
  }
}

TEST_F(ManyCalls, CachesInTurn) {
  Tag({"abstraction"});
  Config config = kSmall;
  config.batch = 1;
  for (int i = 0; i < kCompared; ++i) {
    auto cache = Driver::Create(Link(), config);
    if (!cache) {
      FailCase(cache.error());
    }
    Fill(*cache, 0, 3);
    Attend(*cache, 0);
    Right(cache->Destroy());
  }
}

TEST_F(ManyCalls, InPages) {
  Tag({"combinations"});
  Need({KV_CAN_PAGED});
  ExpectManyCallsRight(InPages(kSmall), {}, 2'000);
}

TEST_F(ManyCalls, Forks) {
  Tag({"combinations"});
  Need({KV_CAN_FORK});
  NeedOptionalOperation("kv_fork");
  Driver& cache = Open(Has(KV_CAN_PAGED) ? InPages(kSmall) : kSmall);
  Fill(cache, 0, 6);
  for (int i = 0; i < kCompared; ++i) {
    const std::int32_t child = 1 + i % 3;
    Right(cache.Fork(0, child));
    Fill(cache, child, 1);
    Attend(cache, std::array{0, child});
    Right(cache.Free(child));
  }
  Right(cache.CheckAll());
}

TEST_F(ManyCalls, ForksInPagesAtTheirEnd) {
  Tag({"combinations"});
  Need({KV_CAN_FORK, KV_CAN_PAGED});
  NeedOptionalOperation("kv_fork");
  Config config = InPages(kSmall);
  for (const std::int32_t pages : {4, 7, 10}) {
    config.pages = pages;
    ExpectManyCallsRight(config, {.fork = true}, 1'000);
  }
}

TEST_F(ManyCalls, OfNarrowStorage) {
  Tag({"combinations"});
  constexpr std::array<std::pair<kv_capability, Storage>, 3> kNarrow = {
      {{KV_CAN_F16, Storage::kF16}, {KV_CAN_INT8, Storage::kInt8}, {KV_CAN_INT4, Storage::kInt4}}};
  bool has_any = false;
  for (const auto& [capability, storage] : kNarrow) {
    if (Has(capability)) {
      has_any = true;
      Config config = kSmall;
      config.storage = storage;
      ExpectManyCallsRight(config, {}, 1'500);
    }
  }
  if (!has_any) {
    Skip("no narrow storage is reported");
  }
}

TEST_F(ManyCalls, InAWindow) {
  Tag({"combinations"});
  Need({KV_CAN_WINDOW});
  Config config = kSmall;
  config.window = 9;
  ExpectManyCallsRight(config, {.chunked = Has(KV_CAN_CHUNKED)}, 2'000);
}

TEST_F(ManyCalls, OfTheDecoder) {
  Tag({"decoder"});
  NeedDecoder();
  DecoderConfig config{.width = 6,
                       .query_heads = 1,
                       .kv_heads = 1,
                       .head_size = 4,
                       .vocabulary = 7,
                       .capacity = 12,
                       .rope_base = 300};
  Twin twin = DecoderTest::Open(config);
  for (int i = 0; i < kCompared; ++i) {
    if (i % 12 == 0) {
      Reset(twin);
    }
    Steps(twin, 1);
  }
}

TEST_F(ManyCalls, OfPromptsOfTheDecoder) {
  Tag({"combinations"});
  NeedDecoder();
  DecoderConfig config{
      .width = 6, .query_heads = 1, .kv_heads = 1, .head_size = 4, .vocabulary = 7};
  Twin twin = DecoderTest::Open(config);
  for (int i = 0; i < kCompared; ++i) {
    DecoderTest::Prefill(twin, 3);
    Reset(twin);
  }
}

TEST_F(ManyCalls, OfSampling) {
  Tag({"sampling"});
  NeedOptionalOperation("kv_sample");
  std::vector<float> logits(9);
  for (int i = 0; i < 2 * kCompared; ++i) {
    for (float& logit : logits) {
      logit = static_cast<float>(random()() >> 40) * 0x1p-22F;
    }
    const float uniform = static_cast<float>(random()() >> 40) * 0x1p-24F;
    const std::int32_t top_k = i % 5;
    std::array<std::int32_t, 1> token{-1};
    Invocation call("kv_sample");
    call.Scalar(9).Input(logits).Scalar(0.8F).Scalar(top_k).Scalar(uniform).Output(token);
    ExpectStatus(KV_OK, call);
    if (!MaySample(logits, 0.8F, top_k, uniform, token[0])) {
      FailCase(fmt::format("call {}: kv_sample(top_k {}, uniform {}) gives token {}", i + 1, top_k,
                           uniform, token[0]));
    }
  }
}

}  // namespace
}  // namespace assay::kvcache
