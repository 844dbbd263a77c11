// SPDX-License-Identifier: Apache-2.0
#include "machine/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "process/processors.h"

namespace assay {
namespace {

TEST(MachineTest, FingerprintIsCompleteAndStable) {
  const Machine machine = DescribeMachine();
  EXPECT_FALSE(machine.cpu_model.empty());
  EXPECT_GE(machine.cores, 1);
  EXPECT_GT(machine.memory_bytes, std::int64_t{1} << 27);
  EXPECT_THAT(machine.kernel, testing::StartsWith("Linux "));
  EXPECT_EQ(DescribeMachine(), machine);
}

TEST(MachineTest, CoresAreTheUsableProcessors) {
  EXPECT_EQ(static_cast<std::size_t>(DescribeMachine().cores), UsableProcessors().size());
}

// Bounds no machine of these years breaks: they catch a wrong unit or dropped work, not slowness.
TEST(MachineTest, BandwidthIsAPlausibleRate) {
  const double rate = MeasureBandwidth(1);
  EXPECT_GT(rate, 1e8);
  EXPECT_LT(rate, 2e12);
}

TEST(MachineTest, FmaRateIsAPlausibleRate) {
  const double rate = MeasureFma(2);
  EXPECT_GT(rate, 1e8);
  EXPECT_LT(rate, 2e12);
}

}  // namespace
}  // namespace assay
