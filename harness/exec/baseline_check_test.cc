// SPDX-License-Identifier: Apache-2.0
#include "exec/baseline_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "base/file.h"
#include "build/testing/tiny_challenge.h"
#include "exec/repository_lock.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Source = BaselineCheck::Source;

// The tiny challenge as an installation has it, with a baseline that needs headers of its own and
// of the C library. Its host exits, so that answering is ours to say.
class BaselineCheckTest : public testing::Test {
 protected:
  BaselineCheckTest() {
    tiny_.Write("reference/tiny/baseline.cc",
                "#include \"export.h\"\n#include <cmath>\n"
                "int twice(int x) { return kFactor * int(std::round(double(x))); }\n");
    tiny_.Write("reference/tiny/export.h", "#include \"factor.h\"\n#include \"interface.h\"\n");
    tiny_.Write("reference/tiny/factor.h", "constexpr int kFactor = 2;\n");
    tiny_.Write("reference/tiny/oracle.h", "constexpr int kSecret = 1;\n");
    tiny_.Write("build/harness/host/libassay_host.a", *ReadFile(tiny_.Path("libhost.a")));
    settings_.root = tiny_.Path("");
    settings_.installation.sources = tiny_.Path("");
    settings_.installation.build = tiny_.Path("build");
    settings_.answers = [this](const fs::path& host, SandboxLevel) -> Status {
      const std::scoped_lock lock(mutex_);
      hosts_.push_back(host.parent_path().parent_path().parent_path().filename());
      return answer_;
    };
    baseline_.challenge.id = "tiny";
    baseline_.challenge.directory = tiny_.Path("challenge");
    baseline_.challenge.limits.build_time_limit_ms = 60'000;
  }

  Result<BaselineCheck> Check() {
    started_.clear();
    hosts_.clear();
    auto checks = CheckBaselines(settings_, {baseline_}, [this](const std::string& challenge) {
      started_.push_back(challenge);
    });
    EXPECT_EQ(checks.size(), 1U);
    std::ranges::sort(hosts_);
    return std::move(checks.front());
  }

  void ExpectMeasured() {
    const auto check = Check();
    ASSERT_TRUE(check) << ToString(check.error());
    EXPECT_EQ(check->source, Source::kMeasured);
    EXPECT_THAT(started_, ElementsAre("tiny"));
    EXPECT_THAT(hosts_, ElementsAre("release", "sanitized"));
  }

  // A compiler that says its version and does `does` for the rest: below /usr/bin alone could the
  // stricter levels see it.
  void UseCompiler(const std::string& does) {
    settings_.level = SandboxLevel::kNone;
    settings_.compiler = tiny_.Path("compiler");
    tiny_.Write(
        "compiler",
        "#!/bin/sh\ncase $1 in --version|-print*) exec /usr/bin/g++ \"$@\";; esac\n" + does);
    fs::permissions(settings_.compiler, fs::perms::owner_all);
  }

  TinyChallenge tiny_;
  BaselineCheckSettings settings_;
  BaselineToCheck baseline_;
  Status answer_;
  std::vector<std::string> started_;
  std::mutex mutex_;
  std::vector<std::string> hosts_;  ///< The flavors of those asked to answer.
};

TEST_F(BaselineCheckTest, GoodOutcomeIsKeptAndNothingIsBuiltAgain) {
  ExpectMeasured();
  const auto again = Check();
  ASSERT_TRUE(again) << ToString(again.error());
  EXPECT_EQ(again->source, Source::kKept);
  EXPECT_THAT(again->date, testing::MatchesRegex("20[0-9][0-9]-[01][0-9]-[0-3][0-9]"));
  EXPECT_GT(again->seconds, 0);
  EXPECT_THAT(started_, IsEmpty());
  EXPECT_THAT(hosts_, IsEmpty());
  EXPECT_TRUE(fs::is_empty(TemporaryRoot(settings_.root)));
}

TEST_F(BaselineCheckTest, LevelsAreCheckedApart) {
  ExpectMeasured();
  settings_.level = SandboxLevel::kReduced;
  ExpectMeasured();
  settings_.level = SandboxLevel::kFull;
  EXPECT_EQ(Check()->source, Source::kKept);
}

TEST_F(BaselineCheckTest, ChangedSourceIsCheckedAgainAndAnotherFileIsNot) {
  ExpectMeasured();
  tiny_.Write("reference/tiny/oracle.h", "constexpr int kSecret = 2;\n");
  EXPECT_EQ(Check()->source, Source::kKept);
  tiny_.Write("reference/tiny/factor.h", "constexpr int kFactor = 1 + 1;\n");
  ExpectMeasured();
  tiny_.Write("challenge/interface.h", "// Twice.\nextern \"C\" int twice(int);\n");
  ExpectMeasured();
}

TEST_F(BaselineCheckTest, ChangedCompilerIsCheckedAgain) {
  UseCompiler("exec /usr/bin/g++ \"$@\"\n");
  ExpectMeasured();
  EXPECT_EQ(Check()->source, Source::kKept);
  UseCompiler("# Another.\nexec /usr/bin/g++ \"$@\"\n");
  ExpectMeasured();
}

TEST_F(BaselineCheckTest, KeptFileThatCannotBeReadIsAsNone) {
  ExpectMeasured();
  for (const auto& file : fs::directory_iterator(StateDirectory(settings_.root) / "baselines")) {
    ASSERT_TRUE(WriteFileAtomically(file.path(), "{\"facts\": 1"));
  }
  ExpectMeasured();
}

