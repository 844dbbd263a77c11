// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

template <class Options>
Options Parse(std::vector<std::string> arguments) {
  auto command = ParseCommandLine(std::move(arguments));
  EXPECT_TRUE(command.has_value()) << command.error().err;
  return command ? std::get<Options>(*command) : Options{};
}

NoCommand Refuse(std::vector<std::string> arguments) {
  const auto command = ParseCommandLine(std::move(arguments));
  EXPECT_FALSE(command.has_value());
  return command ? NoCommand{} : command.error();
}

TEST(CommandLine, GradeAloneMeansEverythingWithDefaults) {
  const auto options = Parse<GradeOptions>({"grade"});
  EXPECT_THAT(options.cells, IsEmpty());
  EXPECT_EQ(options.reuse, Reuse::kWhenItHolds);
  EXPECT_EQ(options.seed, std::nullopt);
  EXPECT_EQ(options.sandbox, std::nullopt);
  EXPECT_EQ(options.required_sandbox, std::nullopt);
  EXPECT_EQ(options.progress, ProgressStyle::kShown);
  EXPECT_EQ(options.gate, AcceptanceGate::kOff);
  EXPECT_EQ(options.common.format, OutputFormat::kText);
}

TEST(CommandLine, GradeTakesAllItsOptions) {
  const auto options =
      Parse<GradeOptions>({"grade", "glm-5", "qwen/kv_cache", "--force", "--seed",
                           "9007199254740991", "--sandbox=reduced", "--require-sandbox=full",
                           "--require-accepted", "--no-progress", "--json", "--root", "/r"});
  EXPECT_THAT(options.cells, ElementsAre("glm-5", "qwen/kv_cache"));
  EXPECT_EQ(options.reuse, Reuse::kNever);
  EXPECT_EQ(options.seed, 9007199254740991ULL);
  EXPECT_EQ(options.sandbox, SandboxLevel::kReduced);
  EXPECT_EQ(options.required_sandbox, SandboxLevel::kFull);
  EXPECT_EQ(options.gate, AcceptanceGate::kEveryCell);
  EXPECT_EQ(options.progress, ProgressStyle::kHidden);
  EXPECT_EQ(options.common.format, OutputFormat::kJson);
  EXPECT_EQ(options.common.root, "/r");
}

TEST(CommandLine, GradeForManyMachines) {
  const auto options =
      Parse<GradeOptions>({"grade", "--shard", "2/5", "--out", "part", "--attest"});
  EXPECT_EQ(options.shard, (Shard{.number = 2, .count = 5}));
  EXPECT_EQ(options.out, "part");
  EXPECT_EQ(options.attesting, Attesting::kOn);
  EXPECT_EQ(Parse<GradeOptions>({"grade"}).shard, std::nullopt);
  EXPECT_EQ(Parse<GradeOptions>({"grade"}).attesting, Attesting::kOff);
  for (const char* wrong : {"0/5", "6/5", "2", "x/y"}) {
    const NoCommand refused = Refuse({"grade", "--shard", wrong});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, HasSubstr("a shard is I/N"));
  }
}

TEST(CommandLine, RobustnessTakesChallengesAndDraws) {
  EXPECT_THAT(Parse<RobustnessOptions>({"robustness"}).challenges, IsEmpty());
  EXPECT_EQ(Parse<RobustnessOptions>({"robustness"}).weight_draws, 2000);
  const auto options = Parse<RobustnessOptions>({"robustness", "kv_cache", "--draws", "500"});
  EXPECT_THAT(options.challenges, ElementsAre("kv_cache"));
  EXPECT_EQ(options.weight_draws, 500);
  for (const char* wrong : {"0", "many", "100000000"}) {
    EXPECT_EQ(Refuse({"robustness", "--draws", wrong}).exit_code, 2) << wrong;
  }
}

