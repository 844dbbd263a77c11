// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/fake_grade_services.h"
#include "exec/evidence_store.h"
#include "exec/scratch_git.h"
#include "spec/temporary_repository.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// `assay pr` on a small repository in git; the grader is ours and goes by what the source says.
class PrTest : public ::testing::Test {
 protected:
  PrTest() : git_(files_.root()) {
    options_.common.root = files_.root();
    options_.base = "main";
    files_.Write("reference/adder/oracle.cc", "// oracle\n");
    files_.Write("harness/host/host.cc", "// host\n");
    files_.Write("build/inputs/adder.sources",
                 "harness/host/host.cc\nreference/adder/oracle.cc\nchallenges/adder/suite.cc\n");
    files_.Write(".gitignore", "/build/\n/.assay/\n");
    files_.Write("submissions/right/adder/add.cc", "// right\n");
    git_.Commit();
    git_.Run("git checkout -q -b feature");
    options_.out = files_.root() / "build" / "out";
    options_.common.format = OutputFormat::kJson;
    options_.progress = ProgressStyle::kHidden;
    services_ = FakeGradeServices(files_.root());
    services_.input_places = [this](const Installation& installation) {
      return InputPlaces{.folder = files_.root() / "build/inputs", .sources = installation.sources};
    };
    services_.check_stamp = [this](InputReader& reader, const std::string&) {
      stamped_ = reader.places().sources;
      suite_ = ReadFile(stamped_ / "challenges/adder/suite.cc").value_or("");
      return stamp_;
    };
    services_.check_baselines = [this](const BaselineCheckSettings& settings,
                                       const std::vector<BaselineToCheck>& baselines,
                                       const BaselineCheckStarted&) {
      checks_kept_in_ = settings.root;
      return std::vector<Result<BaselineCheck>>(baselines.size(), baseline_);
    };
    services_.grade_cell = [this](const CellRequest& request, ProgressSink&) {
      requests_.push_back(ToString(CellId{request.submission.model, request.challenge.id}));
      return Grade(request);
    };
  }

  static Result<Evidence> Grade(const CellRequest& request) {
    const std::string source = ReadFile(request.submission.directory / "add.cc").value_or("");
    Evidence evidence =
        EvidenceOf(request, source.contains("right") ? Verdict::kAccepted : Verdict::kWrongAnswer);
    if (source.contains("ours")) {
      evidence.verdict = Verdict::kJudgeError;
    }
    return evidence;
  }

  [[nodiscard]] CellRequest RequestForRight() const {
    CellRequest request;
    request.challenge.id = "adder";
    request.submission.model = "right";
    request.submission.directory = files_.root() / "submissions/right/adder";
    return request;
  }

  int Run() {
    out_.str("");
    err_.str("");
    requests_.clear();
    return RunPr(options_, services_, console_);
  }
  /// After a run: what it printed.
  [[nodiscard]] nlohmann::json Json() const { return nlohmann::json::parse(out_.str()); }
  [[nodiscard]] std::string Content(const std::string& name) const {
    return ReadFile(options_.out / name).value_or("(cannot be read)");
  }

  TemporaryRepository files_;
  ScratchGit git_;
  PrOptions options_;
  GradeServices services_;
  Status stamp_;
  Result<BaselineCheck> baseline_;
  fs::path stamped_;   ///< The sources of the judge that graded last.
  std::string suite_;  ///< Its suite.
  fs::path checks_kept_in_;
  std::vector<std::string> requests_;
  std::ostringstream out_;
  std::ostringstream err_;
  Console console_{.out = out_, .err = err_};
};

TEST_F(PrTest, OneSubmissionTouchedGradesOneCell) {
  git_.Write("submissions/right/adder/add.cc", "// right, and shorter\n");
  git_.Commit();
  EXPECT_EQ(Run(), 0) << err_.str();
  EXPECT_THAT(requests_, ElementsAre("right/adder"));
  EXPECT_EQ(checks_kept_in_, files_.root());  // So that a second run need not check the machine.
  EXPECT_EQ(Json().at("verdict_line"), "accepted 1 of 1, rank 1 of 1, new");
  EXPECT_THAT(Content("comment.md"), HasSubstr("### Assay: accepted 1 of 1"));
  for (const char* const name : {"summary.md", "junit.xml", "results.jsonl"}) {
    EXPECT_THAT(Content(name), HasSubstr("adder")) << name;
  }
  // The base's, and not the working tree's, is the judge; nothing is written but the result set.
  EXPECT_THAT(stamped_.string(), HasSubstr("/graded"));
  EXPECT_FALSE(fs::exists(files_.root() / "reports"));
  EXPECT_EQ(git_.Run("git status --porcelain"), "");
}

