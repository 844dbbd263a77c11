// SPDX-License-Identifier: Apache-2.0
#include "emulator/report/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "emulator/report/test_reports.h"
#include "emulator/report/words.h"

namespace assay::gpu {
namespace {

using ::testing::HasSubstr;

std::string Fault(std::string_view line) {
  const auto report = ReportFromJson(line);
  EXPECT_FALSE(report.has_value());
  return report ? "" : report.error().cause;
}

TEST(ReportJson, RoundTripKeepsEverything) {
  const LaunchReport report = SampleReport();
  const std::string line = ToJsonLine(report);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const auto read = ReportFromJson(line);
  ASSERT_TRUE(read.has_value()) << read.error().cause;
  EXPECT_EQ(ToJsonLine(*read), line);
  EXPECT_EQ(read->counters, report.counters);
  EXPECT_EQ(read->lines, report.lines);
  EXPECT_EQ(read->kernel, report.kernel);
  EXPECT_EQ(read->grid, report.grid);
  EXPECT_EQ(read->resources.registers_per_thread, 18U);
  EXPECT_EQ(read->modelled_time_ns, report.modelled_time_ns);
  EXPECT_EQ(read->emulation_time_ns, report.emulation_time_ns);
  EXPECT_EQ(read->error, 700);
  ASSERT_EQ(read->findings.size(), 2U);
  EXPECT_EQ(read->findings[0].nearest, report.findings[0].nearest);
  EXPECT_EQ(read->findings[1].other, report.findings[1].other);
  EXPECT_EQ(read->findings[1].checker, Checker::kRacecheck);
  EXPECT_EQ(read->findings[1].count, 96U);
}

TEST(ReportJson, CountersGoByTheNamesOfNsightCompute) {
  const auto counters = nlohmann::json::parse(ToJsonLine(SampleReport()))["counters"];
  EXPECT_EQ(counters["smsp__inst_executed.sum"], 1000);
  EXPECT_EQ(counters["smsp__thread_inst_executed.sum"], 31'000);
  EXPECT_EQ(counters["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"], 32);
  EXPECT_EQ(counters["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"], 256);
  EXPECT_EQ(counters["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"], 48);
  EXPECT_EQ(counters["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"], 32);
  EXPECT_EQ(counters["dram__bytes_read.sum"], 4096);
  EXPECT_EQ(counters["assay__compulsory_bytes_read"], 4032);
  EXPECT_FALSE(counters.contains("l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum"));
}

TEST(ReportJson, EveryWordIsReadBack) {
  for (int kind = 0; kind <= static_cast<int>(FindingKind::kHardware); ++kind) {
    EXPECT_EQ(FromWord<FindingKind>(ToString(static_cast<FindingKind>(kind))),
              static_cast<FindingKind>(kind));
  }
  EXPECT_EQ(ToString(FindingKind::kOutOfBounds), "out_of_bounds");
  EXPECT_EQ(ToString(FindingKind::kUninitialized), "uninitialized");
  EXPECT_EQ(ToString(FindingKind::kDeadlock), "deadlock");
  EXPECT_EQ(ToString(MemorySpace::kParam), "param");
  EXPECT_EQ(FromWord<FindingKind>("bug"), std::nullopt);
}

TEST(ReportJson, AbsentKeysKeepDefaultsAndUnknownOnesArePassedOver) {
  const auto report = ReportFromJson(R"({"kernel":"k","colour":1})");
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->kernel, "k");
  EXPECT_EQ(report->counters, LaunchCounters{});
}

TEST(ReportJson, FaultsNameTheKey) {
  EXPECT_THAT(Fault(""), HasSubstr("no JSON object"));
  EXPECT_THAT(Fault("[1]"), HasSubstr("no JSON object"));
  EXPECT_THAT(Fault("{\"kernel\":"), HasSubstr("no JSON object"));
  EXPECT_THAT(Fault(R"({"launch":-1})"), HasSubstr("launch is not a whole number in range"));
  EXPECT_THAT(Fault(R"({"grid":[1,2]})"), HasSubstr("grid is not three numbers"));
  EXPECT_THAT(Fault(R"({"grid":[1,2,4294967296]})"), HasSubstr("grid is not a whole number"));
  EXPECT_THAT(Fault(R"({"findings":[{"site":{"access":"peek"}}]})"),
              HasSubstr("findings.site.access is none of its words"));
  EXPECT_THAT(Fault(R"({"counters":{"dram__bytes_read.sum":1.5}})"),
              HasSubstr("counters.dram__bytes_read.sum is not a whole number"));
  EXPECT_THAT(Fault(R"({"resources":3})"), HasSubstr("resources is not an object"));
  EXPECT_THAT(Fault(std::string(100'000, '[')), HasSubstr("no JSON object"));
}

TEST(ReportJson, EveryCutOfALineIsRefusedWithoutHarm) {
  const std::string line = ToJsonLine(SampleReport());
  for (std::size_t size = 0; size + 2 < line.size(); ++size) {
    EXPECT_FALSE(ReportFromJson(std::string_view(line).substr(0, size)).has_value()) << size;
  }
}

TEST(ReportJson, BytesThatAreNotTextSurviveAsReplacements) {
  LaunchReport report;
  report.kernel = "bad\xff\n";
  const auto read = ReportFromJson(ToJsonLine(report));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->kernel, "bad\xEF\xBF\xBD\n");
}

}  // namespace
}  // namespace assay::gpu
