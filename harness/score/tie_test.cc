// SPDX-License-Identifier: Apache-2.0
#include "score/tie.h"

#include <gtest/gtest.h>

#include <cmath>

namespace assay {
namespace {

TEST(TieTest, Difference) {
  const Tie tie{.kind = Tie::Kind::kDifference, .amount = 5};
  EXPECT_TRUE(IsWithin(tie, 10, 15));
  EXPECT_FALSE(IsWithin(tie, 10, 15.1));
  EXPECT_TRUE(IsWithin(Tie{}, 3, 3));
  EXPECT_FALSE(IsWithin(Tie{}, 3, 4));
}

TEST(TieTest, Factor) {
  const Tie tie{.kind = Tie::Kind::kFactor, .amount = 2};
  EXPECT_TRUE(IsWithin(tie, 1e-11, 2e-11));
  EXPECT_TRUE(IsWithin(tie, 2e-11, 1e-11));
  EXPECT_FALSE(IsWithin(tie, 1e-11, 2.1e-11));
  EXPECT_FALSE(IsWithin(tie, 0, 1e-300));
  EXPECT_FALSE(IsWithin(tie, -1, 1));
  EXPECT_TRUE(IsWithin(tie, 0, 0));
}

TEST(TieTest, ShareOfTheLarger) {
  const Tie tie{.kind = Tie::Kind::kShare, .amount = 0.2};
  EXPECT_TRUE(IsWithin(tie, 80, 100));
  EXPECT_TRUE(IsWithin(tie, 100, 80));
  EXPECT_FALSE(IsWithin(tie, 79, 100));
}

TEST(TieTest, NanNeverTiesAndEqualInfinitiesDo) {
  const Tie tie{.kind = Tie::Kind::kDifference, .amount = INFINITY};
  EXPECT_FALSE(IsWithin(tie, NAN, NAN));
  EXPECT_TRUE(IsWithin(tie, INFINITY, INFINITY));
  EXPECT_FALSE(IsWithin(tie, INFINITY, 1));
}

}  // namespace
}  // namespace assay
