// SPDX-License-Identifier: Apache-2.0
// Runs each program under three schedules on one core and on two, those with a bug on four too, and
// holds the run against what its source says: exit code, output, findings, counters.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "emulator/report/run_summary.h"
#include "emulator/report/sanitizer_text.h"
#include "gpu/programs/annotations.h"
#include "gpu/programs/program_run.h"

namespace assay::gpu {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSourceLimit_bytes = 1 << 20;

struct Program {
  std::string name;
  fs::path source;
  fs::path executable;
  bool clean = true;  ///< Not the twin that has the bug.
};

void PrintTo(const Program& program, std::ostream* stream) { *stream << program.name; }

std::vector<fs::path> SourcesIn(const char* folder) {
  std::vector<fs::path> sources;
  for (const auto& entry : fs::directory_iterator(fs::path(ASSAY_GPU_PROGRAMS_SOURCE) / folder)) {
    if (entry.path().extension() == ".cu") {
      sources.push_back(entry.path());
    }
  }
  std::ranges::sort(sources);
  return sources;
}

/// Where the programs were built: by this build's nvcc, or by another that the environment names.
fs::path ProgramsFolder() {
  const char* const other = std::getenv("ASSAY_GPU_PROGRAMS_FOLDER");
  return other != nullptr ? other : ASSAY_GPU_PROGRAMS_BINARY;
}

/// Of the nvcc that built them.
int CudaMajor() {
  const char* const other = std::getenv("ASSAY_GPU_PROGRAMS_CUDA");
  return other != nullptr ? std::atoi(other) : ASSAY_GPU_PROGRAMS_CUDA;
}

Program MakeProgram(const char* folder, const fs::path& source, const char* suffix) {
  const std::string name = source.stem().string() + suffix;
  return {name, source, ProgramsFolder() / folder / name};
}

std::vector<Program> Kernels() {
  std::vector<Program> programs;
  for (const fs::path& source : SourcesIn("kernels")) {
    programs.push_back(MakeProgram("kernels", source, ""));
  }
  return programs;
}

std::vector<Program> Bugs() {
  std::vector<Program> programs;
  for (const fs::path& source : SourcesIn("bugs")) {
    programs.push_back(MakeProgram("bugs", source, ""));
    programs.back().clean = false;
    programs.push_back(MakeProgram("bugs", source, "_clean"));
  }
  return programs;
}

struct NamedRun {
  std::string name;
  ProgramRun run;
  Schedule schedule = Schedule::kAscending;
};

Result<std::vector<NamedRun>> RunAllWays(const Program& program, const Annotations& annotations) {
  std::vector<NamedRun> runs;
  for (const auto& [word, schedule] : {std::pair{"ascending", Schedule::kAscending},
                                       {"reversed", Schedule::kReversed},
                                       {"random", Schedule::kRandom}}) {
    for (const unsigned workers : {1U, 2U, 4U}) {
      if (workers == 4 && program.clean) {
        continue;
      }
      DeviceSettings settings;
      settings.schedule = schedule;
      settings.seed = 7;
      settings.workers = workers;
      settings.leak_check = LeakCheck::kOn;
      settings.instruction_limit = annotations.instruction_limit;
      ASSAY_ASSIGN_OR_RETURN(ProgramRun run, RunProgram(program.executable, settings));
      runs.push_back(
          {fmt::format("schedule {}, {} workers", word, workers), std::move(run), schedule});
    }
  }
  return runs;
}

void ExpectSameCounters(const NamedRun& first, const NamedRun& other) {
  ASSERT_EQ(first.run.launches.size(), other.run.launches.size()) << other.name;
  for (std::size_t i = 0; i < first.run.launches.size(); ++i) {
    const LaunchReport& a = first.run.launches[i];
    const LaunchReport& b = other.run.launches[i];
    EXPECT_EQ(a.kernel, b.kernel);
    EXPECT_TRUE(a.counters == b.counters)
        << "launch " << i << ", " << a.kernel << ": the counters of " << other.name
        << " differ from those of " << first.name;
  }
}

void ExpectCounts(const Annotations& annotations, const ProgramRun& run) {
  for (const ExpectedCount& expected : annotations.counts) {
    if (CudaMajor() < expected.from_cuda) {
      continue;
    }
    const auto launch = std::ranges::find_if(run.launches, [&](const LaunchReport& report) {
      // A template's name comes after what it returns.
      std::string_view kernel = report.kernel;
      kernel.remove_prefix(kernel.starts_with("void ") ? 5 : 0);
      return kernel.starts_with(expected.kernel);
    });
    ASSERT_NE(launch, run.launches.end()) << "line " << expected.line << ": no " << expected.kernel;
    EXPECT_EQ(FindCounter(launch->counters, expected.counter), expected.value)
        << expected.counter << " of " << expected.kernel << " in line " << expected.line;
  }
}

RunSummary SummaryOf(const ProgramRun& run) {
  RunSummary summary;
  for (const LaunchReport& launch : run.launches) {
    summary.Add(launch);
  }
  return summary;
}

/// What a reader sees of its findings, but for addresses of the host, which no two runs share.
std::string ReportOf(const ProgramRun& run) {
  const RunSummary summary = SummaryOf(run);
  std::string report;
  for (const Finding& finding : summary.findings()) {
    report += finding.kind == FindingKind::kInvalidAddress ? "" : SanitizerText(finding);
  }
  return report;
}

/// That both sides of a race are what its instructions do, by two threads.
void ExpectTwoThreads(const Finding& finding) {
  // Of what is done by another stream no threads are known.
  if (finding.checker != Checker::kRacecheck || !finding.other || !finding.stream.empty()) {
    return;
  }
  const Site& a = finding.site;
  const Site& b = *finding.other;
  EXPECT_TRUE(a.thread != b.thread || a.block != b.block) << SanitizerText(finding);
  for (const Site* site : {&a, &b}) {
    const bool reads = site->instruction.starts_with("ld.");
    const bool writes = site->instruction.starts_with("st.");
    EXPECT_FALSE(reads && site->access != AccessKind::kRead) << SanitizerText(finding);
    EXPECT_FALSE(writes && site->access != AccessKind::kWrite) << SanitizerText(finding);
  }
}

class ProgramTest : public testing::TestWithParam<Program> {
 protected:
  void SetUp() override {
    const Program& program = GetParam();
    const auto text = ReadFile(program.source, kSourceLimit_bytes);
    ASSERT_TRUE(text.has_value()) << ToString(text.error());
    auto annotations = ParseAnnotations(program.source, *text);
    ASSERT_TRUE(annotations.has_value()) << ToString(annotations.error());
    annotations_ = *std::move(annotations);
    auto runs = RunAllWays(program, annotations_);
    ASSERT_TRUE(runs.has_value()) << ToString(runs.error());
    runs_ = *std::move(runs);
  }

