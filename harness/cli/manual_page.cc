// SPDX-License-Identifier: Apache-2.0
#include "cli/manual_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace assay {
namespace {

/// Text of one line that troff prints as it is.
std::string Plain(std::string_view line) {
  std::string plain = line.starts_with('.') || line.starts_with('\'') ? "\\&" : "";
  for (const char c : line) {
    plain += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
  }
  return plain;
}

std::string Bold(std::string_view text) { return "\\fB" + Plain(text) + "\\fR"; }
std::string Italic(std::string_view text) { return "\\fI" + Plain(text) + "\\fR"; }

/// Lines as they are, and as long.
std::string Literal(std::string_view text) {
  std::string lines = ".PP\n.nf\n";
  for (const std::string& line : SplitLines(text)) {
    lines += (line.empty() ? "\\&" : Plain(line)) + "\n";
  }
  return lines + ".fi\n";
}

std::string ValueOf(const OptionDescription& option) {
  if (option.value.empty()) {
    return "";
  }
  // `[=FILE]` says itself that it may be left out.
  return option.value.starts_with('[') ? Italic(option.value) : " " + Italic(option.value);
}

std::string Options(const std::vector<OptionDescription>& options) {
  std::string text;
  for (const OptionDescription& option : options) {
    std::string names;
    for (const std::string& name : option.names) {
      names += (names.empty() ? "" : ", ") + Bold(name);
    }
    const std::string choices =
        option.choices.empty() ? "" : "; one of " + Join(option.choices, ", ");
    text += ".TP\n" + (names.empty() ? Italic(option.value) : names + ValueOf(option)) + "\n" +
            Plain(option.what + choices) + "\n";
  }
  return text;
}

std::string Synopsis(const std::string& path, const CommandDescription& command) {
  std::string line = Bold(path) + " [" + Italic("options") + "]";
  for (const OptionDescription& argument : command.arguments) {
    line += argument.presence == Presence::kRequired ? " " + Italic(argument.value)
                                                     : " [" + Italic(argument.value) + "]...";
  }
  return line;
}

/// Those of `own` that are not of every command.
std::vector<OptionDescription> WithoutCommon(std::vector<OptionDescription> own,
                                             const std::vector<OptionDescription>& common) {
  std::erase_if(own, [&](const OptionDescription& option) {
    return std::ranges::find(common, option) != common.end();
  });
  return own;
}

std::string CommandSection(const std::string& path, const CommandDescription& command,
                           const std::vector<OptionDescription>& common) {
  std::string text;
  if (command.commands.empty()) {
    text = ".SS " + path + "\n" + Synopsis(path, command) + "\n.PP\n" + Plain(command.what) +
           ".\n" + Options(command.arguments) + Options(WithoutCommon(command.options, common)) +
           Literal(command.footer);
  }
  for (const CommandDescription& below : command.commands) {
    text += CommandSection(path + " " + below.name, below, common);
  }
  return text;
}

}  // namespace

std::string ManualPage(const CommandDescription& program, std::string_view version) {
  std::string text = fmt::format(
      ".TH ASSAY 1 \"\" \"assay {}\" \"User Commands\"\n"
      ".SH NAME\nassay \\- grade the code that language models write\n"
      ".SH SYNOPSIS\n{} [{}] {} [{}]\n"
      ".SH DESCRIPTION\n",
      version, Bold("assay"), Italic("options"), Italic("command"), Italic("arguments"));
  for (const std::string& line : SplitLines(program.what)) {
    text += Plain(line) + "\n";
  }
  text += ".SH OPTIONS\nThose of every command:\n" + Options(program.options);
  text += ".SH COMMANDS\n";
  for (const CommandDescription& command : program.commands) {
    text += CommandSection("assay " + command.name, command, program.options);
  }
  text += ".SH NOTES\n" + Literal(program.footer);
  return text;
}

}  // namespace assay
