// SPDX-License-Identifier: Apache-2.0
// A suite for scale.cu, with a case for each of its modes, right or not: what becomes of each is
// asserted by gpu_case_test.cc.
#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/suite/gpu_case.h"
#include "gpu/suite/testhosts/scale.h"

namespace assay::gpu {
namespace {

constexpr std::size_t kRows = 5;
constexpr std::size_t kColumns = 37;
constexpr std::size_t kStride = 41;
constexpr std::size_t kWorkspace_bytes = 64;

class Scale : public GpuCaseTest {
 protected:
  Scale() : x_(kRows * kColumns), y_(x_.size()) {
    for (float& value : x_) {
      value = static_cast<float>(random()() % 100);
    }
  }
  DeviceInvocation Call(Mode mode, std::uint32_t stream_kind = 1) {
    DeviceInvocation call("scale_rows");
    call.Scalar(kRows)
        .Scalar(kColumns)
        .Rows(x_, kColumns, kStride, sizeof(float))
        .Scalar(kStride)
        .Output(y_, 3 * sizeof(float))
        .Scratch(kWorkspace_bytes)
        .Scalar(static_cast<std::int32_t>(mode))
        .Scalar(stream_kind);
    return call;
  }
  void ExpectRight() {
    std::vector<double> want;
    for (const float value : x_) {
      want.push_back(2.0 * static_cast<double>(value));
    }
    ExpectWithin({"y"}, y_, want, std::vector<double>(y_.size(), 0.0));
  }
  void RunAll(Mode mode) {
    for (const std::string_view role : Schedules()) {
      CallOnDeviceExpecting(0, role, Call(mode));
      ExpectRight();
    }
  }

