// SPDX-License-Identifier: Apache-2.0
#include "score/failure_kind.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>

namespace assay {
namespace {

int DecadeOf(std::optional<double> error_over_bound) {
  CaseEvidence one;
  one.verdict = Verdict::kWrongAnswer;
  one.error_over_bound = error_over_bound;
  return KindOfFailure(one).decade;
}

TEST(KindOfFailure, IsWhereAndByHowMuch) {
  CaseEvidence one;
  one.verdict = Verdict::kWrongAnswer;
  one.failing_operation = "ln_backward_f32";
  one.failing_output = "dgamma";
  one.error_over_bound = 2500;
  EXPECT_EQ(KindOfFailure(one),
            (FailureKind{.operation = "ln_backward_f32", .output = "dgamma", .decade = 3}));
}

TEST(KindOfFailure, AnErrorWithinItsBoundIsNotWhatFailed) {
  EXPECT_EQ(DecadeOf(std::nullopt), FailureKind::kNoDecade);
  EXPECT_EQ(DecadeOf(0.0), FailureKind::kNoDecade);
  EXPECT_EQ(DecadeOf(1.0), FailureKind::kNoDecade);
  EXPECT_EQ(DecadeOf(1.01), 0);
}

TEST(KindOfFailure, WhatIsNoNumberIsAsLargeAsCanBe) {
  EXPECT_EQ(DecadeOf(std::numeric_limits<double>::infinity()), FailureKind::kLargestDecade);
  EXPECT_EQ(DecadeOf(std::nan("")), FailureKind::kLargestDecade);
  EXPECT_EQ(DecadeOf(1e300), FailureKind::kLargestDecade);
}

TEST(AreAlike, ErrorsAtMostOneDecadeApart) {
  const FailureKind kind{.operation = "f", .output = "y", .decade = 3};
  EXPECT_TRUE(AreAlike(kind, {.operation = "f", .output = "y", .decade = 4}));
  EXPECT_TRUE(AreAlike(kind, {.operation = "f", .output = "y", .decade = 2}));
  EXPECT_FALSE(AreAlike(kind, {.operation = "f", .output = "y", .decade = 5}));
}

TEST(AreAlike, AWrongStatusIsUnlikeASmallError) {
  const FailureKind status{.operation = "f"};
  EXPECT_TRUE(AreAlike(status, status));
  EXPECT_FALSE(AreAlike(status, {.operation = "f", .output = "", .decade = 0}));
}

TEST(AreAlike, AnotherOutputIsUnlike) {
  EXPECT_FALSE(AreAlike({.operation = "f", .output = "dx", .decade = 3},
                        {.operation = "f", .output = "dgamma", .decade = 3}));
}

TEST(AreAlike, AnOperationCountsWhereBothNameOne) {
  EXPECT_FALSE(AreAlike({.operation = "f"}, {.operation = "g"}));
  EXPECT_TRUE(AreAlike({.operation = "f"}, {.operation = ""}));
}

}  // namespace
}  // namespace assay
