// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "cli/commands_for_test.h"
#include "exec/build_stamp.h"
#include "exec/evidence_store.h"
#include "exec/repository_lock.h"
#include "process/interrupt.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST_F(CommandsTest, GradeShowsTheScoreboardAndNamesTheFilesItWrote) {
  EXPECT_EQ(RunGrade({.seed = 7}), 0);
  EXPECT_THAT(requests_, ::testing::SizeIs(2));
  EXPECT_EQ(requests_[0].seed, 7U);
  EXPECT_EQ(requests_[0].level, SandboxLevel::kFull);
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("The right one"),
                                HasSubstr("wrote reports/evidence/adder/right.json"),
                                HasSubstr("wrote reports/scoreboard.md")));
  EXPECT_TRUE(fs::exists(files_.root() / "reports/scoreboard.md"));
  EXPECT_THAT(err_.str(), HasSubstr("[1/2] right/adder: accepted"));
}

// `scripts/grade` on a machine without nvcc graded nothing at all.
TEST_F(CommandsTest, GradeLeavesOutAChallengeThatLacksNvccUnlessItIsNamed) {
  services_.lacks_nvcc_for = [](const Installation&, std::string_view) { return true; };
  EXPECT_EQ(RunGrade(), 0);
  EXPECT_THAT(requests_, IsEmpty());
  EXPECT_THAT(err_.str(), HasSubstr("adder is left out: this build is without nvcc"));
  services_.check_built = [](const Installation&, std::string_view) -> Status {
    return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                 .where = "suite",
                                 .cause = "is not built",
                                 .remedy = "build it"});
  };
  EXPECT_EQ(RunGrade({.cells = {"right/adder"}}), 2);
}

TEST_F(CommandsTest, SecondGradeReusesAllAndWritesNothing) {
  RunGrade();
  EXPECT_EQ(RunGrade(), 0);
  EXPECT_THAT(requests_, IsEmpty());
  EXPECT_THAT(out_.str(), Not(HasSubstr("wrote")));
  EXPECT_THAT(err_.str(), HasSubstr("right/adder: accepted, evidence still holds"));
}

TEST_F(CommandsTest, GradeTakesOneCellAlone) {
  EXPECT_EQ(RunGrade({.cells = {"wrong/adder"}}), 0);
  ASSERT_THAT(requests_, ::testing::SizeIs(1));
  EXPECT_EQ(requests_[0].submission.model, "wrong");
}

TEST_F(CommandsTest, SeedsOfTwoRunsDifferUnlessAskedFor) {
  RunGrade();
  const std::uint64_t first = requests_.at(0).seed;
  RunGrade({.reuse = Reuse::kNever});
  EXPECT_NE(requests_.at(0).seed, first);
}

TEST_F(CommandsTest, GradeAsJsonIsOneDocumentOnStandardOutput) {
  common_.format = OutputFormat::kJson;
  EXPECT_EQ(RunGrade({.seed = 7, .progress = ProgressStyle::kHidden}), 0);
  const auto json = nlohmann::json::parse(out_.str());
  EXPECT_EQ(json["seed"], 7);
  EXPECT_EQ(json["sandbox_level"], "full");
  EXPECT_EQ(json["cells"][1]["verdict"], "wrong_answer");
  EXPECT_EQ(json["cells"][1]["action"], "graded");
  EXPECT_THAT(json["errors"], IsEmpty());
  EXPECT_EQ(err_.str(), "");
}

TEST_F(CommandsTest, AcceptanceGateFailsWith1) {
  EXPECT_EQ(RunGrade({.gate = AcceptanceGate::kEveryCell}), 1);
  EXPECT_EQ(RunGrade({.cells = {"right"}, .gate = AcceptanceGate::kEveryCell}), 0);
}

TEST_F(CommandsTest, FileAtFaultEndsGradeWith2BeforeAnythingIsGraded) {
  files_.Replace("submissions/wrong/adder/submission.yaml", "[add.cc]", "[none.cc]");
  EXPECT_EQ(RunGrade(), 2);
  EXPECT_THAT(requests_, IsEmpty());
  EXPECT_THAT(err_.str(), HasSubstr("assay: submissions/wrong/adder/submission.yaml:2: "
                                    "sources[0] \"none.cc\" does not exist"));
  EXPECT_EQ(RunGrade({.cells = {"right"}}), 0);
}

TEST_F(CommandsTest, JudgeErrorEndsWith3AfterTheOtherCellsAreGraded) {
  services_.grade_cell = [this](const CellRequest& request, ProgressSink&) -> Result<Evidence> {
    if (request.submission.model == "right") {
      return std::unexpected(Error{.where = {}, .cause = "the suite died", .remedy = {}});
    }
    return Grade(request);
  };
  EXPECT_EQ(RunGrade(), 3);
  EXPECT_THAT(err_.str(), AllOf(HasSubstr("once more"),
                                HasSubstr("right/adder failed by our fault: the suite died")));
  EXPECT_TRUE(fs::exists(files_.root() / "reports/evidence/adder/wrong.json"));
}

