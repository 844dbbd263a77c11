// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_COMMAND_DESCRIPTION_H_
#define ASSAY_CLI_COMMAND_DESCRIPTION_H_

#include <string>
#include <vector>

namespace assay {

enum class Presence { kOptional, kRequired };

/// An option, or an argument that has a place and no name.
struct OptionDescription {
  std::vector<std::string> names = {};    ///< `--force`; none of an argument.
  std::string value = {};                 ///< `LEVEL`; empty where the option takes none.
  std::vector<std::string> choices = {};  ///< The values there are, where there is a list of them.
  std::string what = {};
  Presence presence = Presence::kOptional;
  bool operator==(const OptionDescription&) const = default;
};

/// A command as --help knows it, with those below it. The outermost is `assay` itself, whose
/// options every command takes.
struct CommandDescription {
  std::string name;
  std::string what;
  std::string footer;  ///< Examples, and other text of lines as they are.
  std::vector<OptionDescription> options;
  std::vector<OptionDescription> arguments;
  std::vector<CommandDescription> commands;
};

}  // namespace assay

#endif  // ASSAY_CLI_COMMAND_DESCRIPTION_H_
