// SPDX-License-Identifier: Apache-2.0
#include "cli/completions.h"

#include <fmt/format.h>

#include <iterator>
#include <vector>

#include "base/text.h"

namespace assay {
namespace {

/// `text` with a backslash before each of `special`.
std::string Escape(std::string_view text, std::string_view special) {
  std::string escaped;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) {
      escaped += '\\';
    }
    escaped += c;
  }
  return escaped;
}

/// `text` as one word of a shell.
std::string Quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    quoted += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return quoted + "'";
}

std::vector<std::string> NamesOf(const std::vector<OptionDescription>& options) {
  std::vector<std::string> names;
  for (const OptionDescription& option : options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

/// The options of `own`, and those of `common` whose names it does not use otherwise.
std::vector<OptionDescription> WithCommon(const std::vector<OptionDescription>& own,
                                          const std::vector<OptionDescription>& common) {
  std::vector<OptionDescription> all = own;
  for (const OptionDescription& option : common) {
    bool used = false;
    for (const std::string& name : NamesOf(own)) {
      used = used || name == option.names.front();
    }
    if (!used) {
      all.push_back(option);
    }
  }
  return all;
}

/// Commands that hold commands name those; `path` is how one is called, without `assay`.
struct FlatCommand {
  std::string path;
  std::vector<OptionDescription> options;
  const CommandDescription* command = nullptr;
};

void Flatten(const CommandDescription& command, const std::string& path,
             const std::vector<OptionDescription>& common, std::vector<FlatCommand>& flat) {
  flat.push_back({path, WithCommon(command.options, common), &command});
  for (const CommandDescription& below : command.commands) {
    Flatten(below, path.empty() ? below.name : path + " " + below.name, common, flat);
  }
}

std::vector<FlatCommand> Flatten(const CommandDescription& program) {
  // --version and --help-all are of the program alone.
  std::vector<OptionDescription> common;
  for (const OptionDescription& option : program.options) {
    if (option.names.front() == "--root" || option.names.front() == "--json") {
      common.push_back(option);
    }
  }
  std::vector<FlatCommand> flat;
  Flatten(program, "", common, flat);
  return flat;
}

// --- bash ---------------------------------------------------------------------------------------

std::string Bash(const CommandDescription& program) {
  std::string advance;
  std::string values;
  std::string words;
  for (const FlatCommand& one : Flatten(program)) {
    std::vector<std::string> offered = NamesOf(one.options);
    for (const CommandDescription& below : one.command->commands) {
      offered.push_back(below.name);
      const std::string path = one.path.empty() ? below.name : one.path + " " + below.name;
      advance += fmt::format("      '{} {}') command='{}' ;;\n", one.path, below.name, path);
    }
    for (const OptionDescription& argument : one.command->arguments) {
      offered.insert(offered.end(), argument.choices.begin(), argument.choices.end());
    }
    words += fmt::format("    '{}') words='{}' ;;\n", one.path, Join(offered, " "));
    for (const OptionDescription& option : one.options) {
      if (option.value.empty()) {
        continue;
      }
      for (const std::string& name : option.names) {
        values += fmt::format("    '{} {}') words='{}'; value=yes ;;\n", one.path, name,
                              Join(option.choices, " "));
      }
    }
  }
  return fmt::format(
      R"(# bash completion of assay, made by `assay completion bash`.
_assay() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}}
  local command='' words='' value=no i
  # --option=value is three words.
  if [[ $current == '=' ]]; then
    current=''
  elif [[ $previous == '=' && COMP_CWORD -ge 2 ]]; then
    previous=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$command ${{COMP_WORDS[i]}}" in
{}    esac
  done
  case "$command $previous" in
{}  esac
  if [[ $value == no ]]; then
    case "$command" in
{}    esac
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}}
complete -o default -F _assay assay
)",
      advance, values, words);
}

// --- zsh ----------------------------------------------------------------------------------------

std::string ZshAction(const OptionDescription& option) {
  if (!option.choices.empty()) {
    return "(" + Join(option.choices, " ") + ")";
  }
  return option.value == "DIR" ? "_files -/" : "_files";
}