TEST_F(CommandsTest, MachineThatDoesNotCompileABaselineEndsWith3BeforeAnythingIsGraded) {
  baseline_ = std::unexpected(Error{.kind = ErrorKind::kJudge,
                                    .where = "reference/adder",
                                    .cause = "math.h: No such file",
                                    .remedy = "install g++ again"});
  EXPECT_EQ(RunGrade(), 3);
  EXPECT_THAT(requests_, IsEmpty());
  EXPECT_EQ(err_.str(),
            "checking this machine: compiling the baseline of adder\n"
            "assay: reference/adder: math.h: No such file; install g++ again\n");
  EXPECT_EQ(out_.str(), "");
  EXPECT_FALSE(fs::exists(files_.root() / "reports/evidence/adder/right.json"));
  common_.format = OutputFormat::kJson;
  EXPECT_EQ(RunGrade({.progress = ProgressStyle::kHidden}), 3);
  EXPECT_EQ(nlohmann::json::parse(out_.str())["errors"][0]["kind"], "judge");
  EXPECT_EQ(err_.str(), "");
}

TEST_F(CommandsTest, MachineIsCheckedAtTheLevelInUseAndOnlyWhereSomethingIsGraded) {
  capabilities_.level = SandboxLevel::kReduced;
  EXPECT_EQ(RunGrade(), 0);
  EXPECT_THAT(checked_levels_, ::testing::ElementsAre(SandboxLevel::kReduced));
  EXPECT_EQ(RunGrade(), 0);
  EXPECT_THAT(checked_levels_, IsEmpty());
}

TEST_F(CommandsTest, NearlyFullDiskEndsWith2BeforeAnythingIsGraded) {
  free_bytes_ = kRoomToGrade_bytes - 1;
  EXPECT_EQ(RunGrade(), 2);
  EXPECT_THAT(requests_, IsEmpty());
  EXPECT_THAT(checked_levels_, IsEmpty());
  EXPECT_THAT(err_.str(), AllOf(HasSubstr("assay: .assay: "), HasSubstr("are free on its disk"),
                                HasSubstr("nothing was graded")));
}

TEST_F(CommandsTest, WeakSandboxEndsWith4AndSaysHowToGetMore) {
  capabilities_.level = SandboxLevel::kReduced;
  capabilities_.next_level = "install bubblewrap";
  EXPECT_EQ(RunGrade({.required_sandbox = SandboxLevel::kFull}), 4);
  EXPECT_THAT(err_.str(), HasSubstr("sandbox level full is wanted and this machine reaches "
                                    "reduced; install bubblewrap; assay doctor shows the rest"));
  EXPECT_EQ(RunGrade({.sandbox = SandboxLevel::kFull}), 4);
  EXPECT_EQ(RunGrade({.sandbox = SandboxLevel::kNone, .required_sandbox = SandboxLevel::kReduced}),
            4);
  EXPECT_THAT(requests_, IsEmpty());
}

TEST_F(CommandsTest, WeakerSandboxIsUsedButNeverSilently) {
  capabilities_.level = SandboxLevel::kReduced;
  capabilities_.obstacle = Obstacle::kAppArmor;
  EXPECT_EQ(RunGrade(), 0);
  EXPECT_EQ(requests_.at(0).level, SandboxLevel::kReduced);
  EXPECT_THAT(err_.str(), HasSubstr("the sandbox is at level reduced, not full"));
  common_.format = OutputFormat::kJson;
  EXPECT_EQ(RunGrade(), 0);
  EXPECT_EQ(nlohmann::json::parse(out_.str())["sandbox_obstacle"], "apparmor");
}

TEST_F(CommandsTest, NoSandboxIsUsedOnlyWhenAskedFor) {
  capabilities_.level = SandboxLevel::kNone;
  EXPECT_EQ(RunGrade(), 4);
  EXPECT_THAT(err_.str(), HasSubstr("--sandbox=none"));
  EXPECT_EQ(RunGrade({.sandbox = SandboxLevel::kNone}), 0);
}

TEST_F(CommandsTest, InterruptedGradeEndsWith130AndKeepsWhatWasGraded) {
  const InterruptScope scope;
  services_.grade_cell = [this](const CellRequest& request, ProgressSink&) -> Result<Evidence> {
    if (request.submission.model == "wrong") {
      ::raise(SIGINT);
      return std::unexpected(CheckInterrupt().error());
    }
    return Grade(request);
  };
  EXPECT_EQ(RunGrade(), 130);
  EXPECT_TRUE(fs::exists(files_.root() / "reports/evidence/adder/right.json"));
  EXPECT_FALSE(fs::exists(files_.root() / "reports/evidence/adder/wrong.json"));
}

