// SPDX-License-Identifier: Apache-2.0
// diff, and the log that grading keeps of what it changed; the grader is ours.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "base/file.h"
#include "base/temporary.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/fake_grade_services.h"
#include "exec/scratch_git.h"
#include "spec/temporary_repository.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class DiffTest : public ::testing::Test {
 protected:
  DiffTest() {
    files_.Write("reference/adder/oracle.cc", "// oracle\n");
    files_.Write("build/inputs/adder.sources", "reference/adder/oracle.cc\n");
    common_.root = files_.root();
    services_ = FakeGradeServices(files_.root());
    services_.grade_cell = [this](const CellRequest& request, ProgressSink&) {
      return EvidenceOf(request, verdict_);
    };
  }

  void Grade(Verdict verdict) {
    verdict_ = verdict;
    GradeOptions options;
    options.common = common_;
    options.reuse = Reuse::kNever;
    options.seed = 1;
    out_.str("");
    err_.str("");
    const int exit_code = RunGrade(options, services_, console_);
    ASSERT_EQ(exit_code, 0) << err_.str();
  }
  int Diff(const std::string& before, const std::string& after = "",
           OutputFormat format = OutputFormat::kText) {
    out_.str("");
    err_.str("");
    CommonOptions common = common_;
    common.format = format;
    return RunDiff({.common = common, .before = before, .after = after}, console_);
  }
  [[nodiscard]] std::string Log() const {
    return ReadFile(files_.root() / "reports" / "CHANGES.md").value_or("");
  }

  TemporaryRepository files_;
  ScratchGit git_{files_.root()};
  Verdict verdict_ = Verdict::kAccepted;
  CommonOptions common_;
  GradeServices services_;
  std::ostringstream out_;
  std::ostringstream err_;
  Console console_{.out = out_, .err = err_};
};

TEST_F(DiffTest, OfACommitAndWhatIsHere) {
  Grade(Verdict::kAccepted);
  const std::string first = git_.Commit();
  EXPECT_EQ(Diff("HEAD"), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("0 cells differ"));
  Grade(Verdict::kWrongAnswer);
  EXPECT_EQ(Diff(first), 0) << err_.str();
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("accepted -> wrong_answer"), HasSubstr("moved by:")));
  const std::string second = git_.Commit();
  EXPECT_EQ(Diff(second, first, OutputFormat::kJson), 0) << err_.str();
  const auto json = nlohmann::json::parse(out_.str());
  EXPECT_EQ(json["cells"][0]["before"]["verdict"], "wrong_answer");
  EXPECT_EQ(json["cells"][0]["after"]["verdict"], "accepted");
}

TEST_F(DiffTest, OfAFolder) {
  Grade(Verdict::kAccepted);
  const TemporaryDirectory other = *TemporaryDirectory::Create(fs::temp_directory_path(), "other");
  fs::create_directories(other.path() / "reports");
  fs::copy(files_.root() / "reports" / "evidence", other.path() / "reports" / "evidence",
           fs::copy_options::recursive);
  Grade(Verdict::kWrongAnswer);
  EXPECT_EQ(Diff(other.path().string()), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("accepted -> wrong_answer"));
}

TEST_F(DiffTest, WhatIsNeitherIsAnErrorThatSaysSo) {
  git_.Commit();
  EXPECT_EQ(Diff("no-such-thing"), static_cast<int>(ExitCode::kConfiguration));
  EXPECT_THAT(err_.str(), AllOf(HasSubstr("no-such-thing"),
                                HasSubstr("neither a folder that holds reports/evidence")));
}

TEST_F(DiffTest, NothingIsWrittenWhereALinkLeads) {
  Grade(Verdict::kAccepted);
  git_.Commit();
  const TemporaryDirectory other = *TemporaryDirectory::Create(fs::temp_directory_path(), "other");
  fs::remove_all(files_.root() / ".assay");
  fs::create_directory_symlink(other.path(), files_.root() / ".assay");
  EXPECT_EQ(Diff("HEAD"), static_cast<int>(ExitCode::kConfiguration));
  EXPECT_THAT(err_.str(), HasSubstr(".assay: is a symbolic link"));
  EXPECT_TRUE(fs::is_empty(other.path()));
}

TEST_F(DiffTest, EvidenceOfACommitThatCannotBeReadIsAnErrorThatNamesIt) {
  Grade(Verdict::kAccepted);
  files_.Write("reports/evidence/adder/right.json", "{");
  git_.Commit();
  Grade(Verdict::kAccepted);
  EXPECT_NE(Diff("HEAD"), 0);
  EXPECT_THAT(err_.str(), HasSubstr("HEAD:reports/evidence/adder/right.json"));
}

TEST_F(DiffTest, GradingLogsWhatItChangesOfPublishedNumbers) {
  Grade(Verdict::kAccepted);
  EXPECT_THAT(Log(), IsEmpty());  // The first evidence of all changes nothing.
  Grade(Verdict::kAccepted);
  EXPECT_THAT(Log(), IsEmpty());
  Grade(Verdict::kWrongAnswer);
  EXPECT_THAT(Log(), HasSubstr("accepted → **wrong\\_answer**"));
  EXPECT_THAT(Log(), testing::ContainsRegex(
                         "\n## [0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2} UTC, Assay "));
  EXPECT_THAT(out_.str(), HasSubstr("wrote reports/CHANGES.md"));
  EXPECT_THAT(ReadFile(files_.root() / "reports" / "README.md").value_or(""),
              HasSubstr("CHANGES.md"));
  out_.str("");
  EXPECT_EQ(RunReport({.common = common_, .mode = ReportMode::kCheck}, console_), 0)
      << out_.str() << err_.str();
}

TEST_F(DiffTest, ALogOfSomebodyElseIsLeftAlone) {
  Grade(Verdict::kAccepted);
  for (const char* const page : {"# Mine\n", ""}) {
    files_.Write("reports/CHANGES.md", page);
    verdict_ = verdict_ == Verdict::kAccepted ? Verdict::kWrongAnswer : Verdict::kAccepted;
    GradeOptions options;
    options.common = common_;
    options.reuse = Reuse::kNever;
    options.seed = 1;
    EXPECT_EQ(RunGrade(options, services_, console_), static_cast<int>(ExitCode::kConfiguration));
    EXPECT_EQ(Log(), page);
  }
  EXPECT_THAT(err_.str(), HasSubstr("was not written by Assay"));
}

}  // namespace
}  // namespace assay
