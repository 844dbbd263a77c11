// SPDX-License-Identifier: Apache-2.0
#include "score/leads.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <vector>

namespace assay {
namespace {

/// Draws of a score that is sure to ± `lead`, but for what single precision leaves over.
ScoreDraws SureTo(double lead, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  ScoreDraws draws(kDraws);
  for (float& draw : draws) {
    draw = static_cast<float>(normal(random));
  }
  const double factor = lead / HalfWidth(draws);
  for (float& draw : draws) {
    draw = static_cast<float>(factor * draw);
  }
  return draws;
}

/// Whatever is seen from sums in single precision, the limit is that of sums in double precision.
TEST(LeadsTest, ALeadAsWideAsItsUncertaintyIsLookedAtAsIsSurelyBetterDoes) {
  std::mt19937_64 random(1);
  int sure = 0;
  int unsure = 0;
  for (int i = 0; i < 200; ++i) {
    const double lead = 0.1 * (1 + i % 50);
    const ScoreDraws draws = SureTo(lead, random);
    const std::vector<Contender> pair = {{.id = "a", .score = lead, .draws = draws},
                                         {.id = "b", .score = 0, .draws = {}}};
    const bool is_sure = IsSurelyBetter(pair[0], pair[1]);
    EXPECT_EQ(Leads(pair).IsSure(0, 1), is_sure) << i;
    (is_sure ? sure : unsure) += 1;
  }
  EXPECT_GT(sure, 50);
  EXPECT_GT(unsure, 50);
}

TEST(LeadsTest, WhoIsNotAheadIsNotSureToBe) {
  const ScoreDraws draws(kDraws, 50);
  const std::vector<Contender> equal = {{.id = "a", .score = 50, .draws = draws},
                                        {.id = "b", .score = 50, .draws = draws},
                                        {.id = "c", .score = 50.1, .draws = draws}};
  const Leads leads(equal);
  EXPECT_FALSE(leads.IsSure(0, 1));
  EXPECT_FALSE(leads.IsSure(0, 2));
  EXPECT_TRUE(leads.IsSure(2, 0));
}

}  // namespace
}  // namespace assay
