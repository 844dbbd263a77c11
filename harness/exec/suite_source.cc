// SPDX-License-Identifier: Apache-2.0
#include "exec/suite_source.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "base/digest.h"
#include "base/text.h"

namespace assay {
namespace {

constexpr std::array<std::string_view, 5> kMacros = {"TEST(", "TEST_F(", "TEST_P(", "TYPED_TEST(",
                                                     "TYPED_TEST_P("};

bool BeginsCase(std::string_view line) {
  return std::ranges::any_of(kMacros,
                             [line](std::string_view macro) { return line.starts_with(macro); });
}

bool SaysNothing(std::string_view line) {
  const std::size_t first = line.find_first_not_of(' ');
  return first == std::string_view::npos || line.substr(first).starts_with("//");
}

/// `Edge.NanInX` of `TYPED_TEST(Edge, NanInX) {`; a long name may go on in the next line.
std::string CaseNamed(std::string_view text) {
  text.remove_prefix(text.find('(') + 1);
  std::string name;
  for (const char c : text.substr(0, text.find(')'))) {
    if (c == ',') {
      name += '.';
    } else if (c != ' ' && c != '\n') {
      name += c;
    }
  }
  return name;
}

}  // namespace

SuiteSource ReadSuiteSource(std::string_view text) {
  SuiteSource source;
  std::string rest;
  const std::vector<std::string> lines = SplitLines(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!BeginsCase(lines[i])) {
      rest += SaysNothing(lines[i]) ? "" : lines[i] + "\n";
      continue;
    }
    const int first = static_cast<int>(i) + 1;
    std::string body;
    // Of one line, or up to a brace at the start of one.
    for (bool ends = false; !ends && i < lines.size(); ++i) {
      body += SaysNothing(lines[i]) ? "" : lines[i] + "\n";
      ends = lines[i].starts_with('}') ||
             (body.contains(") {") && lines[i].ends_with(" }") && !lines[i].starts_with(' '));
    }
    --i;
    std::string name = CaseNamed(body);
    source.digests.cases[name] = Sha256(body);
    source.case_at_line[first] = std::move(name);
  }
  source.digests.rest = Sha256(rest);
  return source;
}

}  // namespace assay
