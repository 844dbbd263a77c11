// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "cli/fake_grade_services.h"
#include "exec/build_stamp.h"
#include "exec/evidence_store.h"
#include "exec/repository_lock.h"
#include "process/interrupt.h"
#include "published/small_study.h"
#include "report/report.h"
#include "spec/temporary_repository.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Runs commands on a small repository; the grader is ours.
class CommandsTest : public ::testing::Test {
 protected:
  CommandsTest() {
    files_.Write("reference/adder/oracle.cc", "// oracle\n");
    files_.Write("harness/host/host.cc", "// host\n");
    files_.Write("build/inputs/adder.sources", "harness/host/host.cc\nreference/adder/oracle.cc\n");
    common_.root = files_.root();
    services_ = FakeGradeServices(files_.root());
    services_.detect_capabilities = [this] { return capabilities_; };
    services_.free_bytes = [this](const fs::path&) -> Result<std::uint64_t> { return free_bytes_; };
    services_.check_baselines = [this](const BaselineCheckSettings& settings,
                                       const std::vector<BaselineToCheck>& baselines,
                                       const BaselineCheckStarted& started) {
      checked_levels_.push_back(settings.level);
      return CheckBaselines(baselines, started);
    };
    services_.grade_cell = [this](const CellRequest& request, ProgressSink&) {
      requests_.push_back(request);
      return Grade(request);
    };
    capabilities_.level = SandboxLevel::kFull;
  }

  std::vector<Result<BaselineCheck>> CheckBaselines(const std::vector<BaselineToCheck>& baselines,
                                                    const BaselineCheckStarted& started) {
    std::vector<Result<BaselineCheck>> checks;
    for (const BaselineToCheck& baseline : baselines) {
      started(baseline.challenge.id);
      checks.push_back(baseline_);
    }
    return checks;
  }

  virtual Result<Evidence> Grade(const CellRequest& request) {
    return EvidenceOf(
        request, request.submission.model == "right" ? Verdict::kAccepted : Verdict::kWrongAnswer);
  }

  int RunGrade(GradeOptions options = {}) {
    options.common = common_;
    return Run([&] { return assay::RunGrade(options, services_, console_); });
  }
  int RunReport(ReportMode mode) {
    return Run([&] { return assay::RunReport({.common = common_, .mode = mode}, console_); });
  }

  /// A file that `assay report` wrote, with that text behind its first line.
  static std::string Generated(std::string_view text) {
    return std::string(kReportMark) + " from evidence. -->\n" + std::string(text);
  }
  [[nodiscard]] std::string Content(const std::string& path) const {
    return ReadFile(files_.root() / path).value_or("(cannot be read)");
  }

  template <class Function>
  int Run(Function function) {
    out_.str("");
    err_.str("");
    requests_.clear();
    checked_levels_.clear();
    return function();
  }

  TemporaryRepository files_;
  CommonOptions common_;
  SandboxCapabilities capabilities_;
  GradeServices services_;
  std::vector<CellRequest> requests_;
  std::uint64_t free_bytes_ = kRoomToGrade_bytes;
  Result<BaselineCheck> baseline_;
  std::vector<SandboxLevel> checked_levels_;
  std::ostringstream out_;
  std::ostringstream err_;
  Console console_{.out = out_, .err = err_};
};

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

TEST_F(CommandsTest, HostileNameDoesNotReachTheTerminal) {
  files_.Write("submissions/a\x1b[2Jb/model.yaml", "schema: 1\n");
  EXPECT_EQ(Run([&] { return RunCheck({.common = common_}, console_); }), 2);
  EXPECT_THAT(err_.str(), Not(HasSubstr("\x1b")));
}

TEST_F(CommandsTest, ReportCheckIsQuietOnWhatReportWrote) {
  RunGrade();
  EXPECT_EQ(RunReport(ReportMode::kCheck), 0);
  EXPECT_EQ(err_.str(), "");
  EXPECT_EQ(RunReport(ReportMode::kWrite), 0);
  EXPECT_THAT(out_.str(), ::testing::StartsWith("0 of "));
}

