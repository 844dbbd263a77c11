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

/// Two radiologists on 85 xeromammograms: D. G. Altman, "Practical Statistics for Medical Research"
/// (1991), section 14.3, who prints 0.47, and 0.57 with linear weights.
const std::vector<std::vector<double>> kAltmansExample = {
    {21, 12, 0, 0}, {4, 17, 1, 0}, {3, 9, 15, 2}, {0, 0, 0, 1}};

TEST(CohenKappaTest, AgreesWithPublishedWorkedExamples) {
  EXPECT_NEAR(*CohenKappa(kAltmansExample, KappaWeights::kNone), 0.47, 0.005);
  EXPECT_NEAR(*CohenKappa(kAltmansExample, KappaWeights::kLinear), 0.57, 0.005);
  // 0.7 agree, 0.5 would by chance.
  EXPECT_DOUBLE_EQ(*CohenKappa({{20, 5}, {10, 15}}, KappaWeights::kNone), 0.4);
  EXPECT_DOUBLE_EQ(*CohenKappa({{20, 5}, {10, 15}}, KappaWeights::kLinear), 0.4);
}

TEST(CohenKappaTest, IsOneWhereBothAgreeAndNothingWithoutVariation) {
  EXPECT_DOUBLE_EQ(*CohenKappa({{4, 0, 0}, {0, 2, 0}, {0, 0, 1}}, KappaWeights::kLinear), 1);
  EXPECT_LT(*CohenKappa({{0, 3}, {3, 0}}, KappaWeights::kNone), 0);
  EXPECT_EQ(CohenKappa({{4, 0}, {0, 0}}, KappaWeights::kNone), std::nullopt);
  EXPECT_EQ(CohenKappa({}, KappaWeights::kNone), std::nullopt);
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
