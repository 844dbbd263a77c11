// SPDX-License-Identifier: Apache-2.0
#include "exec/executor.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/file.h"
#include "exec/evidence_store.h"
#include "exec/repository_lock.h"
#include "process/interrupt.h"
#include "spec/temporary_repository.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// Remembers what it heard, one word each.
class Recorder : public RunObserver {
 public:
  void CellStarted(std::size_t /*index*/, const PlannedCell& cell) override {
    heard.push_back("start " + cell.submission.model);
  }
  void CellRetried(const Error& error) override { heard.push_back("retry " + error.cause); }
  void CellEnded(const CellOutcome& outcome) override {
    heard.push_back("end " + outcome.cell.model);
  }
  void PhaseStarted(GradePhase /*phase*/) override {}
  void CaseDone(int /*done*/, int /*total*/, std::string_view /*name*/) override {}

  std::vector<std::string> heard;
};

class ExecutorTest : public ::testing::Test {
 protected:
  ExecutorTest() {
    files_.Write("reference/adder/oracle.cc", "// oracle\n");
    files_.Write("harness/host/host.cc", "// host\n");
    files_.Write("build/inputs/adder.sources",
                 "challenges/adder/interface.h\nharness/host/host.cc\nreference/adder/oracle.cc\n");
    environment_.assay_version = "1.0.0";
    environment_.compiler = "g++ 12";
    environment_.sandbox_level = "full";
  }

  std::vector<PlannedCell> Plan(Reuse reuse = Reuse::kWhenItHolds,
                                std::optional<std::uint64_t> seed = std::nullopt) {
    const LoadedRepository loaded = LoadRepository(files_.root());
    EXPECT_THAT(loaded.faults, IsEmpty());
    InputReader reader({.folder = files_.root() / "build/inputs", .sources = files_.root()});
    auto plan = PlanCells(loaded.repository, {{"right", "adder"}, {"wrong", "adder"}}, reader,
                          environment_, reuse, seed);
    EXPECT_TRUE(plan.has_value());
    return plan.value_or(std::vector<PlannedCell>{});
  }

  std::vector<std::string> Reasons() {
    std::vector<std::string> reasons;
    for (const PlannedCell& cell : Plan()) {
      reasons.push_back(cell.reason);
    }
    return reasons;
  }

  // What a grader that succeeds returns.
  Evidence Accepted(const PlannedCell& cell) const {
    Evidence evidence;
    evidence.model = cell.submission.model;
    evidence.model_name = cell.model.name;
    evidence.reconstruction = cell.model.reconstruction;
    evidence.challenge = cell.submission.challenge;
    evidence.verdict = Verdict::kAccepted;
    evidence.release.verdict = Verdict::kAccepted;
    evidence.suite.cases = {{.name = "Sum.Small",
                             .tags = {"sum"},
                             .verdict = Verdict::kAccepted,
                             .gates = true,
                             .detail = "",
                             .error_over_bound = {},
                             .seconds = 0}};
    evidence.digests = ToDigests(cell.inputs);
    evidence.environment = environment_;
    evidence.environment.seed = seed_;
    return evidence;
  }

  RunSummary Run(Reuse reuse = Reuse::kWhenItHolds) {
    return RunPlan(
        files_.root(), Plan(reuse),
        [this](const PlannedCell& cell, ProgressSink&) -> Result<Evidence> {
          graded_.push_back(cell.submission.model);
          return Accepted(cell);
        },
        recorder_);
  }

  TemporaryRepository files_;
  Environment environment_;
  std::uint64_t seed_ = 7;
  std::vector<std::string> graded_;
  Recorder recorder_;
};

TEST_F(ExecutorTest, FirstRunGradesEveryCellInOrder) {
  EXPECT_THAT(Reasons(), ElementsAre("it was never graded", "it was never graded"));
  const RunSummary summary = Run();
  EXPECT_FALSE(summary.stopped.has_value());
  EXPECT_THAT(graded_, ElementsAre("right", "wrong"));
  EXPECT_THAT(recorder_.heard, ElementsAre("start right", "end right", "start wrong", "end wrong"));
}

