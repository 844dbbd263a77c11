// SPDX-License-Identifier: Apache-2.0
#include "score/correlation.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace assay {
namespace {

using Pairs = std::vector<PairOfScores>;

TEST(CorrelationTest, IsOneOfTheSameOrderAndMinusOneOfTheOpposite) {
  const Pairs rising = {{1, 10}, {2, 100}, {3, 1000}};
  EXPECT_DOUBLE_EQ(*SpearmanRho(rising), 1);
  EXPECT_DOUBLE_EQ(*KendallTauB(rising), 1);
  EXPECT_LT(*PearsonR(rising), 1);
  EXPECT_DOUBLE_EQ(*PearsonR(Pairs{{1, 10}, {2, 20}, {3, 30}}), 1);
  const Pairs falling = {{1, 3}, {2, 2}, {3, 1}};
  EXPECT_DOUBLE_EQ(*PearsonR(falling), -1);
  EXPECT_DOUBLE_EQ(*SpearmanRho(falling), -1);
  EXPECT_DOUBLE_EQ(*KendallTauB(falling), -1);
}

/// By hand: ranks 1, 2.5, 2.5, 4 and 1, 2, 3.5, 3.5; of six pairs four in order, one tie in each.
TEST(CorrelationTest, TiesShareTheirRanks) {
  const Pairs tied = {{10, 1}, {20, 2}, {20, 9}, {30, 9}};
  EXPECT_NEAR(*SpearmanRho(tied), 3.75 / 4.5, 1e-12);
  EXPECT_NEAR(*KendallTauB(tied), 4.0 / 5.0, 1e-12);
}

TEST(CorrelationTest, NothingWithoutVariation) {
  for (const Pairs& pairs :
       {Pairs{}, Pairs{{1, 2}}, Pairs{{1, 2}, {1, 3}}, Pairs{{1, 2}, {3, 2}}}) {
    EXPECT_EQ(PearsonR(pairs), std::nullopt);
    EXPECT_EQ(SpearmanRho(pairs), std::nullopt);
    EXPECT_EQ(KendallTauB(pairs), std::nullopt);
  }
}

}  // namespace
}  // namespace assay