std::string ZshOption(const OptionDescription& option) {
  std::string specs;
  for (const std::string& name : option.names) {
    const bool is_long = name.starts_with("--");
    const std::string value =
        option.value.empty()
            ? ""
            : fmt::format(":{}:{}", Escape(option.value, ":[]\\"), ZshAction(option));
    specs += "    " +
             Quoted(fmt::format("{}{}[{}]{}", name, option.value.empty() || !is_long ? "" : "=",
                                Escape(option.what, ":[]\\"), value)) +
             " \\\n";
  }
  return specs;
}

std::string ZshFunction(const FlatCommand& one) {
  std::string function = "_assay";
  for (const char c : one.path.empty() ? "" : " " + one.path) {
    function += c == ' ' ? '_' : c;
  }
  std::string specs;
  for (const OptionDescription& option : one.options) {
    specs += ZshOption(option);
  }
  if (one.command->commands.empty()) {
    for (const OptionDescription& argument : one.command->arguments) {
      specs +=
          "    " +
          Quoted(fmt::format("*:{}:{}", Escape(argument.value, ":[]\\"), ZshAction(argument))) +
          " \\\n";
    }
    return fmt::format("{}() {{\n  _arguments -s \\\n{}    && return 0\n}}\n\n", function, specs);
  }
  std::string described;
  std::string calls;
  for (const CommandDescription& below : one.command->commands) {
    described += "        " + Quoted(below.name + ":" + Escape(below.what, ":\\")) + "\n";
    calls += fmt::format("        {}) {}_{} ;;\n", below.name, function, below.name);
  }
  return fmt::format(
      "{}() {{\n"
      "  local context state state_descr line\n"
      "  typeset -A opt_args\n"
      "  _arguments -C \\\n{}    '1:command:->command' '*::argument:->argument' && return 0\n"
      "  case $state in\n"
      "    command)\n"
      "      local -a commands=(\n{}      )\n"
      "      _describe command commands ;;\n"
      "    argument)\n"
      "      case $line[1] in\n{}      esac ;;\n"
      "  esac\n"
      "}}\n\n",
      function, specs, described, calls);
}

std::string Zsh(const CommandDescription& program) {
  std::string script = "#compdef assay\n# Made by `assay completion zsh`.\n\n";
  for (const FlatCommand& one : Flatten(program)) {
    script += ZshFunction(one);
  }
  return script + "_assay \"$@\"\n";
}

// --- fish ---------------------------------------------------------------------------------------

std::string FishCondition(const FlatCommand& one) {
  if (one.path.empty()) {
    return "__fish_use_subcommand";
  }
  std::string condition;
  std::size_t from = 0;
  while (from <= one.path.size()) {
    const std::size_t end = std::min(one.path.find(' ', from), one.path.size());
    condition += fmt::format("{}__fish_seen_subcommand_from {}", condition.empty() ? "" : "; and ",
                             one.path.substr(from, end - from));
    from = end + 1;
  }
  for (const CommandDescription& below : one.command->commands) {
    condition += "; and not __fish_seen_subcommand_from " + below.name;
  }
  return condition;
}

std::string FishOption(const std::string& condition, const OptionDescription& option) {
  std::string line = fmt::format("complete -c assay -n {}", Quoted(condition));
  for (const std::string& name : option.names) {
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (!option.choices.empty()) {
    line += " -x -a " + Quoted(Join(option.choices, " "));
  } else if (!option.value.empty()) {
    line += " -r -F";
  }
  return line + " -d " + Quoted(option.what) + "\n";
}

std::string Fish(const CommandDescription& program) {
  std::string script = "# Made by `assay completion fish`.\ncomplete -c assay -f\n";
  for (const FlatCommand& one : Flatten(program)) {
    const std::string condition = FishCondition(one);
    for (const CommandDescription& below : one.command->commands) {
      script += fmt::format("complete -c assay -n {} -a {} -d {}\n", Quoted(condition), below.name,
                            Quoted(below.what));
    }
    for (const OptionDescription& option : one.options) {
      script += FishOption(condition, option);
    }
    for (const OptionDescription& argument : one.command->arguments) {
      script += fmt::format(
          "complete -c assay -n {} {}\n", Quoted(condition),
          argument.choices.empty() ? "-F" : "-a " + Quoted(Join(argument.choices, " ")));
    }
  }
  return script;
}

}  // namespace

std::string CompletionScript(Shell shell, const CommandDescription& program) {
  switch (shell) {
    case Shell::kBash:
      return Bash(program);
    case Shell::kZsh:
      return Zsh(program);
    case Shell::kFish:
      break;
  }
  return Fish(program);
}

}  // namespace assay
