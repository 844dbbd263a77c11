// SPDX-License-Identifier: Apache-2.0
#include "report/challenge_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/text.h"
#include "evidence/statistics.h"
#include "report/words.h"
#include "score/format.h"
#include "score/time_rows.h"

namespace assay {
namespace {

constexpr std::size_t kLongestDiagnostics_bytes = 4000;
constexpr std::size_t kMostFindingsListed = 40;

/// What of `diagnostics` fits, in a fenced block after an empty line; nothing for none.
Markdown DiagnosticsBlock(std::string_view diagnostics) {
  return diagnostics.empty()
             ? Markdown()
             : "\n" + Markdown::CodeBlock(Truncate(diagnostics, kLongestDiagnostics_bytes));
}

Markdown OneBuild(const Evidence& cell, const Markdown& which, const BuildEvidence& build) {
  if (build.verdict == Verdict::kAccepted || build.verdict == Verdict::kSkipped) {
    return {};
  }
  return Markdown::Bold(Markdown::Text(cell.model_name)) + ", " + which + ": " +
         Markdown::Text(ToString(build.verdict)) + "\n" + DiagnosticsBlock(build.diagnostics);
}

Markdown RepairOf(const Evidence& cell) {
  if (!cell.repair.has_value()) {
    return {};
  }
  return Markdown::Bold(Markdown::Text(cell.model_name)) +
         " does not build as handed in; graded repaired by " + CellText(cell.repair->patch) + ": " +
         CellText(cell.repair->reason) + "\n" + DiagnosticsBlock(cell.repair->diagnostics);
}

Markdown FindingsOf(const Evidence& cell) {
  if (cell.sanitizer_findings.empty()) {
    return {};
  }
  Markdown text = Markdown::Bold(Markdown::Text(cell.model_name)) + ", under sanitizers:\n\n";
  const std::size_t listed = std::min(kMostFindingsListed, cell.sanitizer_findings.size());
  for (std::size_t i = 0; i < listed; ++i) {
    text += "- " + LineText(cell.sanitizer_findings[i]) + "\n";
  }
  if (listed < cell.sanitizer_findings.size()) {
    text += "- and " + Number(static_cast<long long>(cell.sanitizer_findings.size() - listed)) +
            " more\n";
  }
  return text;
}

/// The points of one curve, a row each.
void AddCurve(const ChallengeBoard& challenge, const std::string& name, MarkdownTable& table) {
  std::map<double, std::map<const Evidence*, double>> rows;
  for (const Evidence* cell : challenge.cells) {
    const auto curve = cell->suite.curves.find(name);
    if (curve != cell->suite.curves.end()) {
      for (const auto& [x, y] : curve->second) {
        rows[x][cell] = y;
      }
    }
  }
  for (const auto& [x, values] : rows) {
    std::vector<Markdown> row = {CellText(name), Markdown::Text(fmt::format("{:.10g}", x))};
    for (const Evidence* cell : challenge.cells) {
      const auto value = values.find(cell);
      row.push_back(value == values.end() ? Markdown("—")
                                          : Markdown::Text(fmt::format("{:.3g}", value->second)));
    }
    table.AddRow(std::move(row));
  }
}

Markdown WorkloadCell(const WorkloadEvidence& workload) {
  if (workload.verdict != Verdict::kAccepted) {
    return Markdown::Text(ToString(workload.verdict));
  }
  return Markdown::Text(fmt::format("{:.2f}x [{:.2f}, {:.2f}], {:.0f} %", workload.ratio,
                                    workload.ratio_low, workload.ratio_high,
                                    workload.share_of_bandwidth * 100));
}

const WorkloadEvidence* FindWorkload(const Evidence& cell, const std::string& name) {
  const auto& workloads = cell.bench.workloads;
  const auto found = std::find_if(workloads.begin(), workloads.end(),
                                  [&](const WorkloadEvidence& one) { return one.name == name; });
  return found == workloads.end() ? nullptr : &*found;
}

template <class NameOf>
std::set<std::string> NamesIn(const ChallengeBoard& challenge, NameOf names_of) {
  std::set<std::string> names;
  for (const Evidence* cell : challenge.cells) {
    for (const std::string& name : names_of(*cell)) {
      names.insert(name);
    }
  }
  return names;
}

void AddBenchConditions(const ChallengeBoard& challenge, MarkdownTable& table) {
  struct Line {
    Markdown title;
    std::string (*value)(const BenchEvidence&);
  };
  const std::array<Line, 3> lines = {{
      {"A/A: baseline beats itself",
       [](const BenchEvidence& bench) {
         return fmt::format(
             "{} of {} controls{}{}", CountFalseWins(bench), bench.controls.size(),
             bench.runs && bench.runs->size() > 1
                 ? fmt::format(", known to {:.0f} %", ControlPrecision(bench) * 100)
                 : "",
             bench.controls.empty() || WhyTimesAreNotTrusted(bench).empty() ? "" : " (too noisy)");
       }},
      {"Measured bandwidth",
       [](const BenchEvidence& bench) {
         return fmt::format("{:.1f} GB/s", bench.bandwidth_bytes_per_second * 1e-9);
       }},
      {"Empty round trip, subtracted",
       [](const BenchEvidence& bench) {
         return fmt::format("{:.0f} ns, p99 {:.0f} ns", bench.round_trip_ns,
                            bench.round_trip_p99_ns);
       }},
  }};
  for (const Line& line : lines) {
    std::vector<Markdown> row = {line.title};
    for (const Evidence* cell : challenge.cells) {
      row.push_back(cell->bench.workloads.empty() ? Markdown("—")
                                                  : Markdown::Text(line.value(cell->bench)));
    }
    table.AddRow(std::move(row));
  }
}

Markdown MutantCell(const Evidence& cell, const std::string& mutant) {
  const auto contains = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), mutant) != names.end();
  };
  if (contains(cell.own_tests.mutants_killed)) {
    return "killed";
  }
  return contains(cell.own_tests.mutants_survived) ? Markdown("survives") : Markdown("—");
}