TEST_F(PrTest, NewAndWrongEndsWithOneAndSaysHowToSeeIt) {
  git_.Write("submissions/newcomer/model.yaml",
             "schema: 1\nname: New\nreconstruction: false\nsource: here\n");
  git_.Run("cp -r submissions/right/adder submissions/newcomer/adder");
  git_.Write("submissions/newcomer/adder/add.cc", "// wrong\n");
  git_.Commit();
  options_.seed = 7;
  EXPECT_EQ(Run(), 1) << err_.str();
  EXPECT_THAT(requests_, ElementsAre("newcomer/adder"));
  EXPECT_THAT(Content("comment.md"),
              HasSubstr("assay try submissions/newcomer/adder --case 'Sum.Small' --seed 7"));
  EXPECT_EQ(Json().at("cells").at(0).at("gate_failure"), "is wrong_answer");
  options_.gate = ChangeGate::kNone;
  EXPECT_EQ(Run(), 0);
}

TEST_F(PrTest, WhatIsReadNowhereGradesNone) {
  git_.Write("README.md", "new\n");
  git_.Write("submissions/right/adder/notes.txt", "new\n");
  git_.Commit();
  EXPECT_EQ(Run(), 0) << err_.str();
  EXPECT_THAT(requests_, IsEmpty());
  EXPECT_EQ(Json().at("verdict_line"), "nothing to grade");
  EXPECT_THAT(Json().at("outside"), ElementsAre("README.md"));
}

TEST_F(PrTest, EvidenceRubricAndSuiteOfAChangeMoveNoNumber) {
  git_.Write("submissions/right/adder/add.cc", "// wrong now\n");
  git_.Commit();
  EXPECT_EQ(Run(), 1);
  const std::string honest = Json().at("cells").at(0).at("score").dump();
  Evidence forged = *Grade(RequestForRight());
  forged.verdict = Verdict::kAccepted;
  forged.suite.cases[0].verdict = Verdict::kAccepted;
  ASSERT_TRUE(SaveEvidence(files_.root(), forged));
  files_.Replace("challenges/adder/rubric.yaml", "[[0, 0], [1, 100]]", "[[0, 100], [1, 100]]");
  git_.Write("challenges/adder/suite.cc", "// passes all\n");
  git_.Commit();
  EXPECT_EQ(Run(), 1);
  EXPECT_EQ(Json().at("cells").at(0).at("score").dump(), honest);
  EXPECT_EQ(Json().at("cells").at(0).at("verdict_before"), nullptr);
  EXPECT_THAT(Content("comment.md"), HasSubstr("Ignored, since evidence is made"));
}

TEST_F(PrTest, SuiteTouchedGradesItsChallengeByTheBasesSuiteAndByItsOwnOnRequest) {
  git_.Write("challenges/adder/suite.cc", "// another\n");
  git_.Commit();
  EXPECT_EQ(Run(), 0) << err_.str();  // That "wrong" is wrong is no fault of the change.
  EXPECT_THAT(requests_, ElementsAre("right/adder", "wrong/adder"));
  EXPECT_NE(suite_, "// another\n");
  EXPECT_THAT(Content("comment.md"),
              HasSubstr("touches the challenge of `right/adder`, `wrong/adder`, which hand in"));
  options_.judge = JudgeOf::kChange;
  EXPECT_EQ(Run(), 1);  // That of "wrong" has no evidence before: it counts as new.
  EXPECT_THAT(requests_, ElementsAre("right/adder", "wrong/adder"));
  EXPECT_EQ(suite_, "// another\n");
  EXPECT_THAT(Content("comment.md"), HasSubstr("is no result"));
  EXPECT_THAT(Content("comment.md"), Not(HasSubstr("touches the challenge of")));
}