TEST_F(ExecutorTest, SecondRunReusesEveryCell) {
  Run();
  graded_.clear();
  const RunSummary summary = Run();
  EXPECT_THAT(graded_, IsEmpty());
  ASSERT_EQ(summary.outcomes.size(), 2U);
  EXPECT_EQ(summary.outcomes[0].action, CellOutcome::Action::kReused);
  EXPECT_EQ(summary.outcomes[0].verdict, Verdict::kAccepted);
}

TEST_F(ExecutorTest, TouchedSourceRegradesItsCellAlone) {
  Run();
  graded_.clear();
  files_.Write("submissions/wrong/adder/add.cc", "// better\n");
  EXPECT_THAT(Reasons(), ElementsAre("", "submissions/wrong/adder/add.cc changed"));
  Run();
  EXPECT_THAT(graded_, ElementsAre("wrong"));
}

TEST_F(ExecutorTest, NewNameOfAModelIsTakenOverWithoutGrading) {
  Run();
  graded_.clear();
  files_.Write("submissions/wrong/model.yaml",
               "schema: 1\nname: \"Wrong 2\"\nreconstruction: false\nsource: test\n");
  const RunSummary summary = Run();
  EXPECT_THAT(graded_, IsEmpty());
  ASSERT_EQ(summary.outcomes.size(), 2U);
  EXPECT_FALSE(summary.outcomes[0].evidence_written);
  EXPECT_TRUE(summary.outcomes[1].evidence_written);
  const auto evidence = LoadEvidence(files_.root(), CellId{.model = "wrong", .challenge = "adder"});
  ASSERT_TRUE(evidence.has_value() && evidence->has_value());
  EXPECT_EQ((*evidence)->model_name, "Wrong 2");
  EXPECT_EQ((*evidence)->verdict, Verdict::kAccepted);
}

TEST_F(ExecutorTest, ForceRegradesAll) {
  Run();
  graded_.clear();
  Run(Reuse::kNever);
  EXPECT_THAT(graded_, ElementsAre("right", "wrong"));
}

TEST_F(ExecutorTest, WhateverDecidesEvidenceRegradesWhenItChanges) {
  Run();
  files_.Write("reference/adder/oracle.cc", "// other\n");
  const std::string oracle = "reference/adder/oracle.cc changed";
  EXPECT_THAT(Reasons(), ElementsAre(oracle, oracle));
  Run();
  files_.Write("challenges/adder/interface.h", "// other\n");
  const std::string interface = "challenges/adder/interface.h changed";
  EXPECT_THAT(Reasons(), ElementsAre(interface, interface));
  Run();
  files_.Write("harness/host/host.cc", "// other\n");
  const std::string host = "harness/host/host.cc changed";
  EXPECT_THAT(Reasons(), ElementsAre(host, host));
  EXPECT_THAT(Plan()[0].changes, ElementsAre(host));
  Run();
  environment_.assay_version = "2.0.0";
  EXPECT_EQ(Reasons()[0], "it was graded by Assay 1.0.0");
  Run();
  environment_.compiler = "g++ 13";
  EXPECT_EQ(Reasons()[0], "the compiler or its flags changed");
  Run();
  environment_.machine.cpu_model = "other";
  EXPECT_EQ(Reasons()[0], "its times are of another class of machine: , 0 cores");
  Run();
  environment_.machine.cores = 4;
  EXPECT_EQ(Reasons()[0], "its times are of another class of machine: other, 0 cores");
  Run();
  environment_.sandbox_level = "reduced";
  EXPECT_EQ(Reasons()[0], "it was graded at sandbox level full");
}

TEST_F(ExecutorTest, KernelAndMemoryOfAHostedMachineRegradeNothing) {
  environment_.machine = {
      .cpu_model = "EPYC", .cores = 4, .memory_bytes = 1 << 30, .kernel = "6.8-1"};
  Run();
  environment_.machine.kernel = "6.8-2";
  environment_.machine.memory_bytes -= 4096;
  EXPECT_THAT(Reasons(), ElementsAre("", ""));
}

