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

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

// `diagnostic ignored` at `at`, where `diagnostic` stands.
bool Ignores(std::string_view text, std::size_t at) {
  constexpr std::string_view kDiagnostic = "diagnostic";
  std::size_t next = at + kDiagnostic.size();
  const std::size_t behind = next;
  while (next < text.size() && (IsBlank(text[next]) || text[next] == '\\' || text[next] == '\n')) {
    ++next;
  }
  return next > behind && text.substr(next).starts_with("ignored");
}

template <class Accepts>
void Respell(std::string& source, std::string_view word, Accepts accepts) {
  for (std::size_t at = source.find(word); at != std::string::npos;
       at = source.find(word, at + word.size())) {
    if (accepts(at)) {
      source[at] = 'X';
    }
  }
}

// `# 1 "file.h" 3`, as the preprocessor writes it.
bool IsLineMarker(std::string_view line) {
  const std::size_t sign = line.find_first_not_of(" \t");
  if (sign == std::string_view::npos || line[sign] != '#') {
    return false;
  }
  const std::size_t number = line.find_first_not_of(" \t", sign + 1);
  return number != std::string_view::npos && line[number] >= '0' && line[number] <= '9';
}

// A line of a raw string may look like one, and is what the submission reads or prints.
void CommentOutLineMarkers(std::string& source) {
  const std::string code = WithoutLiterals(source);
  for (std::size_t begin = 0; begin < source.size();) {
    const std::size_t end = std::min(source.find('\n', begin), source.size());
    if (IsLineMarker(std::string_view(code).substr(begin, end - begin))) {
      source.replace(source.find('#', begin), 2, "//");
    }
    begin = end + 1;
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
  const auto always = [](std::size_t /*at*/) { return true; };
  Respell(source, "diagnostic", [&](std::size_t at) { return Ignores(source, at); });
  Respell(source, "system_header", always);
  Respell(source, "diag_suppress", always);
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