TEST_F(CommandsTest, PublishedStudiesAreCheckedAndPrinted) {
  files_.Write(kSmallStudyPath, kSmallStudy);
  RunGrade();
  EXPECT_THAT(Content("reports/published.md"), HasSubstr("# Published: A small study"));
  EXPECT_THAT(Content("reports/calibration.md"), HasSubstr("## Row by row"));
  EXPECT_THAT(Content("reports/README.md"), AllOf(HasSubstr("[published.md](published.md)"),
                                                  HasSubstr("[calibration.md](calibration.md)")));
  EXPECT_EQ(RunReport(ReportMode::kCheck), 0);
  EXPECT_EQ(Content(std::string(kSmallStudyPath)), kSmallStudy);
  EXPECT_EQ(Run([&] { return RunCheck({.common = common_}, console_); }), 0) << err_.str();
  files_.Replace(kSmallStudyPath, "measured_by: [sums]", "measured_by: [sum]");
  EXPECT_EQ(Run([&] { return RunCheck({.common = common_}, console_); }), 2);
  EXPECT_THAT(err_.str(),
              HasSubstr("reports/published/small.yaml:22: adder has no criterion \"sum\""));
}

TEST_F(CommandsTest, CheckRefusesAnEdgeThatDiffersWithoutACause) {
  files_.Write(kSmallStudyPath, kSmallStudy);
  RunGrade();
  // Both have the same lines, so that the published edge differs.
  files_.Replace(kSmallStudyPath, "{row: Lines, a: \"10\", b: \"20\", edge: tie",
                 "{row: Code, a: \"10\", b: \"20\", edge: wrong");
  files_.Replace(kSmallStudyPath, "row: Lines, cause", "row: Sums, cause");
  EXPECT_EQ(Run([&] { return RunCheck({.common = common_}, console_); }), 2);
  EXPECT_THAT(err_.str(), HasSubstr("reports/published/small.yaml:23: row \"Code\" of adder in "
                                    "right vs wrong: the measured edge is another"));
}

TEST_F(CommandsTest, AStudyThatCannotBeReadIsAnErrorOfReportToo) {
  files_.Write(kSmallStudyPath, "schema: 1\n");
  EXPECT_EQ(RunReport(ReportMode::kWrite), 2);
  EXPECT_THAT(err_.str(), HasSubstr("reports/published/small.yaml:1: study is missing"));
}

TEST_F(CommandsTest, ReportCheckNamesEveryDifferenceAndEndsWith1) {
  RunGrade();
  files_.Write("reports/scoreboard.md", Generated("edited by hand\n"));
  files_.Write("reports/matchups/old.md", Generated(""));
  fs::remove(files_.root() / "reports/README.md");
  files_.Write("reports/README.md", "by somebody\n");
  fs::remove(files_.root() / "reports/challenges/adder.md");
  files_.Write("submissions/wrong/adder/add.cc", "// changed\n");
  EXPECT_EQ(RunReport(ReportMode::kCheck), 1);
  EXPECT_THAT(err_.str(),
              AllOf(HasSubstr("reports/scoreboard.md: differs"),
                    HasSubstr("reports/matchups/old.md: comes from no evidence"),
                    HasSubstr("reports/README.md: is in the way of a report"),
                    HasSubstr("reports/challenges/adder.md: is missing"),
                    HasSubstr("reports/evidence/adder/wrong.json: is of a submission that")));
  EXPECT_THAT(Content("reports/scoreboard.md"), ::testing::EndsWith("edited by hand\n"));
}