  void ExpectFindings(std::span<const ExpectedFinding> expected) const {
    const std::string file = GetParam().source.filename().string();
    for (const NamedRun& run : runs_) {
      const std::vector<Finding> findings = run.run.Findings();
      EXPECT_EQ(Differences(expected, findings, file), "") << run.name;
      std::ranges::for_each(findings, ExpectTwoThreads);
    }
  }
  /// Of one schedule: whatever the number of cores.
  void ExpectSameReports() const {
    for (const NamedRun& run : runs_) {
      const auto first = std::ranges::find(runs_, run.schedule, &NamedRun::schedule);
      EXPECT_EQ(ReportOf(run.run), ReportOf(first->run)) << run.name;
    }
  }
  void ExpectEqualCounters() const {
    for (const NamedRun& run : runs_) {
      ExpectSameCounters(runs_.front(), run);
    }
  }
  /// That it ended by itself, with this code and, where given, this output.
  void ExpectExit(int code) const {
    for (const NamedRun& run : runs_) {
      EXPECT_FALSE(run.run.timed_out) << run.name;
      EXPECT_EQ(run.run.exit.kind, ProcessExit::Kind::kExited) << run.name << run.run.errors;
      EXPECT_EQ(run.run.exit.code_or_signal, code) << run.name << "\n"
                                                   << run.run.output << run.run.errors;
    }
  }

  Annotations annotations_;
  std::vector<NamedRun> runs_;
};

class KernelProgramTest : public ProgramTest {};

TEST_P(KernelProgramTest, RunsAsOnAGpu) {
  const fs::path expected =
      fs::path(ASSAY_GPU_PROGRAMS_SOURCE) / "expected" / (GetParam().name + ".txt");
  const auto output = ReadFile(expected, kSourceLimit_bytes);
  ASSERT_TRUE(output.has_value()) << ToString(output.error());
  ExpectExit(0);
  for (const NamedRun& run : runs_) {
    EXPECT_EQ(run.run.output, *output) << run.name;
  }
  if (!annotations_.any_findings && CudaMajor() >= annotations_.any_findings_before_cuda) {
    ExpectFindings(annotations_.findings);
  }
  if (!annotations_.counters_vary) {
    ExpectEqualCounters();
  }
  ExpectCounts(annotations_, runs_.front().run);
}

INSTANTIATE_TEST_SUITE_P(Programs, KernelProgramTest, testing::ValuesIn(Kernels()),
                         [](const auto& test) { return test.param.name; });

class BugProgramTest : public ProgramTest {};

TEST_P(BugProgramTest, FindsTheBugAlone) {
  ExpectExit(0);
  if (GetParam().clean) {
    ExpectFindings({});
    if (!annotations_.counters_vary) {
      ExpectEqualCounters();
    }
    return;
  }
  ASSERT_FALSE(annotations_.findings.empty())
      << "the source marks no line with // BUG:, WARNING: or INFO:";
  ExpectFindings(annotations_.findings);
  ExpectSameReports();
  if (annotations_.reported) {
    EXPECT_EQ(SummaryOf(runs_.front().run).findings().size(), *annotations_.reported)
        << ReportOf(runs_.front().run);
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, BugProgramTest, testing::ValuesIn(Bugs()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace assay::gpu
