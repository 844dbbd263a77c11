// SPDX-License-Identifier: Apache-2.0
// That a program with races gives the same report, to the byte, on any number of cores and however
// often it runs: what cores race for must not show. Eight runs a program and schedule; a hundred
// where ASSAY_TEST_EXTENT=all.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "emulator/model/gpu_model.h"
#include "emulator/report/json.h"
#include "gpu/programs/program_run.h"
#include "gpu/tool/run_document.h"

namespace assay::gpu {
namespace {

namespace fs = std::filesystem;

constexpr std::array kWorkers = {1U, 2U, 4U, 8U};

int Runs() {
  const char* const extent = std::getenv("ASSAY_TEST_EXTENT");
  return extent != nullptr && std::string_view(extent) == "all" ? 100 : 8;
}

std::vector<std::string> RacyPrograms() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(fs::path(ASSAY_GPU_PROGRAMS_SOURCE) / "bugs")) {
    if (entry.path().filename().string().starts_with("racecheck_")) {
      names.push_back(entry.path().stem().string());
    }
  }
  std::ranges::sort(names);
  return names;
}

/// All that a person can be told: counters by kernel and line, findings with their threads and
/// addresses, modelled times. What the emulator itself took is left out.
Result<std::string> WholeReport(const fs::path& program, const DeviceSettings& settings) {
  ASSAY_ASSIGN_OR_RETURN(ProgramRun run, RunProgram(program, settings));
  CudaRun document;
  std::string findings;
  for (LaunchReport& launch : run.launches) {
    launch.emulation_time_ns = 0;
    document.summary.Add(launch);
    findings += ToJsonLine(launch);
  }
  return run.output + findings +
         RunText(document, settings.model, SourceLines::kShown, KernelNames::kFull);
}

class SameReportTest : public testing::TestWithParam<std::tuple<std::string, Schedule>> {};

TEST_P(SameReportTest, OnAnyNumberOfCores) {
  const auto& [name, schedule] = GetParam();
  const fs::path program = fs::path(ASSAY_GPU_PROGRAMS_BINARY) / "bugs" / name;
  DeviceSettings settings;
  settings.schedule = schedule;
  settings.seed = 7;
  std::string first;
  for (int run = 0; run < Runs(); ++run) {
    settings.workers = kWorkers[static_cast<std::size_t>(run) % kWorkers.size()];
    const auto report = WholeReport(program, settings);
    ASSERT_TRUE(report) << ToString(report.error());
    if (run == 0) {
      first = *report;
      EXPECT_EQ(first.find("ERROR SUMMARY: 0 errors\n"), std::string::npos) << first;
    }
    ASSERT_EQ(*report, first) << "run " << run << ", " << settings.workers << " workers";
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, SameReportTest,
                         testing::Combine(testing::ValuesIn(RacyPrograms()),
                                          testing::Values(Schedule::kAscending, Schedule::kRandom)),
                         [](const auto& test) {
                           const bool random = std::get<1>(test.param) == Schedule::kRandom;
                           return std::get<0>(test.param) + (random ? "_random" : "_ascending");
                         });

}  // namespace
}  // namespace assay::gpu