TEST_F(CommandsTest, ReportRemovesWhatAssayWroteAloneAndSaysSo) {
  RunGrade();
  files_.Write("reports/notes.md", "my own notes\n");
  files_.Write("reports/matchups/picture.svg", "<svg/>");
  files_.Write("reports/matchups/old.md", Generated(""));
  EXPECT_EQ(RunReport(ReportMode::kWrite), 0);
  EXPECT_THAT(out_.str(),
              AllOf(HasSubstr("reports/matchups/old.md: removed, comes from no evidence\n"),
                    HasSubstr(" changed, 1 removed\n")));
  EXPECT_FALSE(fs::exists(files_.root() / "reports/matchups/old.md"));
  EXPECT_EQ(Content("reports/notes.md"), "my own notes\n");
  EXPECT_EQ(Content("reports/matchups/picture.svg"), "<svg/>");
  EXPECT_EQ(RunReport(ReportMode::kCheck), 0);
}

TEST_F(CommandsTest, ReportWritesNothingWhereSomebodysFileIsInTheWay) {
  RunGrade();
  files_.Write("reports/scoreboard.md", "my own\n");
  files_.Write("reports/matchups/old.md", Generated(""));
  EXPECT_EQ(RunReport(ReportMode::kWrite), 2);
  EXPECT_THAT(err_.str(), HasSubstr("reports/scoreboard.md: is in the way of a report"));
  EXPECT_EQ(Content("reports/scoreboard.md"), "my own\n");
  EXPECT_TRUE(fs::exists(files_.root() / "reports/matchups/old.md"));
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

TEST_F(CommandsTest, EvidenceEditedByHandIsShownAndRankedNowhere) {
  RunGrade();
  EXPECT_THAT(Content("reports/scoreboard.md"), HasSubstr("The wrong one"));
  const std::string path = "reports/evidence/adder/wrong.json";
  std::string edited = Content(path);
  const std::string before = "wrong_answer";
  for (std::size_t at = 0; (at = edited.find(before, at)) != std::string::npos;) {
    edited.replace(at, before.size(), "accepted");
  }
  files_.Write(path, edited);
  const auto says = HasSubstr(path +
                              ": suite.cases[0].verdict says accepted; what follows is a "
                              "failure of Sum.Small, from its detail");
  EXPECT_EQ(RunReport(ReportMode::kCheck), 1);
  EXPECT_THAT(err_.str(), AllOf(says, HasSubstr("files of reports/ differ from what is left"),
                                Not(HasSubstr("differs from what evidence gives"))));
  EXPECT_EQ(RunReport(ReportMode::kWrite), 1);
  EXPECT_THAT(err_.str(),
              AllOf(says, HasSubstr("assay grade --force"), HasSubstr("1 cell is in no ranking")));
  EXPECT_THAT(
      Content("reports/scoreboard.md"),
      AllOf(
          HasSubstr("wrong/adder](evidence/adder/wrong.json): evidence does not hold: suite.cases"),
          Not(HasSubstr("The wrong one"))));
  EXPECT_EQ(RunReport(ReportMode::kCheck), 1) << "until the evidence holds";
  EXPECT_EQ(Run([&] { return RunCheck({.common = common_}, console_); }), 2);
  EXPECT_THAT(err_.str(), says);
  RunGrade();
  EXPECT_EQ(requests_.size(), 1U);
  EXPECT_EQ(RunReport(ReportMode::kCheck), 0);
}

TEST_F(CommandsTest, BrokenEvidenceIsNamedAndEndsReportWith1) {
  RunGrade();
  files_.Write("reports/evidence/adder/right.json", "{");
  EXPECT_EQ(RunReport(ReportMode::kWrite), 1);
  EXPECT_THAT(err_.str(), HasSubstr("assay: reports/evidence/adder/right.json"));
  EXPECT_THAT(Content("reports/scoreboard.md"),
              HasSubstr("right/adder](evidence/adder/right.json): evidence does not hold"));
  common_.format = OutputFormat::kJson;
  EXPECT_EQ(RunReport(ReportMode::kWrite), 1);
  const auto json = nlohmann::json::parse(out_.str());
  ASSERT_EQ(json["unsound"].size(), 1U);
  EXPECT_EQ(json["unsound"][0]["where"], "reports/evidence/adder/right.json");
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

TEST_F(CommandsTest, ExplainOfACellThatIsNotGradedSaysHowTo) {
  const auto explain = [&] {
    return Run([&] { return RunExplain({.common = common_, .cell = "wrong/adder"}, console_); });
  };
  EXPECT_EQ(explain(), 0) << err_.str();
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("wrong/adder is not graded yet"),
                                HasSubstr("assay grade wrong/adder"), HasSubstr("assay try ")));
  common_.format = OutputFormat::kJson;
  EXPECT_EQ(explain(), 0);
  EXPECT_EQ(nlohmann::json::parse(out_.str())["grade"], "assay grade wrong/adder");
}

