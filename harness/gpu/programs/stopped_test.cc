// SPDX-License-Identifier: Apache-2.0
// What is left of a program that is told to stop while a kernel of it runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "base/file.h"
#include "gpu/programs/annotations.h"
#include "gpu/programs/program_run.h"

namespace assay::gpu {
namespace {

namespace fs = std::filesystem;

TEST(StoppedProgram, SaysWhereItsKernelWasAndWhatWasFound) {
  const fs::path source = fs::path(ASSAY_GPU_PROGRAMS_SOURCE) / "stopped" / "endless_kernel.cu";
  const auto text = ReadFile(source);
  ASSERT_TRUE(text) << ToString(text.error());
  const auto annotations = ParseAnnotations(source, *text);
  ASSERT_TRUE(annotations) << ToString(annotations.error());
  for (const unsigned workers : {1U, 2U}) {
    DeviceSettings settings;
    settings.workers = workers;
    const auto run =
        RunProgram(fs::path(ASSAY_GPU_PROGRAMS_BINARY) / "stopped" / "endless_kernel", settings);
    ASSERT_TRUE(run) << ToString(run.error());
    EXPECT_EQ(run->exit.kind, ProcessExit::Kind::kSignaled);
    EXPECT_EQ(run->exit.code_or_signal, SIGTERM);
    EXPECT_EQ(Differences(annotations->findings, run->Findings(), "endless_kernel.cu"), "");
    ASSERT_EQ(run->launches.size(), 2U);
    EXPECT_THAT(run->launches.back().kernel, testing::HasSubstr("Wait"));
    EXPECT_EQ(run->launches.back().error, 702);
  }
}

}  // namespace
}  // namespace assay::gpu