const AnswerEvidence* FindAnswer(const Evidence& cell, const Question& question) {
  const auto found = std::ranges::find(cell.answers, question.id, &AnswerEvidence::question);
  return found == cell.answers.end() ? nullptr : &*found;
}

Markdown AnswerCell(const Evidence& cell, const Question& question) {
  const AnswerEvidence* answer = FindAnswer(cell, question);
  if (answer == nullptr || answer->answered.empty()) {
    return "—";
  }
  return answer->right ? Markdown("right") : "wrong: " + CellText(answer->answered);
}

/// The right answer with its unit, as the oracle gave it when the first of the cells was graded.
Markdown OracleCell(const ChallengeBoard& challenge, const Question& question) {
  for (const Evidence* cell : challenge.cells) {
    if (const AnswerEvidence* answer = FindAnswer(*cell, question)) {
      return CellText(answer->expected + (question.unit.empty() ? "" : " " + question.unit));
    }
  }
  return "—";
}

Markdown ClaimCell(const Evidence& cell, const ClaimKind& claim) {
  const auto found = std::find_if(cell.claims.begin(), cell.claims.end(),
                                  [&](const ClaimEvidence& one) { return one.claim == claim.id; });
  if (found == cell.claims.end()) {
    return "—";
  }
  const std::string measured =
      found->measured ? fmt::format("{:.6g}", *found->measured) : std::string("nothing");
  return Markdown::Text(fmt::format("{}: {:.6g}, measured {}",
                                    found->holds ? "holds" : "does not hold", found->claimed,
                                    measured));
}

}  // namespace

std::vector<MarkdownTable::Column> RankingColumns(const ChallengeBoard& challenge) {
  std::vector<MarkdownTable::Column> columns = {{.title = "Rank"},
                                                {.title = "Model"},
                                                {.title = "Overall", .align = Align::kRight},
                                                {.title = "Verdict"}};
  if (HasReconstruction(challenge)) {
    columns.push_back({.title = "Without ‡", .align = Align::kRight});
  }
  columns.push_back({.title = "Measured", .align = Align::kRight});
  return columns;
}

MarkdownTable TableOfModels(const ChallengeBoard& challenge, std::vector<Markdown> first,
                            Align align) {
  std::vector<MarkdownTable::Column> columns;
  columns.reserve(first.size() + challenge.cells.size());
  for (Markdown& title : first) {
    columns.push_back({.title = std::move(title)});
  }
  for (const Evidence* cell : challenge.cells) {
    columns.push_back({.title = Markdown::Text(cell->model_name), .align = align});
  }
  return MarkdownTable(std::move(columns));
}

Markdown BuildSection(const ChallengeBoard& challenge) {
  std::vector<Markdown> parts;
  for (const Evidence* cell : challenge.cells) {
    for (Markdown part : {OneBuild(*cell, "release build", cell->release),
                          OneBuild(*cell, "build with sanitizers", cell->sanitized),
                          RepairOf(*cell), FindingsOf(*cell)}) {
      if (!part.empty()) {
        parts.push_back(std::move(part));
      }
    }
  }
  return Markdown::Join(parts, "\n");
}

