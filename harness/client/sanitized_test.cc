// SPDX-License-Identifier: Apache-2.0
// Hosts built with the sanitizers, in the sandbox.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "client/host.h"
#include "client/test_hosts.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

class SanitizedHost : public testing::Test {
 protected:
  void ExpectFinding(const Invocation& call, const testing::Matcher<std::string>& detail) {
    const auto reply = host_.Call(call);
    ASSERT_FALSE(reply.has_value());
    EXPECT_EQ(reply.error().verdict, Verdict::kRuntimeError);
    EXPECT_THAT(reply.error().detail, detail);
    EXPECT_FALSE(host_.alive());
  }

  Host host_ = StartHost(OptionsFor("sanitized"));
};

TEST_F(SanitizedHost, RightCallIsAnswered) {
  Invocation call("read_heap_at");
  const auto reply = host_.Call(call.Scalar(std::size_t{15}));
  ASSERT_TRUE(reply.has_value()) << reply.error().detail;
  EXPECT_EQ(reply->status, 0);
}

TEST_F(SanitizedHost, VirtualFunctionsAreNoFinding) {
  std::vector<double> area(1);
  Invocation call("call_virtual");
  const auto reply = host_.Call(call.Scalar(3.0).Output(area));
  ASSERT_TRUE(reply.has_value()) << reply.error().detail;
  EXPECT_EQ(area[0], 9);
}

TEST_F(SanitizedHost, HeapOverflowIsFound) {
  Invocation call("read_heap_at");
  ExpectFinding(
      call.Scalar(std::size_t{16}),
      AllOf(HasSubstr("AddressSanitizer: heap-buffer-overflow"), EndsWith("in read_heap_at")));
}

TEST_F(SanitizedHost, UndefinedBehaviourIsFound) {
  Invocation call("add_overflowing");
  ExpectFinding(call.Scalar(std::numeric_limits<std::int32_t>::max()).Scalar(1),
                AllOf(HasSubstr("signed integer overflow"), EndsWith("in add_overflowing")));
}

TEST_F(SanitizedHost, WriteIntoTheSlackOfAnOutputIsFound) {
  std::vector<float> out(100);
  Invocation call("write_at");
  call.Scalar(std::int64_t{-8}).Output(out);
  ExpectFinding(call, HasSubstr("AddressSanitizer: use-after-poison"));
}

TEST_F(SanitizedHost, WriteInsideAnOutputIsFine) {
  for (const std::size_t count : {1u, 99u, 100u, 5000u}) {
    std::vector<float> out(count);
    Invocation call("write_at");
    call.Scalar(static_cast<std::int64_t>(count) - 1).Output(out);
    const auto reply = host_.Call(call);
    ASSERT_TRUE(reply.has_value()) << reply.error().detail;
    EXPECT_EQ(out.back(), 1.0f);
  }
}

class SanitizedHostSaving : public SanitizedHost,
                            public testing::WithParamInterface<std::int64_t> {};

TEST_P(SanitizedHostSaving, WriteOutsideASavedTensorIsFound) {
  SavedTensors saved;
  Invocation call("write_saved_at");
  call.Scalar(std::size_t{3}).Scalar(GetParam()).Save(&saved);
  ExpectFinding(call, HasSubstr("AddressSanitizer: use-after-poison"));
}

INSTANTIATE_TEST_SUITE_P(Floats, SanitizedHostSaving, testing::Values(3, 16, 31, 1000, 250'000));

TEST_F(SanitizedHost, WriteInsideASavedTensorIsFine) {
  for (const std::size_t count : {3u, 3u, 700'000u, 100u, 700'000u}) {
    SavedTensors saved;
    Invocation call("write_saved_at");
    call.Scalar(count).Scalar(static_cast<std::int64_t>(count) - 1).Save(&saved);
    const auto reply = host_.Call(call);
    ASSERT_TRUE(reply.has_value()) << reply.error().detail;
  }
}

TEST_F(SanitizedHost, WriteWhereAnEarlierCallSavedIsFound) {
  for (const std::size_t count : {3u, 700'000u}) {
    Host host = StartHost(OptionsFor("sanitized"));
    SavedTensors saved;
    Invocation call("write_where_saved_before");
    call.Scalar(count).Save(&saved);
    ASSERT_TRUE(host.Call(call).has_value());
    const auto reply = host.Call(call);
    ASSERT_FALSE(reply.has_value());
    EXPECT_THAT(reply.error().detail, HasSubstr("AddressSanitizer: use-after-poison"));
  }
}

TEST_F(SanitizedHost, LeakIsNoFinding) {
  std::vector<double> out(1);
  Invocation call("leak");
  ASSERT_TRUE(host_.Call(call.Output(out)).has_value());
  EXPECT_EQ(out[0], 1.0);
  const auto stopped = host_.Stop();
  EXPECT_TRUE(stopped.has_value()) << stopped.error().detail;
}

}  // namespace
}  // namespace assay