TEST_F(PrTest, HarnessTouchedNamesItsCellsAndGradesThemByItsOwnJudgeOnRequest) {
  git_.Write("harness/host/host.cc", "// another\n");
  git_.Commit();
  EXPECT_EQ(Run(), 0) << err_.str();
  EXPECT_THAT(requests_, IsEmpty());
  EXPECT_THAT(Content("comment.md"), HasSubstr("judges 2 more: `right/adder`, `wrong/adder`"));
  options_.judge = JudgeOf::kChange;
  EXPECT_EQ(Run(), 1);
  EXPECT_THAT(requests_, ElementsAre("right/adder", "wrong/adder"));
}

TEST_F(PrTest, PromptAndReadmeOfAChallengeGradeNone) {
  git_.Write("challenges/adder/README.md", "new\n");
  git_.Write("challenges/adder/PROMPT.md", "new\n");
  git_.Commit();
  EXPECT_EQ(Run(), 0) << err_.str();
  EXPECT_THAT(requests_, IsEmpty());
}

TEST_F(PrTest, JudgeThatWasBuiltFromElsewhereGradesNothing) {
  stamp_ = std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                 .where = "x",
                                 .cause = "harness/host/host.cc changed",
                                 .remedy = "build"});
  git_.Write("submissions/right/adder/add.cc", "// right too\n");
  git_.Commit();
  EXPECT_EQ(Run(), 2);
  EXPECT_THAT(requests_, IsEmpty());
  EXPECT_THAT(out_.str(), HasSubstr("was not built from the base (main): harness/host/host.cc"));
  EXPECT_FALSE(fs::exists(options_.out));
}

TEST_F(PrTest, RemovedSubmissionIsNoFailure) {
  git_.Run("git rm -r -q submissions/wrong");
  git_.Commit();
  EXPECT_EQ(Run(), 0) << err_.str();
  EXPECT_THAT(requests_, IsEmpty());
  EXPECT_EQ(Json().at("cells").at(0).at("change"), "removed");
}

TEST_F(PrTest, RenamedModelIsOneRemovedAndOneNew) {
  git_.Run("git mv submissions/right submissions/better");
  git_.Commit();
  EXPECT_EQ(Run(), 0) << err_.str();
  EXPECT_THAT(requests_, ElementsAre("better/adder"));
  ASSERT_THAT(Json().at("cells"), SizeIs(2));
}

TEST_F(PrTest, FilesAtFaultAreTheSubmissionsFault) {
  git_.Run("ln -s /etc/passwd submissions/right/adder/passwd.h");
  files_.Write("submissions/wrong/adder/submission.yaml", "schema: 1\nsources: [../../x.cc]\n");
  git_.Commit();
  EXPECT_EQ(Run(), 1);
  EXPECT_THAT(requests_, IsEmpty());
  EXPECT_THAT(Content("comment.md"), HasSubstr("passwd.h: is a symbolic link"));
  EXPECT_THAT(Content("results.sarif"), HasSubstr("submissions/wrong/adder/submission.yaml"));
}

TEST_F(PrTest, SubmoduleInPlaceOfASubmissionIsNamed) {
  git_.Run(
      "git rm -r -q submissions/right/adder && git update-index --add --cacheinfo "
      "160000,0123456789012345678901234567890123456789,submissions/right/adder && "
      "git commit -q -m m");
  EXPECT_EQ(Run(), 0) << err_.str();
  EXPECT_EQ(Json().at("cells").at(0).at("change"), "removed");
  EXPECT_THAT(Json().at("notes").dump(), HasSubstr("submissions/right/adder is a submodule"));
}

TEST_F(PrTest, HostileNamesAreNamedAndHarmless) {
  git_.Write("submissions/right/adder/$(reboot)\n@all.cc", "// x\n");
  git_.Write("submissions/@everyone/adder/add.cc", "// x\n");
  git_.Commit();
  git_.Run("git branch -q -- 'topic/@everyone-`id`'");
  options_.head = "topic/@everyone-`id`";
  EXPECT_EQ(Run(), 1) << err_.str();
  EXPECT_THAT(requests_, IsEmpty());
  EXPECT_THAT(Content("comment.md"), HasSubstr("change `topic/?everyone-?id?`"));
  EXPECT_THAT(Content("comment.md"), Not(HasSubstr("reboot)\n@all")));
}

