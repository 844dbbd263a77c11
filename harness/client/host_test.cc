// SPDX-License-Identifier: Apache-2.0
// Honest hosts: what goes out comes back.
#include "client/host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "client/host_pool.h"
#include "client/test_hosts.h"

namespace assay {
namespace {

using testing::ElementsAre;

class ToyHost : public testing::Test {
 protected:
  int Status(const Invocation& invocation) {
    const auto reply = host_.Call(invocation);
    if (!reply) {
      ADD_FAILURE() << reply.error().detail;
      return -1000;
    }
    return reply->status;
  }

  Host host_ = StartHost(OptionsFor("toy"));
};

TEST_F(ToyHost, FunctionThatIsMissingIsNotInTheTable) {
  EXPECT_TRUE(host_.Has("status"));
  EXPECT_FALSE(host_.Has("missing"));
  Invocation call("missing");
  const auto reply = host_.Call(call.Scalar(1));
  ASSERT_FALSE(reply.has_value());
  EXPECT_EQ(reply.error().verdict, Verdict::kRuntimeError);
  EXPECT_EQ(reply.error().detail, "has no operation missing");
  EXPECT_TRUE(host_.alive());
}

TEST_F(ToyHost, StatusComesBack) {
  for (const int status : {0, 1, -7, 1'000'000}) {
    Invocation call("status");
    EXPECT_EQ(Status(call.Scalar(status)), status);
  }
}

template <class T>
class EveryType : public testing::Test {};
using Types = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                             std::uint32_t, std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(EveryType, Types);

TYPED_TEST(EveryType, ArraysArriveAndComeBack) {
  Host host = StartHost(OptionsFor("toy"));
  constexpr std::array<const char*, 10> kOperations = {
      "double_i8",  "double_u8",  "double_i16", "double_u16", "double_i32",
      "double_u32", "double_i64", "double_u64", "double_f32", "double_f64"};
  const char* operation =
      kOperations.at(static_cast<std::size_t>(wire::ElementTypeOf<TypeParam>()));
  for (const Placement placement : {Placement::kAgainstGuard, Placement::kAligned}) {
    for (const std::size_t count : {0u, 1u, 3u, 60u, 1024u, 5000u}) {
      std::vector<TypeParam> in(count);
      std::vector<TypeParam> want(count);
      for (std::size_t i = 0; i < count; ++i) {
        in[i] = static_cast<TypeParam>(i % 61);
        want[i] = static_cast<TypeParam>(in[i] + in[i]);
      }
      std::vector<TypeParam> out(count);
      Invocation call(operation);
      call.Scalar(count).Input(in).Output(out).Place(placement);
      const auto reply = host.Call(call);
      ASSERT_TRUE(reply.has_value()) << reply.error().detail;
      EXPECT_EQ(out, want) << count;
    }
  }
}

TEST_F(ToyHost, ScalarsOfEveryTypeArrive) {
  std::vector<double> sum(1);
  Invocation call("scalars");
  call.Scalar(std::int8_t{-1}).Scalar(std::uint8_t{20}).Scalar(std::int16_t{-300});
  call.Scalar(std::uint16_t{4000})
      .Scalar(-50'000)
      .Scalar(600'000u)
      .Scalar(std::int64_t{-7'000'000});
  call.Scalar(std::uint64_t{80'000'000}).Scalar(0.5f).Scalar(0.25).Output(sum);
  EXPECT_EQ(Status(call), 0);
  EXPECT_EQ(sum[0], -1 + 20 - 300 + 4000 - 50'000 + 600'000 - 7'000'000 + 80'000'000 + 0.75);
}

TEST_F(ToyHost, InOutHoldsItsValueBeforeAndAfter) {
  std::vector<double> values = {1, 2, 3};
  Invocation call("increment");
  EXPECT_EQ(Status(call.Scalar(values.size()).InOut(values)), 0);
  EXPECT_THAT(values, ElementsAre(2, 3, 4));
  EXPECT_EQ(Status(call), 0);
  EXPECT_THAT(values, ElementsAre(3, 4, 5));
}

TEST_F(ToyHost, OutputIsPoisonedDifferentlyEachTime) {
  // `double_u64` of no elements writes nothing.
  const std::vector<std::uint64_t> in(8);
  std::vector<std::uint64_t> first(8);
  std::vector<std::uint64_t> second(8);
  Invocation call("double_u64");
  EXPECT_EQ(Status(call.Scalar(std::size_t{0}).Input(in).Output(first)), 0);
  Invocation again("double_u64");
  EXPECT_EQ(Status(again.Scalar(std::size_t{0}).Input(in).Output(second)), 0);
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_NE(first[i], second[i]);
  }
}

TEST_F(ToyHost, PlacementDecidesAlignment) {
  const std::vector<float> in(5);
  std::vector<std::uint64_t> address(1);
  Invocation call("address_of");
  call.Input(in).Output(address);
  EXPECT_EQ(Status(call), 0);
  EXPECT_EQ((address[0] + in.size() * sizeof(float)) % wire::kPageBytes, 0u);
  EXPECT_EQ(Status(call.Place(Placement::kAligned)), 0);
  EXPECT_EQ(address[0] % wire::kPageBytes, 0u);
}

TEST_F(ToyHost, EmptyBuffersAreNullWhereTheCallSaysSo) {
  const std::vector<float> none;
  const std::vector<float> one(1);
  std::vector<std::uint64_t> address(1);
  const auto address_of = [&](const std::vector<float>& in) {
    Invocation call("address_of");
    call.Input(in).Output(address).EmptyIsNull();
    EXPECT_EQ(Status(call), 0);
    return address[0];
  };
  EXPECT_EQ(address_of(none), 0U);
  EXPECT_NE(address_of(one), 0U);
  Invocation call("address_of");
  call.Input(none).Output(address);
  EXPECT_EQ(Status(call), 0);
  EXPECT_NE(address[0], 0U);
}

TEST_F(ToyHost, WrongTypesAreNamed) {
  Invocation call("status");
  const auto reply = host_.Call(call.Scalar(1.0));
  ASSERT_FALSE(reply.has_value());
  EXPECT_EQ(reply.error().verdict, Verdict::kRejected);
  EXPECT_EQ(reply.error().detail, "its status takes (i32), and is called with (f64)");
}

TEST_F(ToyHost, SavedTensorsArriveWhole) {
  SavedTensors saved;
  Invocation call("save_numbers");
  EXPECT_EQ(Status(call.Scalar(std::size_t{3}).Scalar(std::size_t{5}).Save(&saved)), 3);
  ASSERT_EQ(saved.size(), 3u);
  EXPECT_EQ(saved[2].name, "t2");
  ASSERT_EQ(saved[2].data.size(), 5 * sizeof(float));
  float last = 0;
  std::memcpy(&last, saved[2].data.data() + 4 * sizeof(float), sizeof last);
  EXPECT_EQ(last, 204.0f);
}

TEST_F(ToyHost, SaveStopsAtItsLimits) {
  const std::size_t five = 5;
  const auto saves = [&](std::size_t tensors, SaveLimits limits) {
    SavedTensors saved;
    Invocation call("save_numbers");
    const int got = Status(call.Scalar(tensors).Scalar(five).Save(&saved, limits));
    EXPECT_EQ(saved.size(), static_cast<std::size_t>(got));
    return got;
  };
  EXPECT_EQ(saves(10, {.tensors = 4}), 4);
  EXPECT_EQ(saves(10, {.bytes = 7 * five * sizeof(float)}), 7);
  EXPECT_EQ(saves(100, {}), 64);
}

TEST_F(ToyHost, SaveRefusesBadNames) {
  SavedTensors saved;
  Invocation call("save_twice");
  EXPECT_EQ(Status(call.Save(&saved)), 1 + 8);
}

/// A context is one of two, each for two calls: none, and one of another call, give no memory.
TEST_F(ToyHost, SaveGivesNothingForAnotherContext) {
  const auto given = [&] {
    SavedTensors saved;
    Invocation call("save_with_contexts");
    return Status(call.Save(&saved));
  };
  constexpr int kOwn = 1;
  constexpr int kOfFirst = 4;
  constexpr int kOfBefore = 8;
  std::vector<int> calls(5);
  std::ranges::generate(calls, given);
  EXPECT_THAT(calls, ElementsAre(kOwn + kOfFirst + kOfBefore, kOwn, kOwn + kOfBefore,
                                 kOwn + kOfFirst, kOwn + kOfFirst + kOfBefore));
}

TEST_F(ToyHost, NothingCanBeSavedWhereNobodyTakesIt) {
  Invocation call("save_numbers");
  EXPECT_EQ(Status(call.Scalar(std::size_t{1}).Scalar(std::size_t{1}).Save(nullptr)), 0);
}

TEST_F(ToyHost, LoadFindsWhatAnotherHostSaved) {
  SavedTensors saved;
  Invocation save("save_numbers");
  EXPECT_EQ(Status(save.Scalar(std::size_t{2}).Scalar(std::size_t{4}).Save(&saved)), 2);
  Host other = StartHost(OptionsFor("toy"));
  std::vector<double> sum(1);
  Invocation load("load_numbers");
  const auto reply = other.Call(load.Load(saved).Output(sum));
  ASSERT_TRUE(reply.has_value()) << reply.error().detail;
  EXPECT_EQ(reply->status, 0);
  EXPECT_EQ(sum[0], 0 + 1 + 2 + 3);
}

TEST_F(ToyHost, LoadOfAnUnknownNameIsNull) {
  const SavedTensors nothing;
  std::vector<double> sum(1);
  Invocation load("load_numbers");
  EXPECT_EQ(Status(load.Load(nothing).Output(sum)), 1);
}

TEST_F(ToyHost, UpcallIsAnsweredHere) {
  std::vector<double> values = {2, 3};
  std::vector<std::uint32_t> ids;
  Invocation call("square");
  call.Scalar(values.size()).Scalar(2u).InOut(values).OnUpcall([&](const UpcallRequest& upcall) {
    ids.push_back(upcall.id);
    EXPECT_EQ(upcall.Input<double>(1)[0], 1.0);
    const auto in = upcall.Input<double>(0);
    std::ranges::transform(in, upcall.Output<double>(0).begin(), [](double v) { return v * v; });
    return 0;
  });
  EXPECT_EQ(Status(call), 0);
  EXPECT_THAT(values, ElementsAre(16, 81));
  EXPECT_THAT(ids, ElementsAre(7, 7));
}

TEST_F(ToyHost, UpcallStatusReachesTheHost) {
  std::vector<double> values = {2};
  Invocation call("square");
  call.Scalar(values.size()).Scalar(5u).InOut(values).OnUpcall([](const UpcallRequest&) {
    return 42;
  });
  EXPECT_EQ(Status(call), 42);
}

TEST_F(ToyHost, HandlerThatThrowsEndsTheHostAndTheExceptionGoesOn) {
  std::vector<double> values = {2};
  Invocation call("square");
  call.Scalar(values.size()).Scalar(1u).InOut(values).OnUpcall([](const UpcallRequest&) -> int {
    throw std::runtime_error("enough");
  });
  EXPECT_THROW(Status(call), std::runtime_error);
  EXPECT_FALSE(host_.alive());
}

TEST_F(ToyHost, ElapsedHoldsTheCallAndNotTheHandler) {
  Invocation sleep("sleep");
  const auto slept = host_.Call(sleep.Scalar(30u));
  ASSERT_TRUE(slept.has_value());
  EXPECT_GE(slept->elapsed, std::chrono::milliseconds(30));
}

TEST_F(ToyHost, ManyShapesOneAfterTheOther) {
  for (std::size_t count = 0; count < 200; ++count) {
    std::vector<float> in(count * 7 % 3000, 1.5f);
    std::vector<float> out(in.size());
    Invocation call("double_f32");
    ASSERT_EQ(Status(call.Scalar(in.size()).Input(in).Output(out)), 0);
    ASSERT_THAT(out, testing::Each(3.0f));
  }
}

TEST_F(ToyHost, ThreadThatSleepsIsIdle) {
  Invocation call("start_sleeper");
  EXPECT_EQ(Status(call.Scalar(60'000u)), 0);
  EXPECT_TRUE(host_.CheckIdle().has_value());
  EXPECT_EQ(Status(call), 0);
}

// Threads of a host that go on while its next inputs are written could begin to work on them before
// the clock runs.
TEST_F(ToyHost, StandsStillUntilTheNextMessage) {
  const auto ticks = [this] {
    std::vector<std::uint64_t> count(1);
    Invocation call("ticks");
    EXPECT_EQ(Status(call.Output(count)), 0);
    return count.front();
  };
  const auto pass = [](std::chrono::milliseconds time) { std::this_thread::sleep_for(time); };
  std::uint64_t before = ticks();
  std::uint64_t moving = 0;
  auto needed = std::chrono::milliseconds(20);
  for (; moving < 20; needed *= 2) {  // A busy machine gives it less.
    pass(needed);
    moving = ticks() - before;
  }
  before = ticks();
  host_.StandStill();
  pass(needed);
  EXPECT_LT(ticks() - before, moving / 2);
}

TEST_F(ToyHost, PrivateBytesAreWhatItKeeps) {
  constexpr std::uint64_t kKept_bytes = 32 << 20;
  const std::int64_t before = host_.PrivateBytes();
  EXPECT_GT(before, 0);
  Invocation keep("keep");
  EXPECT_EQ(Status(keep.Scalar(kKept_bytes)), 0);
  EXPECT_NEAR(static_cast<double>(host_.PrivateBytes() - before), kKept_bytes, 2 << 20);
  Invocation drop("keep");
  EXPECT_EQ(Status(drop.Scalar(std::uint64_t{0})), 0);
  EXPECT_NEAR(static_cast<double>(host_.PrivateBytes() - before), 0, 2 << 20);
}

/// Else what was freed there would hide what thousands of calls keep.
TEST_F(ToyHost, GivesBackWhatWasFreedWhenAsked) {
  constexpr std::uint64_t kBlocks = 32 << 10;
  const std::int64_t before = host_.PrivateBytes();
  Invocation free_most("free_all_but_the_last");
  EXPECT_EQ(Status(free_most.Scalar(kBlocks)), 0);
  EXPECT_GT(host_.PrivateBytes() - before, 30 << 20);
  EXPECT_EQ(Status(Invocation(wire::kTrimName)), 0);
  EXPECT_LT(host_.PrivateBytes() - before, 2 << 20);
}

TEST_F(ToyHost, BuffersOfCallsAreNotPrivateBytes) {
  const std::int64_t before = host_.PrivateBytes();
  std::vector<float> in(4 << 20, 1.0f);
  std::vector<float> out(in.size());
  Invocation call("double_f32");
  EXPECT_EQ(Status(call.Scalar(in.size()).Input(in).Output(out)), 0);
  EXPECT_LT(host_.PrivateBytes() - before, 2 << 20);
}

TEST_F(ToyHost, StopsInOrder) {
  EXPECT_TRUE(host_.Stop().has_value());
  EXPECT_FALSE(host_.alive());
  Invocation call("status");
  EXPECT_FALSE(host_.Call(call.Scalar(1)).has_value());
}

TEST_F(ToyHost, EmptyRoundTripsAreMeasured) {
  const auto trip = host_.MeasureRoundTrip(1000);
  ASSERT_TRUE(trip.has_value());
  EXPECT_GT(trip->median.count(), 0);
  EXPECT_GE(trip->p99, trip->median);
}

TEST_F(ToyHost, PreparedCallsUseFreshInputsInTurn) {
  std::vector<float> in(2000);
  std::vector<float> out(in.size());
  Invocation call("double_f32");
  call.Scalar(in.size()).Input(in).Output(out).Place(Placement::kAligned);
  auto prepared = host_.Prepare(call, 3);
  ASSERT_TRUE(prepared.has_value()) << prepared.error().detail;
  Host moved = std::move(host_);  // A prepared call follows its host.
  for (int i = 0; i < 10; ++i) {
    std::iota(in.begin(), in.end(), static_cast<float>(i));
    ASSERT_TRUE(prepared->Fill().has_value());
    const auto reply = prepared->Run();
    ASSERT_TRUE(reply.has_value()) << reply.error().detail;
    EXPECT_EQ(out[1999], 2.0f * static_cast<float>(1999 + i));
  }
}

TEST_F(ToyHost, PreparedCallSurvivesAnotherCallInBetween) {
  std::vector<float> in(100, 1.0f);
  std::vector<float> out(in.size());
  Invocation call("double_f32");
  call.Scalar(in.size()).Input(in).Output(out);
  auto prepared = host_.Prepare(call, 2);
  ASSERT_TRUE(prepared.has_value());
  std::vector<double> values = {1};
  Invocation other("increment");
  EXPECT_EQ(Status(other.Scalar(values.size()).InOut(values)), 0);
  ASSERT_TRUE(prepared->Fill().has_value());
  ASSERT_TRUE(prepared->Run().has_value());
  EXPECT_THAT(out, testing::Each(2.0f));
}

TEST_F(ToyHost, PreparedCallRunsOncePerFill) {
  Invocation call("status");
  call.Scalar(3);
  auto prepared = host_.Prepare(call, 1);
  ASSERT_TRUE(prepared.has_value());
  EXPECT_FALSE(prepared->Run().has_value());
  ASSERT_TRUE(prepared->Fill().has_value());
  EXPECT_TRUE(prepared->Run().has_value());
  EXPECT_FALSE(prepared->Run().has_value());
}

TEST_F(ToyHost, CallBeyondTheArenasIsOurFault) {
  std::vector<std::uint8_t> nothing;
  Invocation call("double_u8");
  call.Scalar(std::size_t{0})
      .Input(std::span<const std::uint8_t>(nothing.data(), wire::kArenaBytes))
      .Output(nothing);
  const auto reply = host_.Call(call);
  ASSERT_FALSE(reply.has_value());
  EXPECT_EQ(reply.error().verdict, Verdict::kJudgeError);
  EXPECT_TRUE(host_.alive());
}

TEST(HostStart, ExecutableThatIsMissingIsOurFault) {
  const auto host = Host::Start(OptionsFor("no_such_host"));
  ASSERT_FALSE(host.has_value());
  EXPECT_EQ(host.error().verdict, Verdict::kJudgeError);
}

TEST(HostPool, ReusesLivingHostsAndReplacesDeadOnes) {
  HostPool pool(OptionsFor("toy"));
  const auto forward = pool.Get("forward");
  ASSERT_TRUE(forward.has_value());
  const auto backward = pool.Get("backward");
  ASSERT_TRUE(backward.has_value());
  EXPECT_NE(*forward, *backward);
  EXPECT_EQ(*pool.Get("forward"), *forward);
  ASSERT_TRUE((*forward)->Stop().has_value());
  const auto fresh = pool.Get("forward");
  ASSERT_TRUE(fresh.has_value());
  EXPECT_TRUE((*fresh)->alive());
}

}  // namespace
}  // namespace assay
