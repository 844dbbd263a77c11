// SPDX-License-Identifier: Apache-2.0
// A suite for scale_host.cc, with a case for each thing that a suite can say.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "client/case.h"

namespace assay {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

[[maybe_unused]] const bool kAsked = RegisterQuestion("flops", 10, 0.05);

class Scale : public CaseTest {
 protected:
  void ExpectRight(std::size_t count) {
    std::vector<float> x(count);
    std::vector<double> want(count);
    for (std::size_t i = 0; i < count; ++i) {
      x[i] = static_cast<float>(random()() % 100);
      want[i] = 2.0 * static_cast<double>(x[i]);
    }
    std::vector<float> y(count);
    Invocation call("scale_f32");
    call.Scalar(count).Input(x).Scalar(2.0F).Output(y);
    Reply reply = CallExpecting(0, kForward, call);
    EXPECT_GT(reply.elapsed.count(), 0);
    ExpectWithin({"y"}, y, want, std::vector<double>(count, 1e-6));
  }
  double ProcessorsOf(std::string_view role) {
    std::vector<std::int64_t> processors(1);
    Invocation call("count_processors");
    call.Output(processors);
    CallExpecting(0, role, call);
    return static_cast<double>(processors[0]);
  }
  std::int64_t CallsSeenBy(std::string_view role) {
    std::vector<std::int64_t> calls(1);
    Invocation call("count_calls");
    call.Output(calls);
    CallExpecting(0, role, call);
    return calls[0];
  }
};

TEST_F(Scale, Ten) {
  Tag({"right", "small"});
  RequireOperation("scale_f32");
  ExpectRight(10);
  Metric("last", 1);
  MetricMax("largest", 1);
  MetricMax("largest_with_nan_last", 1);
  MetricMin("least_with_nan_first", kNan);
  MetricAdd("sum", 1);
  CurvePoint("curve", 1, 2);
}

TEST_F(Scale, Thousand) {
  Tag({"right"});
  ExpectRight(1000);
  Metric("last", 2);
  MetricMax("largest", -1);
  MetricMax("largest_with_nan_last", kNan);
  MetricMin("least_with_nan_first", 1);
  MetricAdd("sum", 2);
  CurvePoint("curve", 2, 4);
}

TEST_F(Scale, None) { ExpectRight(0); }
TEST_F(Scale, Five) {
  Tag({"right", "odd"});
  DoesNotGate();
  ExpectRight(5);
}

TEST_F(Scale, BackwardHostNeverSawForwardCalls) {
  DoesNotGate();
  NeedOptionalOperation("count_calls");
  ExpectRight(3);
  EXPECT_GT(CallsSeenBy(kForward), 0);
  EXPECT_EQ(CallsSeenBy(kBackward), 0);
  RestartHost(kForward);
  EXPECT_EQ(CallsSeenBy(kForward), 0);
}

TEST_F(Scale, CallsInBothOrdersAreInFreshHosts) {
  DoesNotGate();
  NeedOptionalOperation("count_calls");
  ExpectRight(3);
  const std::vector<std::size_t> counts = {4, 5, 6};
  std::vector<std::size_t> asked;
  std::vector<std::int64_t> seen;
  InBothOrders({kForward}, counts, [&](std::size_t count) {
    ExpectRight(count);
    asked.push_back(count);
    seen.push_back(CallsSeenBy(kForward));
  });
  EXPECT_EQ(asked, (std::vector<std::size_t>{4, 5, 6, 6, 5, 4}));
  EXPECT_EQ(seen, (std::vector<std::int64_t>{1, 2, 3, 1, 2, 3}));
}

TEST_F(Scale, PrivateBytesAreAskedAfterACall) {
  ExpectRight(3);
  EXPECT_GT(PrivateBytes(kForward), 0);
}

TEST_F(Scale, MayUseAllProcessorsUntilItsEnd) {
  DoesNotGate();
  NeedOptionalOperation("count_processors");
  Metric("processors_of_a_host", ProcessorsOf(kForward));
  UseAllProcessors(kForward);
  ExpectRight(3);
  Metric("processors_of_an_unpinned_host", ProcessorsOf(kForward));
}

TEST_F(Scale, MayUseOneProcessorAgain) {
  DoesNotGate();
  NeedOptionalOperation("count_processors");
  Metric("processors_of_the_next_host", ProcessorsOf(kForward));
}

TEST_F(Scale, DrawDependsOnSeedAlone) { MetricMax("draw", static_cast<double>(random()() >> 12)); }

TEST_F(Scale, FailureGivenToTheCaseIsNoVerdict) {
  Invocation call("no_such_operation");
  EXPECT_FALSE(TryCall("other", call));
}

TEST_F(Scale, MissingOperation) {
  RequireOperation("no_such_operation");
  ADD_FAILURE() << "the case went on";
}

TEST_F(Scale, ChangedArray) {
  const std::vector<float> before{1, 2, 3};
  const std::vector<float> after{1, 2, 4};
  ExpectUnchanged("gamma", std::span(after), std::span(before));
}

class EndsInSetUp : public Scale {
 protected:
  void SetUp() override {
    Scale::SetUp();
    RequireOperation("no_such_operation");
  }
};

TEST_F(EndsInSetUp, BodyIsNotRun) { Metric("body_ran", 1); }

/// Only run when asked for: what is skipped before anything is asked, and behind an answer.
TEST_F(Scale, DISABLED_SkipsUnasked) { Skip("not here"); }
TEST_F(Scale, DISABLED_SkipsBehindAnAnswer) {
  const std::vector<float> x(1);
  std::vector<float> y(1);
  Invocation call("scale_f32");
  call.Scalar(x.size()).Input(x).Scalar(2.0F).Output(y);
  Call(kForward, call);
  Skip("for what it said");
}

/// Only run when asked for: faults of a suite.
TEST_F(Scale, DISABLED_TagsBehindACall) {
  ExpectRight(5);
  Tag({"right"});
}
TEST_F(Scale, DISABLED_Throws) { throw std::runtime_error("the oracle is out of memory"); }

}  // namespace
}  // namespace assay
