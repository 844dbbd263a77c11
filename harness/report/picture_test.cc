// SPDX-License-Identifier: Apache-2.0
#include "report/picture.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "score/synthetic.h"

namespace assay {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Truly;

struct Pictures : testing::Test {
  Challenges challenges = {{"layernorm_backward", synthetic::LayerNormChallenge()}};
  std::vector<Evidence> cells = synthetic::LayerNormCells();

  [[nodiscard]] std::vector<Picture> Make() const {
    return PicturesOf(MakeBoard(cells, challenges));
  }
  [[nodiscard]] std::string ProgramOf(std::string_view path) const {
    for (const Picture& picture : Make()) {
      if (picture.path == path) {
        return picture.program;
      }
    }
    ADD_FAILURE() << "no picture " << path;
    return "";
  }
};

TEST_F(Pictures, HoldEachModelsScoresWithTheirUncertainty) {
  const Board board = MakeBoard(cells, challenges);
  const Scorecard& first = board.challenges[0].cards[0];
  const std::string program = ProgramOf("pictures/layernorm_backward_scores.svg");
  EXPECT_THAT(program, HasSubstr("title 'Qwen3.6-27B'"));
  EXPECT_THAT(program, HasSubstr("title 'MiniMax-M2.7'"));
  for (const DimensionScore& score : first.dimensions) {
    if (score.score) {
      EXPECT_THAT(program,
                  testing::ContainsRegex(fmt::format("\n{:.1f} [-0-9.]+ {:.1f}\n", *score.score,
                                                     score.uncertainty.value_or(0))));
    }
  }
}

TEST_F(Pictures, EqualBoardsGiveEqualPicturesAndEachHasAPathOfItsOwn) {
  const std::vector<Picture> pictures = Make();
  EXPECT_EQ(Make(), pictures);
  std::set<std::string> paths;
  for (const Picture& picture : pictures) {
    EXPECT_TRUE(paths.insert(picture.path).second) << picture.path;
    EXPECT_THAT(picture.path, testing::MatchesRegex("pictures/[a-z0-9_.-]+\\.svg"));
  }
}

/// A kernel at 10 operations a byte that takes 1 us for 1e6 of them, on a GPU of 19.5 Tflop/s and
/// 2.039 TB/s.
TEST_F(Pictures, ARooflineHasEachKernelBelowTheRoofOfItsGpu) {
  for (const Picture& picture : Make()) {
    EXPECT_THAT(picture.path, Not(HasSubstr("roofline")));  // No launch counts operations.
  }
  LaunchEvidence launch = synthetic::MakeLaunch("a", "kernel");
  launch.values["assay__flops_f32"] = 1e6;
  launch.values["dram__bytes_read.sum"] = 90'000;
  launch.values["dram__bytes_write.sum"] = 10'000;
  launch.values["assay__modelled_time_ns"] = 1000;
  cells[0].suite.launches = {launch};
  const std::string program = ProgramOf("pictures/layernorm_backward_roofline.svg");
  EXPECT_THAT(program, HasSubstr("\n10 1e+12\n"));
  EXPECT_THAT(program, HasSubstr("\n9.56 1.949e+13\n"));
  EXPECT_THAT(program, HasSubstr("modelled on NVIDIA A100"));
  cells[0].suite.launches[0].gpu = "`id`";
  for (const Picture& picture : Make()) {
    EXPECT_THAT(picture.path, Not(HasSubstr("roofline")));
  }
}

/// gnuplot runs what stands in back quotes, and `system` in what is evaluated.
TEST_F(Pictures, NamesOfSubmissionsCannotLeaveTheirQuotes) {
  const std::string hostile = "x'; system('rm -rf ~'); `id` \"$(id)\" \\\n@m {/b}";
  for (Evidence& cell : cells) {
    cell.model_name = hostile;
    for (WorkloadEvidence& one : cell.bench.workloads) {
      one.name = hostile;
    }
  }
  for (const Picture& picture : Make()) {
    for (const std::string& line : SplitLines(picture.program)) {
      EXPECT_EQ(std::ranges::count(line, '\'') % 2, 0) << line;
    }
    EXPECT_THAT(picture.program, Not(HasSubstr("`")));
    EXPECT_THAT(picture.program, Not(HasSubstr("system('")));
    EXPECT_THAT(picture.program, Not(HasSubstr("@m")));
  }
}

/// A curve that a submission's suite run names: its name becomes a path.
TEST_F(Pictures, OnlyCurvesThatARowReadsAreDrawn) {
  for (Evidence& cell : cells) {
    cell.suite.curves["../../evil"] = {{1, 1}, {2, 2}, {3, 3}};
  }
  for (const Picture& picture : Make()) {
    EXPECT_THAT(picture.path, Not(HasSubstr("evil")));
  }
}

TEST_F(Pictures, WhatNobodyHasIsNotDrawn) {
  EXPECT_THAT(PicturesOf(MakeBoard({}, challenges)), IsEmpty());
  for (Evidence& cell : cells) {
    cell.bench = {};
  }
  for (const Picture& picture : Make()) {
    EXPECT_THAT(picture.path, Not(HasSubstr("_times")));
  }
}

/// gnuplot ends with an error where nothing that it is to draw has a place on its axes, and reports
/// with it.
TEST_F(Pictures, ACurveThatNoneOfTheFirstHasIsNotDrawn) {
  Rubric& rubric = challenges.begin()->second.rubric;
  rubric.criteria.push_back(synthetic::MakeCriterion("offsets", rubric.dimensions.front().id,
                                                     "curve(error_by_offset, 3)"));
  const auto is_curve = [](const Picture& picture) {
    return picture.path == "pictures/layernorm_backward_offsets.svg";
  };
  ASSERT_THAT(Make(), Contains(Truly(is_curve)));
  std::vector<Evidence> many = {cells[1]};
  for (int i = 0; i < 10; ++i) {
    Evidence& cell = many.emplace_back(cells[2]);
    cell.model = cell.model_name = fmt::format("m{:02}", i);
    cell.suite.curves.clear();
  }
  cells = many;
  EXPECT_THAT(Make(), Not(Contains(Truly(is_curve))));
}

TEST_F(Pictures, OfManyModelsTheFirstAreShown) {
  std::vector<Evidence> many;
  for (int i = 0; i < 40; ++i) {
    Evidence& cell = many.emplace_back(cells[0]);
    cell.model = cell.model_name = fmt::format("m{:02}", i);
  }
  cells = many;
  const std::string scores = ProgramOf("pictures/layernorm_backward_scores.svg");
  EXPECT_THAT(scores, HasSubstr("title 'm05'"));
  EXPECT_THAT(scores, Not(HasSubstr("title 'm06'")));
  const std::string map = ProgramOf("pictures/heat_map.svg");
  EXPECT_THAT(map, HasSubstr("'m29' 29"));
  EXPECT_THAT(map, Not(HasSubstr("'m30'")));
}

}  // namespace
}  // namespace assay
