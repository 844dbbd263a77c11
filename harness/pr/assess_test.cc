// SPDX-License-Identifier: Apache-2.0
#include "pr/assess.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "score/synthetic.h"

namespace assay {
namespace {

using synthetic::MakeCase;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// A board of one challenge whose only row is a pass rate, and changes of it.
class AssessTest : public ::testing::Test {
 protected:
  AssessTest() {
    ChallengeView view =
        synthetic::MakeChallenge({synthetic::MakeCriterion("sums", "correct", "pass_rate(sum)")});
    challenge_ = view.spec.id;
    challenges_[challenge_] = std::move(view);
  }

  [[nodiscard]] Evidence Cell(const std::string& model, int right) const {
    Evidence cell = synthetic::MakeCell(model);
    cell.challenge = challenge_;
    for (int i = 0; i < 4; ++i) {
      cell.suite.cases.push_back(MakeCase("Sum." + std::to_string(i), {"sum"},
                                          i < right ? Verdict::kAccepted : Verdict::kWrongAnswer,
                                          i < right ? "" : "off"));
    }
    cell.verdict = right == 4 ? Verdict::kAccepted : Verdict::kWrongAnswer;
    return cell;
  }

  [[nodiscard]] ChangedCell Changed(std::optional<Evidence> before,
                                    std::optional<Evidence> after) const {
    ChangedCell cell;
    cell.cell = {"m", challenge_};
    cell.change = before ? CellChange::kChanged : CellChange::kNew;
    cell.before = std::move(before);
    cell.after = std::move(after);
    return cell;
  }

  Assessment AssessOne(const ChangedCell& cell, ChangeGate gate = ChangeGate::kCorrectness) {
    change_.cells = {cell};
    std::vector<Evidence> before = others_;
    std::vector<Evidence> after = others_;
    if (cell.before) {
      before.push_back(*cell.before);
    }
    if (cell.after) {
      after.push_back(*cell.after);
    }
    return Assess(change_, challenges_, before, after, gate);
  }

