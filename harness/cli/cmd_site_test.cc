// SPDX-License-Identifier: Apache-2.0
// The command with a page that is ours: what the real one shows, harness/site tests in a browser.
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
#include "spec/temporary_repository.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

class SiteTest : public ::testing::Test {
 protected:
  SiteTest() {
    files_.Write("reference/adder/oracle.cc", "// oracle\n");
    files_.Write("build/inputs/adder.sources", "reference/adder/oracle.cc\n");
    for (const char* const file : {"index.html", "app.css", "app.js", "app.js.LEGAL.txt"}) {
      files_.Write(fs::path("page") / file, std::string("built ") + file);
    }
    common_.root = files_.root();
  }

  void Grade() {
    GradeServices services = FakeGradeServices(files_.root());
    services.grade_cell = [](const CellRequest& request, ProgressSink&) -> Result<Evidence> {
      return EvidenceOf(request, request.submission.model == "right" ? Verdict::kAccepted
                                                                     : Verdict::kWrongAnswer);
    };
    ASSERT_EQ(RunGrade({.common = common_}, services, console_), 0) << err_.str();
  }
  int Run(const fs::path& directory, OutputFormat format = OutputFormat::kText) {
    out_.str("");
    err_.str("");
    CommonOptions common = common_;
    common.format = format;
    return RunSite({.common = common, .directory = directory, .page = files_.root() / "page"},
                   console_);
  }
  [[nodiscard]] fs::path Site() const { return folder_.path() / "site"; }
  [[nodiscard]] std::string Content(const fs::path& path) const {
    return ReadFile(Site() / path).value_or("(is not there)");
  }

  TemporaryRepository files_;
  TemporaryDirectory folder_ = *TemporaryDirectory::Create(fs::temp_directory_path(), "site");
  CommonOptions common_;
  std::ostringstream out_;
  std::ostringstream err_;
  Console console_{.out = out_, .err = err_};
};

TEST_F(SiteTest, IsThePageAndTheDataOfEachCell) {
  Grade();
  EXPECT_EQ(Run(Site()), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("index.html"));
  EXPECT_EQ(Content("app.js"), "built app.js");
  EXPECT_THAT(Content("data/board.js"), HasSubstr("\"model\":\"right\""));
  EXPECT_THAT(Content("data/cells/adder/right.js"), HasSubstr("Sum.Small"));
}

TEST_F(SiteTest, WritesAgainOnlyWhatChangedAndRemovesWhatIsGone) {
  Grade();
  EXPECT_EQ(Run(Site()), 0) << err_.str();
  EXPECT_EQ(Run(Site(), OutputFormat::kJson), 0) << err_.str();
  auto json = nlohmann::json::parse(out_.str());
  EXPECT_EQ(json["written"], 0);
  EXPECT_EQ(json["removed"], 0);
  fs::remove(files_.root() / "reports/evidence/adder/right.json");
  EXPECT_EQ(Run(Site(), OutputFormat::kJson), 0) << err_.str();
  json = nlohmann::json::parse(out_.str());
  EXPECT_GE(json["removed"], 1);
  EXPECT_FALSE(fs::exists(Site() / "data/cells/adder/right.js"));
}

TEST_F(SiteTest, EvidenceThatDoesNotHoldIsNamedAndNothingIsWritten) {
  Grade();
  files_.Replace("reports/evidence/adder/wrong.json", "\"sum[0] is off\"", "\"\"");
  EXPECT_EQ(Run(Site()), static_cast<int>(ExitCode::kConfiguration));
  EXPECT_THAT(err_.str(), AllOf(HasSubstr("reports/evidence/adder/wrong.json: "),
                                HasSubstr("evidence is not edited")));
  EXPECT_FALSE(fs::exists(Site()));
}

TEST_F(SiteTest, NorIsItWhereASignatureDoesNotHold) {
  Grade();
  files_.Write(".ci/allowed_signers", "");
  files_.Write("reports/evidence/adder/wrong.json.sig", "none\n");
  EXPECT_EQ(Run(Site()), static_cast<int>(ExitCode::kConfiguration));
  EXPECT_THAT(err_.str(), HasSubstr("adder/wrong.json: its signature is none of ssh"));
  EXPECT_FALSE(fs::exists(Site()));
}

TEST_F(SiteTest, AFolderOfSomebodyElseIsLeftAsItIs) {
  Grade();
  fs::create_directories(Site());
  ASSERT_TRUE(WriteFileAtomically(Site() / "index.html", "theirs"));
  EXPECT_EQ(Run(Site()), static_cast<int>(ExitCode::kConfiguration));
  EXPECT_THAT(err_.str(), AllOf(HasSubstr("holds files"), HasSubstr("name a new or an empty")));
  EXPECT_EQ(Content("index.html"), "theirs");
  EXPECT_FALSE(fs::exists(Site() / "data"));
}

TEST_F(SiteTest, WithoutTheBuiltPageNothingIsWrittenAndTheErrorSaysHowItIsBuilt) {
  Grade();
  fs::remove(files_.root() / "page/app.js");
  EXPECT_EQ(Run(Site()), static_cast<int>(ExitCode::kConfiguration));
  EXPECT_THAT(err_.str(), AllOf(HasSubstr("app.js"), HasSubstr("scripts/setup --site")));
  EXPECT_FALSE(fs::exists(Site()));
}

TEST_F(SiteTest, WithoutEvidenceItIsAnEmptyBoard) {
  EXPECT_EQ(Run(Site()), 0) << err_.str();
  EXPECT_THAT(Content("data/board.js"), HasSubstr("\"standings\":[]"));
}

}  // namespace
}  // namespace assay
