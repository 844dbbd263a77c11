// SPDX-License-Identifier: Apache-2.0
#include "cli/completions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/file.h"
#include "base/temporary.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "cli/manual_page.h"
#include "process/run.h"

namespace assay {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

/// What a person can type after `assay`: names of commands, and of options.
void Collect(const CommandDescription& command, std::vector<std::string>& commands,
             std::vector<std::string>& options) {
  for (const OptionDescription& option : command.options) {
    options.insert(options.end(), option.names.begin(), option.names.end());
  }
  for (const CommandDescription& below : command.commands) {
    commands.push_back(below.name);
    Collect(below, commands, options);
  }
}

struct Words {
  std::vector<std::string> commands;
  std::vector<std::string> options;
};
Words AllWords() {
  Words words;
  Collect(DescribeCommandLine(), words.commands, words.options);
  return words;
}

TEST(CommandDescription, HasEveryCommandAndItsOptions) {
  const Words words = AllWords();
  for (const char* command :
       {"try",  "grade",  "report", "compare",    "diff", "explain", "robustness",
        "site", "check",  "doctor", "list",       "init", "new",     "collect",
        "rm",   "deploy", "review", "signatures", "cuda", "run",     "merge"}) {
    EXPECT_THAT(words.commands, Contains(command));
  }
  EXPECT_THAT(words.commands, Not(Contains("completion")));
  for (const char* option : {"--root", "--json", "--force", "--sandbox", "--schedule", "-h"}) {
    EXPECT_THAT(words.options, Contains(option));
  }
}

TEST(Completions, HoldEveryCommandAndOptionInEveryShell) {
  const CommandDescription program = DescribeCommandLine();
  const Words words = AllWords();
  for (const Shell shell : {Shell::kBash, Shell::kZsh, Shell::kFish}) {
    const std::string script = CompletionScript(shell, program);
    for (const std::string& command : words.commands) {
      EXPECT_THAT(script, HasSubstr(command)) << static_cast<int>(shell);
    }
    for (const std::string& option : words.options) {
      const std::string in_fish = option.starts_with("--") ? " -l " + option.substr(2) + " "
                                                           : " -s " + option.substr(1) + " ";
      EXPECT_THAT(script, HasSubstr(shell == Shell::kFish ? in_fish : option))
          << static_cast<int>(shell);
    }
  }
}

TEST(ManualPage, HoldsEveryCommandAndOption) {
  const std::string page = ManualPage(DescribeCommandLine(), "1.2.3");
  EXPECT_THAT(page, HasSubstr("assay 1.2.3"));
  const Words words = AllWords();
  for (const std::string& command : words.commands) {
    if (command != "cuda" && command != "review") {  // They are `cuda run`, `review new`, ….
      EXPECT_THAT(page, HasSubstr(" " + command + "\n\\fBassay"));
    }
  }
  for (std::string option : words.options) {
    for (std::size_t at = option.find('-'); at != std::string::npos;
         at = option.find('-', at + 2)) {
      option.insert(at, "\\");
    }
    EXPECT_THAT(page, HasSubstr("\\fB" + option + "\\fR"));
  }
}

// A line of an example that begins with a dot would be a request to troff.
TEST(ManualPage, TextIsNoRequest) {
  CommandDescription program{.name = "assay",
                             .what = ".so /etc/passwd",
                             .footer = "'quoted\n\\fB",
                             .options = {},
                             .arguments = {},
                             .commands = {}};
  const std::string page = ManualPage(program, "1");
  EXPECT_THAT(page, HasSubstr("\n\\&.so"));
  EXPECT_THAT(page, HasSubstr("\n\\&'quoted\n\\efB\n"));
}

/// What bash offers for the last of `words`.
std::vector<std::string> OfferedByBash(const std::vector<std::string>& words) {
  const auto folder =
      TemporaryDirectory::Create(std::filesystem::temp_directory_path(), "completion").value();
  const auto script = folder.path() / "assay";
  EXPECT_TRUE(WriteFileAtomically(script, CompletionScript(Shell::kBash, DescribeCommandLine()))
                  .has_value());
  const std::string complete =
      "source \"$0\"; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _assay; "
      "printf '%s\\n' \"${COMPREPLY[@]}\"";
  Command command;
  command.argv = {"/bin/bash", "-euc", complete, script.string(), "assay"};
  command.argv.insert(command.argv.end(), words.begin(), words.end());
  const auto ran = RunToCompletion(command);
  EXPECT_TRUE(ran.has_value());
  EXPECT_EQ(ran->errors, "");
  return SplitLines(ran->output);
}

TEST(Completions, BashOffersWhatCanFollow) {
  EXPECT_THAT(OfferedByBash({"gr"}), ElementsAre("grade"));
  EXPECT_THAT(OfferedByBash({"cuda", ""}), IsSupersetOf({"run", "check"}));
  EXPECT_THAT(OfferedByBash({"cuda", "run", "--sch"}), ElementsAre("--schedule"));
  EXPECT_THAT(OfferedByBash({"cuda", "check", "--bu"}), ElementsAre("--build-only"));
  EXPECT_THAT(OfferedByBash({"cuda", "run", "--schedule", "r"}), ElementsAre("reversed", "random"));
  // bash cuts at the equals sign.
  EXPECT_THAT(OfferedByBash({"grade", "--sandbox", "=", "f"}), ElementsAre("full"));
  EXPECT_THAT(OfferedByBash({"grade", "--sandbox", "="}), ElementsAre("full", "reduced", "none"));
  EXPECT_THAT(OfferedByBash({"--json", "list", "--ro"}), ElementsAre("--root"));
}

}  // namespace
}  // namespace assay
