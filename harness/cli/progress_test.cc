// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <sstream>
#include <string>

#include "cli/progress_display.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

ProgressState State() {
  return {.cell_index = 1,
          .cells = 3,
          .cell = "glm-5/layernorm_backward",
          .phase = GradePhase::kBench,
          .done = 48,
          .total = 96,
          .seconds_left = 80};
}

TEST(FormatProgress, ShowsCellPhaseCasesAndTimeLeft) {
  EXPECT_EQ(
      FormatProgress(State(), 100),
      "[2/3] [###.......] glm-5/layernorm_backward: bench 1 of 3 48/96, about 1 min 20 s left");
}

TEST(FormatProgress, NameGivesWayOnANarrowTerminal) {
  EXPECT_EQ(FormatProgress(State(), 60), "[2/3] bench 1 of 3 48/96, about 1 min 20 s left");
  EXPECT_EQ(FormatProgress(State(), 10), "[2/3] benc");
}

TEST(FormatProgress, PhaseWithoutCasesShowsNone) {
  ProgressState state = State();
  state.phase = GradePhase::kBuild;
  state.done = 0;
  state.total = 0;
  state.seconds_left.reset();
  EXPECT_EQ(FormatProgress(state, 100), "[2/3] [..........] glm-5/layernorm_backward: build");
}

TEST(ShareDone, NeverFallsFromOnePhaseToTheNext) {
  double last = -1;
  for (int phase = 0; phase < kGradePhases; ++phase) {
    for (const int done : {0, 5, 10}) {
      const double share = ShareDone(
          {.cell = {}, .phase = static_cast<GradePhase>(phase), .done = done, .total = 10});
      EXPECT_GE(share, last);
      last = share;
    }
  }
  EXPECT_DOUBLE_EQ(last, 1.0);
}

TEST(FormatDuration, UsesTheTwoLargestUnits) {
  EXPECT_EQ(FormatDuration(0.4), "0 s");
  EXPECT_EQ(FormatDuration(59.4), "59 s");
  EXPECT_EQ(FormatDuration(59.6), "1 min 0 s");
  EXPECT_EQ(FormatDuration(7500), "2 h 5 min");
  EXPECT_EQ(FormatDuration(-1), "?");
  EXPECT_EQ(FormatDuration(std::numeric_limits<double>::quiet_NaN()), "?");
  EXPECT_EQ(FormatDuration(std::numeric_limits<double>::infinity()), "?");
}

TEST(TimeLeft, LearnsFromFinishedPhases) {
  TimeLeft left(2);
  for (int phase = 0; phase < kGradePhases; ++phase) {
    left.PhaseEnded(static_cast<GradePhase>(phase), 10);
  }
  left.CellEnded();
  EXPECT_DOUBLE_EQ(left.Seconds(GradePhase::kBuild, 0, 0, 0), 90);
  EXPECT_DOUBLE_EQ(left.Seconds(GradePhase::kBuild, 4, 0, 0), 86);
  EXPECT_DOUBLE_EQ(left.Seconds(GradePhase::kStatics, 5, 5, 10), 5);
}

TEST(TimeLeft, SlowPhaseStretchesAndNeverGoesBelowZero) {
  TimeLeft left(1);
  left.PhaseEnded(GradePhase::kStatics, 10);
  EXPECT_DOUBLE_EQ(left.Seconds(GradePhase::kStatics, 50, 0, 0), 0);
  EXPECT_DOUBLE_EQ(left.Seconds(GradePhase::kStatics, 20, 10, 20), 5);
}

TEST(TimeLeft, CountsTheCellsThatFollow) {
  TimeLeft two(2);
  TimeLeft one(1);
  EXPECT_DOUBLE_EQ(two.Seconds(GradePhase::kBuild, 0, 0, 0),
                   2 * one.Seconds(GradePhase::kBuild, 0, 0, 0));
}

// Plays one graded and one reused cell.
std::string Show(ErrorStream stream, ProgressStyle style) {
  std::ostringstream out;
  std::ostringstream err;
  Console console{.out = out, .err = err, .error_stream = stream, .columns = 100};
  std::vector<PlannedCell> plan(2);
  plan[0].submission.model = "a";
  plan[0].submission.challenge = "c";
  plan[0].reason = "it was never graded";
  plan[1].submission.model = "b";
  plan[1].submission.challenge = "c";
  {
    ProgressDisplay display(console, style, plan);
    display.CellStarted(0, plan[0]);
    display.PhaseStarted(GradePhase::kSuite);
    display.CaseDone(1, 2, "A.B");
    display.CellEnded({.cell = {"a", "c"},
                       .action = CellOutcome::Action::kGraded,
                       .verdict = Verdict::kAccepted,
                       .error = {},
                       .seconds = 41});
    display.CellStarted(1, plan[1]);
    display.CellEnded({.cell = {"b", "c"},
                       .action = CellOutcome::Action::kReused,
                       .verdict = Verdict::kWrongAnswer,
                       .error = {}});
  }
  EXPECT_EQ(out.str(), "");
  return err.str();
}

TEST(ProgressDisplay, PlainStreamGetsWholeLinesWithoutControlCharacters) {
  EXPECT_EQ(Show(ErrorStream::kPlain, ProgressStyle::kShown),
            "[1/1] a/c: grading, since it was never graded\n"
            "[1/1] a/c: suite\n"
            "[1/1] a/c: accepted in 41 s\n"
            "b/c: wrong_answer, evidence still holds\n");
}

TEST(ProgressDisplay, LineThatEndsACellSaysWhyItFailed) {
  std::ostringstream out;
  std::ostringstream err;
  Console console{.out = out, .err = err, .error_colour = Colour::kOn};
  std::vector<PlannedCell> plan(1);
  plan[0].submission.model = "a";
  plan[0].submission.challenge = "c";
  plan[0].reason = "it was never graded";
  {
    ProgressDisplay display(console, ProgressStyle::kShown, plan);
    display.CellStarted(0, plan[0]);
    display.SetReason("a.cc:1:1: error: no");
    display.CellEnded({.cell = {"a", "c"},
                       .action = CellOutcome::Action::kGraded,
                       .verdict = Verdict::kCompileError,
                       .error = {},
                       .seconds = 5});
    display.CellStarted(0, plan[0]);
    display.CellEnded(
        {.cell = {"a", "c"},
         .action = CellOutcome::Action::kFailed,
         .verdict = Verdict::kJudgeError,
         .error = Error{
             .kind = ErrorKind::kJudge, .where = {}, .cause = "the suite\x1b died", .remedy = {}}});
  }
  EXPECT_THAT(err.str(), HasSubstr("\x1b[31mcompile_error\x1b[0m in 5 s: a.cc:1:1: error: no\n"));
  EXPECT_THAT(err.str(), HasSubstr("in 0 s: the suite? died\n"));
}

TEST(ProgressDisplay, TerminalLineIsDrawnOverAndErased) {
  const std::string shown = Show(ErrorStream::kTerminal, ProgressStyle::kShown);
  EXPECT_THAT(shown,
              ::testing::ContainsRegex("\r\x1b\\[2K\\[1/1\\] \\[[#.]+\\] a/c: suite, about"));
  EXPECT_THAT(shown, HasSubstr("\r\x1b[2K[1/1] a/c: accepted in 41 s\n"));
}

TEST(ProgressDisplay, HiddenShowsNothing) {
  EXPECT_EQ(Show(ErrorStream::kPlain, ProgressStyle::kHidden), "");
  EXPECT_EQ(Show(ErrorStream::kTerminal, ProgressStyle::kHidden), "");
}

}  // namespace
}  // namespace assay