TEST_F(CommandsTest, ComparePrintsColumnsUnlessMarkdownIsAskedFor) {
  RunGrade();
  const auto compare = [&](CompareStyle style) {
    EXPECT_EQ(Run([&] {
                return RunCompare(
                    {.common = common_, .model_a = "right", .model_b = "wrong", .style = style},
                    console_);
              }),
              0);
    return out_.str();
  };
  EXPECT_THAT(compare(CompareStyle::kColumns),
              AllOf(HasSubstr("Adder"), HasSubstr("The right one wins by "), HasSubstr("rows won "),
                    Not(HasSubstr("|")), Not(HasSubstr("**"))));
  EXPECT_THAT(compare(CompareStyle::kMarkdown), HasSubstr("**Winner: The right one**"));
}

TEST_F(CommandsTest, CompareShowsBothModels) {
  RunGrade();
  EXPECT_EQ(Run([&] {
              return RunCompare({.common = common_, .model_a = "right", .model_b = "wrong"},
                                console_);
            }),
            0);
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("The right one"), HasSubstr("The wrong one")));
  EXPECT_EQ(Run([&] {
              return RunCompare({.common = common_, .model_a = "right", .model_b = "nobody"},
                                console_);
            }),
            2);
}

TEST_F(CommandsTest, ExplainLeadsToTheCase) {
  RunGrade();
  const auto explain = [&](std::string cell, std::optional<std::string> criterion) {
    return Run([&] {
      return RunExplain({.common = common_, .cell = cell, .criterion = criterion}, console_);
    });
  };
  EXPECT_EQ(explain("wrong/adder", std::nullopt), 0);
  EXPECT_THAT(out_.str(), HasSubstr("Sum.Small"));
  EXPECT_EQ(explain("wrong", "sums"), 0);
  EXPECT_THAT(out_.str(), HasSubstr("Sum.Small"));
  EXPECT_EQ(explain("wrong/adder", "sumz"), 2);
  EXPECT_EQ(explain("wrnog/adder", std::nullopt), 2);
  EXPECT_THAT(err_.str(), HasSubstr("did you mean \"wrong/adder\"?"));
}

TEST_F(CommandsTest, WhatOtherModelsContradictIsNeitherExplainedNorListedAsIfItHeld) {
  RunGrade();
  files_.Replace("reports/evidence/adder/wrong.json", "\"sum\"", "\"more\"");
  const auto says = AllOf(HasSubstr("reports/evidence/adder/wrong.json: suite.cases[0].tags says"),
                          HasSubstr("in right; evidence is not edited"));
  for (const std::string word : {"wrong/adder", "wrong"}) {
    EXPECT_EQ(Run([&] { return RunExplain({.common = common_, .cell = word}, console_); }), 2);
    EXPECT_THAT(err_.str(), says);
    EXPECT_EQ(out_.str(), "");
  }
  EXPECT_EQ(Run([&] { return RunList({.common = common_}, services_, console_); }), 0);
  EXPECT_THAT(out_.str(), AllOf(says, HasSubstr("right/adder  accepted")));
}

