// SPDX-License-Identifier: Apache-2.0
#include "cli/try_command_line.h"

#include <utility>

#include "cli/seed.h"

namespace assay {

void AddTryOptions(CLI::App& command, RawTryOptions& raw) {
  command.add_option("directory", raw.directory, "The folder with submission.yaml, anywhere")
      ->type_name("DIR")
      ->required();
  command
      .add_option("--challenge", raw.challenge,
                  "Which one it answers (default: its folder's name, or what its files name)")
      ->type_name("CHALLENGE");
  command
      .add_option("--case", raw.case_pattern,
                  "Run what this names, with * for any letters (default: 20 telling cases)")
      ->type_name("NAME");
  command.add_option("--seed", raw.seed, "Seed of all inputs (default: 1)")
      ->type_name("N")
      ->check([](const std::string& word) {
        return ParseSeed(word) ? std::string() : std::string(kSeedRule);
      });
  command.add_option("--sandbox", raw.sandbox, "Use this level (default: the strongest there is)")
      ->type_name("LEVEL")
      ->check(CLI::IsMember({"full", "reduced", "none"}));
  command.add_flag("--watch", raw.watch, "Try it again whenever a file is saved, until Ctrl-C");
}

TryOptions ToTryOptions(const RawTryOptions& raw, CommonOptions common) {
  return {.common = std::move(common),
          .directory = raw.directory,
          .challenge = raw.challenge,
          .case_pattern = raw.case_pattern,
          .seed = ParseSeed(raw.seed.value_or("")).value_or(1),
          .sandbox = raw.sandbox ? SandboxLevelFromString(*raw.sandbox) : std::nullopt,
          .watch = raw.watch ? WatchMode::kOnSave : WatchMode::kOnce};
}

}  // namespace assay