TEST(CommandLine, MergeTakesFoldersAndNeedsOne) {
  const auto options = Parse<MergeOptions>({"merge", "a", "b", "--require-signed", "--wait"});
  EXPECT_THAT(options.folders, ElementsAre("a", "b"));
  EXPECT_EQ(options.is_unsigned, Unsigned::kRefused);
  EXPECT_EQ(options.common.when_held, WhenHeld::kWait);
  EXPECT_EQ(Parse<MergeOptions>({"merge", "a"}).is_unsigned, Unsigned::kTaken);
  EXPECT_EQ(Refuse({"merge"}).exit_code, 2);
}

TEST(CommandLine, CheckAndReportCanInsistOnSignatures) {
  EXPECT_EQ(Parse<CheckOptions>({"check"}).gate, SignedGate::kOff);
  EXPECT_EQ(Parse<CheckOptions>({"check", "--require-signed"}).gate, SignedGate::kEveryCell);
  EXPECT_EQ(Parse<ReportOptions>({"report", "--require-signed"}).gate, SignedGate::kEveryCell);
}

TEST(CommandLine, CommandsThatWriteCanWait) {
  EXPECT_EQ(Parse<GradeOptions>({"grade"}).common.when_held, WhenHeld::kRefuse);
  EXPECT_EQ(Parse<GradeOptions>({"grade", "--wait"}).common.when_held, WhenHeld::kWait);
  EXPECT_EQ(Parse<ReportOptions>({"report", "--wait"}).common.when_held, WhenHeld::kWait);
  EXPECT_EQ(Parse<SignaturesOptions>({"signatures", "--wait"}).common.when_held, WhenHeld::kWait);
  EXPECT_THAT(Refuse({"list", "--wait"}).err, HasSubstr("--wait"));
}

TEST(CommandLine, CommonOptionsStandBeforeOrBehindTheCommand) {
  EXPECT_EQ(Parse<ListOptions>({"--json", "list"}).common.format, OutputFormat::kJson);
  EXPECT_EQ(Parse<ListOptions>({"list", "--json"}).common.format, OutputFormat::kJson);
}

TEST(CommandLine, OtherCommandsTakeTheirs) {
  EXPECT_EQ(Parse<ReportOptions>({"report"}).mode, ReportMode::kWrite);
  EXPECT_EQ(Parse<ReportOptions>({"report", "--check"}).mode, ReportMode::kCheck);
  EXPECT_EQ(Parse<CompareOptions>({"compare", "a", "b"}).model_b, "b");
  EXPECT_EQ(Parse<ExplainOptions>({"explain", "a/c"}).criterion, std::nullopt);
  EXPECT_EQ(Parse<ExplainOptions>({"explain", "a/c", "lines"}).criterion, "lines");
  EXPECT_EQ(Parse<DoctorOptions>({"doctor", "--require-sandbox=full"}).required_sandbox,
            SandboxLevel::kFull);
  EXPECT_EQ(Parse<CompareOptions>({"compare", "a", "b"}).style, CompareStyle::kColumns);
  EXPECT_EQ(Parse<CompareOptions>({"compare", "a", "b", "--markdown"}).style,
            CompareStyle::kMarkdown);
  EXPECT_EQ(Parse<ExplainOptions>({"explain", "a/c"}).rows, ExplainedRows::kLargest);
  EXPECT_EQ(Parse<ExplainOptions>({"explain", "a/c", "--all"}).rows, ExplainedRows::kAll);
  Parse<CheckOptions>({"check"});
  EXPECT_EQ(Parse<SignaturesOptions>({"signatures"}).mode, SignaturesMode::kUpdate);
  EXPECT_EQ(Parse<SignaturesOptions>({"signatures", "--force"}).mode, SignaturesMode::kComputeAll);
  EXPECT_EQ(Parse<SignaturesOptions>({"signatures", "--check"}).mode, SignaturesMode::kCheck);
  EXPECT_THAT(Parse<SignaturesOptions>({"signatures", "kv_cache"}).challenges,
              ElementsAre("kv_cache"));
}

