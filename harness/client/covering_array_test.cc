// SPDX-License-Identifier: Apache-2.0
#include "client/covering_array.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

namespace assay {
namespace {

using Triples = std::vector<std::array<int, 3>>;

bool AllowsAll(std::span<const int> /*choice*/) { return true; }

/// So many features, of so many values each.
std::vector<Feature> FeaturesOf(std::size_t features, std::size_t values) {
  return {features, Feature{.name = "feature", .values = {values, "value"}}};
}

/// The different values that rows have in those columns.
std::set<std::vector<int>> TuplesOf(const std::vector<FeatureChoice>& rows,
                                    const std::vector<std::size_t>& columns) {
  std::set<std::vector<int>> tuples;
  for (const FeatureChoice& row : rows) {
    std::vector<int> tuple(columns.size());
    std::ranges::transform(columns, tuple.begin(), [&](std::size_t column) { return row[column]; });
    tuples.insert(tuple);
  }
  return tuples;
}

TEST(CoveringArray, HasEveryPairInFewRows) {
  const std::vector<Feature> features = FeaturesOf(10, 4);
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const auto rows = CoveringArray(features, {}, AllowsAll, seed);
    for (std::size_t a = 0; a < features.size(); ++a) {
      for (std::size_t b = a + 1; b < features.size(); ++b) {
        EXPECT_EQ(TuplesOf(rows, {a, b}).size(), 16U) << a << " with " << b;
      }
    }
    // Orthogonal arrays have 16 for five features; AETG reports 28 or so for ten.
    EXPECT_LE(rows.size(), 34U);
  }
}

TEST(CoveringArray, HasEveryTripleThatIsNamed) {
  const Triples triples = {{0, 2, 4}};
  const auto rows = CoveringArray(FeaturesOf(5, 3), triples, AllowsAll, 7);
  EXPECT_EQ(TuplesOf(rows, {0, 2, 4}).size(), 27U);
  EXPECT_LT(TuplesOf(rows, {0, 1, 3}).size(), 27U) << "more than was asked for";
}

TEST(CoveringArray, KeepsWhatTheConstraintForbidsOutOfAllRows) {
  const Constraint unequal = [](std::span<const int> choice) {
    return choice[0] < 0 || choice[0] != choice[1];
  };
  const auto rows = CoveringArray(FeaturesOf(4, 3), {}, unequal, 5);
  EXPECT_EQ(TuplesOf(rows, {0, 1}).size(), 6U);
  EXPECT_EQ(TuplesOf(rows, {2, 3}).size(), 9U);
  for (const FeatureChoice& row : rows) {
    EXPECT_NE(row[0], row[1]);
  }
}

/// 0 in the first column goes with nothing in the third, which a look at pairs alone does not show:
/// every value of the second forbids some of it.
TEST(CoveringArray, LeavesOutPairsThatNoWholeRowHas) {
  const Constraint allowed = [](std::span<const int> choice) {
    return choice[0] != 0 || choice[1] < 0 || choice[2] < 0;
  };
  const auto rows = CoveringArray(FeaturesOf(3, 2), {}, allowed, 5);
  EXPECT_EQ(TuplesOf(rows, {0}).size(), 1U);
  EXPECT_EQ(TuplesOf(rows, {1, 2}).size(), 4U);
}

TEST(CoveringArray, IsTheSameFromTheSameSeedAlone) {
  const std::vector<Feature> features = FeaturesOf(6, 3);
  const auto rows = CoveringArray(features, {}, AllowsAll, 11);
  EXPECT_EQ(rows, CoveringArray(features, {}, AllowsAll, 11));
  EXPECT_NE(rows, CoveringArray(features, {}, AllowsAll, 12));
}

TEST(CoveringArray, HasNoRowsWhereNothingIsAllowed) {
  const Constraint nothing = [](std::span<const int> /*choice*/) { return false; };
  EXPECT_THAT(CoveringArray(FeaturesOf(3, 2), {}, nothing, 1), testing::IsEmpty());
}

TEST(DescribeChoice, NamesFeaturesAndValues) {
  const std::vector<Feature> features = {{.name = "type", .values = {"f32", "f64"}},
                                         {.name = "rows", .values = {"none", "one"}}};
  EXPECT_EQ(DescribeChoice(features, {1, 0}), "type=f64, rows=none");
}

}  // namespace
}  // namespace assay