Markdown CurveSection(const ChallengeBoard& challenge) {
  const std::set<std::string> names = NamesIn(challenge, [](const Evidence& cell) {
    std::vector<std::string> found;
    found.reserve(cell.suite.curves.size());
    for (const auto& [name, points] : cell.suite.curves) {
      found.push_back(name);
    }
    return found;
  });
  MarkdownTable table = TableOfModels(challenge, {"Curve", "At"}, Align::kRight);
  for (const std::string& name : names) {
    AddCurve(challenge, name, table);
  }
  return table.empty() ? Markdown() : table.Render();
}

Markdown TimeSection(const ChallengeBoard& challenge) {
  const std::set<std::string> names = NamesIn(challenge, [](const Evidence& cell) {
    std::vector<std::string> found;
    found.reserve(cell.bench.workloads.size());
    for (const WorkloadEvidence& workload : cell.bench.workloads) {
      found.push_back(workload.name);
    }
    return found;
  });
  if (names.empty()) {
    return {};
  }
  MarkdownTable table = TableOfModels(challenge, {"Workload"}, Align::kRight);
  for (const std::string& name : names) {
    std::vector<Markdown> row = {CellText(name)};
    for (const Evidence* cell : challenge.cells) {
      const WorkloadEvidence* workload = FindWorkload(*cell, name);
      row.push_back(workload == nullptr ? Markdown("—") : WorkloadCell(*workload));
    }
    table.AddRow(std::move(row));
  }
  AddBenchConditions(challenge, table);
  return table.Render() +
         "\nTime over the baseline's, paired on fresh inputs, with its interval of at least 95 %; "
         "then the share of the machine's measured bandwidth that the least traffic makes up.\n";
}

Markdown OwnTestSection(const ChallengeBoard& challenge) {
  MarkdownTable table = TableOfModels(challenge, {"Own tests"}, Align::kLeft);
  std::vector<Markdown> programs = {"Programs"};
  std::vector<Markdown> benchmarks = {"Benchmark configurations running"};
  std::vector<Markdown> killed = {"**Mutants killed**"};
  for (const Evidence* cell : challenge.cells) {
    const OwnTestsEvidence& tests = cell->own_tests;
    programs.push_back(
        tests.shipped == 0
            ? Markdown("none")
            : Markdown::Text(fmt::format("{}: {} pass on itself, {} on the baseline", tests.shipped,
                                         tests.passing_on_itself, tests.passing_on_baseline)));
    benchmarks.push_back(Markdown::Text(
        fmt::format("{} of {}", tests.benchmarks_running, tests.benchmarks_shipped)));
    const std::size_t mutants = tests.mutants_killed.size() + tests.mutants_survived.size();
    killed.push_back(mutants == 0 ? Markdown("0")
                                  : Markdown::Bold(Markdown::Text(fmt::format(
                                        "{} of {}", tests.mutants_killed.size(), mutants))));
  }
  table.AddRow(std::move(programs));
  table.AddRow(std::move(benchmarks));
  table.AddRow(std::move(killed));
  const std::set<std::string> mutants = NamesIn(challenge, [](const Evidence& cell) {
    std::vector<std::string> found = cell.own_tests.mutants_killed;
    found.insert(found.end(), cell.own_tests.mutants_survived.begin(),
                 cell.own_tests.mutants_survived.end());
    return found;
  });
  for (const std::string& mutant : mutants) {
    std::vector<Markdown> row = {CellText(mutant)};
    for (const Evidence* cell : challenge.cells) {
      row.push_back(MutantCell(*cell, mutant));
    }
    table.AddRow(std::move(row));
  }
  return table.Render();
}

Markdown StatementSection(const ChallengeBoard& challenge) {
  const ChallengeSpec& spec = challenge.view->spec;
  MarkdownTable table = TableOfModels(challenge, {"Question or claim", "Oracle"}, Align::kLeft);
  for (const Question& question : spec.questions) {
    std::vector<Markdown> row = {CellLines(question.text), OracleCell(challenge, question)};
    for (const Evidence* cell : challenge.cells) {
      row.push_back(AnswerCell(*cell, question));
    }
    table.AddRow(std::move(row));
  }
  for (const ClaimKind& claim : spec.claims) {
    std::vector<Markdown> row = {CellLines("Claim: " + claim.text), "—"};
    for (const Evidence* cell : challenge.cells) {
      row.push_back(ClaimCell(*cell, claim));
    }
    table.AddRow(std::move(row));
  }
  return table.empty() ? Markdown() : table.Render();
}

}  // namespace assay
