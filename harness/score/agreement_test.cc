// SPDX-License-Identifier: Apache-2.0
#include "score/agreement.h"

#include <gtest/gtest.h>

#include <vector>

namespace assay {
namespace {

/// The worked example of Krippendorff (2011), section C: four observers, twelve units, data
/// missing. Each row is what one unit was given.
const std::vector<std::vector<double>> kWorkedExample = {
    {1, 1, 1},    {2, 2, 3, 2}, {3, 3, 3, 3}, {3, 3, 3, 3}, {2, 2, 2, 2}, {1, 2, 3, 4},
    {4, 4, 4, 4}, {1, 1, 2, 1}, {2, 2, 2, 2}, {5, 5, 5},    {1, 1},       {3}};

TEST(KrippendorffAlphaTest, AgreesWithThePublishedWorkedExample) {
  EXPECT_NEAR(*KrippendorffAlpha(kWorkedExample, Difference::kNominal), 0.743, 0.0005);
  EXPECT_NEAR(*KrippendorffAlpha(kWorkedExample, Difference::kOrdinal), 0.815, 0.0005);
  EXPECT_NEAR(*KrippendorffAlpha(kWorkedExample, Difference::kInterval), 0.849, 0.0005);
}

TEST(KrippendorffAlphaTest, IsOneWhereAllAgreeAndNotAboveChanceWhereTheyDoNot) {
  EXPECT_DOUBLE_EQ(*KrippendorffAlpha({{0, 0, 0}, {3, 3, 3}}, Difference::kOrdinal), 1);
  EXPECT_LT(*KrippendorffAlpha({{0, 4}, {4, 0}}, Difference::kOrdinal), 0);
}

TEST(KrippendorffAlphaTest, UnitsWithOneValueSayNothing) {
  const std::vector<std::vector<double>> without = {{0, 1, 0}, {3, 4, 4}};
  std::vector<std::vector<double>> with = without;
  with.push_back({2});
  with.emplace_back();
  EXPECT_EQ(KrippendorffAlpha(with, Difference::kOrdinal),
            KrippendorffAlpha(without, Difference::kOrdinal));
}

TEST(KrippendorffAlphaTest, WithoutVariationThereIsNone) {
  EXPECT_FALSE(KrippendorffAlpha({{3, 3, 3}, {3, 3, 3}}, Difference::kInterval).has_value());
  EXPECT_FALSE(KrippendorffAlpha({{3}, {4}}, Difference::kOrdinal).has_value());
  EXPECT_FALSE(KrippendorffAlpha({}, Difference::kNominal).has_value());
}

TEST(MedianOfTest, IsTheMiddleOneOrTheMeanOfTwo) {
  EXPECT_EQ(MedianOf({4, 0, 3}), 3);
  EXPECT_EQ(MedianOf({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(MedianOf({2}), 2);
}

}  // namespace
}  // namespace assay
