// SPDX-License-Identifier: Apache-2.0
#include "exec/gpu_check_compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "base/text.h"
#include "process/run.h"

namespace assay {
namespace {

constexpr std::size_t kShownErrorLines = 3;

int ShellExitCode(const ProcessExit& exit) {
  constexpr int kSignalBase = 128;
  return exit.kind == ProcessExit::Kind::kExited ? exit.code_or_signal
                                                 : kSignalBase + exit.code_or_signal;
}

std::string LastLines(std::string_view text, std::size_t count) {
  std::vector<std::string> lines = SplitLines(text);
  if (lines.size() > count) {
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(count));
  }
  return Join(lines, "\n");
}

std::string LineOr(const std::vector<std::string>& lines, std::size_t at) {
  return at < lines.size() ? fmt::format("\"{}\"", lines[at]) : std::string("the end");
}

/// Empty where the two are the same.
std::string FirstDifference(std::string_view expected, std::string_view printed) {
  if (expected == printed) {
    return "";
  }
  const std::vector<std::string> wanted = SplitLines(expected);
  const std::vector<std::string> got = SplitLines(printed);
  std::size_t at = 0;
  while (at < std::min(wanted.size(), got.size()) && wanted[at] == got[at]) {
    ++at;
  }
  if (at == wanted.size() && at == got.size()) {
    return "only the last line break differs";
  }
  return fmt::format("line {}: {} expected, {} here", at + 1, LineOr(wanted, at), LineOr(got, at));
}

ProgramVerdict VerdictOn(const CommandResult& run, const std::string& difference) {
  if (run.timed_out) {
    return ProgramVerdict::kTimedOut;
  }
  if (!run.Succeeded()) {
    return ProgramVerdict::kFailed;
  }
  if (run.output_truncated) {
    return ProgramVerdict::kOutputCut;
  }
  return difference.empty() ? ProgramVerdict::kAgrees : ProgramVerdict::kDiffers;
}

constexpr std::array<std::string_view, 1> kLoadRequests = {
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"};
constexpr std::array<std::string_view, 1> kLoadSectors = {
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"};
constexpr std::array<std::string_view, 1> kStoreRequests = {
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"};
constexpr std::array<std::string_view, 1> kStoreSectors = {
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"};
constexpr std::array<std::string_view, 2> kAtomicRequests = {
    "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"};
constexpr std::array<std::string_view, 1> kLoadConflicts = {
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"};
constexpr std::array<std::string_view, 1> kStoreConflicts = {
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"};
constexpr std::array<std::string_view, 1> kInstructions = {"smsp__inst_executed.sum"};

// Of instructions only the order of magnitude compares: ptxas merges, splits and moves them.
constexpr std::array<ComparedCounter, 8> kComparedCounters = {{
    {.name = "global_load_requests", .metrics = kLoadRequests, .percent = 1, .absolute = 0},
    {.name = "global_load_sectors", .metrics = kLoadSectors, .percent = 2, .absolute = 0},
    {.name = "global_store_requests", .metrics = kStoreRequests, .percent = 1, .absolute = 0},
    {.name = "global_store_sectors", .metrics = kStoreSectors, .percent = 1, .absolute = 0},
    {.name = "global_atomic_requests", .metrics = kAtomicRequests, .percent = 1, .absolute = 0},
    {.name = "shared_load_conflicts", .metrics = kLoadConflicts, .percent = 10, .absolute = 16},
    {.name = "shared_store_conflicts", .metrics = kStoreConflicts, .percent = 10, .absolute = 16},
    {.name = "warp_instructions", .metrics = kInstructions, .percent = 200, .absolute = 0},
}};

const ComparedCounter* CounterOfMetric(std::string_view metric) {
  const auto found = std::ranges::find_if(kComparedCounters, [&](const ComparedCounter& counter) {
    return std::ranges::find(counter.metrics, metric) != counter.metrics.end();
  });
  return found == kComparedCounters.end() ? nullptr : &*found;
}

const ComparedCounter* CounterNamed(std::string_view name) {
  const auto found = std::ranges::find(kComparedCounters, name, &ComparedCounter::name);
  return found == kComparedCounters.end() ? nullptr : &*found;
}

/// The fields of a line of CSV, each in quotes; a quote in one is doubled.
std::vector<std::string> CsvFields(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

/// `1,024` as ncu has it.
std::optional<std::uint64_t> NumberOfNcu(std::string text) {
  std::erase(text, ',');
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size() || !(value >= 0)) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(std::llround(value));
}

/// Of the header of ncu's table, the columns that are read.
struct NcuColumns {
  std::size_t id = 0;
  std::size_t metric = 0;
  std::size_t value = 0;
};

std::optional<NcuColumns> ColumnsOf(const std::vector<std::string>& header) {
  const auto column = [&](std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find(header, name) - header.begin());
  };
  const NcuColumns columns{
      .id = column("ID"), .metric = column("Metric Name"), .value = column("Metric Value")};
  const std::size_t last = std::max({columns.id, columns.metric, columns.value});
  return last < header.size() ? std::optional(columns) : std::nullopt;
}

std::uint64_t CounterOf(const EmulatedLaunch* launch, const std::string& name) {
  if (launch == nullptr) {
    return 0;
  }
  const auto found = launch->counters.find(name);
  return found == launch->counters.end() ? 0 : found->second;
}

bool WithinTolerance(const ComparedCounter& counter, std::uint64_t measured,
                     std::uint64_t emulated) {
  const std::uint64_t off = measured > emulated ? measured - emulated : emulated - measured;
  return static_cast<double>(off) <= static_cast<double>(counter.absolute) +
                                         static_cast<double>(emulated) * counter.percent / 100;
}

std::vector<CounterDifference> DifferencesOf(const CheckedProgram& program,
                                             const MeasuredLaunches& measured) {
  std::vector<CounterDifference> differences;
  for (const auto& [id, counters] : measured) {
    const auto found = std::ranges::find(program.launches, id, &EmulatedLaunch::launch);
    const EmulatedLaunch* const launch = found == program.launches.end() ? nullptr : &*found;
    for (const auto& [name, value] : counters) {
      const std::uint64_t emulated = CounterOf(launch, name);
      if (!WithinTolerance(*CounterNamed(name), value, emulated)) {
        differences.push_back({.launch = id,
                               .kernel = launch == nullptr ? "" : launch->kernel,
                               .counter = name,
                               .measured = value,
                               .emulated = emulated});
      }
    }
  }
  return differences;
}

bool IsRight(Verdict verdict) {
  return verdict == Verdict::kAccepted || verdict == Verdict::kSkipped;
}

/// With the first case's own words: the others mostly say the same.
std::string FailureOf(const CheckedHost& host, const SuiteEvidence& suite) {
  if (suite.cases.empty()) {
    return "the suite ran no case";
  }
  const auto judge = std::ranges::find(suite.cases, Verdict::kJudgeError, &CaseEvidence::verdict);
  if (judge != suite.cases.end()) {
    return fmt::format("{} ended with judge_error: {}", judge->name, judge->detail);
  }
  const auto wrong = std::ranges::find_if_not(suite.cases, IsRight, &CaseEvidence::verdict);
  if (host.name == "baseline" && wrong != suite.cases.end()) {
    return fmt::format("the baseline is not accepted: {}: {}", wrong->name, wrong->detail);
  }
  return "";
}

template <class Outcome>
bool AllOfThemAgree(const std::vector<Outcome>& outcomes) {
  return std::ranges::all_of(outcomes, [](const Outcome& outcome) { return Agrees(outcome); });
}

}  // namespace

std::string_view ToString(ProgramVerdict verdict) {
  switch (verdict) {
    case ProgramVerdict::kAgrees:
      return "agrees";
    case ProgramVerdict::kDiffers:
      return "differs";
    case ProgramVerdict::kFailed:
      return "failed";
    case ProgramVerdict::kTimedOut:
      return "timed_out";
    case ProgramVerdict::kOutputCut:
      return "output_cut";
    case ProgramVerdict::kMissing:
      break;
  }
  return "missing";
}

std::string_view ToString(CounterVerdict verdict) {
  switch (verdict) {
    case CounterVerdict::kAgree:
      return "agree";
    case CounterVerdict::kDiffer:
      return "differ";
    case CounterVerdict::kNotCompared:
      return "not_compared";
    case CounterVerdict::kNotMeasured:
      break;
  }
  return "not_measured";
}

ProgramOutcome CompareProgram(const CheckedProgram& program, const Result<CommandResult>& run) {
  ProgramOutcome outcome{.name = program.name, .detail = {}};
  if (!run) {
    outcome.verdict = ProgramVerdict::kMissing;
    outcome.detail = ToString(run.error());
    return outcome;
  }
  const std::string difference = FirstDifference(program.expected, run->output);
  outcome.verdict = VerdictOn(*run, difference);
  outcome.exit_code = ShellExitCode(run->exit);
  if (outcome.verdict != ProgramVerdict::kAgrees) {
    std::vector<std::string> parts = {difference, LastLines(run->errors, kShownErrorLines)};
    std::erase(parts, "");
    outcome.detail = Join(parts, "\n");
  }
  return outcome;
}

std::span<const ComparedCounter> ComparedCounters() { return kComparedCounters; }

MeasuredLaunches ReadNcuCsv(std::string_view printed) {
  MeasuredLaunches launches;
  std::optional<NcuColumns> columns;
  for (const std::string& line : SplitLines(printed)) {
    if (!line.starts_with('"')) {
      continue;  // The program's, or ncu's own remarks.
    }
    const std::vector<std::string> fields = CsvFields(line);
    if (!columns) {
      columns = ColumnsOf(fields);
      continue;
    }
    if (std::max({columns->id, columns->metric, columns->value}) >= fields.size()) {
      continue;
    }
    const auto id = NumberOfNcu(fields[columns->id]);
    const auto value = NumberOfNcu(fields[columns->value]);
    const ComparedCounter* const counter = CounterOfMetric(fields[columns->metric]);
    if (id && value && counter != nullptr) {
      launches[*id][std::string(counter->name)] += *value;
    }
  }
  return launches;
}

CounterOutcome CompareCounters(const CheckedProgram& program, const Result<CommandResult>& ncu) {
  CounterOutcome outcome{.name = program.name};
  const auto not_measured = [&](std::string reason) {
    outcome.verdict = CounterVerdict::kNotMeasured;
    outcome.reason = std::move(reason);
    return outcome;
  };
  if (!ncu) {
    return not_measured(ToString(ncu.error()));
  }
  if (ncu->timed_out || ncu->output_truncated) {
    return not_measured(ncu->timed_out ? "ncu did not end in time" : "ncu printed too much");
  }
  const MeasuredLaunches measured = ReadNcuCsv(ncu->output);
  if (measured.empty()) {
    const std::string said = LastLines(ncu->output + ncu->errors, 1);
    return not_measured("ncu measured nothing (it may need administrator rights)" +
                        (said.empty() ? said : "; it said last: " + said));
  }
  outcome.differences = DifferencesOf(program, measured);
  outcome.verdict = outcome.differences.empty() ? CounterVerdict::kAgree : CounterVerdict::kDiffer;
  return outcome;
}

HostOutcome CompareHost(const std::string& challenge, const CheckedHost& host,
                        const Result<SuiteEvidence>& suite) {
  HostOutcome outcome{.challenge = challenge, .host = host.name};
  outcome.emulated.total = host.emulated.size();
  for (const auto& [name, verdict] : host.emulated) {
    outcome.emulated.failed += IsRight(verdict) ? 0U : 1U;
  }
  if (!suite) {
    outcome.failure = ToString(suite.error());
    return outcome;
  }
  outcome.here.total = suite->cases.size();
  for (const CaseEvidence& one : suite->cases) {
    outcome.here.failed += IsRight(one.verdict) ? 0U : 1U;
    const auto emulated = host.emulated.find(one.name);
    if (emulated != host.emulated.end() && IsRight(emulated->second) != IsRight(one.verdict)) {
      outcome.differences.push_back(
          {.name = one.name, .emulated = emulated->second, .here = one.verdict});
    }
  }
  outcome.failure = FailureOf(host, *suite);
  return outcome;
}

BenchOutcome JudgeBench(const std::string& challenge, const std::string& name,
                        const Result<CommandResult>& run) {
  BenchOutcome outcome{.challenge = challenge, .name = name};
  if (!run) {
    outcome.verdict = BenchVerdict::kFailed;
    outcome.printed = ToString(run.error());
    return outcome;
  }
  outcome.verdict = run->Succeeded() ? BenchVerdict::kTimed : BenchVerdict::kFailed;
  outcome.printed = run->output + run->errors;
  if (run->timed_out) {
    outcome.printed += "it did not end in time\n";
  }
  return outcome;
}

bool Agrees(const ProgramOutcome& outcome) { return outcome.verdict == ProgramVerdict::kAgrees; }

bool Agrees(const CounterOutcome& outcome) {
  return outcome.verdict == CounterVerdict::kAgree ||
         outcome.verdict == CounterVerdict::kNotCompared;
}

bool Agrees(const HostOutcome& outcome) { return outcome.failure.empty(); }

bool Agrees(const BenchOutcome& outcome) { return outcome.verdict == BenchVerdict::kTimed; }

bool Agrees(const GpuCheckReport& report) {
  return AllOfThemAgree(report.programs) && AllOfThemAgree(report.counters) &&
         AllOfThemAgree(report.hosts) && AllOfThemAgree(report.benches);
}

}  // namespace assay