// The C library's headers among the system's: `#include_next <math.h>` of the C++ library's finds
// nothing behind them. So it was with a CUDA toolkit in /usr.
TEST_F(BaselineCheckTest, BrokenIncludePathIsAFailureOfTheMachineWithTheCompilersWords) {
  UseCompiler("exec /usr/bin/g++ -isystem /usr/include \"$@\"\n");
  const auto check = Check();
  ASSERT_FALSE(check);
  EXPECT_EQ(check.error().kind, ErrorKind::kJudge);
  EXPECT_EQ(check.error().where, tiny_.Path("reference/tiny").string());
  EXPECT_THAT(check.error().cause,
              AllOf(HasSubstr("compiling baseline.cc (release, sandbox level none) fails"),
                    HasSubstr(settings_.compiler.string() + " -std="),
                    HasSubstr("fatal error: math.h: No such file or directory")));
  EXPECT_THAT(check.error().remedy,
              AllOf(HasSubstr("apt-get install --reinstall g++-"), HasSubstr("assay doctor")));
  EXPECT_THAT(hosts_, IsEmpty());
}

TEST_F(BaselineCheckTest, FailureIsTriedAgainTheNextTime) {
  UseCompiler("echo 'cc1plus: out of order' >&2\nexit 1\n");
  const auto check = Check();
  ASSERT_FALSE(check);
  EXPECT_EQ(check.error().kind, ErrorKind::kJudge);
  EXPECT_THAT(check.error().cause, HasSubstr("cc1plus: out of order"));
  EXPECT_FALSE(Check());
  EXPECT_THAT(started_, ElementsAre("tiny"));
}

TEST_F(BaselineCheckTest, MissingHeaderOfHighwayNamesItsPackage) {
  tiny_.Write("reference/tiny/export.h", "#include <hwy/not_there.h>\n");
  const auto check = Check();
  ASSERT_FALSE(check);
  EXPECT_THAT(check.error().remedy, HasSubstr("--reinstall libhwy-dev"));
}

TEST_F(BaselineCheckTest, OnlyWhatTheBaselineIncludesIsThereForTheCompiler) {
  tiny_.Write("reference/tiny/factor.h",
              "#if __has_include(<oracle.h>)\n#error seen\n#endif\nconstexpr int kFactor = 2;\n");
  ExpectMeasured();
}

TEST_F(BaselineCheckTest, HostThatDoesNotAnswerIsAFailureOfTheMachine) {
  answer_ = std::unexpected(
      Error{.kind = ErrorKind::kJudge, .where = {}, .cause = "it was killed", .remedy = {}});
  const auto check = Check();
  ASSERT_FALSE(check);
  EXPECT_EQ(check.error().kind, ErrorKind::kJudge);
  EXPECT_THAT(check.error().cause, HasSubstr("its host does not answer: it was killed"));
  answer_ = {};
  ExpectMeasured();
}

TEST_F(BaselineCheckTest, MissingCompilerIsAConfigurationErrorForEach) {
  settings_.compiler = "/usr/bin/no-such-compiler";
  for (const auto& check : CheckBaselines(settings_, {baseline_, baseline_}, [](const auto&) {})) {
    ASSERT_FALSE(check);
    EXPECT_EQ(check.error().kind, ErrorKind::kConfiguration);
  }
}

TEST_F(BaselineCheckTest, ChallengeWithoutABaselineIsAConfigurationError) {
  fs::remove(tiny_.Path("reference/tiny/baseline.cc"));
  const auto check = Check();
  ASSERT_FALSE(check);
  EXPECT_EQ(check.error().kind, ErrorKind::kConfiguration);
  EXPECT_THAT(check.error().cause, HasSubstr("holds no baseline.cc"));
}

TEST_F(BaselineCheckTest, AllAreCheckedThoughOneFails) {
  BaselineToCheck other = baseline_;
  other.challenge.id = "other";
  tiny_.Write("reference/other/baseline.cc", "int twice(int x) { return x + }\n");
  const auto checks = CheckBaselines(settings_, {other, baseline_}, [](const auto&) {});
  ASSERT_EQ(checks.size(), 2U);
  EXPECT_FALSE(checks[0]);
  EXPECT_TRUE(checks[1]) << ToString(checks[1].error());
}

TEST_F(BaselineCheckTest, ProgramThatIsNoHostDoesNotAnswer) {
  const Status status = AnswersOnce("/usr/bin/true", SandboxLevel::kFull);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::kJudge);
  EXPECT_THAT(status.error().cause, Not(IsEmpty()));
}

TEST_F(BaselineCheckTest, FilesIncludedAreFoundThroughHeaders) {
  tiny_.Write("reference/tiny/loop.h", "#include \"export.h\"\n#include \"loop.h\"\n");
  tiny_.Write("reference/tiny/a.cc", "# define AGAIN \"loop.h\"\nconst char* s = \"oracle.h\";\n");
  const auto files = FilesIncluded(tiny_.Path("reference/tiny"), {"a.cc"});
  ASSERT_TRUE(files) << ToString(files.error());
  EXPECT_THAT(*files, ElementsAre("a.cc", "export.h", "factor.h", "loop.h"));
  EXPECT_FALSE(FilesIncluded(tiny_.Path("reference/tiny"), {"not_there.cc"}));
}

}  // namespace
}  // namespace assay
