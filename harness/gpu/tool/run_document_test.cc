// SPDX-License-Identifier: Apache-2.0
#include "gpu/tool/run_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "emulator/report/json.h"
#include "emulator/report/test_reports.h"

namespace assay::gpu {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

CudaRun SampleRun() {
  ReportReader reader(KeepLaunches::kYes);
  reader.Feed(ToJsonLine(SampleReport()) + ToJsonLine(SampleReport()));
  return {.exit_code = 139,
          .signal = 11,
          .summary = reader.summary(),
          .launches = reader.lines(),
          .launches_left_out = 3,
          .faults = {"a \"fault\" \xff"}};
}

TEST(RunDocument, IsOneJsonDocument) {
  const auto json = nlohmann::json::parse(RunDocument(SampleRun(), H100()));
  EXPECT_EQ(json["gpu"]["id"], "h100");
  EXPECT_EQ(json["exit_code"], 139);
  EXPECT_EQ(json["signal"], 11);
  EXPECT_EQ(json["error_count"], 2);
  EXPECT_EQ(json["findings"].size(), 2U);
  EXPECT_EQ(json["findings"][0]["site"]["line"], 12);
  EXPECT_EQ(json["findings"][0]["count"], 2);
  EXPECT_EQ(json["launch_count"], 2);
  EXPECT_EQ(json["launches"].size(), 2U);
  EXPECT_EQ(json["launches"][1]["counters"]["smsp__inst_executed.sum"], 1000);
  EXPECT_EQ(json["launches_left_out"], 3);
  EXPECT_EQ(json["faults"].size(), 1U);
}

TEST(RunDocument, OfAProgramWithoutLaunches) {
  const auto json = nlohmann::json::parse(RunDocument({}, A100()));
  EXPECT_TRUE(json["launches"].is_array());
  EXPECT_TRUE(json["findings"].empty());
}

TEST(RunText, CountersThenFindingsThenTheirNumber) {
  const std::string text = RunText(SampleRun(), H100(), SourceLines::kHidden);
  EXPECT_THAT(text, StartsWith("========= ASSAY CUDA: emulated NVIDIA H100 80GB HBM3, 2 launches "
                               "of 1 kernel\n\nscale(float*, float, int)\n"));
  EXPECT_LT(text.find("modelled time"), text.find("Invalid __global__ read"));
  EXPECT_THAT(text, HasSubstr("The program was ended by signal 11\n"));
  EXPECT_THAT(text, HasSubstr("assay: a \"fault\""));
  EXPECT_THAT(text, Not(HasSubstr("sectors/rq")));
  EXPECT_TRUE(text.ends_with("========= ERROR SUMMARY: 2 errors\n")) << text;
  EXPECT_THAT(RunText(SampleRun(), H100(), SourceLines::kShown), HasSubstr("sectors/rq"));
}

TEST(RunText, OfAProgramWithoutLaunches) {
  EXPECT_EQ(RunText({}, H100(), SourceLines::kShown),
            "========= ASSAY CUDA: emulated NVIDIA H100 80GB HBM3, 0 launches of 0 kernels\n"
            "========= ERROR SUMMARY: 0 errors\n");
}

}  // namespace
}  // namespace assay::gpu