  std::string challenge_;
  Challenges challenges_;
  std::vector<Evidence> others_;
  Change change_;
};

TEST_F(AssessTest, AcceptedBeforeAndNowHolds) {
  const Assessment assessment = AssessOne(Changed(Cell("m", 4), Cell("m", 4)));
  EXPECT_TRUE(assessment.gate_holds);
  EXPECT_EQ(VerdictLine(assessment), "accepted 1 of 1, rank 1 of 1");
}

TEST_F(AssessTest, AcceptedBeforeAndWrongNowFails) {
  const Assessment assessment = AssessOne(Changed(Cell("m", 4), Cell("m", 2)));
  EXPECT_FALSE(assessment.gate_holds);
  EXPECT_EQ(assessment.cells[0].gate_failure, "is wrong_answer, and was accepted");
  EXPECT_THAT(assessment.cells[0].newly_failing, ElementsAre("Sum.2", "Sum.3"));
  EXPECT_THAT(assessment.cells[0].moved, SizeIs(1));
  EXPECT_FALSE(assessment.cells[0].moved[0].is_better);
}

TEST_F(AssessTest, WrongBeforeAndNowHolds) {
  const Assessment assessment = AssessOne(Changed(Cell("m", 1), Cell("m", 2)));
  EXPECT_TRUE(assessment.gate_holds);
  EXPECT_THAT(assessment.cells[0].newly_passing, ElementsAre("Sum.1"));
  EXPECT_TRUE(assessment.cells[0].moved.at(0).is_better);
}

TEST_F(AssessTest, WrongBeforeAndMoreSoNowFails) {
  const Assessment fewer = AssessOne(Changed(Cell("m", 3), Cell("m", 1)));
  EXPECT_FALSE(fewer.gate_holds);
  EXPECT_EQ(fewer.cells[0].gate_failure, "is wrong_answer, and 2 cases that passed no longer do");
  EXPECT_EQ(AssessOne(Changed(Cell("m", 3), Cell("m", 2))).cells[0].gate_failure,
            "is wrong_answer, and 1 case that passed no longer does");
  Evidence broken = Cell("m", 0);
  broken.suite.cases.clear();
  broken.verdict = Verdict::kCompileError;
  EXPECT_FALSE(AssessOne(Changed(Cell("m", 3), broken)).gate_holds);
}

TEST_F(AssessTest, BaseThatWeFailedToGradeIsNone) {
  Evidence ours = Cell("m", 0);
  ours.verdict = Verdict::kJudgeError;
  EXPECT_FALSE(AssessOne(Changed(ours, Cell("m", 3))).gate_holds);
  EXPECT_TRUE(AssessOne(Changed(ours, Cell("m", 4))).gate_holds);
}

TEST_F(AssessTest, NewOneHasToBeAccepted) {
  EXPECT_TRUE(AssessOne(Changed(std::nullopt, Cell("m", 4))).gate_holds);
  EXPECT_FALSE(AssessOne(Changed(std::nullopt, Cell("m", 3))).gate_holds);
  EXPECT_TRUE(AssessOne(Changed(std::nullopt, Cell("m", 3)), ChangeGate::kNone).gate_holds);
}

TEST_F(AssessTest, FilesAtFaultFail) {
  ChangedCell cell = Changed(Cell("m", 2), std::nullopt);
  cell.faults = {{.kind = ErrorKind::kConfiguration, .where = "x", .cause = "y", .remedy = "z"}};
  const Assessment assessment = AssessOne(cell);
  EXPECT_FALSE(assessment.gate_holds);
  EXPECT_EQ(VerdictLine(assessment), "accepted 0 of 1");
}

TEST_F(AssessTest, RemovedIsNoFailureAndIsNotGraded) {
  ChangedCell cell = Changed(Cell("m", 4), std::nullopt);
  cell.change = CellChange::kRemoved;
  const Assessment assessment = AssessOne(cell);
  EXPECT_TRUE(assessment.gate_holds);
  EXPECT_EQ(VerdictLine(assessment), "nothing to grade, 1 removed");
}

TEST_F(AssessTest, OurFailureIsNotTheSubmissions) {
  Evidence ours = Cell("m", 0);
  ours.verdict = Verdict::kJudgeError;
  const Assessment assessment = AssessOne(Changed(Cell("m", 4), ours));
  EXPECT_TRUE(assessment.gate_holds);
  EXPECT_EQ(assessment.judge_errors, 1);
  EXPECT_THAT(VerdictLine(assessment), HasSubstr("1 not graded by our fault"));
}

TEST_F(AssessTest, RefusedNeverHolds) {
  change_.refusals = {"it changes harness/x.cc"};
  EXPECT_FALSE(Assess(change_, challenges_, {}, {}, ChangeGate::kNone).gate_holds);
}

TEST_F(AssessTest, PlacesAreIntervalsAndGainsAreCounted) {
  others_ = {Cell("a", 4), Cell("b", 3), Cell("c", 3), Cell("d", 1)};
  EXPECT_EQ(VerdictLine(AssessOne(Changed(Cell("m", 1), Cell("m", 3)))),
            "accepted 0 of 1, rank 2 to 4 of 5, +2");
  EXPECT_EQ(VerdictLine(AssessOne(Changed(std::nullopt, Cell("m", 4)))),
            "accepted 1 of 1, rank 1 to 2 of 5, new");
  EXPECT_EQ(VerdictLine(AssessOne(Changed(Cell("m", 4), Cell("m", 0)))),
            "accepted 0 of 1, rank 5 of 5, -4");
}

// One workload, timed over blocks of one pair: `ratio` of the baseline's time.
Evidence Timed(Evidence cell, double ratio) {
  const RatioEstimate estimate{.ratio = ratio, .low = ratio * 0.98, .high = ratio * 1.02};
  WorkloadEvidence workload = synthetic::MakeWorkload("sum/1", estimate);
  workload.blocks.clear();
  for (int i = 0; i < 12; ++i) {
    const auto ns = static_cast<std::int64_t>(1e6 * ratio * (1 + 0.001 * i));
    workload.blocks.push_back({.pairs = {{.submission_ns = ns, .baseline_ns = 1'000'000}}});
  }
  cell.bench.workloads = {workload};
  cell.bench.controls = synthetic::MakeControls(0);
  return cell;
}

TEST_F(AssessTest, PerformanceCountsOnRequestAndWhereItIsResolved) {
  Criterion times =
      synthetic::MakeCriterion("times", "fast", "bench_ratio(sum)", {{1, 100}, {9, 0}});
  times.kind = CriterionKind::kBench;
  times.edge = Edge::kLower;
  times.title = "Times";
  challenges_[challenge_].rubric.criteria.push_back(times);
  const ChangedCell slower = Changed(Timed(Cell("m", 4), 1), Timed(Cell("m", 4), 2));
  EXPECT_TRUE(AssessOne(slower).gate_holds);
  const Assessment assessment = AssessOne(slower, ChangeGate::kPerformance);
  EXPECT_FALSE(assessment.gate_holds);
  EXPECT_EQ(assessment.cells[0].gate_failure, "is slower than the base's in \"Times\"");
  const ChangedCell faster = Changed(Timed(Cell("m", 4), 2), Timed(Cell("m", 4), 1));
  EXPECT_TRUE(AssessOne(faster, ChangeGate::kPerformance).gate_holds);
  Evidence elsewhere = Timed(Cell("m", 4), 2);
  elsewhere.environment.machine.cpu_model = "another";
  const Assessment other =
      AssessOne(Changed(Timed(Cell("m", 4), 1), elsewhere), ChangeGate::kPerformance);
  EXPECT_TRUE(other.gate_holds);
  EXPECT_EQ(other.cells[0].uncompared_times, 1);
  EXPECT_EQ(other.cells[0].why_uncompared, "timed on machines of different classes");
}

}  // namespace
}  // namespace assay