  std::vector<float> x_;
  std::vector<float> y_;
};

TEST_F(Scale, Right) {
  RequireOperation("scale_rows");
  RunAll(Mode::kRight);
}

TEST_F(Scale, Scalars) {
  DeviceInvocation call("take_scalars");
  call.Scalar(std::size_t{1} << 40)
      .Scalar(-7)
      .Scalar(~0U)
      .Scalar(-(std::int64_t{1} << 40))
      .Scalar(0.1F)
      .Scalar(0.1);
  CallOnDeviceExpecting(0, kAscending, call);
}

/// What a case lends a device is none of what its host keeps.
TEST_F(Scale, Keeps) {
  CallOnDeviceExpecting(0, kAscending, Call(Mode::kRight));
  Metric("kept_bytes_of_a_right_call", static_cast<double>(DeviceBytes(kAscending)));
  CallOnDeviceExpecting(0, kAscending, Call(Mode::kKeeps));
  CallOnDeviceExpecting(0, kAscending, Call(Mode::kKeeps));
  Metric("kept_bytes_of_two_calls", static_cast<double>(DeviceBytes(kAscending)));
}

TEST_F(Scale, Counters) {
  const DeviceReply reply = CallOnDeviceExpecting(0, kAscending, Call(Mode::kTwice));
  Metric("launches", static_cast<double>(reply.launches.size()));
  Metric("load_bytes", static_cast<double>(Total(reply.launches).global_load.bytes));
  RecordLaunches("scale_rows 5x37", reply.launches);
}

TEST_F(Scale, BaselineHasItsOwnHost) {
  if (!HasBaseline()) {
    Skip("no baseline");
  }
  CallOnDeviceExpecting(0, kBaseline, Call(Mode::kRight));
  ExpectRight();
}

TEST_F(Scale, BaselineThatIsWrong) {
  CallOnDeviceExpecting(0, kBaseline, Call(Mode::kReadsPastEnd));
}

TEST_F(Scale, NoRows) {
  DeviceInvocation call("scale_rows");
  std::vector<float> none;
  call.Scalar(std::size_t{0})
      .Scalar(kColumns)
      .Rows(none, kColumns, kStride)
      .Scalar(kStride)
      .Output(none)
      .Scratch(0)
      .Scalar(static_cast<std::int32_t>(Mode::kRefuses))
      .Scalar(std::uint32_t{0});
  CallOnDeviceExpecting(2, kReversed, call);
}

TEST_F(Scale, RefusesAndWritesNothing) {
  const DeviceReply reply = CallOnDeviceExpectingOneOf({0, 2}, kAscending, Call(Mode::kRefuses));
  EXPECT_EQ(reply.reply.status, 2);
}

TEST_F(Scale, RefusesWhatItMustNot) { CallOnDeviceExpecting(0, kAscending, Call(Mode::kRefuses)); }

TEST_F(Scale, JoinedSideStream) { RunAll(Mode::kJoinedSideStream); }
TEST_F(Scale, AsksStream) { RunAll(Mode::kAsksStream); }

/// On both streams a right kernel sees what comes, and the copies are none of its own.
TEST_F(Scale, LateInputs) {
  InputsComeLate();
  for (const std::uint32_t kind : {0U, 1U}) {
    const DeviceReply reply = CallOnDeviceExpecting(0, kAscending, Call(Mode::kRight, kind));
    ExpectRight();
    MetricMax("bytes_copied_beside_late_inputs", static_cast<double>(reply.copied.Written()));
  }
  Metric("kept_bytes_of_late_calls", static_cast<double>(DeviceBytes(kAscending)));
}

TEST_F(Scale, LateInputsOfJoinedSideStream) {
  InputsComeLate();
  RunAll(Mode::kJoinedSideStream);
}

TEST_F(Scale, LateInputsOnAStreamThatIsAsked) {
  InputsComeLate();
  RunAll(Mode::kAsksStream);
}

/// Byte offsets that need more than 32 bits, and element offsets that need 32.
TEST_F(Scale, RowsFarApart) {
  constexpr std::size_t kFar = (std::size_t{1} << 30) + 1;
  x_.resize(3 * kColumns);
  y_.resize(x_.size());
  DeviceInvocation call("scale_rows");
  call.Scalar(std::size_t{3}).Scalar(kColumns).Rows(x_, kColumns, kFar).Scalar(kFar).Output(y_);
  call.Scratch(0).Scalar(std::int32_t{0}).Scalar(0U);
  CallOnDeviceExpecting(0, kRandom, call);
  ExpectRight();
}

/// For measuring.
TEST_F(Scale, DISABLED_Large) {
  constexpr std::size_t kMany = 512;
  constexpr std::size_t kWide = 16'384;
  x_.assign(kMany * kWide, 1.0F);
  y_.resize(x_.size());
  DeviceInvocation call("scale_rows");
  call.Scalar(kMany).Scalar(kWide).Input(x_).Scalar(kWide).Output(y_).Scratch(0);
  call.Scalar(std::int32_t{0}).Scalar(0U);
  for (int i = 0; i < 3; ++i) {
    for (const std::string_view role : Schedules()) {
      const DeviceReply reply = CallOnDeviceExpecting(0, role, call);
      CurvePoint(std::string(role), i,
                 static_cast<double>(reply.launches.at(0).emulation_time_ns) * 1e-6);
    }
  }
}

TEST_F(Scale, RoleWithoutDevice) { CallOnDevice(kForward, Call(Mode::kRight)); }

#define SCALE_CASE(mode) \
  TEST_F(Scale, mode) { RunAll(Mode::k##mode); }
SCALE_CASE(Wrong)
SCALE_CASE(LeavesLast)
SCALE_CASE(Race)
SCALE_CASE(ReadsPastEnd)
SCALE_CASE(ReadsGap)
SCALE_CASE(ReadsOutput)
SCALE_CASE(ReadsWorkspace)
SCALE_CASE(WritesInput)
SCALE_CASE(WritesGap)
SCALE_CASE(Unsupported)
SCALE_CASE(Endless)
SCALE_CASE(OutOfMemory)
SCALE_CASE(SideStream)
SCALE_CASE(Dereferences)
SCALE_CASE(Traps)
SCALE_CASE(FreesInput)
SCALE_CASE(Texture)
#undef SCALE_CASE

}  // namespace
}  // namespace assay::gpu
