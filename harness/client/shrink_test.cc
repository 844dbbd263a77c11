// SPDX-License-Identifier: Apache-2.0
#include "client/shrink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <numeric>
#include <optional>
#include <vector>

namespace assay {
namespace {

using testing::ElementsAre;

/// Steps are numbers; a simpler one is half, or one less.
std::vector<int> Simpler(const int& step) {
  return step <= 1 ? std::vector<int>{} : std::vector<int>{step / 2, step - 1};
}

std::vector<int> UpTo(int count) {
  std::vector<int> steps(static_cast<std::size_t>(count));
  std::iota(steps.begin(), steps.end(), 1);
  return steps;
}

TEST(Shrink, FindsTheTwoStepsThatMatter) {
  const auto fails = [](const std::vector<int>& steps) -> std::optional<std::size_t> {
    const auto first = std::ranges::find(steps, 7);
    const auto second = std::find(first, steps.end(), 31);
    if (second == steps.end()) {
      return std::nullopt;
    }
    return static_cast<std::size_t>(second - steps.begin());
  };
  EXPECT_THAT(Shrink<int>(UpTo(40), 30, {.fails = fails, .simpler = Simpler}), ElementsAre(7, 31));
}

TEST(Shrink, MakesStepsSimpler) {
  const auto fails = [](const std::vector<int>& steps) -> std::optional<std::size_t> {
    const auto at = std::ranges::find_if(steps, [](int step) { return step >= 11; });
    if (at == steps.end()) {
      return std::nullopt;
    }
    return static_cast<std::size_t>(at - steps.begin());
  };
  EXPECT_THAT(Shrink<int>({3, 90, 4}, 1, {.fails = fails, .simpler = Simpler}), ElementsAre(11));
}

/// Only the sum over all steps counts, seen after the last one.
TEST(Shrink, KeepsAllStepsOfAFailureSeenAtTheEnd) {
  const auto fails = [](const std::vector<int>& steps) -> std::optional<std::size_t> {
    return std::accumulate(steps.begin(), steps.end(), 0) >= 6 ? std::optional(steps.size())
                                                               : std::nullopt;
  };
  const std::vector<int> shrunk =
      Shrink<int>({1, 1, 1, 1, 1, 1, 1, 1}, 8, {.fails = fails, .simpler = Simpler});
  EXPECT_THAT(shrunk, ElementsAre(1, 1, 1, 1, 1, 1));
}

TEST(Shrink, DropsWhatComesAfterTheFailureWithoutARun) {
  int runs = 0;
  const auto fails = [&runs](const std::vector<int>&) -> std::optional<std::size_t> {
    ++runs;
    return std::nullopt;
  };
  EXPECT_THAT(Shrink<int>({5, 6, 7, 8}, 1, {.fails = fails, .simpler = Simpler, .most_runs = 0}),
              ElementsAre(5, 6));
  EXPECT_EQ(runs, 0);
}

TEST(Shrink, StopsAtItsLimitWithWhatItHas) {
  int runs = 0;
  const auto fails = [&runs](const std::vector<int>& steps) -> std::optional<std::size_t> {
    ++runs;
    return steps.empty() ? std::nullopt : std::optional(steps.size() - 1);
  };
  EXPECT_FALSE(
      Shrink<int>(UpTo(1000), 999, {.fails = fails, .simpler = Simpler, .most_runs = 5}).empty());
  EXPECT_LE(runs, 5);
}

/// Even where `simpler` never ends.
TEST(Shrink, EndsWhereStepsNeverBecomeLess) {
  const auto fails = [](const std::vector<int>&) { return std::optional<std::size_t>(0); };
  const auto same = [](const int& step) { return std::vector<int>{step}; };
  EXPECT_THAT(Shrink<int>({4}, 0, {.fails = fails, .simpler = same, .most_runs = 50}),
              testing::SizeIs(testing::Le(1U)));
}

}  // namespace
}  // namespace assay
