// SPDX-License-Identifier: Apache-2.0
#include "cli/answer_markdown.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <optional>

#include "base/text.h"

namespace assay {
namespace {

constexpr std::size_t kFewestFenceMarks = 3;

std::string_view Trim(std::string_view text, std::string_view of = " \t\r") {
  const std::size_t begin = text.find_first_not_of(of);
  return begin == std::string_view::npos
             ? std::string_view()
             : text.substr(begin, text.find_last_not_of(of) + 1 - begin);
}

std::vector<std::string_view> WordsOf(std::string_view text) {
  std::vector<std::string_view> words;
  for (text = Trim(text); !text.empty(); text = Trim(text)) {
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

// Whether a word of prose is the name of a file that an answer may have, or may wrongly have.
bool IsFileName(std::string_view word) {
  constexpr std::array<std::string_view, 30> kEndings = {
      "c",  "cc",   "cpp",   "cxx", "cu",   "h",    "hh",    "hpp",  "hxx", "cuh",
      "md", "txt",  "yaml",  "yml", "json", "toml", "patch", "diff", "csv", "py",
      "sh", "bash", "cmake", "mk",  "s",    "asm",  "o",     "so",   "bat", "ptx"};
  constexpr std::array<std::string_view, 6> kNames = {"makefile", "dockerfile", "gnumakefile",
                                                      "readme",   "license",    "notice"};
  const bool is_one_word = !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("._+-/~\\").find(static_cast<char>(c)) != std::string_view::npos;
  });
  const std::string name = ToLower(word.substr(word.rfind('/') + 1));
  const std::size_t dot = name.rfind('.');
  return is_one_word && (std::ranges::find(kNames, name) != kNames.end() ||
                         (dot != std::string::npos && dot > 0 &&
                          std::ranges::find(kEndings, name.substr(dot + 1)) != kEndings.end()));
}

std::string_view Unquoted(std::string_view word) { return Trim(word, "\"'`*_()[]{},;:"); }

// `File: a.cc` without its label.
std::string_view WithoutLabel(std::string_view text) {
  for (const std::string_view label : {"filename:", "file name:", "file:", "path:"}) {
    if (ToLower(text.substr(0, label.size())) == label) {
      return Trim(text.substr(label.size()));
    }
  }
  return text;
}

std::optional<std::string> NameInInfo(std::string_view info) {
  const std::vector<std::string_view> words = WordsOf(Trim(info, " \t\r{}"));
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (const std::size_t equals = word.find('='); equals != std::string_view::npos) {
      const std::string key = ToLower(word.substr(0, equals));
      const bool is_name =
          key == "title" || key == "file" || key == "filename" || key == "name" || key == "path";
      if (is_name && IsFileName(Unquoted(word.substr(equals + 1)))) {
        return std::string(Unquoted(word.substr(equals + 1)));
      }
    } else if (const std::size_t colon = word.find(':');
               i == 0 && colon != std::string_view::npos && IsFileName(word.substr(colon + 1))) {
      return std::string(word.substr(colon + 1));
    } else if (IsFileName(Unquoted(word))) {
      return std::string(Unquoted(word));
    }
  }
  return std::nullopt;
}

std::optional<std::string> NameInFirstLine(std::string_view content) {
  std::string_view line = Trim(content.substr(0, content.find('\n')));
  bool is_comment = false;
  for (const std::string_view mark : {"//", "/*", "<!--", "#"}) {
    if (!is_comment && line.starts_with(mark) && !line.starts_with("#!")) {
      line = Trim(line.substr(mark.size()), " \t\r/*");
      is_comment = true;
    }
  }
  if (line.ends_with("-->")) {
    line = Trim(line.substr(0, line.size() - 3));
  }
  const std::vector<std::string_view> words = WordsOf(WithoutLabel(line));
  if (!is_comment || words.empty() || !IsFileName(Unquoted(words.front()))) {
    return std::nullopt;
  }
  // `// a.cc` or `// a.cc - the cache`; in a sentence the name may be of another file.
  const bool is_name = words.size() == 1 || words.front().ends_with(':') || words[1] == "-" ||
                       words[1] == ":" || words[1] == "\u2014" || words[1] == "\u2013";
  return is_name ? std::optional(std::string(Unquoted(words.front()))) : std::nullopt;
}

// The one file name in `line`; nothing when there are none or several.
std::optional<std::string> OnlyName(std::string_view line) {
  std::optional<std::string> name;
  for (const std::string_view word : WordsOf(line)) {
    const std::string_view plain = Unquoted(word);
    if (IsFileName(plain) && name && *name != plain) {
      return std::nullopt;
    }
    if (IsFileName(plain)) {
      name = plain;
    }
  }
  return name;
}

std::optional<std::string> NameInLineBefore(std::string_view line, std::string_view info) {
  const std::vector<std::string_view> words = WordsOf(info);
  const std::string language = words.empty() ? "" : ToLower(words.front());
  const auto name = OnlyName(line);
  const bool is_shell = language == "sh" || language == "bash" || language == "shell" ||
                        language == "console" || language == "zsh";
  if (!name || (is_shell && !name->ends_with(".sh"))) {
    return std::nullopt;  // A command about that file.
  }
  const bool is_heading = line.starts_with('#');
  const bool is_bold = line.starts_with("**") || line.starts_with("__");
  const std::string_view end = Trim(line, " \t\r:*_");
  const bool ends_with_it = end.ends_with("`" + *name + "`");
  const bool is_it = Unquoted(WithoutLabel(Trim(line, " \t\r*_"))) == *name;
  return is_heading || is_bold || ends_with_it || is_it ? name : std::nullopt;
}

struct Fence {
  char mark = '`';
  std::size_t length = 0;
  std::size_t indent = 0;
  std::string_view info;
};

std::optional<Fence> OpeningFence(std::string_view line) {
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  line.remove_prefix(indent);
  if (!line.starts_with("```") && !line.starts_with("~~~")) {
    return std::nullopt;
  }
  const char mark = line.front();
  const std::size_t length = std::min(line.find_first_not_of(mark), line.size());
  const std::string_view info = Trim(line.substr(length));
  if (mark == '`' && info.find('`') != std::string_view::npos) {
    return std::nullopt;  // Code in a line of text.
  }
  return Fence{.mark = mark, .length = length, .indent = indent, .info = info};
}

bool Closes(const Fence& fence, std::string_view line) {
  line = Trim(line);
  return line.size() >= std::max(fence.length, kFewestFenceMarks) &&
         line.find_first_not_of(fence.mark) == std::string_view::npos;
}

// A line of a block without the indentation of its fence, and without a carriage return.
std::string_view LineOf(const Fence& fence, std::string_view line) {
  const std::size_t spaces = std::min(line.find_first_not_of(' '), line.size());
  line.remove_prefix(std::min(spaces, fence.indent));
  return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

}  // namespace

std::vector<MarkdownBlock> ReadMarkdownBlocks(std::string_view markdown) {
  const std::vector<std::string> lines = SplitLines(markdown);
  std::vector<MarkdownBlock> blocks;
  std::string_view before;  // The last line of text that is not blank.
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto fence = OpeningFence(lines[i]);
    if (!fence) {
      before = Trim(lines[i]).empty() ? before : Trim(lines[i]);
      continue;
    }
    MarkdownBlock block{.name = {}, .content = {}, .line = static_cast<int>(i) + 1};
    for (++i; i < lines.size() && !Closes(*fence, lines[i]); ++i) {
      block.content += std::string(LineOf(*fence, lines[i])) + "\n";
    }
    block.end = i < lines.size() ? MarkdownBlock::End::kFence : MarkdownBlock::End::kEndOfText;
    auto name = NameInInfo(fence->info);
    name = name ? name : NameInFirstLine(block.content);
    name = name ? name : NameInLineBefore(before, fence->info);
    block.name = name.value_or("");
    blocks.push_back(std::move(block));
    before = {};
  }
  return blocks;
}

}  // namespace assay
