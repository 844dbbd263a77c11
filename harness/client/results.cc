// SPDX-License-Identifier: Apache-2.0
#include "client/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "base/unicode.h"

namespace assay {
namespace {

constexpr std::size_t kMostFindings = 20;

}  // namespace

void Results::BeginCase(std::string name) {
  case_ = CaseEvidence();
  case_.name = std::move(name);
  noted_.reset();
  asked_last_.clear();
}

void Results::Tag(std::string_view tag) {
  if (std::ranges::find(case_.tags, tag) == case_.tags.end()) {
    case_.tags.emplace_back(tag);
  }
}

void Results::Note(Verdict verdict, std::string_view detail, std::string_view output) {
  if (noted_ && verdict <= *noted_) {
    return;
  }
  noted_ = verdict;
  case_.detail = OneLine(detail);
  case_.failing_operation.reset();
  case_.failing_output.reset();
  if (verdict != Verdict::kSkipped && !asked_last_.empty()) {
    case_.failing_operation = asked_last_;
  }
  if (!output.empty()) {
    case_.failing_output = output;
  }
}

void Results::NoteSkipCause(SkipCause cause) {
  if (!case_.skip_cause) {
    case_.skip_cause = cause;
  }
}

void Results::NoteReproduction(std::string_view calls) { case_.reproduction = OneLine(calls); }

void Results::NoteAnswered(std::string_view operation) {
  const auto at = std::ranges::lower_bound(case_.answered, operation);
  if (at == case_.answered.end() || *at != operation) {
    case_.answered.emplace(at, operation);
  }
}

void Results::NoteErrorOverBound(double error_over_bound) {
  case_.error_over_bound = std::max(case_.error_over_bound.value_or(0), error_over_bound);
}

const CaseEvidence& Results::EndCase(double seconds) {
  case_.seconds = seconds;
  case_.verdict = noted_.value_or(Verdict::kAccepted);
  if (case_.verdict != Verdict::kSkipped || case_.given_up) {
    case_.skip_cause.reset();
  }
  if (case_.reproduction) {
    case_.failing_operation.reset();
  }
  if (case_.verdict == Verdict::kJudgeError) {
    NoteJudgeError(fmt::format("{}: {}", case_.name, case_.detail));
  }
  return run_.suite.cases.emplace_back(std::move(case_));
}

void Results::NoteJudgeError(std::string_view reason) {
  if (run_.judge_error.empty()) {
    run_.judge_error = reason.empty() ? "unknown" : OneLine(reason);
  }
}

Status WriteResults(const RunResults& results, const std::filesystem::path& path) {
  return WriteFileAtomically(path, RunResultsToJson(results));
}

void GiveUpRule::SawStart(std::optional<Verdict> failure) {
  failed_starts_ = failure ? failed_starts_ + 1 : 0;
}

void GiveUpRule::SawCase(Verdict verdict) {
  if (verdict == Verdict::kTimeLimit || verdict == Verdict::kMemoryLimit) {
    ++limits_;
  } else if (verdict != Verdict::kSkipped) {
    limits_ = 0;
  }
}

std::optional<GiveUp> GiveUpRule::Reason() const {
  if (failed_starts_ >= kLimit) {
    return GiveUp{
        GiveUpCause::kDeadHosts,
        fmt::format("not run after {} hosts in a row that died before their first message",
                    kLimit)};
  }
  if (limits_ >= kLimit) {
    return GiveUp{
        GiveUpCause::kLimits,
        fmt::format("not run after {} cases in a row over a limit of time or memory", kLimit)};
  }
  auto stop = ReasonToStop();
  if (stop) {
    stop->reason = "not run after " + stop->reason;
  }
  return stop;
}

std::optional<GiveUp> GiveUpRule::ReasonToStop() const {
  if (host_time_ <= run_limit_) {
    return std::nullopt;
  }
  return GiveUp{GiveUpCause::kRunLimit,
                fmt::format("hosts took over {:.3g} s in all, the most that they may in a run",
                            std::chrono::duration<double>(run_limit_).count())};
}

std::vector<std::string> SanitizerFindings(std::string_view output) {
  constexpr std::string_view kSummary = "SUMMARY: ";
  std::vector<std::string> findings;
  for (const std::string& line : SplitLines(output)) {
    std::string_view finding = line;
    const bool is_summary =
        finding.starts_with(kSummary) && finding.find("Sanitizer: ") != std::string_view::npos;
    if (is_summary) {
      finding.remove_prefix(kSummary.size());
    }
    // Undefined behaviour has its kind in this line; its summary, if any, has only the place.
    const bool is_undefined = finding.find(": runtime error: ") != std::string_view::npos;
    const bool says_less = finding.starts_with("UndefinedBehaviorSanitizer: ");
    if ((is_undefined || (is_summary && !says_less)) && findings.size() < kMostFindings) {
      findings.push_back(OneLine(finding));
    }
  }
  return findings;
}

std::string OneLine(std::string_view text) {
  std::string line = OneSeenLine(text.substr(0, 4 * kLongestDetail_bytes), "");
  line.erase(line.find_last_not_of(' ') + 1);
  if (line.size() > kLongestDetail_bytes) {
    line.replace(CharacterBorder(line, kLongestDetail_bytes - 3), std::string::npos, "...");
  }
  return line;
}

}  // namespace assay