TEST(CommandLine, CommandsOfSubmissionsTakeTheirs) {
  const auto made = Parse<NewOptions>({"new", "me", "kv_cache", "adder", "--wait", "--root", "/r"});
  EXPECT_EQ(made.model, "me");
  EXPECT_THAT(made.challenges, ElementsAre("kv_cache", "adder"));
  EXPECT_EQ(made.common.when_held, WhenHeld::kWait);
  EXPECT_EQ(made.common.root, "/r");
  EXPECT_THAT(Parse<NewOptions>({"new", "me"}).challenges, IsEmpty());
  const auto collected = Parse<CollectOptions>({"collect", "a.md", "--as", "me/kv_cache"});
  EXPECT_EQ(collected.answer, "a.md");
  EXPECT_EQ(collected.cell, "me/kv_cache");
  EXPECT_EQ(Parse<RemoveOptions>({"rm", "me"}).confirmation, Confirmation::kAskTheTerminal);
  EXPECT_EQ(Parse<RemoveOptions>({"rm", "me/adder", "--yes"}).confirmation, Confirmation::kGiven);
  EXPECT_EQ(Parse<RemoveOptions>({"rm", "me/adder"}).cell, "me/adder");
  const auto deployed = Parse<DeployOptions>({"deploy", "me", "--to", "/d", "adder"});
  EXPECT_EQ(deployed.model, "me");
  EXPECT_EQ(deployed.directory, "/d");
  EXPECT_THAT(deployed.challenges, ElementsAre("adder"));
}

TEST(CommandLine, TryTakesAllItsOptions) {
  const auto plain = Parse<TryOptions>({"try", "/tmp/x"});
  EXPECT_EQ(plain.directory, "/tmp/x");
  EXPECT_EQ(plain.challenge, std::nullopt);
  EXPECT_EQ(plain.case_pattern, std::nullopt);
  EXPECT_EQ(plain.seed, 1U);
  EXPECT_EQ(plain.watch, WatchMode::kOnce);
  const auto all = Parse<TryOptions>({"try", ".", "--challenge", "kv_cache", "--case", "Core.*",
                                      "--seed=7", "--sandbox", "none", "--watch"});
  EXPECT_EQ(all.challenge, "kv_cache");
  EXPECT_EQ(all.case_pattern, "Core.*");
  EXPECT_EQ(all.seed, 7U);
  EXPECT_EQ(all.sandbox, SandboxLevel::kNone);
  EXPECT_EQ(all.watch, WatchMode::kOnSave);
  EXPECT_EQ(Refuse({"try"}).exit_code, 2);
  EXPECT_EQ(Refuse({"explain", "a/c", "lines", "--all"}).exit_code, 2);
}

TEST(CommandLine, EveryCommandTakesColour) {
  EXPECT_EQ(Parse<ListOptions>({"list"}).common.colour, WhenColour::kAuto);
  EXPECT_EQ(Parse<ListOptions>({"list", "--color=always"}).common.colour, WhenColour::kAlways);
  EXPECT_EQ(Parse<TryOptions>({"--color", "never", "try", "."}).common.colour, WhenColour::kNever);
  EXPECT_EQ(Refuse({"list", "--color=red"}).exit_code, 2);
}

// JavaScript and jq, which read evidence, would round it.
TEST(CommandLine, SeedsAbove53BitsAreRefused) {
  for (const char* command : {"grade", "try"}) {
    const NoCommand refused = Refuse({command, "x", "--seed", "9007199254740992"});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, HasSubstr("from 0 to 2^53 - 1"));
  }
}

TEST(CommandLine, WrongUsageExitsWith2AndSaysSoOnTheErrorStream) {
  const std::vector<std::vector<std::string>> wrong = {{},
                                                       {"grad"},
                                                       {"grade", "--sandbox=strong"},
                                                       {"grade", "--seed", "-1"},
                                                       {"grade", "--seed", "many"},
                                                       {"grade", "--unknown"},
                                                       {"compare", "a"},
                                                       {"explain"},
                                                       {"new"},
                                                       {"rm"},
                                                       {"collect", "a.md"},
                                                       {"deploy", "me"},
                                                       {"list", "extra"},
                                                       {"signatures", "--check", "--force"},
                                                       {"list", "grade"}};
  for (const auto& arguments : wrong) {
    const NoCommand refused = Refuse(arguments);
    EXPECT_EQ(refused.exit_code, 2) << ::testing::PrintToString(arguments);
    EXPECT_THAT(refused.out, IsEmpty());
    EXPECT_THAT(refused.err, ::testing::Not(IsEmpty()));
  }
}