TEST_F(ExecutorTest, WhatOnlyReadsEvidenceRegradesNothing) {
  Run();
  files_.Replace("challenges/adder/rubric.yaml", "weight: 2", "weight: 3");
  files_.Write("challenges/adder/README.md", "prose\n");
  files_.Write("reference/adder/oracle_test.cc", "// test\n");
  files_.Write("reference/adder/signatures.json", "{}\n");
  files_.Write("reference/adder/kept_seeds", "3 baseline\n");
  files_.Write("reference/adder/controls/accepted/right/add.cc", "// control\n");
  files_.Write("harness/report/report.cc", "// columns\n");
  files_.Write("harness/host/host_test.cc", "// test\n");
  files_.Write("harness/host/host_rig.cc", "// rig\n");
  files_.Write("harness/host/host_bench.cc", "// bench\n");
  files_.Write("harness/host/README.md", "prose\n");
  EXPECT_THAT(Reasons(), ElementsAre("", ""));
}

TEST_F(ExecutorTest, SeedCountsOnlyWhenOneIsAskedFor) {
  Run();
  EXPECT_EQ(Plan(Reuse::kWhenItHolds, 7)[0].reason, "");
  EXPECT_EQ(Plan(Reuse::kWhenItHolds, 8)[0].reason, "it was graded with seed 7");
}

TEST_F(ExecutorTest, UnreadableEvidenceIsGradedAgain) {
  Run();
  files_.Write("reports/evidence/adder/right.json", "{\"schema_ver");
  EXPECT_THAT(Reasons(),
              ElementsAre(StartsWith("its evidence cannot be read: not valid JSON"), ""));
}

TEST_F(ExecutorTest, EvidenceOfAnotherSchemaIsGradedAgain) {
  Run();
  files_.Replace("reports/evidence/adder/right.json",
                 fmt::format("\"schema_version\": {}", kEvidenceSchemaVersion),
                 "\"schema_version\": 1");
  EXPECT_THAT(Reasons(), ElementsAre(AllOf(HasSubstr("schema_version is 1"),
                                           HasSubstr("this version of assay reads")),
                                     ""));
}

TEST_F(ExecutorTest, WhatEvidenceWasMadeFromIsKeptBesideIt) {
  const std::vector<PlannedCell> plan = Plan();
  Run();
  const Digests digests = ToDigests(plan[0].inputs);
  for (const std::string& digest :
       {digests.submission, digests.challenge, digests.reference, digests.harness}) {
    const auto text = ReadFile(files_.root() / "reports/evidence/inputs" / (digest + ".txt"));
    ASSERT_TRUE(text.has_value());
    EXPECT_EQ(Sha256(*text), digest);
  }
}

TEST_F(ExecutorTest, JudgeErrorIsTriedOnceMore) {
  int calls = 0;
  const RunSummary summary = RunPlan(
      files_.root(), Plan(),
      [&](const PlannedCell& cell, ProgressSink&) -> Result<Evidence> {
        if (++calls == 1) {
          return std::unexpected(Error{.where = {}, .cause = "the suite died", .remedy = {}});
        }
        return Accepted(cell);
      },
      recorder_);
  EXPECT_EQ(calls, 3);
  EXPECT_THAT(recorder_.heard, ::testing::Contains("retry the suite died"));
  ASSERT_EQ(summary.outcomes.size(), 2U);
  EXPECT_EQ(summary.outcomes[0].verdict, Verdict::kAccepted);
}

TEST_F(ExecutorTest, SecondJudgeErrorIsEvidenceAndTheRunGoesOn) {
  const RunSummary summary = RunPlan(
      files_.root(), Plan(),
      [&](const PlannedCell& cell, ProgressSink&) -> Result<Evidence> {
        if (cell.submission.model == "right") {
          return std::unexpected(Error{.where = {}, .cause = "the suite died", .remedy = {}});
        }
        return Accepted(cell);
      },
      recorder_);
  EXPECT_FALSE(summary.stopped.has_value());
  ASSERT_EQ(summary.outcomes.size(), 2U);
  EXPECT_EQ(summary.outcomes[0].action, CellOutcome::Action::kFailed);
  EXPECT_EQ(summary.outcomes[0].error->cause, "the suite died");
  EXPECT_TRUE(summary.outcomes[0].evidence_written);
  const auto evidence = LoadEvidence(files_.root(), {"right", "adder"});
  ASSERT_TRUE(evidence.has_value() && evidence->has_value());
  EXPECT_EQ((*evidence)->verdict, Verdict::kJudgeError);
  EXPECT_EQ((*evidence)->model_name, "The right one");
  EXPECT_THAT(Reasons(), ElementsAre("its last grading failed by our fault", ""));
}

