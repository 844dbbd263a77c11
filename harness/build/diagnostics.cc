// SPDX-License-Identifier: Apache-2.0
#include "build/diagnostics.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "build/cuda_tokens.h"

namespace assay {
namespace {

// Whether `line` is `<place><severity>...`: what comes first after the place is what g++ or nvcc
// says (`a.cc:9:1: error: `, `a.cu(9): error: `), and the rest may quote the source. Caret lines
// and quoted source lines begin with a space.
bool HasSeverity(std::string_view line, std::string_view severity) {
  const std::size_t at = line.find(": ");
  return at != std::string_view::npos && line.front() != ' ' &&
         line.substr(at).starts_with(severity);
}

// `ptxas /out/k.ptx, line 31; error   : Not a name ...`, `nvcc fatal   : ...`
bool IsErrorOfCudaTool(std::string_view line) {
  constexpr std::array<std::string_view, 3> kTools = {"ptxas ", "nvcc ", "fatbinary "};
  return std::ranges::any_of(kTools,
                             [&](std::string_view tool) { return line.starts_with(tool); }) &&
         (line.find("error   : ") != std::string_view::npos ||
          line.find("fatal   : ") != std::string_view::npos);
}

bool IsError(std::string_view line) {
  return HasSeverity(line, ": error: ") || HasSeverity(line, ": fatal error: ") ||
         HasSeverity(line, ": internal compiler error: ") ||
         HasSeverity(line, ": catastrophic error: ") || IsErrorOfCudaTool(line) ||
         line.find(": multiple definition of ") != std::string_view::npos ||
         line.find(": undefined reference to ") != std::string_view::npos;
}

// Lines with which g++ and ld introduce the error that follows.
bool LeadsToError(std::string_view line) {
  constexpr std::array<std::string_view, 6> kPhrases = {
      "In file included from ", "                 from ", ": In ",
      ": At global scope:",     "required from",          "required by"};
  return std::ranges::any_of(kPhrases, [line](std::string_view phrase) {
    return line.find(phrase) != std::string_view::npos;
  });
}

bool IsSpace(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v' || c == '\0';
}

// Behind the ends of lines that go on at `at`. In a literal that `_Pragma` reads, `\\` is a `\`.
std::size_t BehindJoints(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] == '\\') {
    std::size_t end = std::min(text.find_first_not_of('\\', at), text.size());
    while (end < text.size() && IsSpace(text[end]) && text[end] != '\n') {
      ++end;
    }
    if (end == text.size() || text[end] != '\n') {
      break;
    }
    at = end + 1;
  }
  return at;
}

// Behind what a compiler reads as white space at `at`: blanks, ends of lines and comments.
std::size_t BehindSpace(std::string_view text, std::size_t at) {
  for (std::size_t begin = at; true; begin = at) {
    at = BehindJoints(text, at);
    while (at < text.size() && IsSpace(text[at])) {
      ++at;
    }
    const std::size_t slash = at < text.size() && text[at] == '/' ? BehindJoints(text, at + 1) : 0;
    if (slash > 0 && text.substr(slash).starts_with('/')) {
      at = std::min(text.find('\n', slash), text.size());
    } else if (slash > 0 && text.substr(slash).starts_with('*')) {
      const std::size_t end = text.find("*/", slash + 1);
      at = end == std::string_view::npos ? text.size() : end + 2;
    }
    if (at == begin) {
      return at;
    }
  }
}

// Behind `word` at `at`, which may have ends of lines in it; 0 where it does not stand there.
std::size_t BehindWord(std::string_view text, std::size_t at, std::string_view word) {
  for (const char c : word) {
    at = BehindJoints(text, at);
    if (at >= text.size() || text[at] != c) {
      return 0;
    }
    ++at;
  }
  return at;
}

// `ignored` behind white space at `at`. What is longer than any that is read is taken to hide it:
// to look through it for each of many would take long.
bool Ignores(std::string_view text, std::size_t at) {
  constexpr std::size_t kLongestSpace = 10'000;
  text = text.substr(0, at + kLongestSpace);
  const std::size_t next = BehindSpace(text, at);
  return next == at + kLongestSpace || (next > at && BehindWord(text, next, "ignored") > 0);
}

// `accepts` is asked about what stands behind the word.
template <class Accepts>
void Respell(std::string& source, std::string_view word, Accepts accepts) {
  for (std::size_t at = source.find(word.front()); at != std::string::npos;
       at = source.find(word.front(), at + 1)) {
    const std::size_t end = BehindWord(source, at, word);
    if (end > 0 && accepts(end)) {
      source[at] = 'X';
    }
  }
}

void CommentOutLineMarkers(std::string& source) {
  for (const std::size_t at : LineMarkers(source)) {
    source.replace(at, 2, "//");
  }
}

}  // namespace

int CountWarnings(const std::vector<std::string>& outputs) {
  std::set<std::string> distinct;
  for (const std::string& output : outputs) {
    for (std::string& line : SplitLines(output)) {
      // nvcc numbers its own: `a.cu(2): warning #177-D: `.
      if (HasSeverity(line, ": warning: ") || HasSeverity(line, ": warning #")) {
        distinct.insert(std::move(line));
      }
    }
  }
  return static_cast<int>(distinct.size());
}

std::string WithoutSilencing(std::string source) {
  const auto always = [](std::size_t /*end*/) { return true; };
  Respell(source, "diagnostic", [&](std::size_t end) { return Ignores(source, end); });
  Respell(source, "system_header", always);
  Respell(source, "diag_suppress", always);
  Respell(source, "hd_warning_disable", always);
  Respell(source, "exec_check_disable", always);
  CommentOutLineMarkers(source);
  return source;
}

std::string FirstDiagnostics(std::string_view output, std::size_t limit_bytes) {
  const std::vector<std::string> lines = SplitLines(output);
  auto first = std::ranges::find_if(lines, IsError);
  if (first == lines.end()) {
    return Truncate(output, limit_bytes);
  }
  // An include that includes itself leads up to its error in 200 lines.
  constexpr int kMostLeadingLines = 8;
  for (int i = 0;
       i < kMostLeadingLines && first != lines.begin() && LeadsToError(*std::prev(first)); ++i) {
    --first;
  }
  return Truncate(Join(std::vector<std::string>(first, lines.end()), "\n"), limit_bytes);
}

std::string ReplacePaths(std::string text,
                         std::vector<std::pair<std::string, std::string>> replacements) {
  std::ranges::sort(replacements,
                    [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
  for (const auto& [from, to] : replacements) {
    for (std::size_t at = text.find(from); at != std::string::npos;
         at = text.find(from, at + to.size())) {
      text.replace(at, from.size(), to);
    }
  }
  return text;
}

}  // namespace assay
