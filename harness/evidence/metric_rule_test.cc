// SPDX-License-Identifier: Apache-2.0
#include "evidence/metric_rule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace assay {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(MetricRuleTest, TwoValuesBecomeOne) {
  EXPECT_EQ(Combined(MetricRule::kLast, 3, 2), 2);
  EXPECT_EQ(Combined(MetricRule::kMax, 3, 2), 3);
  EXPECT_EQ(Combined(MetricRule::kMax, 2, 3), 3);
  EXPECT_EQ(Combined(MetricRule::kMin, 3, 2), 2);
  EXPECT_EQ(Combined(MetricRule::kMin, 2, 3), 2);
  EXPECT_EQ(Combined(MetricRule::kSum, 3, 2), 5);
}

TEST(MetricRuleTest, NanStaysWhereverItCame) {
  for (const MetricRule rule : {MetricRule::kMax, MetricRule::kMin, MetricRule::kSum}) {
    EXPECT_TRUE(std::isnan(Combined(rule, kNan, 1))) << ToString(rule);
    EXPECT_TRUE(std::isnan(Combined(rule, 1, kNan))) << ToString(rule);
  }
  EXPECT_EQ(Combined(MetricRule::kLast, kNan, 1), 1);
}

TEST(MetricRuleTest, EachHasANameOfItsOwn) {
  for (const MetricRule rule :
       {MetricRule::kLast, MetricRule::kMax, MetricRule::kMin, MetricRule::kSum}) {
    EXPECT_EQ(MetricRuleFromString(ToString(rule)), rule);
  }
  EXPECT_FALSE(MetricRuleFromString("mean"));
}

}  // namespace
}  // namespace assay
