// SPDX-License-Identifier: Apache-2.0
#include "client/idle_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr microseconds kSpin(50);

/// A host that burns `cpu` in each of `count` intervals of 100 ms: how many pass.
int IntervalsUntilJudged(IdleWatch* watch, int count, IdleWatch::Nanoseconds cpu) {
  for (int i = 0; i < count; ++i) {
    watch->Replied(seconds(1), seconds(1));
    if (watch->Judge(seconds(1) + cpu, seconds(1) + milliseconds(100))) {
      return i;
    }
  }
  return count;
}

TEST(IdleWatch, HostThatSpinsAndSleepsIsIdle) {
  IdleWatch watch(kSpin);
  EXPECT_EQ(IntervalsUntilJudged(&watch, 100, kSpin + microseconds(100)), 100);
}

TEST(IdleWatch, LargeExcessIsJudgedAtOnce) {
  IdleWatch watch(kSpin);
  EXPECT_EQ(IntervalsUntilJudged(&watch, 1, milliseconds(30)), 0);
}

TEST(IdleWatch, OneSmallExcessIsForgiven) {
  IdleWatch watch(kSpin);
  EXPECT_EQ(IntervalsUntilJudged(&watch, 1, milliseconds(5)), 1);
  EXPECT_EQ(IntervalsUntilJudged(&watch, 100, microseconds(10)), 100);
}

TEST(IdleWatch, SmallExcessesThatAreTheRuleAreJudged) {
  IdleWatch watch(kSpin);
  EXPECT_EQ(IntervalsUntilJudged(&watch, 100, milliseconds(1)), 4);
}

TEST(IdleWatch, RareSmallExcessesAreForgiven) {
  IdleWatch watch(kSpin);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(IntervalsUntilJudged(&watch, 9, microseconds(10)), 9);
    EXPECT_EQ(IntervalsUntilJudged(&watch, 1, milliseconds(1)), 1);
  }
}

TEST(IdleWatch, WakingUpNowAndThenIsIdle) {
  IdleWatch watch(kSpin);
  watch.Replied(seconds(1), seconds(1));
  EXPECT_FALSE(watch.Judge(seconds(1) + milliseconds(1), seconds(101)).has_value());
}

TEST(IdleWatch, WithoutAReplyThereIsNothingToJudge) {
  IdleWatch watch(kSpin);
  EXPECT_FALSE(watch.Judge(seconds(5), seconds(5)).has_value());
  EXPECT_EQ(watch.Excess(seconds(5), seconds(5)).count(), 0);
}

TEST(IdleWatch, SaysHowMuchWasBurnt) {
  IdleWatch watch(kSpin);
  watch.Replied(milliseconds(0), milliseconds(0));
  EXPECT_EQ(watch.Judge(milliseconds(30), milliseconds(40)),
            "work left running after its reply: 30.000 ms of CPU time in 40.000 ms");
}

}  // namespace
}  // namespace assay
