// SPDX-License-Identifier: Apache-2.0
#include "pr/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "evidence/derived.h"
#include "score/diagnosis.h"

namespace assay {
namespace {

constexpr std::string_view kSheet = "submission.yaml";

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// A positive number at the front of `text`, which it leaves behind; 0 when there is none.
int TakeNumber(std::string_view& text) {
  int number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || text.empty() || !IsDigit(text.front())) {
    return 0;
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// `:12:3` or `(12)` behind a file's name.
std::optional<Place> PlaceBehind(std::string_view text, const std::string& file) {
  Place place{.file = file};
  if (text.empty() || (text.front() != ':' && text.front() != '(')) {
    return std::nullopt;
  }
  const bool in_brackets = text.front() == '(';
  text.remove_prefix(1);
  place.line = TakeNumber(text);
  if (place.line == 0 || (in_brackets && !text.starts_with(')'))) {
    return std::nullopt;
  }
  if (!in_brackets && text.starts_with(':')) {
    text.remove_prefix(1);
    place.column = TakeNumber(text);
  }
  return place;
}

// Whether a name of a file may begin at `at`: not in the middle of another name.
bool BeginsName(std::string_view text, std::size_t at) {
  constexpr std::string_view kBefore = " \t/([\"'=";
  return at == 0 || kBefore.find(text[at - 1]) != std::string_view::npos;
}

bool IsError(std::string_view line) {
  return line.find("error: ") != std::string_view::npos ||
         line.find("undefined reference") != std::string_view::npos ||
         line.find("multiple definition") != std::string_view::npos;
}

class Collector {
 public:
  Collector(const ChangedCell& cell, std::size_t most) : cell_(cell), most_(most) {}

  void Add(Finding::Kind kind, std::string_view text) {
    if (Count(kind) < most_) {
      const Place sheet{.file = std::string(kSheet)};
      findings_.push_back({.kind = kind,
                           .cell = cell_.cell,
                           .place = FindPlace(text, cell_.files).value_or(sheet),
                           .message = std::string(text)});
    }
  }

  void AddDiagnostics(const BuildEvidence& build) {
    if (build.verdict == Verdict::kAccepted || build.verdict == Verdict::kSkipped) {
      return;
    }
    const std::size_t before = findings_.size();
    for (const std::string& line : SplitLines(build.diagnostics)) {
      if (IsError(line)) {
        Add(Finding::Kind::kCompiler, line);
      }
    }
    if (findings_.size() == before && Count(Finding::Kind::kCompiler) == 0) {
      Add(Finding::Kind::kCompiler,
          build.diagnostics.empty() ? std::string(ToString(build.verdict)) : build.diagnostics);
    }
  }

  std::vector<Finding> Take() { return std::move(findings_); }

 private:
  [[nodiscard]] std::size_t Count(Finding::Kind kind) const {
    return static_cast<std::size_t>(std::ranges::count(findings_, kind, &Finding::kind));
  }

  const ChangedCell& cell_;
  std::size_t most_;
  std::vector<Finding> findings_;
};

}  // namespace

std::string_view ToString(Finding::Kind kind) {
  switch (kind) {
    case Finding::Kind::kFault:
      return "file_at_fault";
    case Finding::Kind::kCompiler:
      return "compile_error";
    case Finding::Kind::kSanitizer:
      return "sanitizer";
    case Finding::Kind::kDevice:
      return "emulated_gpu";
    case Finding::Kind::kCase:
      break;
  }
  return "failing_case";
}

std::optional<Place> FindPlace(std::string_view text, const std::vector<std::string>& files) {
  std::optional<Place> first;
  std::size_t first_at = std::string_view::npos;
  for (const std::string& file : files) {
    // The emulated GPU names files without their folder.
    const std::string_view name = std::string_view(file).substr(file.rfind('/') + 1);
    for (std::size_t at = text.find(name); at != std::string_view::npos && at < first_at;
         at = text.find(name, at + 1)) {
      auto place = PlaceBehind(text.substr(at + name.size()), file);
      if (place && BeginsName(text, at)) {
        first = std::move(place);
        first_at = at;
      }
    }
  }
  return first;
}

std::vector<Finding> FindingsOf(const ChangedCell& cell, std::size_t most) {
  Collector collector(cell, most);
  for (const Error& fault : cell.faults) {
    collector.Add(Finding::Kind::kFault, ToString(fault));
  }
  if (!cell.after) {
    return collector.Take();
  }
  const Evidence& after = *cell.after;
  collector.AddDiagnostics(after.release);
  collector.AddDiagnostics(after.sanitized);
  for (const std::string& finding : after.sanitizer_findings) {
    collector.Add(Finding::Kind::kSanitizer, finding);
  }
  for (const DeviceFinding& finding : after.suite.device_findings) {
    collector.Add(Finding::Kind::kDevice, ToString(finding));
  }
  if (const CaseEvidence* const failing = FirstFailingCase(after)) {
    collector.Add(Finding::Kind::kCase, fmt::format("{} ({}): {}", failing->name,
                                                    ToString(failing->verdict), failing->detail));
  }
  return collector.Take();
}

std::string PathOf(const Finding& finding) {
  return fmt::format("submissions/{}/{}/{}", finding.cell.model, finding.cell.challenge,
                     finding.place.file);
}

const CaseEvidence* FirstFailingCase(const Evidence& evidence) {
  const auto failing = std::ranges::find_if(evidence.suite.cases, IsGatingFailure);
  return failing == evidence.suite.cases.end() ? nullptr : &*failing;
}

}  // namespace assay
