// SPDX-License-Identifier: Apache-2.0
// Which query heads read which KV head: tags `mha`, `gqa`, `mqa`; and sizes of heads: tag `heads`.
// With a prompt and in a batch: tag `combinations`.

#include <array>
#include <string>

#include "suite_support.h"

namespace assay::kvcache {
namespace {

class Variants : public KvCacheTest {
 protected:
  /// Prefill, decode and a batch, for one way to share KV heads.
  void ExpectRightFor(std::int32_t query_heads, std::int32_t kv_heads) {
    Driver& cache = Open({.layers = 2,
                          .query_heads = query_heads,
                          .kv_heads = kv_heads,
                          .head_size = 64,
                          .batch = 3,
                          .capacity = 96});
    Prefill(cache, 0, 40);
    Fill(cache, 1, 9);
    Fill(cache, 2, 70);
    AttendAll(cache);
    Decode(cache, 2, 3);
    Right(cache.CheckAll());
  }

  /// Without a prefill, whose mask may be wrong by itself.
  void ExpectDecodesRight(std::int32_t query_heads, std::int32_t kv_heads) {
    Driver& cache =
        Open({.query_heads = query_heads, .kv_heads = kv_heads, .head_size = 32, .capacity = 64});
    Decode(cache, 0, 30);
    Right(cache.CheckAll());
  }
};

TEST_F(Variants, MhaDecodes) {
  Tag({"mha"});
  ExpectDecodesRight(8, 8);
}
TEST_F(Variants, MhaOfManyHeads) {
  Tag({"mha"});
  ExpectDecodesRight(32, 32);
}
TEST_F(Variants, Mha) {
  Tag({"combinations"});
  ExpectRightFor(8, 8);
}
TEST_F(Variants, GqaDecodes) {
  Tag({"gqa"});
  Need({KV_CAN_GQA});
  ExpectDecodesRight(8, 2);
}
TEST_F(Variants, Gqa32Over8Decodes) {
  Tag({"gqa"});
  Need({KV_CAN_GQA});
  ExpectDecodesRight(32, 8);
}
TEST_F(Variants, GqaOfOddGroupsDecodes) {
  Tag({"gqa"});
  Need({KV_CAN_GQA});
  ExpectDecodesRight(15, 5);
  ExpectDecodesRight(14, 2);
}
TEST_F(Variants, Gqa32Over8) {
  Tag({"combinations"});
  Need({KV_CAN_GQA});
  ExpectRightFor(32, 8);
}
TEST_F(Variants, GqaOfOddGroups) {
  Tag({"combinations"});
  Need({KV_CAN_GQA});
  ExpectRightFor(15, 5);
  ExpectRightFor(14, 2);
}
TEST_F(Variants, MqaDecodes) {
  Tag({"mqa"});
  Need({KV_CAN_MQA});
  ExpectDecodesRight(7, 1);
}
TEST_F(Variants, Mqa32Over1Decodes) {
  Tag({"mqa"});
  Need({KV_CAN_MQA});
  ExpectDecodesRight(32, 1);
}
TEST_F(Variants, Mqa32Over1) {
  Tag({"combinations"});
  Need({KV_CAN_MQA});
  ExpectRightFor(32, 1);
}

class HeadSize : public KvCacheTest, public testing::WithParamInterface<std::int32_t> {};

TEST_P(HeadSize, IsRight) {
  Tag({"heads"});
  Driver& cache = Open({.query_heads = 2, .kv_heads = 2, .head_size = GetParam(), .capacity = 300});
  for (const std::size_t tokens : {65U, 130U}) {
    Fill(cache, 0, tokens);
    Attend(cache, 0);
  }
  Right(cache.CheckAll());
}

INSTANTIATE_TEST_SUITE_P(Heads, HeadSize,
                         testing::Values(1, 3, 16, 17, 31, 33, 64, 80, 96, 100, 128, 160, 255, 256),
                         [](const auto& size) { return std::to_string(size.param); });

TEST_F(Variants, HeadSizesWithAPromptInABatch) {
  Tag({"combinations"});
  for (const std::int32_t size : {1, 17, 80, 255}) {
    Driver& cache =
        Open({.query_heads = 2, .kv_heads = 2, .head_size = size, .batch = 2, .capacity = 300});
    Prefill(cache, 0, 65);
    Fill(cache, 1, 130);
    AttendAll(cache);
    Right(cache.CheckAll());
  }
}

TEST_F(Variants, RandomHeads) {
  Tag({"heads"});
  for (int i = 0; i < 6; ++i) {
    const auto heads = static_cast<std::int32_t>(1 + random()() % 6);
    Driver& cache = Open({.query_heads = heads,
                          .kv_heads = heads,
                          .head_size = static_cast<std::int32_t>(1 + random()() % 200),
                          .capacity = 80});
    Decode(cache, 0, 4);
    Fill(cache, 0, random()() % 70);
    Attend(cache, 0);
  }
}

}  // namespace
}  // namespace assay::kvcache
