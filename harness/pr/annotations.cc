// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "pr/findings.h"
#include "pr/result_set.h"
#include "report/plain_text.h"

namespace assay {
namespace {

constexpr std::size_t kLongestMessage_bytes = 500;

// GitHub's runner reads one command a line; `%`, and in properties `:` and `,`, have a meaning.
std::string EscapeProperty(std::string_view text) {
  std::string escaped;
  for (const char c : PlainLine(text)) {
    switch (c) {
      case '%':
        escaped += "%25";
        break;
      case ':':
        escaped += "%3A";
        break;
      case ',':
        escaped += "%2C";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string EscapeMessage(std::string_view text) {
  std::string escaped;
  for (const char c : PlainLine(Shorten(text, kLongestMessage_bytes))) {
    escaped += c == '%' ? std::string("%25") : std::string(1, c);
  }
  return escaped;
}

struct Annotation {
  bool is_error = false;
  Finding finding;
};

bool IsError(const AssessedCell& assessed, const Finding& finding) {
  return finding.kind == Finding::Kind::kFault || finding.kind == Finding::Kind::kCompiler ||
         (finding.kind == Finding::Kind::kCase && !assessed.gate_failure.empty());
}

std::string LineOf(const Annotation& annotation) {
  const Finding& finding = annotation.finding;
  std::string line = fmt::format("::{} file={}", annotation.is_error ? "error" : "warning",
                                 EscapeProperty(PathOf(finding)));
  line += fmt::format(",line={}", std::max(1, finding.place.line));
  if (finding.place.column > 0) {
    line += fmt::format(",col={}", finding.place.column);
  }
  return line + fmt::format(",title={}::{}\n",
                            EscapeProperty(fmt::format("{} of {}", ToString(finding.kind),
                                                       ToString(finding.cell))),
                            EscapeMessage(finding.message));
}

}  // namespace

std::string AnnotationLines(const Assessment& assessment) {
  std::vector<Annotation> annotations;
  for (const bool errors : {true, false}) {
    for (const AssessedCell& assessed : assessment.cells) {
      for (const Finding& finding : FindingsOf(*assessed.cell, kMostAnnotations)) {
        if (IsError(assessed, finding) == errors) {
          annotations.push_back({.is_error = errors, .finding = finding});
        }
      }
    }
  }
  const std::size_t shown =
      annotations.size() > kMostAnnotations ? kMostAnnotations - 1 : annotations.size();
  std::string lines;
  for (std::size_t i = 0; i < shown; ++i) {
    lines += LineOf(annotations[i]);
  }
  if (shown < annotations.size()) {
    lines += fmt::format("::notice title=Assay::{} more findings: results.sarif has them\n",
                         annotations.size() - shown);
  }
  return lines;
}

}  // namespace assay