// The next run would take what the interrupted one graded for published.
TEST_F(CommandsTest, InterruptedGradeLogsWhatItChangedAndSaysWhatItGraded) {
  RunGrade();
  const InterruptScope scope;
  services_.grade_cell = [](const CellRequest& request, ProgressSink&) -> Result<Evidence> {
    if (request.submission.model == "wrong") {
      ::raise(SIGINT);
      return std::unexpected(CheckInterrupt().error());
    }
    return EvidenceOf(request, Verdict::kWrongAnswer);
  };
  common_.format = OutputFormat::kJson;
  EXPECT_EQ(RunGrade({.reuse = Reuse::kNever}), 130);
  EXPECT_THAT(Content("reports/CHANGES.md"), HasSubstr("accepted → **wrong"));
  const auto json = nlohmann::json::parse(out_.str());
  EXPECT_EQ(json["cells"][0]["action"], "graded");
  EXPECT_FALSE(json["errors"].empty());
}

TEST_F(CommandsTest, GradeThatRendersNoReportsLogsWhatItChangedAndSaysWhatItGraded) {
  RunGrade();
  files_.Write("reports/evidence/adder/wrong.json", "{");
  services_.grade_cell = [](const CellRequest& request, ProgressSink&) -> Result<Evidence> {
    return EvidenceOf(request, Verdict::kWrongAnswer);
  };
  common_.format = OutputFormat::kJson;
  EXPECT_EQ(RunGrade({.cells = {"right"}, .reuse = Reuse::kNever}), 2);
  EXPECT_THAT(Content("reports/CHANGES.md"), HasSubstr("accepted → **wrong"));
  const auto json = nlohmann::json::parse(out_.str());
  EXPECT_EQ(json["cells"][0]["verdict"], "wrong_answer");
  EXPECT_EQ(json["errors"][0]["where"], "reports/evidence/adder/wrong.json");
}

TEST_F(CommandsTest, SecondGradeAtTheSameTimeIsRefused) {
  const auto lock = RepositoryLock::Acquire(files_.root());
  EXPECT_EQ(RunGrade(), 2);
  EXPECT_THAT(err_.str(), HasSubstr("works in this repository"));
  EXPECT_EQ(RunReport(ReportMode::kWrite), 2);
  EXPECT_THAT(err_.str(), HasSubstr("works in this repository"));
}

TEST_F(CommandsTest, WhatOnlyReadsNeedsNoLock) {
  RunGrade();
  const auto lock = RepositoryLock::Acquire(files_.root());
  EXPECT_EQ(RunReport(ReportMode::kCheck), 0);
  EXPECT_EQ(Run([&] { return RunList({.common = common_}, services_, console_); }), 0);
  EXPECT_EQ(Run([&] { return RunCheck({.common = common_}, console_); }), 0);
  EXPECT_EQ(Run([&] { return RunExplain({.common = common_, .cell = "right"}, console_); }), 0);
}

// Lets go of the lock when something was said.
class ReleasingBuffer : public std::stringbuf {
 public:
  explicit ReleasingBuffer(RepositoryLock lock) : lock_(std::move(lock)) {}

 protected:
  int sync() override {
    lock_.reset();
    return 0;
  }

 private:
  std::optional<RepositoryLock> lock_;
};

TEST_F(CommandsTest, GradeThatWaitsSaysForWhomAndThenGrades) {
  auto lock = RepositoryLock::Acquire(files_.root());
  ASSERT_TRUE(lock.has_value());
  ReleasingBuffer said(*std::move(lock));
  std::ostream err(&said);
  Console console{.out = out_, .err = err};
  common_.when_held = WhenHeld::kWait;
  EXPECT_EQ(assay::RunGrade({.common = common_}, services_, console), 0);
  EXPECT_THAT(said.str(), AllOf(HasSubstr("assay: waiting until process "),
                                HasSubstr("ends: it works in this repository"),
                                HasSubstr("right/adder: accepted")));
}

TEST_F(CommandsTest, ReportsFolderThatCannotBeWrittenIsOneClearError) {
  // A file where the folder should be fails for root too, unlike missing permissions.
  files_.Write("reports", "in the way");
  EXPECT_EQ(RunGrade(), 2);
  EXPECT_THAT(err_.str(), HasSubstr("assay: reports/evidence/adder: cannot be written to: "));
  EXPECT_THAT(requests_, IsEmpty());
  EXPECT_TRUE(fs::is_regular_file(files_.root() / "reports"));
}

