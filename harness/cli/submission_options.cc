// SPDX-License-Identifier: Apache-2.0
#include "cli/submission_options.h"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <utility>

#include "cli/shared_options.h"
#include "cli/submission_help_texts.h"

namespace assay {
namespace {

void AddNew(CLI::App& app, RawSubmissionOptions& raw) {
  CLI::App& command = AddCommand(app, "new", "Write a submission to begin with", kNewExamples);
  command.add_option("model", raw.model, "Whose: the name of its folder")
      ->type_name("MODEL")
      ->required();
  command.add_option("challenges", raw.challenges, "To which challenges (default: all)")
      ->type_name("CHALLENGE");
  AddWaitOption(command, raw.wait);
}

void AddCollect(CLI::App& app, RawSubmissionOptions& raw) {
  CLI::App& command =
      AddCommand(app, "collect", "Make a submission of a model's answer", kCollectExamples);
  command
      .add_option("answer", raw.answer, "A folder, a .tar, .tar.gz or .zip, or one markdown file")
      ->type_name("ANSWER")
      ->required()
      ->check(&NotEmpty);
  command.add_option("--as", raw.as, "Which submission it becomes")
      ->type_name("MODEL/CHALLENGE")
      ->required();
  AddWaitOption(command, raw.wait);
}

void AddRm(CLI::App& app, RawSubmissionOptions& raw) {
  CLI::App& command =
      AddCommand(app, "rm", "Remove a submission with its evidence", kRemoveExamples);
  command.add_option("cell", raw.model, "What to remove")
      ->type_name("MODEL[/CHALLENGE]")
      ->required();
  command.add_flag("--yes", raw.yes, "Do not ask (needed where no terminal can answer)");
  AddWaitOption(command, raw.wait);
}

void AddDeploy(CLI::App& app, RawSubmissionOptions& raw) {
  CLI::App& command =
      AddCommand(app, "deploy", "Lay out what a model may see of challenges", kDeployExamples);
  command.add_option("model", raw.model, "Who is to answer: the name of its folder")
      ->type_name("MODEL")
      ->required();
  command.add_option("challenges", raw.challenges, "Which challenges (default: all)")
      ->type_name("CHALLENGE");
  command.add_option("--to", raw.to, "Where; made if it is not there")
      ->type_name("DIR")
      ->required()
      ->check(&NotEmpty);
}

}  // namespace

void AddSubmissionCommands(CLI::App& app, RawSubmissionOptions& raw) {
  AddNew(app, raw);
  AddCollect(app, raw);
  AddRm(app, raw);
  AddDeploy(app, raw);
}

std::optional<CommandOptions> ToSubmissionCommand(std::string_view name,
                                                  const RawSubmissionOptions& raw,
                                                  CommonOptions common) {
  common.when_held = raw.wait ? WhenHeld::kWait : WhenHeld::kRefuse;
  if (name == "new") {
    return NewOptions{
        .common = std::move(common), .model = raw.model, .challenges = raw.challenges};
  }
  if (name == "collect") {
    return CollectOptions{.common = std::move(common), .answer = raw.answer, .cell = raw.as};
  }
  if (name == "rm") {
    return RemoveOptions{
        .common = std::move(common),
        .cell = raw.model,
        .confirmation = raw.yes ? Confirmation::kGiven : Confirmation::kAskTheTerminal};
  }
  if (name == "deploy") {
    return DeployOptions{.common = std::move(common),
                         .model = raw.model,
                         .challenges = raw.challenges,
                         .directory = raw.to};
  }
  return std::nullopt;
}

}  // namespace assay
