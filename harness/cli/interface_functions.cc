// SPDX-License-Identifier: Apache-2.0
#include "cli/interface_functions.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>

namespace assay {
namespace {

bool IsSpace(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && IsSpace(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

// Where the comment or string that begins at `at` ends; `at` when none does.
std::size_t EndOfCommentOrString(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("/*")) {
    const std::size_t end = text.find("*/", at + 2);
    return end == std::string_view::npos ? text.size() : end + 2;
  }
  if (rest.starts_with("//")) {
    return std::min(text.find('\n', at), text.size());
  }
  if (rest.starts_with('"') || rest.starts_with('\'')) {
    std::size_t end = at + 1;
    while (end < text.size() && text[end] != rest.front() && text[end] != '\n') {
      end += text[end] == '\\' ? std::size_t{2} : std::size_t{1};
    }
    // A quote that nothing closes is an apostrophe: of a number (1'000), or in what is no code.
    return end < text.size() && text[end] == rest.front() ? end + 1 : at;
  }
  return at;
}

// Behind the parenthesis that closes the one at `open`; npos when none does.
std::size_t EndOfParentheses(std::string_view code, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < code.size(); ++at) {
    depth += code[at] == '(' ? 1 : code[at] == ')' ? -1 : 0;
    if (depth == 0) {
      return at + 1;
    }
  }
  return std::string_view::npos;
}

std::size_t SkipSpaces(std::string_view code, std::size_t at) {
  while (at < code.size() && IsSpace(code[at])) {
    ++at;
  }
  return at;
}

bool IsType(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return IsWord(c) || IsSpace(c) || c == '*'; });
}

bool IsNumber(std::string_view type) {
  constexpr std::array<std::string_view, 8> kNumbers = {"int",  "long",  "short",    "char",
                                                        "bool", "float", "unsigned", "double"};
  const std::string_view last = type.substr(type.rfind(' ') + 1);
  return last.ends_with("_t") || std::ranges::find(kNumbers, last) != kNumbers.end();
}

}  // namespace

std::string CodeOf(std::string_view text) {
  std::string code(text);
  const auto blank = [&code](std::size_t from, std::size_t to) {
    std::replace_if(
        code.begin() + static_cast<std::ptrdiff_t>(from),
        code.begin() + static_cast<std::ptrdiff_t>(to), [](char c) { return c != '\n'; }, ' ');
  };
  for (std::size_t at = 0; at < code.size();) {
    if (const std::size_t end = EndOfCommentOrString(text, at); end != at) {
      blank(at, end);
      at = end;
    } else {
      ++at;
    }
  }
  for (std::size_t line = 0; line < code.size();) {
    std::size_t end = std::min(code.find('\n', line), code.size());
    if (Trim(std::string_view(code).substr(line, end - line)).starts_with('#')) {
      while (end < code.size() && end > 0 && code[end - 1] == '\\') {  // Goes on in the next line.
        end = std::min(code.find('\n', end + 1), code.size());
      }
      blank(line, end);
    }
    line = end + 1;
  }
  return code;
}

std::size_t FindWord(std::string_view code, std::string_view name, std::size_t from) {
  for (std::size_t at = code.find(name, from); at != std::string_view::npos;
       at = code.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !IsWord(code[at - 1])) && (end == code.size() || !IsWord(code[end]))) {
      return at;
    }
  }
  return std::string_view::npos;
}

bool DefinesMain(std::string_view source) {
  const std::string code = CodeOf(source);
  for (std::size_t at = FindWord(code, "main", 0); at != std::string::npos;
       at = FindWord(code, "main", at + 1)) {
    const std::size_t open = SkipSpaces(code, at + 4);
    const std::string_view before = Trim(std::string_view(code).substr(0, at));
    if (open < code.size() && code[open] == '(' &&
        (before.ends_with("int") || before.ends_with("auto"))) {
      return true;
    }
  }
  return false;
}

std::optional<FunctionDeclaration> FindDeclaration(std::string_view header, std::string_view name) {
  const std::string code_text = CodeOf(header);
  const std::string_view code = code_text;
  for (std::size_t at = FindWord(code, name, 0); at != std::string_view::npos;
       at = FindWord(code, name, at + 1)) {
    const std::size_t open = SkipSpaces(code, at + name.size());
    if (open == code.size() || code[open] != '(') {
      continue;
    }
    const std::size_t end = EndOfParentheses(code, open);
    if (end == std::string_view::npos || SkipSpaces(code, end) == code.size() ||
        code[SkipSpaces(code, end)] != ';') {
      continue;
    }
    const std::size_t boundary = code.find_last_of(";{}", at);
    const std::size_t begin = boundary == std::string_view::npos ? 0 : boundary + 1;
    const std::string_view type = Trim(code.substr(begin, at - begin));
    if (!IsType(type)) {
      continue;
    }
    const std::string_view arguments = Trim(code.substr(open + 1, end - open - 2));
    return FunctionDeclaration{.return_type = std::string(type),
                               .text = std::string(Trim(code.substr(begin, end - begin))),
                               .takes_arguments = !arguments.empty() && arguments != "void"};
  }
  return std::nullopt;
}

std::optional<std::string> UnsupportedStatus(std::string_view header) {
  constexpr std::string_view kEnding = "_UNSUPPORTED";
  const std::string code = CodeOf(header);
  for (std::size_t at = code.find(kEnding); at != std::string::npos;
       at = code.find(kEnding, at + 1)) {
    const std::size_t end = at + kEnding.size();
    std::size_t begin = at;
    while (begin > 0 && IsWord(code[begin - 1])) {
      --begin;
    }
    if (begin != at && (end == code.size() || !IsWord(code[end]))) {
      return code.substr(begin, end - begin);
    }
  }
  return std::nullopt;
}

std::string StubStatement(const FunctionDeclaration& function,
                          const std::optional<std::string>& unsupported) {
  const std::string_view type = function.return_type;
  if (type == "void") {
    return "";
  }
  if (type == "int" && function.takes_arguments && unsupported) {
    return "return " + *unsupported + ";";
  }
  return IsNumber(type) ? "return 0;" : type.ends_with('*') ? "return nullptr;" : "return {};";
}

}  // namespace assay