TEST_F(ExecutorTest, JudgeErrorDoesNotReplaceEvidenceThatHolds) {
  Run();
  const RunSummary summary = RunPlan(
      files_.root(), Plan(Reuse::kNever),
      [](const PlannedCell&, ProgressSink&) -> Result<Evidence> {
        return std::unexpected(Error{.where = {}, .cause = "the suite died", .remedy = {}});
      },
      recorder_);
  EXPECT_EQ(summary.outcomes[0].action, CellOutcome::Action::kFailed);
  EXPECT_FALSE(summary.outcomes[0].evidence_written);
  EXPECT_THAT(Reasons(), ElementsAre("", ""));
}

TEST_F(ExecutorTest, ConfigurationErrorEndsTheRunAtOnce) {
  const RunSummary summary = RunPlan(
      files_.root(), Plan(),
      [](const PlannedCell&, ProgressSink&) -> Result<Evidence> {
        return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                     .where = "g++",
                                     .cause = "is not installed",
                                     .remedy = "run scripts/setup"});
      },
      recorder_);
  ASSERT_TRUE(summary.stopped.has_value());
  EXPECT_EQ(summary.stopped->where, "g++");
  EXPECT_THAT(summary.outcomes, IsEmpty());
  EXPECT_FALSE(fs::exists(files_.root() / "reports/evidence"));
}

TEST_F(ExecutorTest, InterruptionStopsWithoutRetryAndKeepsFinishedCells) {
  const InterruptScope scope;
  int calls = 0;
  const RunSummary summary = RunPlan(
      files_.root(), Plan(),
      [&](const PlannedCell& cell, ProgressSink&) -> Result<Evidence> {
        if (++calls == 2) {
          ::raise(SIGINT);  // As Ctrl-C does, which also kills our suite.
          return std::unexpected(Error{.where = {}, .cause = "the suite died", .remedy = {}});
        }
        return Accepted(cell);
      },
      recorder_);
  EXPECT_EQ(calls, 2);
  ASSERT_TRUE(summary.stopped.has_value());
  EXPECT_EQ(InterruptSignal(), SIGINT);
  EXPECT_THAT(Reasons(), ElementsAre("", "it was never graded"));
}

TEST_F(ExecutorTest, KilledRunLosesNothingButTheCellItWasAt) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto lock = RepositoryLock::Acquire(files_.root());
    const RunSummary never_returned = RunPlan(
        files_.root(), Plan(),
        [this](const PlannedCell& cell, ProgressSink&) -> Result<Evidence> {
          if (cell.submission.model == "wrong") {
            const auto folder = TemporaryDirectory::Create(TemporaryRoot(files_.root()), "cell");
            files_.Write("reports/evidence/adder/wrong.json.tmp.a1B2c3", "{\"half");
            ::kill(::getpid(), SIGKILL);
          }
          return Accepted(cell);
        },
        recorder_);
    ::_exit(never_returned.stopped ? 1 : 2);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_FALSE(fs::is_empty(TemporaryRoot(files_.root())));

  const auto lock = RepositoryLock::Acquire(files_.root());
  ASSERT_TRUE(lock.has_value()) << ToString(lock.error());
  EXPECT_TRUE(fs::is_empty(TemporaryRoot(files_.root())));
  EXPECT_FALSE(fs::exists(files_.root() / "reports/evidence/adder/wrong.json.tmp.a1B2c3"));
  Run();
  EXPECT_THAT(graded_, ElementsAre("wrong"));
}

}  // namespace
}  // namespace assay
