// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "pr/findings.h"
#include "pr/result_set.h"
#include "report/plain_text.h"

namespace assay {
namespace {

using nlohmann::json;

/// What GitHub takes of a SARIF file is 5,000 results.
constexpr std::size_t kMostResults = 5'000;
constexpr std::size_t kFindingsOfAKind = 50;
constexpr std::size_t kLongestMessage_bytes = 1'000;

struct Rule {
  Finding::Kind kind;
  std::string_view level;
  std::string_view description;
};
constexpr std::array<Rule, 5> kRules = {
    {{Finding::Kind::kFault, "error", "A file of the submission is at fault"},
     {Finding::Kind::kCompiler, "error", "The submission does not compile or link"},
     {Finding::Kind::kSanitizer, "warning", "A sanitizer found something while it ran"},
     {Finding::Kind::kDevice, "warning", "A checker of the emulated GPU found something"},
     {Finding::Kind::kCase, "error", "A case of the suite fails"}}};

std::size_t RuleIndexOf(Finding::Kind kind) {
  return static_cast<std::size_t>(std::ranges::find(kRules, kind, &Rule::kind) - kRules.begin());
}

std::string Dumped(const json& value, int indent) {
  return value.dump(indent, ' ', false, json::error_handler_t::replace) + "\n";
}

// Text of tools: one line that no control character is left in.
std::string Plain(std::string_view text) { return PlainLine(Shorten(text, kLongestMessage_bytes)); }

json SarifResult(const Finding& finding) {
  const std::size_t rule = RuleIndexOf(finding.kind);
  json region = {{"startLine", std::max(1, finding.place.line)}};
  if (finding.place.column > 0) {
    region["startColumn"] = finding.place.column;
  }
  json place = {{"artifactLocation", {{"uri", PathOf(finding)}}}, {"region", std::move(region)}};
  json location = json::object();
  location["physicalLocation"] = std::move(place);
  return {{"ruleId", ToString(finding.kind)},
          {"ruleIndex", rule},
          {"level", kRules[rule].level},
          {"message", {{"text", Plain(finding.message)}}},
          {"locations", json::array({std::move(location)})}};
}

json OrNull(const std::optional<double>& value) { return value ? json(*value) : json(nullptr); }
json OrNull(const std::optional<Verdict>& verdict) {
  return verdict ? json(ToString(*verdict)) : json(nullptr);
}
json OrNull(const std::optional<Standing>& standing) {
  return standing ? json{{"best", standing->best},
                         {"worst", standing->worst},
                         {"entrants", standing->entrants}}
                  : json(nullptr);
}

std::string_view ToString(CellChange change) {
  switch (change) {
    case CellChange::kNew:
      return "new";
    case CellChange::kChanged:
      return "changed";
    case CellChange::kRemoved:
      return "removed";
    case CellChange::kJudged:
      break;
  }
  return "judged";
}

json CellLine(const Change& change, const AssessedCell& assessed) {
  const ChangedCell& cell = *assessed.cell;
  json line = {{"schema", 1},
               {"model", cell.cell.model},
               {"challenge", cell.cell.challenge},
               {"change", ToString(cell.change)},
               {"base_commit", Plain(change.base_commit)},
               {"head_commit", Plain(change.head_commit)},
               {"judge", change.judge == JudgeOf::kBase ? "base" : "change"},
               {"seed", change.seed},
               {"verdict_before", OrNull(assessed.before)},
               {"verdict", OrNull(assessed.after)},
               {"score_before", OrNull(assessed.score_before)},
               {"score", OrNull(assessed.score_after)},
               {"rank_before", OrNull(assessed.standing_before)},
               {"rank", OrNull(assessed.standing_after)},
               {"gate_failure", assessed.gate_failure},
               {"newly_failing", assessed.newly_failing},
               {"newly_passing", assessed.newly_passing},
               {"changes", json::array()},
               {"faults", json::array()},
               {"moved", json::array()}};
  for (const std::string& changed : cell.changes) {
    line["changes"].push_back(Plain(changed));
  }
  for (const Error& fault : cell.faults) {
    line["faults"].push_back(Plain(assay::ToString(fault)));
  }
  for (const MovedRow& row : assessed.moved) {
    line["moved"].push_back({{"row", row.title},
                             {"before", Plain(row.before)},
                             {"after", Plain(row.after)},
                             {"better", row.is_better}});
  }
  if (const CaseEvidence* const failing = cell.after ? FirstFailingCase(*cell.after) : nullptr) {
    line["first_failing"] = {
        {"case", failing->name},
        {"verdict", assay::ToString(failing->verdict)},
        {"detail", Plain(failing->detail)},
        {"reproduce", ReproduceCommand(cell.cell, failing->name, cell.after->environment.seed)}};
  }
  if (cell.after) {
    line["digests"] = {{"submission", cell.after->digests.submission},
                       {"challenge", cell.after->digests.challenge},
                       {"reference", cell.after->digests.reference},
                       {"harness", cell.after->digests.harness}};
  }
  return line;
}

}  // namespace

std::string SarifJson(const Change& change, const Assessment& assessment) {
  json rules = json::array();
  for (const Rule& rule : kRules) {
    rules.push_back({{"id", ToString(rule.kind)},
                     {"shortDescription", {{"text", rule.description}}},
                     {"defaultConfiguration", {{"level", rule.level}}}});
  }
  json results = json::array();
  for (const AssessedCell& assessed : assessment.cells) {
    for (const Finding& finding : FindingsOf(*assessed.cell, kFindingsOfAKind)) {
      if (results.size() < kMostResults) {
        results.push_back(SarifResult(finding));
      }
    }
  }
  const json driver = {
      {"name", "Assay"}, {"version", change.assay_version}, {"rules", std::move(rules)}};
  const json run = {{"tool", {{"driver", driver}}}, {"results", std::move(results)}};
  return Dumped({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                 {"version", "2.1.0"},
                 {"runs", json::array({run})}},
                2);
}

std::string ResultsJsonl(const Change& change, const Assessment& assessment) {
  std::string lines;
  for (const AssessedCell& assessed : assessment.cells) {
    lines += Dumped(CellLine(change, assessed), -1);
  }
  return lines;
}

}  // namespace assay
