// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/watch_deadline.h"
#include "spec/temporary_repository.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Tries submissions of a small repository; what builds and runs them is ours.
class TryTest : public ::testing::Test {
 protected:
  TryTest() {
    capabilities_.level = SandboxLevel::kFull;
    // Whether it is right is in its text.
    services_ = {.detect_capabilities = [this] { return capabilities_; },
                 .check_built = [](const Installation&, const SubmissionSpec&) { return Status(); },
                 .build = [this](const BuildInputs& inputs) -> Result<BuildOutcome> {
                   submission_ = inputs.submission;
                   scratch_ = inputs.output_directory;
                   BuildOutcome built;
                   built.verdict = Verdict::kAccepted;
                   built.objects = {{.source = "add.cc", .path = "add.o"}};
                   return built;
                 },
                 .read_symbols = [](const ObjectFile& object) -> Result<SourceSymbols> {
                   return SourceSymbols{.source = object.source, .defined = {"add_f32"}};
                 },
                 .list_cases = [](const fs::path&) -> Result<std::vector<std::string>> {
                   return std::vector<std::string>{"Sum.Small"};
                 },
                 .run_suite = [this](const SuiteRun& run, const fs::path&) { return Judge(run); }};
  }

  Result<RunResults> Judge(const SuiteRun& run) {
    seed_ = run.seed;
    const std::string text =
        ReadFile(submission_.directory / submission_.sources.front()).value_or("");
    RunResults results;
    CaseEvidence& one = results.suite.cases.emplace_back();
    one.name = "Sum.Small";
    one.verdict =
        text.find("right") != std::string::npos ? Verdict::kAccepted : Verdict::kWrongAnswer;
    after_run_();
    return results;
  }

  int Try(TryOptions options) {
    out_.str("");
    err_.str("");
    options.common.root = files_.root();
    return RunTry(options, services_, console_);
  }
  [[nodiscard]] fs::path Folder(const std::string& model) const {
    return files_.root() / "submissions" / model / "adder";
  }

  TemporaryRepository files_;
  SandboxCapabilities capabilities_;
  TryServices services_;
  SubmissionSpec submission_;
  fs::path scratch_;
  std::uint64_t seed_ = 0;
  std::function<void()> after_run_ = [] {};
  std::ostringstream out_;
  std::ostringstream err_;
  Console console_{.out = out_, .err = err_};
};

TEST_F(TryTest, RightOneEndsWith0AndWrongOneWith1) {
  EXPECT_EQ(Try({.directory = Folder("right")}), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("1 right"));
  EXPECT_EQ(Try({.directory = Folder("wrong")}), 1);
  EXPECT_THAT(out_.str(), HasSubstr("Sum.Small: wrong_answer"));
}

TEST_F(TryTest, FolderMayLieAnywhereAndNeedsNoModel) {
  const fs::path draft = files_.root() / "my draft";
  fs::copy(Folder("wrong"), draft, fs::copy_options::recursive);
  fs::remove(files_.root() / "submissions/wrong/model.yaml");
  EXPECT_EQ(Try({.directory = draft, .challenge = "adder", .seed = 7}), 1) << err_.str();
  EXPECT_EQ(seed_, 7U);
  EXPECT_THAT(out_.str(), HasSubstr("my draft' --root "));
  EXPECT_THAT(out_.str(), HasSubstr("--challenge adder --seed 7 --case 'Sum.Small'"));
}

TEST_F(TryTest, NothingIsLeftBehind) {
  const auto before = ListFiles(files_.root()).value();
  EXPECT_EQ(Try({.directory = Folder("right")}), 0);
  EXPECT_EQ(ListFiles(files_.root()).value(), before);
  EXPECT_FALSE(scratch_.empty());
  EXPECT_FALSE(fs::exists(scratch_));
}

TEST_F(TryTest, FaultsNameTheThingAndTheRemedy) {
  EXPECT_EQ(Try({.directory = "/nowhere"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("/nowhere: does not exist"));
  EXPECT_EQ(Try({.directory = files_.root()}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("holds no submission.yaml"));
  EXPECT_EQ(Try({.directory = Folder("right") / "add.cc"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("is no folder"));
  files_.Replace("submissions/right/adder/submission.yaml", "[add.cc]", "[none.cc]");
  EXPECT_EQ(Try({.directory = Folder("right")}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("\"none.cc\" does not exist"));
  EXPECT_EQ(Try({.directory = Folder("wrong"), .case_pattern = "Sum.Smal"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("did you mean \"Sum.Small\"?"));
}

// It threw, and ended as if Assay had failed.
TEST_F(TryTest, FolderForTemporaryFilesThatIsGoneEndsWith2) {
  const char* const before = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe): no thread.
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("TMPDIR", "/nowhere", 1);
  const int exit_code = Try({.directory = Folder("right")});
  if (before == nullptr) {
    ::unsetenv("TMPDIR");
  } else {
    ::setenv("TMPDIR", kept.c_str(), 1);
  }
  EXPECT_EQ(exit_code, 2);
  EXPECT_THAT(err_.str(), HasSubstr("set TMPDIR"));
}

TEST_F(TryTest, JsonIsOneDocument) {
  EXPECT_EQ(Try({.common = {.format = OutputFormat::kJson}, .directory = Folder("wrong")}), 1);
  EXPECT_EQ(nlohmann::json::parse(out_.str())["first_failure"], "Sum.Small");
  EXPECT_EQ(Try({.common = {.format = OutputFormat::kJson},
                 .directory = Folder("wrong"),
                 .watch = WatchMode::kOnSave}),
            2);
  EXPECT_THAT(out_.str(), HasSubstr("--watch never ends"));
}

TEST_F(TryTest, SandboxBelowWhatIsAskedForEndsWith4) {
  capabilities_.level = SandboxLevel::kReduced;
  EXPECT_EQ(Try({.directory = Folder("right"), .sandbox = SandboxLevel::kFull}), 4);
  EXPECT_EQ(Try({.directory = Folder("right")}), 0);
  EXPECT_THAT(err_.str(), HasSubstr("level reduced, not full"));
}

// Each save is made while a try runs, and a signal ends the third. Should one of them end before it
// runs anything, nothing is saved any more, and the watch waits until its deadline.
TEST_F(TryTest, WatchTriesAgainOnASaveAndSaysWhatChanged) {
  const WatchDeadline deadline([this] { return out_.str() + err_.str(); });
  int runs = 0;
  after_run_ = [&] {
    if (++runs == 1) {
      files_.Write("submissions/wrong/adder/add.cc", "// right now\n");
    } else if (runs == 2) {
      files_.Write("submissions/wrong/adder/add.cc", "// broken again\n");
    } else {
      ::raise(SIGINT);
    }
  };
  EXPECT_EQ(Try({.directory = Folder("wrong"), .watch = WatchMode::kOnSave}), 128 + SIGINT);
  EXPECT_EQ(runs, 3);
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("saved: add.cc"), HasSubstr("now right: Sum.Small"),
                                Not(HasSubstr("still wrong"))));
}

}  // namespace
}  // namespace assay
