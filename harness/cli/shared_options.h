// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_SHARED_OPTIONS_H_
#define ASSAY_CLI_SHARED_OPTIONS_H_

#include <CLI/App.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "sandbox/level.h"

namespace assay {

/// A subcommand of `parent`, with the examples that its help ends with.
CLI::App& AddCommand(CLI::App& parent, const std::string& name, const std::string& what,
                     const std::string& examples);

/// For the word of a folder, as a check of CLI11's: nothing, or why it is refused. An empty one,
/// what a shell makes of a variable that is not set, would be the working directory.
[[nodiscard]] std::string NotEmpty(const std::string& word);

/// Options that several commands have, and what their words mean. `target` outlives parsing.
void AddSeedOption(CLI::App& command, std::optional<std::string>& target, const std::string& what);
void AddLevelOption(CLI::App& command, const std::string& name, std::optional<std::string>& target,
                    const std::string& what);
/// For commands that write in the repository.
void AddWaitOption(CLI::App& command, bool& target);

[[nodiscard]] std::optional<std::uint64_t> SeedOf(const std::optional<std::string>& word);
[[nodiscard]] std::optional<SandboxLevel> LevelOf(const std::optional<std::string>& word);

}  // namespace assay

#endif  // ASSAY_CLI_SHARED_OPTIONS_H_
