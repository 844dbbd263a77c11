// SPDX-License-Identifier: Apache-2.0
#include "gpu/suite/kernel_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace assay::gpu {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

const KernelDuty kDuty{
    .operation = "scale_rows", .input = "rows", .input_bytes = 4096, .output_bytes = 1024};

LaunchReport Launch(std::uint64_t loaded, std::uint64_t distinct, std::uint64_t stored) {
  LaunchReport launch{.kernel = "Scale"};
  launch.counters.global_load.bytes = loaded;
  launch.counters.compulsory_read_bytes = distinct;
  launch.counters.global_store.bytes = stored;
  return launch;
}

std::string Fault(const std::vector<LaunchReport>& launches,
                  const remote::CopiedBytes& copied = {}) {
  return FaultOfWork(kDuty, launches, copied, Counters::kKept);
}

TEST(KernelWork, IsAddedUpOverLaunches) {
  EXPECT_THAT(Fault({Launch(4096, 4096, 1024)}), IsEmpty());
  EXPECT_THAT(Fault({Launch(4000, 4000, 0), Launch(96, 96, 1024)}), IsEmpty());
}

TEST(KernelWork, StoresAreAtomicsToo) {
  LaunchReport launch = Launch(4096, 4096, 512);
  launch.counters.global_atomic.bytes = 256;
  launch.counters.global_reduction.bytes = 256;
  EXPECT_THAT(Fault({launch}), IsEmpty());
}

TEST(KernelWork, NothingLaunchedIsNone) { EXPECT_THAT(Fault({}), HasSubstr("loaded 0 bytes")); }

TEST(KernelWork, PartOfTheInputOverAndOverIsNotAllOfIt) {
  EXPECT_THAT(Fault({Launch(8192, 4064, 1024)}),
              HasSubstr("4064 of them distinct, of 4096 of rows"));
}

TEST(KernelWork, AnOutputThatNoKernelStored) {
  EXPECT_THAT(Fault({Launch(4096, 4096, 1020)}), HasSubstr("stored 1020 bytes"));
  EXPECT_THAT(Fault({Launch(4096, 4096, 1020)}, {.from_host = 1024}), HasSubstr("stored 1020"));
}

TEST(KernelWork, AFlagMayBeCopiedToTheHostAndNothingToComputeFrom) {
  const std::vector<LaunchReport> launches = {Launch(4096, 4096, 1024)};
  EXPECT_THAT(Fault(launches, {.on_device = 9999, .to_host = 64, .from_host = 9999}), IsEmpty());
  EXPECT_THAT(Fault(launches, {.to_host = 65}), HasSubstr("copied 65 bytes"));
}

TEST(KernelWork, APlanMayNeedMore) {
  KernelDuty duty = kDuty;
  duty.plan_bytes = 40;
  const std::vector<LaunchReport> launches = {Launch(4096, 4096, 1024)};
  EXPECT_THAT(FaultOfWork(duty, launches, {.to_host = 104}, Counters::kKept), IsEmpty());
  EXPECT_THAT(FaultOfWork(duty, launches, {.to_host = 105}, Counters::kKept), HasSubstr("104 are"));
}

TEST(KernelWork, OfARealGpuOnlyCopiesCount) {
  EXPECT_THAT(FaultOfWork(kDuty, {}, {}, Counters::kNone), IsEmpty());
  EXPECT_THAT(FaultOfWork(kDuty, {}, {.to_host = 4096}, Counters::kNone), HasSubstr("copied"));
}

}  // namespace
}  // namespace assay::gpu
