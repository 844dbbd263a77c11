// SPDX-License-Identifier: Apache-2.0
#include "cli/describe_command_line.h"

#include <cstddef>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

namespace assay {
namespace {

// Choices as CLI11 shows them behind the name of a value: `LEVEL:{full,reduced,none}`.
std::vector<std::string> ChoicesIn(std::string_view type) {
  const std::size_t open = type.find('{');
  const std::size_t close = type.find('}');
  std::vector<std::string> choices;
  if (open == std::string_view::npos || close == std::string_view::npos) {
    return choices;
  }
  for (const auto word : std::views::split(type.substr(open + 1, close - open - 1), ',')) {
    choices.emplace_back(std::string_view(word));
  }
  return choices;
}

OptionDescription DescribeOption(const CLI::Option& option) {
  OptionDescription description;
  for (const std::string& name : option.get_lnames()) {
    description.names.push_back("--" + name);
  }
  for (const std::string& name : option.get_snames()) {
    description.names.push_back("-" + name);
  }
  description.what = option.get_description();
  description.presence = option.get_required() ? Presence::kRequired : Presence::kOptional;
  if (option.get_items_expected_max() > 0) {
    const std::string type = option.get_type_name();
    description.value = type.substr(0, type.find(':'));
    description.choices = ChoicesIn(type);
  }
  return description;
}

}  // namespace

CommandDescription DescribeApp(const CLI::App& app) {
  CommandDescription description{.name = app.get_name(),
                                 .what = app.get_description(),
                                 .footer = app.get_footer(),
                                 .options = {},
                                 .arguments = {},
                                 .commands = {}};
  for (const CLI::Option* option : app.get_options()) {
    (option->get_positional() ? description.arguments : description.options)
        .push_back(DescribeOption(*option));
  }
  for (const CLI::App* command : app.get_subcommands({})) {
    if (!command->get_group().empty()) {
      description.commands.push_back(DescribeApp(*command));
    }
  }
  return description;
}

}  // namespace assay
