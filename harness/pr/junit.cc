// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <vector>

#include "pr/findings.h"
#include "pr/inert.h"
#include "pr/result_set.h"
#include "report/plain_text.h"

namespace assay {
namespace {

constexpr std::size_t kLongestMessage_bytes = 500;
constexpr std::size_t kLongestBody_bytes = 5'000;
constexpr std::size_t kFindings = 10;

struct Counts {
  int tests = 0;
  int failures = 0;
  int errors = 0;
  int skipped = 0;
};

enum class Outcome { kPassed, kFailure, kError, kSkipped };

Outcome OutcomeOf(const AssessedCell& assessed) {
  if (assessed.cell->change == CellChange::kRemoved || assessed.after == Verdict::kSkipped) {
    return Outcome::kSkipped;
  }
  if (assessed.after == Verdict::kJudgeError) {
    return Outcome::kError;
  }
  return assessed.after == Verdict::kAccepted ? Outcome::kPassed : Outcome::kFailure;
}

double SecondsOf(const ChangedCell& cell) {
  double seconds = 0;
  if (cell.after) {
    seconds = cell.after->release.seconds + cell.after->sanitized.seconds;
    for (const CaseEvidence& one : cell.after->suite.cases) {
      seconds += one.seconds;
    }
  }
  return seconds;
}

std::string BodyOf(const ChangedCell& cell) {
  std::string body;
  for (const Finding& finding : FindingsOf(cell, kFindings)) {
    body += fmt::format("{}: {}\n", ToString(finding.kind), finding.message);
  }
  if (const CaseEvidence* const failing = cell.after ? FirstFailingCase(*cell.after) : nullptr) {
    body +=
        "reproduce: " + ReproduceCommand(cell.cell, failing->name, cell.after->environment.seed) +
        "\n";
  }
  return body;
}

std::string TestCase(const AssessedCell& assessed, Counts& counts) {
  const ChangedCell& cell = *assessed.cell;
  std::string xml =
      fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\"",
                  EscapeXml(cell.cell.challenge), EscapeXml(cell.cell.model), SecondsOf(cell));
  ++counts.tests;
  const Outcome outcome = OutcomeOf(assessed);
  if (outcome == Outcome::kPassed) {
    return xml + "/>\n";
  }
  const std::string type =
      cell.change == CellChange::kRemoved
          ? "removed"
          : std::string(assessed.after ? ToString(*assessed.after) : "file_at_fault");
  const std::string message = cell.after
                                  ? cell.after->verdict_detail
                                  : (cell.faults.empty() ? type : ToString(cell.faults.front()));
  if (outcome == Outcome::kSkipped) {
    ++counts.skipped;  // Without attributes, which the first schemas do not know.
    return xml + fmt::format(">\n      <skipped>{}</skipped>\n    </testcase>\n",
                             EscapeXml(Shorten(message, kLongestMessage_bytes)));
  }
  ++(outcome == Outcome::kFailure ? counts.failures : counts.errors);
  const std::string_view element = outcome == Outcome::kFailure ? "failure" : "error";
  return xml + fmt::format(">\n      <{} type=\"{}\" message=\"{}\">{}</{}>\n    </testcase>\n",
                           element, EscapeXml(type),
                           EscapeXml(Shorten(message, kLongestMessage_bytes)),
                           EscapeXml(Shorten(BodyOf(cell), kLongestBody_bytes)), element);
}

std::string Attributes(const Counts& counts) {
  return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\"", counts.tests, counts.failures,
                     counts.errors);
}

}  // namespace

std::string JUnitXml(const Assessment& assessment) {
  std::map<std::string, std::vector<const AssessedCell*>> by_challenge;
  for (const AssessedCell& assessed : assessment.cells) {
    by_challenge[assessed.cell->cell.challenge].push_back(&assessed);
  }
  Counts all;
  std::string suites;
  for (const auto& [challenge, cells] : by_challenge) {
    Counts counts;
    std::string cases;
    for (const AssessedCell* const assessed : cells) {
      cases += TestCase(*assessed, counts);
    }
    suites += fmt::format("  <testsuite name=\"{}\" {} skipped=\"{}\">\n{}  </testsuite>\n",
                          EscapeXml(challenge), Attributes(counts), counts.skipped, cases);
    all.tests += counts.tests;
    all.failures += counts.failures;
    all.errors += counts.errors;
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"assay\" {}>\n{}"
      "</testsuites>\n",
      Attributes(all), suites);
}

}  // namespace assay
