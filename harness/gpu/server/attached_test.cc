// SPDX-License-Identifier: Apache-2.0
// A CUDA submission in the sandbox and its device in this process, as a suite has them: results,
// counters and findings are here, and whatever the submission does, a call ends with a verdict.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "client/host.h"
#include "cudart/link/messages.h"
#include "emulator/report/cuda_error.h"
#include "gpu/server/emulated_gpu.h"
#include "sandbox/capabilities.h"

namespace assay::gpu::remote {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

class AttachedGpu : public testing::Test {
 protected:
  AttachedGpu() {
    options_.executable = ASSAY_TEST_CUDA_HOST;
    options_.level = DetectCapabilities().level;
    options_.call_limit = milliseconds(5'000);
    options_.device_limit = milliseconds(60'000);
    options_.device = [this] { return EmulatedGpu::Create(device_, &record_, limits_); };
    device_.memory_limit_bytes = std::uint64_t{256} << 20;
    device_.workers = 1;
    StartAnew();
  }
  void StartAnew() {
    host_.reset();
    record_ = {};
    auto host = Host::Start(options_);
    if (!host) {
      throw std::runtime_error(host.error().detail);
    }
    host_.emplace(std::move(*host));
  }
  int Status(const Invocation& call) {
    const auto reply = host_->Call(call);
    if (!reply) {
      ADD_FAILURE() << ToString(reply.error().verdict) << ": " << reply.error().detail << "\n"
                    << host_->Output();
      return -1000;
    }
    return reply->status;
  }
  void ExpectFailure(const Invocation& call, Verdict verdict,
                     const testing::Matcher<std::string>& detail) {
    const auto reply = host_->Call(call);
    ASSERT_FALSE(reply.has_value()) << "status " << reply->status;
    EXPECT_EQ(ToString(reply.error().verdict), ToString(verdict)) << reply.error().detail;
    EXPECT_THAT(reply.error().detail, detail);
  }
  static std::vector<float> Counting(std::size_t count) {
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), 1.0f);
    return values;
  }
  void ExpectAdds(const std::string& operation, std::size_t count) {
    const std::vector<float> a = Counting(count);
    const std::vector<float> b(count, 0.5f);
    std::vector<float> sum(count);
    std::vector<float> want(count);
    for (std::size_t i = 0; i < count; ++i) {
      want[i] = a[i] + b[i];
    }
    Invocation call(operation);
    EXPECT_EQ(Status(call.Input(a).Input(b).Output(sum).Scalar(std::uint64_t{count})), 0)
        << host_->Output();
    EXPECT_TRUE(sum == want);
  }

