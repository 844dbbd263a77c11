// SPDX-License-Identifier: Apache-2.0
#include "cli/try_command_line.h"

#include <utility>

#include "cli/shared_options.h"

namespace assay {

void AddTryOptions(CLI::App& command, RawTryOptions& raw) {
  command.add_option("directory", raw.directory, "The folder with submission.yaml, anywhere")
      ->type_name("DIR")
      ->required()
      ->check(&NotEmpty);
  command
      .add_option("--challenge", raw.challenge,
                  "Which one it answers (default: its folder's name, or what its files name)")
      ->type_name("CHALLENGE");
  command
      .add_option("--case", raw.case_pattern,
                  "Run what this names, with * for any letters (default: 20 telling cases)")
      ->type_name("NAME");
  AddSeedOption(command, raw.seed, "Seed of all inputs (default: 1)");
  AddLevelOption(command, "--sandbox", raw.sandbox,
                 "Use this level (default: the strongest there is)");
  command.add_flag("--watch", raw.watch, "Try it again whenever a file is saved, until Ctrl-C");
}

TryOptions ToTryOptions(const RawTryOptions& raw, CommonOptions common) {
  return {.common = std::move(common),
          .directory = raw.directory,
          .challenge = raw.challenge,
          .case_pattern = raw.case_pattern,
          .seed = SeedOf(raw.seed).value_or(TryOptions().seed),
          .sandbox = LevelOf(raw.sandbox),
          .watch = raw.watch ? WatchMode::kOnSave : WatchMode::kOnce};
}

}  // namespace assay
