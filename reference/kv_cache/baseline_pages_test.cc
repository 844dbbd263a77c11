// SPDX-License-Identifier: Apache-2.0
// Pages, forks, and what random calls make of them.

#include <vector>

#include "baseline_test_support.h"

namespace assay::kv_baseline {
namespace {

TEST(KvBaseline, Pages_AreTakenForTheLongestLayerAndComeBack) {
  kv_config config = Paged(16, 6);
  config.layers = 3;
  Pair pair(config);
  ASSERT_EQ(pair.Prefill(0, 0, 16), KV_OK);
  EXPECT_EQ(pair.Usage().pages_in_use, 1U);
  ASSERT_EQ(pair.Prefill(1, 0, 17), KV_OK);
  EXPECT_EQ(pair.Usage().pages_in_use, 2U);
  ASSERT_EQ(pair.Append(0, {0}), KV_OK);
  EXPECT_EQ(pair.Usage().pages_in_use, 2U);
  EXPECT_EQ(pair.Usage().bytes, 2U * 16 * 3 * 2 * 2 * 16 * 4);
  EXPECT_EQ(pair.Prefill(2, 1, 65), KV_NO_PAGES);
  EXPECT_EQ(pair.Usage().pages_free, 4U);
  ASSERT_EQ(pair.Prefill(2, 1, 64), KV_OK);
  EXPECT_EQ(pair.Append(2, {0, 1}), KV_NO_PAGES);
  pair.ExpectSame();
  pair.Free(0);
  EXPECT_EQ(pair.Usage().pages_free, 2U);
  pair.Free(0);
  EXPECT_EQ(pair.Usage().pages_free, 2U);
  ASSERT_EQ(pair.Append(2, {0, 1}), KV_OK);
  pair.ExpectSame();
}

TEST(KvBaseline, Fork_SharesUntilOneWrites) {
  kv_config config = Paged(8, 5);
  config.batch = 3;
  Pair pair(config);
  ASSERT_EQ(pair.Prefill(0, 0, 20), KV_OK);
  ASSERT_EQ(pair.Fork(0, 1), KV_OK);
  ASSERT_EQ(pair.Fork(1, 2), KV_OK);
  EXPECT_EQ(pair.Usage().pages_in_use, 3U);
  ASSERT_EQ(pair.Append(0, {1}), KV_OK);
  EXPECT_EQ(pair.Usage().pages_in_use, 4U);
  ASSERT_EQ(pair.Append(0, {0, 2, 1}), KV_OK);
  EXPECT_EQ(pair.Usage().pages_in_use, 5U);  // The last sharer of a page keeps it.
  pair.ExpectSame();
  pair.Free(0);
  EXPECT_EQ(pair.Usage().pages_in_use, 4U);
  pair.ExpectSame();
  pair.Free(1);
  pair.Free(2);
  EXPECT_EQ(pair.Usage().pages_free, 5U);
}

TEST(KvBaseline, ForkWhoseLayersDiffer_CopiesTheSharedPageThatIsWritten) {
  kv_config config = Paged(8, 4);
  config.layers = 2;
  Pair pair(config);
  ASSERT_EQ(pair.Prefill(0, 0, 16), KV_OK);
  ASSERT_EQ(pair.Prefill(1, 0, 3), KV_OK);
  ASSERT_EQ(pair.Fork(0, 1), KV_OK);
  EXPECT_EQ(pair.Usage().pages_in_use, 2U);
  ASSERT_EQ(pair.Append(1, {1}), KV_OK);
  EXPECT_EQ(pair.Usage().pages_in_use, 3U);
  ASSERT_EQ(pair.Append(1, {0}), KV_OK);
  EXPECT_EQ(pair.Usage().pages_in_use, 3U);
  ASSERT_EQ(pair.Prefill(1, 1, 5), KV_OK);
  EXPECT_EQ(pair.Usage().pages_in_use, 4U);
  EXPECT_EQ(pair.Append(0, {0}), KV_NO_PAGES);
  pair.ExpectSame();
}

TEST(KvBaseline, CallThatRunsOutOfPagesAfterACopy_ChangesNothing) {
  kv_config config = Paged(4, 4);
  config.batch = 3;
  Pair pair(config);
  ASSERT_EQ(pair.Prefill(0, 0, 6), KV_OK);
  ASSERT_EQ(pair.Fork(0, 1), KV_OK);
  ASSERT_EQ(pair.Prefill(0, 2, 4), KV_OK);
  EXPECT_EQ(pair.Append(0, {1, 2}), KV_NO_PAGES);
  EXPECT_EQ(pair.Append(0, {2, 2, 1}), KV_NO_PAGES);
  EXPECT_EQ(pair.Usage().pages_in_use, 3U);
  pair.ExpectSame();
  ASSERT_EQ(pair.Append(0, {1}), KV_OK);
  ASSERT_EQ(pair.Append(0, {0, 1}), KV_OK);
  pair.ExpectSame();
}

TEST(KvBaseline, ForkOfAContiguousCache_Copies) {
  for (int window : {0, 10}) {
    kv_config config = Config();
    config.layers = 2;
    config.window = window;
    Pair pair(config);
    ASSERT_EQ(pair.Prefill(0, 0, 23), KV_OK);
    ASSERT_EQ(pair.Prefill(1, 0, 4), KV_OK);
    ASSERT_EQ(pair.Fork(0, 1), KV_OK);
    ASSERT_EQ(pair.Append(0, {1, 0, 1}), KV_OK);
    ASSERT_EQ(pair.Append(1, {1, 0}), KV_OK);
    pair.ExpectSame();
  }
}

TEST(KvBaseline, RandomCalls_EveryStoragePagedOrNot) {
  for (int round = 0; round < 24; ++round) {
    SCOPED_TRACE(round);
    kv_config config = round % 2 == 0 ? Paged(1 + static_cast<int>(RandomBelow(9)), 12) : Config();
    config.layers = 2;
    config.batch = 4;
    config.capacity = 60;
    config.query_heads = 6;
    config.head_size = 1 + static_cast<int>(RandomBelow(40));
    config.storage = round / 2 % 4;
    Pair pair(config);
    for (int call = 0; call < 120; ++call) {
      const int layer = static_cast<int>(RandomBelow(2));
      const int sequence = static_cast<int>(RandomBelow(4));
      const int other = static_cast<int>(RandomBelow(4));
      switch (RandomBelow(5)) {
        case 0:
          pair.Prefill(layer, sequence, RandomBelow(9));
          break;
        case 1:
        case 2:
          pair.Append(layer, {sequence, other, sequence});
          break;
        case 3:
          pair.Fork(sequence, other);
          break;
        default:
          pair.Free(sequence);
      }
      pair.ExpectSame();
      ASSERT_FALSE(testing::Test::HasFailure()) << "call " << call;
      const kv_usage usage = pair.Usage();
      ASSERT_EQ(usage.pages_in_use + usage.pages_free, static_cast<unsigned>(config.pages));
    }
    for (int sequence = 0; sequence < 4; ++sequence) {
      pair.Free(sequence);
    }
    EXPECT_EQ(pair.Usage().pages_in_use, 0U);
    EXPECT_EQ(pair.Usage().bytes, 0U);
  }
}

}  // namespace
}  // namespace assay::kv_baseline
