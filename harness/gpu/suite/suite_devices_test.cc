// SPDX-License-Identifier: Apache-2.0
#include "gpu/suite/suite_devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "gpu/suite/roles.h"

namespace assay::gpu {
namespace {

using testing::ElementsAre;

RunFlags Flags(std::uint64_t seed, DeviceKind kind = DeviceKind::kEmulated) {
  RunFlags flags;
  flags.seed = seed;
  flags.device = kind;
  flags.device_instructions = 123;
  return flags;
}

TEST(SuiteDevices, EachScheduleHasADeviceAndNoOtherRole) {
  SuiteDevices devices(Flags(1));
  EXPECT_THAT(devices.Schedules(), ElementsAre("ascending", "reversed", "random"));
  for (const std::string_view role : devices.Schedules()) {
    EXPECT_TRUE(devices.SetupOf(role).device) << role;
    EXPECT_FALSE(devices.SetupOf(role).is_baseline) << role;
  }
  EXPECT_TRUE(devices.SetupOf(kBaselineRole).device);
  EXPECT_TRUE(devices.SetupOf(kBaselineRole).is_baseline);
  EXPECT_FALSE(devices.SetupOf("forward").device);
}

TEST(SuiteDevices, OptionsFollowRoleAndSeed) {
  const SuiteDevices devices(Flags(1));
  EXPECT_EQ(devices.OptionsOf(kAscendingRole).schedule, Schedule::kAscending);
  EXPECT_EQ(devices.OptionsOf(kBaselineRole).schedule, Schedule::kAscending);
  EXPECT_EQ(devices.OptionsOf(kReversedRole).schedule, Schedule::kReversed);
  EXPECT_EQ(devices.OptionsOf(kRandomRole).schedule, Schedule::kRandom);
  EXPECT_EQ(devices.OptionsOf(kReversedRole).approximation, Approximation::kRounded);
  EXPECT_EQ(devices.OptionsOf(kRandomRole).approximation, Approximation::kPerturbed);
  EXPECT_EQ(devices.OptionsOf(kRandomRole).checking, Checking::kOn);
  EXPECT_EQ(devices.OptionsOf(kRandomRole).model.id, "a100");
  EXPECT_EQ(devices.OptionsOf(kRandomRole).instruction_limit, 123U);
  EXPECT_NE(devices.OptionsOf(kRandomRole).seed, devices.OptionsOf(kReversedRole).seed);
  EXPECT_NE(devices.OptionsOf(kRandomRole).seed,
            SuiteDevices(Flags(2)).OptionsOf(kRandomRole).seed);
}

TEST(SuiteDevices, DeviceIsThereAsLongAsItsHost) {
  SuiteDevices devices(Flags(1));
  EXPECT_EQ(devices.Find(kAscendingRole), nullptr);
  auto first = devices.SetupOf(kAscendingRole).device();
  ASSERT_TRUE(first.has_value());
  ASSERT_NE(devices.Find(kAscendingRole), nullptr);
  const auto* gpu = devices.Find(kAscendingRole)->gpu;
  EXPECT_EQ(devices.Find(kReversedRole), nullptr);
  devices.Find(kAscendingRole)->record.printed = "of the first";
  // The next may be made before the last is gone.
  auto second = devices.SetupOf(kAscendingRole).device();
  ASSERT_TRUE(second.has_value());
  EXPECT_NE(devices.Find(kAscendingRole)->gpu, gpu);
  EXPECT_EQ(devices.Find(kAscendingRole)->record.printed, "");
  first->reset();
  EXPECT_NE(devices.Find(kAscendingRole), nullptr);
  second->reset();
  EXPECT_EQ(devices.Find(kAscendingRole), nullptr);
}

TEST(SuiteDevices, HardwareHasOneRoleAndIsTheHostsOwn) {
  SuiteDevices devices(Flags(1, DeviceKind::kCuda));
  EXPECT_TRUE(devices.IsReal());
  EXPECT_THAT(devices.Schedules(), ElementsAre("cuda"));
  EXPECT_FALSE(devices.SetupOf(kCudaRole).device);
  EXPECT_FALSE(devices.SetupOf(kBaselineRole).device);
  EXPECT_TRUE(devices.SetupOf(kBaselineRole).is_baseline);
}

}  // namespace
}  // namespace assay::gpu