TEST_F(CommandsTest, CheckReportsAllFaultsAndEndsWith2) {
  const auto check = [&] { return Run([&] { return RunCheck({.common = common_}, console_); }); };
  EXPECT_EQ(check(), 0);
  EXPECT_EQ(out_.str(), "No faults; challenges: 1, models: 2, submissions: 2, cells graded: 0\n");
  files_.Replace("submissions/wrong/adder/submission.yaml", "[add.cc]", "[none.cc]");
  files_.Replace("submissions/right/model.yaml", "The right one", "a|b");
  EXPECT_EQ(check(), 2);
  EXPECT_THAT(err_.str(),
              AllOf(HasSubstr("submissions/right/model.yaml:2"),
                    HasSubstr("wrong/adder/submission.yaml:2"), HasSubstr("2 faults found")));
  common_.format = OutputFormat::kJson;
  EXPECT_EQ(check(), 2);
  EXPECT_EQ(nlohmann::json::parse(out_.str())["errors"].size(), 2U);
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

TEST_F(CommandsTest, ListSaysWhichFileMadeACellStale) {
  RunGrade();
  files_.Write("harness/host/host.cc", "// edited\n");
  files_.Write("submissions/wrong/adder/add.cc", "// edited\n");
  const auto list = [&] {
    return Run([&] { return RunList({.common = common_}, services_, console_); });
  };
  EXPECT_EQ(list(), 0);
  EXPECT_THAT(
      out_.str(),
      AllOf(HasSubstr("right/adder  accepted      97.0   stale: harness/host/host.cc changed\n"),
            HasSubstr("wrong/adder  wrong_answer  30.3   stale: submissions/wrong/adder/add.cc "
                      "changed, and 1 more\n")));
  common_.format = OutputFormat::kJson;
  EXPECT_EQ(list(), 0);
  const auto cell = nlohmann::json::parse(out_.str())["cells"][1];
  EXPECT_EQ(cell["holds"], false);
  EXPECT_EQ(cell["changes"][1], "harness/host/host.cc changed");
}

TEST_F(CommandsTest, ListSaysWhyACellCannotBeChecked) {
  RunGrade();
  fs::remove(files_.root() / "build/inputs/adder.sources");
  files_.Write("reports/evidence/adder/wrong.json", "{");
  EXPECT_EQ(Run([&] { return RunList({.common = common_}, services_, console_); }), 0);
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("right/adder  accepted  97.0   cannot be checked: "),
                                HasSubstr("adder.digests: does not exist"),
                                HasSubstr("wrong/adder  unsound   -      does not hold: "
                                          "reports/evidence/adder/wrong.json")));
  common_.format = OutputFormat::kJson;
  EXPECT_EQ(Run([&] { return RunList({.common = common_}, services_, console_); }), 0);
  EXPECT_TRUE(nlohmann::json::parse(out_.str())["cells"][0]["holds"].is_null());
  EXPECT_EQ(nlohmann::json::parse(out_.str())["cells"][1]["holds"], false);
}

TEST_F(CommandsTest, ListShowsEachCellWithTheVerdictOnRecord) {
  RunGrade({.cells = {"right"}});
  EXPECT_EQ(Run([&] { return RunList({.common = common_}, services_, console_); }), 0);
  EXPECT_EQ(out_.str(),
            "CHALLENGE  TITLE  LANGUAGES\n"
            "adder      Adder  c++\n"
            "\n"
            "MODEL  NAME\n"
            "right  The right one\n"
            "wrong  The wrong one\n"
            "\n"
            "CELL         VERDICT     SCORE  EVIDENCE\n"
            "right/adder  accepted    97.0   holds\n"
            "wrong/adder  not graded  -\n");
}

TEST_F(CommandsTest, ListPaintsVerdictsOnATerminal) {
  RunGrade();
  console_.colour = Colour::kOn;
  EXPECT_EQ(Run([&] { return RunList({.common = common_}, services_, console_); }), 0);
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("\x1b[32maccepted\x1b[0m "),
                                HasSubstr("\x1b[31mwrong_answer\x1b[0m "), HasSubstr(" VERDICT ")));
}

TEST_F(CommandsTest, RootThatIsNoneEndsWith2) {
  common_.root = "/proc";
  EXPECT_EQ(RunGrade(), 2);
  EXPECT_THAT(err_.str(), HasSubstr("/proc: holds no folder \"submissions\""));
}

}  // namespace
}  // namespace assay