  DeviceOptions device_;
  DeviceRecord record_;
  RecordLimits limits_;
  HostOptions options_;
  std::optional<Host> host_;
};

TEST_F(AttachedGpu, ResultsCountersAndFindingsAreThere) {
  ExpectAdds("vector_add", 1000);
  ASSERT_THAT(record_.reports, SizeIs(1));
  const LaunchReport& report = record_.reports[0];
  EXPECT_THAT(report.kernel, HasSubstr("Add"));
  EXPECT_EQ(report.grid[0], 4u);
  EXPECT_EQ(report.block[0], 256u);
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(report.error, 0) << report.error_detail;
  // 31 full warps and one of 8 lanes, for each of two loads and a store of 4 bytes a lane.
  EXPECT_EQ(report.counters.global_load.requests, 2u * 32);
  EXPECT_EQ(report.counters.global_load.bytes, 2u * 4 * 1000);
  EXPECT_EQ(report.counters.global_load.sectors, 2u * 125);
  EXPECT_EQ(report.counters.global_store.requests, 32u);
  EXPECT_EQ(report.counters.global_store.bytes, 4u * 1000);
  EXPECT_EQ(report.counters.compulsory_read_bytes, 2u * 4 * 1000);
  EXPECT_GT(report.modelled_time_ns, 0);
}

TEST_F(AttachedGpu, ReductionIsRightAndItsBarriersAreCounted) {
  const std::vector<float> values = Counting(1024);
  std::vector<float> total(1);
  Invocation call("vector_total");
  EXPECT_EQ(Status(call.Input(values).Scalar(std::uint64_t{values.size()}).Output(total)), 0);
  EXPECT_EQ(total[0], 1024.0f * 1025.0f / 2);
  ASSERT_THAT(record_.reports, SizeIs(1));
  EXPECT_THAT(record_.reports[0].findings, IsEmpty());
  // Four blocks of eight warps, each at one barrier before the tree and at one in each of its
  // steps.
  EXPECT_EQ(record_.reports[0].counters.barriers, 4u * 8 * (1 + 8));
}

TEST_F(AttachedGpu, CopiesInManyPartsArriveWhole) { ExpectAdds("vector_add", 1'000'001); }

TEST_F(AttachedGpu, ThreadsOfTheSubmissionMayUseIt) { ExpectAdds("vector_add_on_a_thread", 100); }

TEST_F(AttachedGpu, StaticConstructorsMayUseIt) {
  EXPECT_EQ(Status(Invocation("allocated_at_start")), 0);
}

TEST_F(AttachedGpu, TimeOfTheDeviceIsApart) {
  const std::vector<float> values = Counting(1024);
  std::vector<float> total(1);
  Invocation call("vector_total");
  const auto reply =
      host_->Call(call.Input(values).Scalar(std::uint64_t{values.size()}).Output(total));
  ASSERT_TRUE(reply.has_value()) << reply.error().detail;
  ASSERT_THAT(record_.reports, SizeIs(1));
  EXPECT_GE(reply->device_elapsed.count(),
            static_cast<std::int64_t>(record_.reports[0].emulation_time_ns));
}

TEST_F(AttachedGpu, FaultThatHarmsNoResultIsFoundAtItsLine) {
  const std::vector<float> a = Counting(1000);
  std::vector<float> sum(a.size());
  Invocation call("vector_add_off_by_one");
  call.Input(a).Input(a).Output(sum).Scalar(std::uint64_t{a.size()});
  const auto reply = host_->Call(call);
  ASSERT_TRUE(reply.has_value()) << reply.error().detail;
  ASSERT_THAT(record_.reports, SizeIs(1));
  ASSERT_THAT(record_.reports[0].findings, SizeIs(1));
  const Finding& finding = record_.reports[0].findings[0];
  EXPECT_EQ(finding.kind, FindingKind::kOutOfBounds);
  EXPECT_THAT(finding.site.file, HasSubstr("submission.cu"));
  EXPECT_EQ(finding.size_bytes, 4u);
  ASSERT_TRUE(finding.nearest.has_value());
  EXPECT_EQ(finding.nearest->size_bytes, 4000u);
}

TEST_F(AttachedGpu, SameSeedSameReports) {
  ExpectAdds("vector_add", 5000);
  const DeviceRecord first = record_;
  StartAnew();
  ExpectAdds("vector_add", 5000);
  ASSERT_THAT(record_.reports, SizeIs(1));
  EXPECT_EQ(record_.reports[0].counters, first.reports.at(0).counters);
}

// ---- Bounds -------------------------------------------------------------------------------------

TEST_F(AttachedGpu, WhatKernelsPrintIsKeptUpToALimit) {
  limits_.printed_bytes = 1000;
  StartAnew();
  Invocation call("print_much");
  EXPECT_EQ(Status(call.Scalar(1024u)), 0);
  EXPECT_THAT(record_.printed, SizeIs(1000));
  EXPECT_THAT(record_.printed, StartsWith("thread "));
  EXPECT_GT(record_.printed_left_out_bytes, 10'000u);
}

TEST_F(AttachedGpu, ReportsAreKeptUpToALimit) {
  limits_.report_bytes = 1;
  StartAnew();
  ExpectAdds("vector_add", 10);
  EXPECT_THAT(record_.reports, IsEmpty());
  EXPECT_EQ(record_.reports_left_out, 1u);
}

TEST_F(AttachedGpu, TerabyteIsOutOfMemory) {
  Invocation call("allocate");
  EXPECT_EQ(Status(call.Scalar(std::uint64_t{1} << 40)), cuda_error::kMemoryAllocation);
  ExpectAdds("vector_add", 100);
}

TEST_F(AttachedGpu, AllocationsEndWhereTheDeviceDoes) {
  std::vector<std::uint32_t> count(1);
  Invocation call("allocate_without_end");
  EXPECT_EQ(Status(call.Scalar(std::uint64_t{16} << 20).Output(count)),
            cuda_error::kMemoryAllocation);
  EXPECT_GT(count[0], 8u);
  EXPECT_LE(count[0], 16u);
}

// ---- What the emulated GPU lacks ----------------------------------------------------------------

/// Passes messages on, and keeps those that say that something lacks.
class LackWatch : public DeviceService {
 public:
  LackWatch(std::unique_ptr<DeviceService> behind, std::vector<std::string>* lacks)
      : behind_(std::move(behind)), lacks_(lacks) {}
  std::expected<void, std::string> Serve(std::span<const std::byte> request,
                                         std::vector<std::byte>* reply) override {
    auto served = behind_->Serve(request, reply);
    Reader reader(request);
    if (reader.Number<std::uint32_t>() == static_cast<std::uint32_t>(Call::kLacks)) {
      Reader answer(*reply);
      EXPECT_EQ(answer.Number<std::int32_t>(), cuda_error::kNotSupported);
      lacks_->emplace_back(answer.Text(kMaxDetailBytes));
    }
    return served;
  }

 private:
  std::unique_ptr<DeviceService> behind_;
  std::vector<std::string>* lacks_;
};

TEST_F(AttachedGpu, TrustedSideIsToldWhatLacks) {
  std::vector<std::string> lacks;
  options_.device = [&]() -> Result<std::unique_ptr<DeviceService>> {
    ASSAY_ASSIGN_OR_RETURN(auto gpu, EmulatedGpu::Create(device_, &record_));
    return std::make_unique<LackWatch>(std::move(gpu), &lacks);
  };
  StartAnew();
  ExpectAdds("vector_add", 100);
  EXPECT_THAT(lacks, IsEmpty());
  EXPECT_EQ(Status(Invocation("make_texture")), cuda_error::kNotSupported);
  EXPECT_THAT(lacks,
              testing::ElementsAre("cudaCreateTextureObject is not supported by the emulated GPU"));
}

// ---- Attacks ------------------------------------------------------------------------------------

TEST_F(AttachedGpu, DevicePointerOnTheHostIsASegmentationFault) {
  std::vector<float> value(1);
  Invocation call("dereference_on_host");
  ExpectFailure(call.Output(value), Verdict::kRuntimeError,
                "killed by SIGSEGV (Segmentation fault) in dereference_on_host");
}

TEST_F(AttachedGpu, KernelWithoutEndIsEndedByTheWatchdog) {
  device_.instruction_limit = 50'000'000;
  StartAnew();
  EXPECT_EQ(Status(Invocation("run_forever")), cuda_error::kLaunchTimeout) << host_->Output();
  ASSERT_THAT(record_.reports, SizeIs(1));
  EXPECT_EQ(record_.reports[0].error, cuda_error::kLaunchTimeout);
}

TEST_F(AttachedGpu, LaunchesWithoutEndRunIntoATimeLimit) {
  options_.call_limit = milliseconds(500);
  options_.device_limit = milliseconds(500);
  StartAnew();
  ExpectFailure(Invocation("launch_forever"), Verdict::kTimeLimit, HasSubstr("in launch_forever"));
  EXPECT_GT(record_.reports.size(), 1u);
}

TEST_F(AttachedGpu, ThreadThatGoesOnAfterTheReplyReachesNothing) {
  EXPECT_EQ(Status(Invocation("launch_late")), 0);
  (void)host_->PrivateBytes();  // Has its thread go on.
  while (!host_->Output().contains("acted")) {
    std::this_thread::sleep_for(milliseconds(1));
  }
  EXPECT_EQ(Status(Invocation("late_error")), cuda_error::kCudartUnloading);
}

TEST_F(AttachedGpu, GarbageIsRejected) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    StartAnew();
    Invocation call("send_garbage");
    ExpectFailure(call.Scalar(seed), Verdict::kRejected,
                  StartsWith("malformed message to the device in send_garbage: "));
  }
}

TEST_F(AttachedGpu, WhatAHostLeavesOnItsDeviceNoOtherFinds) {
  Invocation call("leak");
  EXPECT_EQ(Status(call.Scalar(std::uint64_t{200} << 20)), 0);
  Invocation more("leak");
  EXPECT_EQ(Status(more.Scalar(std::uint64_t{100} << 20)), cuda_error::kMemoryAllocation);
  StartAnew();
  EXPECT_EQ(Status(more), 0);
}

}  // namespace
}  // namespace assay::gpu::remote
