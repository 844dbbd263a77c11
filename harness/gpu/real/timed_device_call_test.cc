// SPDX-License-Identifier: Apache-2.0
// The operations of hosts for a real GPU, and what times them, over an emulated one: that every
// part is there and does what it says. Times are not judged.
#include "gpu/real/timed_device_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/server/emulated_gpu.h"
#include "sandbox/capabilities.h"

namespace assay::gpu::real {
namespace {

using testing::HasSubstr;

class RealGpu : public testing::Test {
 protected:
  RealGpu() {
    HostOptions options{.executable = ASSAY_TEST_CUDA_HOST};
    options.level = DetectCapabilities().level;
    options.device = [this]() -> Result<std::unique_ptr<DeviceService>> {
      return remote::EmulatedGpu::Create(
          {.model = A100(), .workers = 1, .memory_limit_bytes = std::uint64_t{256} << 20},
          &record_);
    };
    auto host = Host::Start(options);
    if (!host) {
      throw std::runtime_error(host.error().detail);
    }
    host_.emplace(*std::move(host));
  }
  int Status(const Invocation& call) {
    const auto reply = host_->Call(call);
    EXPECT_TRUE(reply.has_value()) << reply.error().detail << host_->Output();
    return reply ? reply->status : -1;
  }
  std::uint64_t Allocated(std::uint64_t bytes) {
    std::array<std::uint64_t, 1> address{};
    Invocation call("assay_device_allocate");
    EXPECT_EQ(Status(call.Scalar(bytes).Output(address)), 0);
    return address[0];
  }
  void Write(std::uint64_t to, const std::vector<std::uint8_t>& from) {
    Invocation call("assay_device_write");
    EXPECT_EQ(Status(call.Scalar(to).Input(from).Scalar(std::uint64_t{from.size()})), 0);
  }
  std::vector<std::uint8_t> Bytes(std::uint64_t from, std::size_t count) {
    std::vector<std::uint8_t> bytes(count);
    Invocation call("assay_device_read");
    EXPECT_EQ(Status(call.Scalar(from).Output(bytes).Scalar(std::uint64_t{count})), 0);
    return bytes;
  }
  /// Two vectors of 1024 floats added on a stream, timed once.
  auto TimedAdd(const std::string& operation) {
    const std::vector<std::string_view> words = {operation,      "in=f32:1024", "in=f32:1024",
                                                 "out=f32:1024", "u64=1024",    "stream=1"};
    auto timed =
        TimedDeviceCall::Create(&*host_, *ParseCall(words), {.sets = 2, .flush_bytes = 4096});
    EXPECT_TRUE(timed.has_value()) << timed.error().detail;
    return timed->Run();
  }

