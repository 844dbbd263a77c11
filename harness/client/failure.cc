// SPDX-License-Identifier: Apache-2.0
#include "client/failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <vector>

#include "base/text.h"

namespace assay {
namespace {

constexpr std::size_t kLongestLine = 300;

std::string OneLine(std::string_view text) {
  std::string line(text.substr(0, kLongestLine));
  std::ranges::replace_if(line, [](char c) { return c < ' ' || c > '~'; }, '?');
  return line;
}

std::string_view From(std::string_view line, std::string_view word) {
  const std::size_t at = line.find(word);
  return at == std::string_view::npos ? std::string_view() : line.substr(at);
}

}  // namespace

std::string SanitizerFinding(std::string_view output) {
  std::string finding;
  std::string summary;
  for (const std::string& line : SplitLines(output)) {
    if (finding.empty()) {
      if (const auto error = From(line, "ERROR: AddressSanitizer: "); !error.empty()) {
        finding = OneLine(error.substr(std::string_view("ERROR: ").size()));
      } else if (line.find(": runtime error: ") != std::string::npos) {
        finding = "UndefinedBehaviorSanitizer: " + OneLine(line);
      }
    }
    if (const auto found = From(line, "SUMMARY: "); summary.empty() && !found.empty()) {
      summary = OneLine(found);
    }
  }
  return finding.empty() || summary.empty() ? finding : finding + " (" + summary + ")";
}

HostFailure DescribeExit(const ExitStatus& status, std::string_view activity,
                         std::string_view output) {
  using Kind = ExitStatus::Kind;
  switch (status.kind) {
    case Kind::kTimeLimit:
      return {Verdict::kTimeLimit, fmt::format("ran out of time {}", activity)};
    case Kind::kMemoryLimit:
      return {Verdict::kMemoryLimit, fmt::format("took more memory than it may {}", activity)};
    case Kind::kOutputLimit:
      return {Verdict::kOutputLimit, fmt::format("wrote more text than it may {}", activity)};
    case Kind::kInterrupted:
    case Kind::kKilled:
      return {Verdict::kJudgeError, fmt::format("interrupted {}", activity)};
    case Kind::kSignaled:
      if (status.code_or_signal == SIGSYS) {
        return {Verdict::kRejected, fmt::format("forbidden system call (SIGSYS) {}", activity)};
      }
      break;
    case Kind::kExited:
      break;
  }
  const std::string end = status.kind == Kind::kExited
                              ? fmt::format("exited with status {}", status.code_or_signal)
                              : ToString(status);
  const std::string finding = SanitizerFinding(output);
  return {Verdict::kRuntimeError, finding.empty() ? fmt::format("{} {}", end, activity)
                                                  : fmt::format("{} {}", finding, activity)};
}

}  // namespace assay