TEST_F(CommandsTest, WhatWasEditedWhileItWasGradedIsNotKept) {
  services_.grade_cell = [this](const CellRequest& request, ProgressSink&) {
    files_.Write("submissions/right/adder/add.cc", "// edited meanwhile\n");
    return Grade(request);
  };
  EXPECT_EQ(RunGrade({.cells = {"right"}}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("submissions/right/adder/add.cc changed while it was graded"));
  EXPECT_FALSE(fs::exists(files_.root() / "reports/evidence/adder/right.json"));
}

TEST_F(CommandsTest, WhatWasBuiltWhileItWasGradedIsNotKept) {
  int calls = 0;
  services_.check_stamp = [&](InputReader&, const std::string&) -> Status {
    return ++calls == 1 ? Status()
                        : std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                                .where = "suite",
                                                .cause = "is of another build",
                                                .remedy = "build it"});
  };
  EXPECT_EQ(RunGrade({.cells = {"right"}}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("is of another build"));
  EXPECT_FALSE(fs::exists(files_.root() / "reports/evidence/adder/right.json"));
}

TEST_F(CommandsTest, BrokenEvidenceOfAnotherCellLeavesWhatWasGraded) {
  files_.Write("reports/evidence/adder/wrong.json", "{");
  EXPECT_EQ(RunGrade({.cells = {"right"}}), 2);
  EXPECT_EQ(out_.str(), "wrote reports/evidence/adder/right.json\n");
  EXPECT_THAT(err_.str(), HasSubstr("assay: reports/evidence/adder/wrong.json"));
  EXPECT_EQ(RunGrade(), 0);
  EXPECT_THAT(requests_, ::testing::SizeIs(1));
}

TEST_F(CommandsTest, GradeEndsACellWithItsReason) {
  EXPECT_EQ(RunGrade(), 0);
  EXPECT_THAT(err_.str(), AllOf(HasSubstr("[2/2] wrong/adder: wrong_answer in 0 s: Sum.Small: "
                                          "sum[0] is off\n"),
                                HasSubstr("[1/2] right/adder: accepted in 0 s\n")));
  EXPECT_EQ(RunGrade(), 0);
  EXPECT_THAT(err_.str(), HasSubstr("wrong_answer, evidence still holds: Sum.Small: sum[0]"));
  common_.format = OutputFormat::kJson;
  EXPECT_EQ(RunGrade(), 0);
  const auto cells = nlohmann::json::parse(out_.str())["cells"];
  EXPECT_EQ(cells[0]["detail"], "");
  EXPECT_EQ(cells[1]["detail"], "Sum.Small: sum[0] is off");
}

TEST_F(CommandsTest, CellWhoseSuiteWasBuiltFromOtherSourcesIsNotGraded) {
  services_.check_stamp = &CheckBuildStamp;
  files_.Write("build/inputs/adder.products", (files_.root() / "build/suite\n").string());
  files_.Write("build/suite", "built");
  const InputPlaces places = services_.input_places({});
  ASSERT_TRUE(WriteBuildStamp(places, "adder").has_value());
  EXPECT_EQ(RunGrade(), 0);
  files_.Write("reference/adder/oracle.cc", "// edited\n");
  EXPECT_EQ(RunGrade(), 2);
  EXPECT_THAT(requests_, IsEmpty());
  EXPECT_THAT(err_.str(),
              HasSubstr("assay: reference/adder/oracle.cc changed since adder was built; run "
                        "scripts/grade"));
  ASSERT_TRUE(WriteBuildStamp(places, "adder").has_value());
  EXPECT_EQ(RunGrade(), 0);
  EXPECT_THAT(requests_, ::testing::SizeIs(2));
  EXPECT_THAT(err_.str(), HasSubstr("grading, since reference/adder/oracle.cc changed"));
}

TEST_F(CommandsTest, GradeRemovesWhatNoEvidenceIsMadeFromAnyMore) {
  RunGrade();
  const auto count = [this] {
    const fs::directory_iterator kept(files_.root() / "reports/evidence/inputs");
    return std::distance(begin(kept), end(kept));
  };
  EXPECT_EQ(count(), 5);  // Two submissions, and what both cells share.
  files_.Write("harness/host/host.cc", "// edited\n");
  RunGrade();
  EXPECT_EQ(count(), 5);
}

TEST_F(CommandsTest, RootThatIsNoneEndsWith2) {
  common_.root = "/proc";
  EXPECT_EQ(RunGrade(), 2);
  EXPECT_THAT(err_.str(), HasSubstr("/proc: holds no folder \"submissions\""));
}

}  // namespace
}  // namespace assay