  remote::DeviceRecord record_;
  std::optional<Host> host_;
};

TEST_F(RealGpu, MemoryIsTheGraders) {
  const std::uint64_t a = Allocated(300);
  const std::uint64_t b = Allocated(300);
  EXPECT_NE(a, b);
  EXPECT_EQ(a % 256, 0U);
  std::vector<std::uint8_t> bytes(300);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{1});
  Write(a, bytes);
  Invocation copy("assay_device_copy");
  EXPECT_EQ(Status(copy.Scalar(b).Scalar(a).Scalar(std::uint64_t{300})), 0);
  EXPECT_EQ(Bytes(b, 300), bytes);
  Invocation flush("assay_device_flush_l2");
  EXPECT_EQ(Status(flush.Scalar(b).Scalar(std::uint64_t{300})), 0);
  EXPECT_EQ(Bytes(b, 300), std::vector<std::uint8_t>(300));
  Invocation free("assay_device_free");
  EXPECT_EQ(Status(free.Scalar(a)), 0);
  EXPECT_NE(Status(free), 0);
}

TEST_F(RealGpu, LackOfMemoryIsAStatusThatNobodyElseFinds) {
  std::array<std::uint64_t, 1> address{7};
  Invocation call("assay_device_allocate");
  EXPECT_EQ(Status(call.Scalar(std::uint64_t{1} << 40).Output(address)), 2);
  EXPECT_EQ(address[0], 0U);
  const std::uint64_t there = Allocated(4096);
  Invocation add("vector_add_on_stream");  // Returns cudaGetLastError.
  EXPECT_EQ(Status(add.Scalar(there)
                       .Scalar(there)
                       .Scalar(there)
                       .Scalar(std::uint64_t{0 + 1})
                       .Scalar(std::uint32_t{0})),
            0);
}

TEST_F(RealGpu, DescribesItsDevice) {
  const auto device = DescribeDevice(*host_);
  ASSERT_TRUE(device.has_value()) << device.error().detail;
  EXPECT_THAT(device->name, HasSubstr("A100"));
  EXPECT_EQ(device->l2_bytes, A100().l2_bytes);
}

TEST_F(RealGpu, CopiesHaveABandwidth) {
  const auto bandwidth = MeasureCopyBandwidth(*host_, 1 << 20, 3);
  ASSERT_TRUE(bandwidth.has_value()) << bandwidth.error().detail;
  EXPECT_GT(*bandwidth, 0);
}

TEST_F(RealGpu, TimesACallByBothClocks) {
  const auto sample = TimedAdd("vector_add_on_stream");
  ASSERT_TRUE(sample.has_value()) << sample.error().detail;
  EXPECT_GT(sample->wall_ns, 0);
  EXPECT_GT(sample->event_ns, 0);
  EXPECT_EQ(record_.reports.size(), 1U);
}

TEST_F(RealGpu, WorkThatIsLeftOnASideStreamIsInTheTime) {
  // The synchronisation of the device does it: otherwise the outputs would be unwritten.
  const auto sample = TimedAdd("vector_add_on_side_stream");
  EXPECT_TRUE(sample.has_value()) << sample.error().detail;
}

TEST_F(RealGpu, UnwrittenOutputsAreWrong) {
  const auto sample = TimedAdd("vector_add_all_but_one");
  ASSERT_FALSE(sample.has_value());
  EXPECT_EQ(sample.error().verdict, Verdict::kWrongAnswer);
  EXPECT_THAT(sample.error().detail, HasSubstr("left element 1023 of an output unwritten"));
}

TEST_F(RealGpu, StreamsWaitForWhatIsTheirs) {
  const std::uint64_t a = Allocated(16);
  const std::uint64_t sum = Allocated(16);
  const std::vector<std::uint8_t> zeros(16);
  const std::vector<std::uint8_t> pattern(16, 0x5a);
  for (const std::uint32_t kind : {0U, 1U}) {
    for (const auto* operation : {"vector_add_on_stream", "vector_add_on_side_stream"}) {
      Write(a, zeros);
      Write(sum, pattern);
      Invocation add(operation);
      EXPECT_EQ(Status(add.Scalar(a).Scalar(a).Scalar(sum).Scalar(std::uint64_t{4}).Scalar(kind)),
                0);
      const bool own = std::string_view(operation) == "vector_add_on_stream";
      EXPECT_EQ(Bytes(sum, 16), own ? zeros : pattern) << operation << " on stream " << kind;
      EXPECT_EQ(Status(Invocation("assay_device_synchronize")), 0);
      EXPECT_EQ(Bytes(sum, 16), zeros);
    }
  }
}

TEST_F(RealGpu, BenchPrintsBothHosts) {
  const std::string command = std::string(ASSAY_TEST_REAL_BENCH) +
                              " --emulated --samples 3 --bytes 12288 --copy-bytes 4096 --host " +
                              ASSAY_TEST_CUDA_HOST + " --against " + ASSAY_TEST_CUDA_HOST +
                              " vector_add_on_stream in=f32:1024 in=f32:1024 out=f32:1024 u64=1024"
                              " stream=1";
  FILE* const pipe = popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string output;
  std::array<char, 256> line{};
  while (fgets(line.data(), line.size(), pipe) != nullptr) {
    output += line.data();
  }
  EXPECT_EQ(pclose(pipe), 0) << output;
  EXPECT_THAT(output, HasSubstr("EMULATED, times mean nothing"));
  EXPECT_THAT(output, HasSubstr("of the copy's bandwidth"));
  EXPECT_THAT(output, HasSubstr("ratio of medians: "));
}

}  // namespace
}  // namespace assay::gpu::real
