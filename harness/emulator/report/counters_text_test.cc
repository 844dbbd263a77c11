// SPDX-License-Identifier: Apache-2.0
#include "emulator/report/counters_text.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "emulator/report/test_reports.h"
#include "emulator/report/text_format.h"

namespace assay::gpu {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::optional<std::string> Source(const std::string& path) {
  if (path != "scale.cu") {
    return std::nullopt;
  }
  return std::string(11, '\n') + "\tfloat v = x[i];\n";
}

constexpr std::string_view kGoldenCounters = R"(
scale(float*, float, int)
  launches       1, grid (4,1,1), block (256,1,1)
  modelled time  2.10 us on NVIDIA H100 80GB HBM3, by DRAM; a roofline model, not a measurement
  occupancy      75.0 % in theory, limited by registers
  resources      registers a thread 18; shared bytes a block 512 static, 1,024 dynamic; local bytes a thread 16
  instructions   1,000 of warps, 31,000 of threads (31.00 of 32 lanes)
  branches       64, 4 divergent (6.2 %); barriers 16; shuffles and votes 8
  flops          f32 2,000, special functions 40
  mix            mul.f32 6.5 %, ld.global.f32 3.2 %, st.global.f32 3.2 %
  memory                 requests 1 requested bytes      2 sectors  a request   ideal
    global load                32             4,004            256       8.00    4.00
    global store               32             4,000            125       3.91    3.91
    16-byte loads                             1,600
  DRAM bytes                           3 compulsory     4 modelled
    read                                      4,032          4,096
    write                                     4,000          4,000
  shared memory          requests   requested bytes     wavefronts  a request   ideal  bank conflicts
    shared load                16             2,048             48       3.00    1.00              32
)";

TEST(CountersText, Golden) {
  RunSummary run;
  run.Add(SampleReport());
  EXPECT_EQ("\n" + CountersText(run.kernels()[0], "NVIDIA H100 80GB HBM3"), kGoldenCounters);
}

TEST(CountersText, SeveralLaunchesAndWhatIsUnknown) {
  RunSummary run;
  LaunchReport report = SampleReport();
  report.resources.registers_per_thread.reset();
  report.counters = {};
  run.Add(report);
  report.grid = {1, 1, 1};
  run.Add(report);
  const std::string text = CountersText(run.kernels()[0], "NVIDIA H100 80GB HBM3");
  EXPECT_THAT(text, HasSubstr("2, of several shapes, the first with grid (4,1,1)"));
  EXPECT_THAT(text, HasSubstr("registers a thread unknown (no machine code)"));
  EXPECT_THAT(text, HasSubstr("4.21 us in all on"));
  EXPECT_THAT(text, Not(HasSubstr("DRAM bytes")));
  EXPECT_THAT(text, Not(HasSubstr("shared load")));
}

TEST(CountersText, MixNamesTheTenMostExecuted) {
  RunSummary run;
  LaunchReport report = SampleReport();
  report.counters.mix.clear();
  for (std::uint64_t i = 0; i < 12; ++i) {
    report.counters.mix[fmt::format("op{}", i)] = 310 * i;
  }
  run.Add(report);
  const std::string text = CountersText(run.kernels()[0], "a GPU");
  EXPECT_THAT(text, HasSubstr("mix            op11 11.0 %, op10 10.0 %, op9 9.0 %"));
  EXPECT_THAT(text, HasSubstr("op2 2.0 %, 2 more\n"));
}

constexpr std::string_view kGoldenLines = R"(
  scale.cu
    line     executions  lanes            bytes sectors/rq  ideal  divergent  source
      12             32  31.28            4,004       8.00   4.00      6.2 %   float v = x[i];
)";

TEST(LinesText, Golden) {
  RunSummary run;
  run.Add(SampleReport());
  EXPECT_EQ("\n" + LinesText(run.kernels()[0], Source), kGoldenLines);
}

TEST(LinesText, SourceThatCannotBeReadLeavesTheNumbers) {
  RunSummary run;
  LaunchReport report = SampleReport();
  report.lines[0].file = "gone.cu";
  run.Add(report);
  EXPECT_THAT(LinesText(run.kernels()[0], Source), HasSubstr("4,004"));
  EXPECT_THAT(LinesText(KernelSummary{}, Source), HasSubstr("without -lineinfo"));
}

TEST(TextFormat, Numbers) {
  EXPECT_EQ(Grouped(0), "0");
  EXPECT_EQ(Grouped(999), "999");
  EXPECT_EQ(Grouped(1000), "1,000");
  EXPECT_EQ(Grouped(18446744073709551615ULL), "18,446,744,073,709,551,615");
  EXPECT_EQ(Ratio(1, 0), "-");
  EXPECT_EQ(Ratio(7, 2), "3.50");
  EXPECT_EQ(Duration(850), "850 ns");
  EXPECT_EQ(Duration(2104.25), "2.10 us");
  EXPECT_EQ(Duration(13e6), "13.00 ms");
  EXPECT_EQ(Duration(4.5e9), "4.50 s");
}

}  // namespace
}  // namespace assay::gpu