TEST_F(PrTest, OneModelAloneOnRequest) {
  options_.reach = ChangeReach::kOneModel;
  git_.Write("submissions/right/adder/add.cc", "// right too\n");
  git_.Commit();
  EXPECT_EQ(Run(), 0) << err_.str();
  git_.Write("submissions/wrong/adder/add.cc", "// right at last\n");
  git_.Write("harness/host/host.cc", "// ours now\n");
  git_.Commit();
  EXPECT_EQ(Run(), 1);
  EXPECT_THAT(requests_, IsEmpty());
  EXPECT_THAT(Json().at("refusals"), SizeIs(2));
  EXPECT_THAT(Content("comment.md"), HasSubstr("### Assay: refused"));
  options_.reach = ChangeReach::kAnything;
  EXPECT_EQ(Run(), 0) << err_.str();
  EXPECT_THAT(requests_, ElementsAre("right/adder", "wrong/adder"));
}

TEST_F(PrTest, WhatIsNotCommittedIsNotGradedAndSaid) {
  git_.Write("submissions/right/adder/add.cc", "// right too\n");
  EXPECT_EQ(Run(), 0);
  EXPECT_THAT(requests_, IsEmpty());
  EXPECT_THAT(Json().at("notes").dump(), HasSubstr("submissions/right/adder/add.cc"));
}

TEST_F(PrTest, OurFailureEndsWithThree) {
  git_.Write("submissions/right/adder/add.cc", "// ours\n");
  git_.Commit();
  EXPECT_EQ(Run(), 3);
  EXPECT_THAT(Content("junit.xml"), HasSubstr("<error type=\"judge_error\""));
}

TEST_F(PrTest, MachineThatCannotGradeMakesNoResult) {
  baseline_ = std::unexpected(
      Error{.kind = ErrorKind::kJudge, .where = "", .cause = "no g++", .remedy = ""});
  git_.Write("submissions/right/adder/add.cc", "// right too\n");
  git_.Commit();
  EXPECT_EQ(Run(), 3);
  EXPECT_FALSE(fs::exists(options_.out));
  EXPECT_EQ(Json().at("errors").at(0).at("cause"), "no g++");
  options_.common.format = OutputFormat::kText;
  EXPECT_EQ(Run(), 3);
  EXPECT_THAT(err_.str(), HasSubstr("assay: no g++\n"));
}

TEST_F(PrTest, WhatKeepsFromGradingIsOneDocument) {
  services_.detect_capabilities = [] {
    SandboxCapabilities capabilities;
    capabilities.level = SandboxLevel::kReduced;
    return capabilities;
  };
  options_.required_sandbox = SandboxLevel::kFull;
  git_.Write("submissions/right/adder/add.cc", "// right too\n");
  git_.Commit();
  EXPECT_EQ(Run(), 4);
  EXPECT_EQ(Json().at("errors").at(0).at("kind"), "sandbox");
}

TEST_F(PrTest, BaseThatIsNotThereSaysWhatToFetch) {
  options_.base = "origin/main";
  EXPECT_EQ(Run(), 2);
  EXPECT_THAT(out_.str(), HasSubstr("git fetch origin"));
}

TEST_F(PrTest, BasesEvidenceIsComparedWith) {
  git_.Run("git checkout -q main");
  Evidence before = *Grade(RequestForRight());
  ASSERT_TRUE(SaveEvidence(files_.root(), before));
  git_.Commit();
  git_.Run("git checkout -q -B feature main");
  git_.Write("submissions/right/adder/add.cc", "// wrong now\n");
  git_.Commit();
  EXPECT_EQ(Run(), 1);
  EXPECT_EQ(Json().at("cells").at(0).at("gate_failure"), "is wrong_answer, and was accepted");
  EXPECT_THAT(Json().at("cells").at(0).at("newly_failing"), ElementsAre("Sum.Small"));
  EXPECT_THAT(Content("comment.md"), HasSubstr("accepted → **wrong"));
}

}  // namespace
}  // namespace assay
