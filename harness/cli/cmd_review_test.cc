// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/temporary.h"
#include "cli/commands.h"
#include "cli/fake_grade_services.h"
#include "report/report.h"
#include "review/blinder.h"
#include "spec/temporary_repository.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

void ReplaceAll(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

/// `adder` with a row of kind review; two models, two reviewers.
class ReviewCommandsTest : public ::testing::Test {
 protected:
  ReviewCommandsTest() {
    files_.Replace("challenges/adder/rubric.yaml", "penalties:",
                   "  - id: prose\n    title: Prose\n    dimension: quality\n    kind: review\n"
                   "    value: review\n    edge: higher\n    weight: 1\n"
                   "    score: [[0, 0], [4, 100]]\n    scale: [a, b, c, d, e]\npenalties:");
    files_.Write("submissions/right/adder/add.h", "// By The Right One, unlike THE_WRONG-ONE.\n");
  }

  template <class Function>
  int Run(Function function) {
    out_.str("");
    err_.str("");
    return function();
  }
  int New(const std::string& reviewer, const std::vector<std::string>& models = {}) {
    return Run([&] {
      return RunReviewNew({.common = common_,
                           .reviewer = reviewer,
                           .challenges = {},
                           .models = models,
                           .folder = Dossier(reviewer)},
                          console_);
    });
  }
  int Check(const std::vector<fs::path>& files = {}) {
    return Run([&] { return RunReviewCheck({.common = common_, .files = files}, console_); });
  }
  int Collect(const std::string& reviewer) {
    return Run([&] {
      return RunReviewCollect({.common = common_, .folder = Dossier(reviewer)}, console_);
    });
  }

  [[nodiscard]] fs::path Dossier(const std::string& reviewer) const {
    return folder_.path() / reviewer;
  }
  [[nodiscard]] std::vector<fs::path> Forms(const std::string& reviewer) const {
    std::vector<fs::path> forms;
    const auto paths = ListFiles(Dossier(reviewer)).value();
    for (const fs::path& path : paths) {
      if (path.extension() == ".yaml") {
        forms.push_back(Dossier(reviewer) / path);
      }
    }
    return forms;
  }
  /// Fills in every form as a reviewer would who prefers none.
  void FillIn(const std::string& reviewer, const std::string& who) {
    for (const fs::path& form : Forms(reviewer)) {
      std::string text = ReadFile(form).value();
      ReplaceAll(text, "  person:\n  model:\n  version:\n", who);
      ReplaceAll(text, "date:  # As 2026-11-23.", "date: 2026-11-23");
      ReplaceAll(text, "mark:  # 0 to 4, as TASK.md says.", "mark: 3");
      ReplaceAll(text, "reason:", "reason: It says so.");
      ReplaceAll(text, "- file:", "- file: add.cc");
      ReplaceAll(text, "line:\n", "line: 1\n");
      ReplaceAll(text, "quote:", "quote: // NAME");
      ReplaceAll(text, "prefers:  # this, other or equal.", "prefers: equal");
      EXPECT_TRUE(WriteFileAtomically(form, text).has_value());
    }
  }
  void Review(const std::string& reviewer) {
    EXPECT_EQ(New(reviewer), 0) << err_.str();
    FillIn(reviewer, "  person: " + reviewer + "\n");
    EXPECT_EQ(Collect(reviewer), 0) << err_.str();
  }
  [[nodiscard]] fs::path Record(const std::string& reviewer, const std::string& model) const {
    return files_.root() / "reports/reviews" / reviewer / "adder" / (model + ".yaml");
  }

  TemporaryRepository files_;
  TemporaryDirectory folder_ =
      TemporaryDirectory::Create(fs::temp_directory_path(), "dossier").value();
  CommonOptions common_{.root = files_.root()};
  std::ostringstream out_;
  std::ostringstream err_;
  Console console_{.out = out_, .err = err_};
};

TEST_F(ReviewCommandsTest, ADossierNamesNoModel) {
  ASSERT_EQ(New("ada"), 0) << err_.str();
  const auto paths = ListFiles(Dossier("ada")).value();
  EXPECT_THAT(paths, SizeIs(6));
  for (const fs::path& path : paths) {
    const std::string all = FoldName(path.string() + ReadFile(Dossier("ada") / path).value());
    EXPECT_EQ(all.find("rightone"), std::string::npos) << path;
    EXPECT_EQ(all.find("wrong"), std::string::npos) << path;
  }
}

TEST_F(ReviewCommandsTest, TheKeyThatLeadsBackStaysHere) {
  ASSERT_EQ(New("ada"), 0) << err_.str();
  const fs::path key = files_.root() / ".assay/review.key";
  EXPECT_THAT(ReadFile(key).value(), SizeIs(64));
  EXPECT_EQ(fs::status(key).permissions() & fs::perms::all,
            fs::perms::owner_read | fs::perms::owner_write);
  const std::string before = ReadFile(key).value();
  ASSERT_EQ(New("bo"), 0) << err_.str();
  EXPECT_EQ(ReadFile(key).value(), before);
}

TEST_F(ReviewCommandsTest, FormsBecomeRecordsUnderTheNamesOfModels) {
  ASSERT_EQ(New("ada"), 0) << err_.str();
  FillIn("ada", "  model: Judge-1\n  version: 2026-02\n");
  EXPECT_EQ(Check(Forms("ada")), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("reviews: 2, faults: 0, stale: 0, of own work: 0, flags: 0"));
  EXPECT_EQ(Collect("ada"), 0) << err_.str();
  EXPECT_THAT(ReadFile(Record("ada", "right")).value(),
              AllOf(HasSubstr("submission: right\n"), HasSubstr("against: wrong\n"),
                    HasSubstr("model: \"Judge-1\"\n")));
  EXPECT_EQ(Check(), 0) << err_.str();
  EXPECT_EQ(Check({Record("ada", "right")}), 0) << err_.str();
}

TEST_F(ReviewCommandsTest, AnEmptyFormIsNoReviewAndNothingIsTakenIn) {
  ASSERT_EQ(New("ada"), 0) << err_.str();
  EXPECT_EQ(Check(Forms("ada")), 2);
  EXPECT_THAT(err_.str(), HasSubstr("marks[0].mark is empty"));
  EXPECT_EQ(Collect("ada"), 2);
  EXPECT_FALSE(fs::exists(files_.root() / "reports/reviews"));
}

TEST_F(ReviewCommandsTest, OneReviewThatDoesNotHoldStopsAll) {
  ASSERT_EQ(New("ada"), 0) << err_.str();
  FillIn("ada", "  person: Ada\n");
  std::string text = ReadFile(Forms("ada")[0]).value();
  ReplaceAll(text, "quote: // NAME", "quote: nowhere");
  ASSERT_TRUE(WriteFileAtomically(Forms("ada")[0], text).has_value());
  EXPECT_EQ(Check(Forms("ada")), 1);
  EXPECT_THAT(err_.str(), HasSubstr("assay: fault: "));
  EXPECT_EQ(Check({Forms("ada")[1]}), 0) << err_.str();
  EXPECT_EQ(Collect("ada"), 1);
  EXPECT_FALSE(fs::exists(files_.root() / "reports/reviews"));
}

TEST_F(ReviewCommandsTest, WhatChangedSinceIsStale) {
  Review("ada");
  files_.Write("submissions/right/adder/add.cc", "// other\n");
  EXPECT_EQ(Check(), 1);
  EXPECT_THAT(err_.str(), AllOf(HasSubstr("assay: stale: reports/reviews/ada/adder/right.yaml"),
                                Not(HasSubstr("fault"))));
  common_.format = OutputFormat::kJson;
  EXPECT_EQ(Check(), 1);
  EXPECT_EQ(nlohmann::json::parse(out_.str())["findings"][0]["kind"], "stale");
}

TEST_F(ReviewCommandsTest, AReviewThatIsThereIsNotOverwritten) {
  Review("ada");
  EXPECT_EQ(Collect("ada"), 0) << err_.str();  // The same once more.
  std::string text = ReadFile(Forms("ada")[0]).value();
  ReplaceAll(text, "mark: 3", "mark: 4");
  ASSERT_TRUE(WriteFileAtomically(Forms("ada")[0], text).has_value());
  EXPECT_EQ(Collect("ada"), 2);
  EXPECT_THAT(err_.str(), HasSubstr("remove it to review again"));
  EXPECT_THAT(ReadFile(Record("ada", "right")).value(), HasSubstr("mark: 3"));
}

TEST_F(ReviewCommandsTest, WithAChallengeAtFaultNothingIsTakenIn) {
  ASSERT_EQ(New("ada"), 0) << err_.str();
  FillIn("ada", "  person: Ada\n");
  files_.Write("challenges/adder/challenge.yaml", "schema: 1\n");
  EXPECT_EQ(Collect("ada"), 2);
  EXPECT_THAT(err_.str(), HasSubstr("assay: challenges/adder/challenge.yaml:"));
  EXPECT_FALSE(fs::exists(files_.root() / "reports/reviews"));
}

TEST_F(ReviewCommandsTest, NobodyJudgesTheirOwnWork) {
  ASSERT_EQ(New("right"), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("left out right/adder"));
  EXPECT_THAT(Forms("right"), SizeIs(1));
  ASSERT_EQ(New("ada"), 0) << err_.str();
  FillIn("ada", "  model: The right one\n  version: 2\n");
  EXPECT_EQ(Collect("ada"), 1);
  EXPECT_THAT(err_.str(), HasSubstr("assay: own_work: "));
}

TEST_F(ReviewCommandsTest, TakesTheModelsAskedForAndNamesTheNearest) {
  ASSERT_EQ(New("ada", {"wrong"}), 0) << err_.str();
  EXPECT_THAT(Forms("ada"), SizeIs(1));
  EXPECT_EQ(New("bo", {"wronk"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("wronk"));
  EXPECT_FALSE(fs::exists(Dossier("bo")));
  EXPECT_EQ(New("ada"), 2);
  EXPECT_THAT(err_.str(), HasSubstr("is there and not empty"));
  EXPECT_EQ(New("../ada"), 2);
}

TEST_F(ReviewCommandsTest, ASubmissionWithALinkIsRefused) {
  files_.Write("secret.txt", "secret\n");
  fs::create_symlink(files_.root() / "secret.txt",
                     files_.root() / "submissions/right/adder/link.h");
  EXPECT_EQ(New("ada"), 2);
  EXPECT_THAT(err_.str(), HasSubstr("is a symbolic link"));
  EXPECT_FALSE(fs::exists(Dossier("ada")));
}

/// With evidence, so that there are reports.
class ReviewReportTest : public ReviewCommandsTest {
 protected:
  ReviewReportTest() {
    files_.Write("reference/adder/oracle.cc", "// oracle\n");
    files_.Write("harness/host/host.cc", "// host\n");
    files_.Write("build/inputs/adder.sources", "harness/host/host.cc\nreference/adder/oracle.cc\n");
    GradeServices services = FakeGradeServices(files_.root());
    services.grade_cell = [](const CellRequest& request, ProgressSink&) -> Result<Evidence> {
      return EvidenceOf(request, Verdict::kAccepted);
    };
    EXPECT_EQ(Run([&] { return RunGrade({.common = common_, .seed = 7}, services, console_); }), 0)
        << err_.str();
  }
  int Report(ReportMode mode = ReportMode::kWrite) {
    return Run([&] { return RunReport({.common = common_, .mode = mode}, console_); });
  }
  [[nodiscard]] std::string Page() const {
    return ReadFile(files_.root() / "reports/challenges/adder.md").value();
  }
};

TEST_F(ReviewReportTest, ReportShowsReviewsAndNeverTouchesThem) {
  for (const std::string reviewer : {"ada", "bo", "cy"}) {
    Review(reviewer);
  }
  // Even what begins as its own files do.
  const std::string note = std::string(kReportMark) + " -->\nNotes of Ada.\n";
  files_.Write("reports/reviews/ada/notes.md", note);
  const std::string record = ReadFile(Record("ada", "right")).value();
  const auto written = fs::last_write_time(Record("ada", "right"));
  EXPECT_EQ(Report(ReportMode::kCheck), 1);  // Reviews are a part of what reports are made of.
  EXPECT_EQ(Report(), 0) << err_.str();
  EXPECT_THAT(Page(), HasSubstr("3 of 4 (3 to 3, 3 reviewers; not scored: all marks are the same"));
  EXPECT_THAT(Page(), HasSubstr("## Reviews"));
  EXPECT_EQ(Report(ReportMode::kCheck), 0) << err_.str();
  EXPECT_EQ(ReadFile(Record("ada", "right")).value(), record);
  EXPECT_EQ(fs::last_write_time(Record("ada", "right")), written);
  EXPECT_EQ(ReadFile(files_.root() / "reports/reviews/ada/notes.md").value(), note);
}

TEST_F(ReviewReportTest, ARecordAtFaultIsNamed) {
  Review("ada");
  files_.Replace("reports/reviews/ada/adder/right.yaml", "mark: 3", "mark: 9");
  EXPECT_EQ(Report(), 2);
  EXPECT_THAT(err_.str(), HasSubstr("reports/reviews/ada/adder/right.yaml:11: marks[0].mark is 9"));
}

}  // namespace
}  // namespace assay
