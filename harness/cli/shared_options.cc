// SPDX-License-Identifier: Apache-2.0
#include "cli/shared_options.h"

#include "cli/seed.h"

namespace assay {

CLI::App& AddCommand(CLI::App& parent, const std::string& name, const std::string& what,
                     const std::string& examples) {
  CLI::App* const command = parent.add_subcommand(name, what);
  command->footer(examples);
  return *command;
}

std::string NotEmpty(const std::string& word) {
  return word.empty() ? "an empty name would be the working directory; write . for that"
                      : std::string();
}

void AddWaitOption(CLI::App& command, bool& target) {
  command.add_flag("--wait", target,
                   "Wait while another assay works in the repository (default: end with 2)");
}

void AddSeedOption(CLI::App& command, std::optional<std::string>& target, const std::string& what) {
  // As text: CLI11 would take -1 for 2^64 - 1.
  command.add_option("--seed", target, what)->type_name("N")->check([](const std::string& word) {
    return ParseSeed(word) ? std::string() : std::string(kSeedRule);
  });
}

void AddLevelOption(CLI::App& command, const std::string& name, std::optional<std::string>& target,
                    const std::string& what) {
  command.add_option(name, target, what)
      ->type_name("LEVEL")
      ->check(CLI::IsMember({"full", "reduced", "none"}));
}

std::optional<std::uint64_t> SeedOf(const std::optional<std::string>& word) {
  return word ? ParseSeed(*word) : std::nullopt;
}

std::optional<SandboxLevel> LevelOf(const std::optional<std::string>& word) {
  return word ? SandboxLevelFromString(*word) : std::nullopt;
}

}  // namespace assay