// As in `assay site "$SITE"` where the variable is not set.
TEST(CommandLine, FolderWithoutANameIsRefused) {
  const std::vector<std::vector<std::string>> unnamed = {
      {"--root", "", "list"},
      {"grade", "--out", ""},
      {"pr", "--base", "main", "--out", ""},
      {"merge", "a", ""},
      {"site", ""},
      {"site", "public", "--page", ""},
      {"init", ""},
      {"try", ""},
      {"collect", "", "--as", "me/adder"},
      {"deploy", "me", "--to", ""},
      {"review", "new", "--reviewer", "ada", "--to", ""},
      {"review", "collect", ""},
      {"cuda", "check", "--build-only", ""},
      {"cuda", "check", "--run", ""}};
  for (const auto& arguments : unnamed) {
    const NoCommand refused = Refuse(arguments);
    EXPECT_EQ(refused.exit_code, 2) << ::testing::PrintToString(arguments);
    EXPECT_THAT(refused.err, HasSubstr("an empty name would be the working directory"))
        << ::testing::PrintToString(arguments);
  }
}

TEST(CommandLine, ReviewOptions) {
  const auto created = Parse<ReviewNewOptions>(
      {"review", "new", "--reviewer", "ada", "--challenge", "kv_cache", "--to", "/d", "glm-5"});
  EXPECT_EQ(created.reviewer, "ada");
  EXPECT_THAT(created.challenges, ElementsAre("kv_cache"));
  EXPECT_THAT(created.models, ElementsAre("glm-5"));
  EXPECT_EQ(created.folder, "/d");
  EXPECT_THAT(Parse<ReviewCheckOptions>({"review", "check", "a.yaml"}).files,
              ElementsAre("a.yaml"));
  const auto collected = Parse<ReviewCollectOptions>({"review", "collect", "/d", "--wait"});
  EXPECT_EQ(collected.folder, "/d");
  EXPECT_EQ(collected.common.when_held, WhenHeld::kWait);
  EXPECT_EQ(Refuse({"review"}).exit_code, 2);
  EXPECT_EQ(Refuse({"review", "new", "--to", "/d"}).exit_code, 2);
  for (const char* const command : {"new", "check", "collect"}) {
    EXPECT_THAT(Refuse({"review", command, "--help"}).out, HasSubstr("Example")) << command;
  }
}

TEST(CommandLine, UnknownCommandIsNamedBesideTheKnownOnes) {
  EXPECT_EQ(
      Refuse({"--json", "grad"}).err,
      "assay: there is no command \"grad\"; choose one of try, grade, merge, report, "
      "compare, diff, "
      "explain, robustness, site, check, doctor, list, init, new, collect, rm, deploy, review, "
      "signatures, "
      "pr, "
      "cuda\n");
}

TEST(CommandLine, HelpTeachesByExampleAndStatesTheExitCodes) {
  const NoCommand help = Refuse({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.err, IsEmpty());
  EXPECT_THAT(help.out, HasSubstr("assay compare glm-5 qwen3.6-27b"));
  EXPECT_THAT(help.out, HasSubstr("4  the sandbox is below the required level"));
  for (const char* const command :
       {"grade", "report", "compare", "diff", "explain", "robustness", "site", "check", "doctor",
        "list", "new", "collect", "rm", "deploy", "review", "signatures", "cuda"}) {
    EXPECT_THAT(help.out, HasSubstr(command));
    EXPECT_THAT(Refuse({command, "--help"}).out, HasSubstr("Example")) << command;
  }
}

TEST(CommandLine, VersionIsPrinted) {
  const NoCommand version = Refuse({"--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_THAT(version.out, ::testing::StartsWith("assay "));
}

}  // namespace
}  // namespace assay
