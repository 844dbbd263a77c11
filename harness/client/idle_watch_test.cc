// SPDX-License-Identifier: Apache-2.0
#include "client/idle_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace assay {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr microseconds kSpin(50);
constexpr milliseconds kTick(4);
constexpr milliseconds kCall(1);
constexpr milliseconds kPause(100);
constexpr microseconds kWakeUps(100);  // What a pause allows for them.

/// A host and its exact CPU time. Each call takes kCall and is followed by a pause.
class TimedHost {
 public:
  explicit TimedHost(int processors = 1) : watch_(kSpin, processors, kTick) {
    EXPECT_FALSE(watch_.Judge(cpu_, now_));
  }

  /// A call in which the host works for `work`, and for `after` when it has replied. `lag` is what
  /// the reading before the next call lacks.
  bool Passes(IdleWatch::Nanoseconds work, IdleWatch::Nanoseconds after,
              IdleWatch::Nanoseconds lag = IdleWatch::Nanoseconds(0)) {
    watch_.Answered(kCall, now_ += kCall);
    cpu_ += work + after;
    said_ = watch_.Judge(cpu_ - lag, now_ += kPause);
    return !said_;
  }
  /// How many of `count` such calls pass before one does not.
  int CallsThatPass(int count, IdleWatch::Nanoseconds work, IdleWatch::Nanoseconds after) {
    for (int i = 0; i < count; ++i) {
      if (!Passes(work, after)) {
        return i;
      }
    }
    return count;
  }
  [[nodiscard]] std::string said() const { return said_.value_or(""); }

 private:
  IdleWatch watch_;
  IdleWatch::Nanoseconds cpu_ = seconds(1);
  IdleWatch::Nanoseconds now_ = seconds(1);
  std::optional<std::string> said_;
};

/// Uses up what a host may carry over, so that a test sees each excess whole.
void SpendTheTick(TimedHost* host) { EXPECT_TRUE(host->Passes(kCall, kSpin + kWakeUps + kTick)); }

TEST(IdleWatch, HostThatWorksSpinsAndSleepsIsIdle) {
  TimedHost host;
  EXPECT_EQ(host.CallsThatPass(100, kCall, kSpin + microseconds(100)), 100);
}

TEST(IdleWatch, ReadingThatLagsByLessThanATickAccusesNobody) {
  TimedHost host;
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(host.Passes(kCall, kSpin, i % 2 == 0 ? microseconds(3900) : microseconds(0))) << i;
  }
}

TEST(IdleWatch, LargeExcessIsJudgedAtOnce) {
  TimedHost host;
  EXPECT_FALSE(host.Passes(kCall, milliseconds(30)));
}

TEST(IdleWatch, OneSmallExcessIsForgiven) {
  TimedHost host;
  SpendTheTick(&host);
  EXPECT_TRUE(host.Passes(kCall, milliseconds(5)));
  EXPECT_EQ(host.CallsThatPass(100, kCall, microseconds(10)), 100);
}

TEST(IdleWatch, SmallExcessesThatAreTheRuleAreJudged) {
  TimedHost host;
  SpendTheTick(&host);
  EXPECT_EQ(host.CallsThatPass(100, kCall, milliseconds(1)), 4);
}

TEST(IdleWatch, WhatCarriesOverIsATickAndNoMore) {
  TimedHost host;
  // Half of each call is not used, again and again ...
  EXPECT_EQ(host.CallsThatPass(1000, kCall / 2, microseconds(0)), 1000);
  // ... which does not pay for a large excess.
  EXPECT_FALSE(host.Passes(kCall, milliseconds(25)));
}

TEST(IdleWatch, RareSmallExcessesAreForgiven) {
  TimedHost host;
  SpendTheTick(&host);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(host.CallsThatPass(9, kCall, kSpin + kWakeUps), 9);
    EXPECT_TRUE(host.Passes(kCall, milliseconds(1)));
  }
}

TEST(IdleWatch, OnTwoProcessorsACallMayTakeTwiceItsTime) {
  TimedHost one;
  SpendTheTick(&one);
  EXPECT_LT(one.CallsThatPass(100, 2 * kCall, kSpin), 100);
  TimedHost two(2);
  EXPECT_EQ(two.CallsThatPass(100, 2 * kCall, kSpin), 100);
}

TEST(IdleWatch, WakingUpNowAndThenIsIdle) {
  IdleWatch watch(kSpin, 1, kTick);
  EXPECT_FALSE(watch.Judge(seconds(1), seconds(1)));
  watch.Answered(kCall, seconds(2));
  EXPECT_FALSE(watch.Judge(seconds(1) + milliseconds(90), seconds(102)));
}

TEST(IdleWatch, WithoutAnAnswerThereIsNothingToJudge) {
  IdleWatch watch(kSpin, 1, kTick);
  EXPECT_FALSE(watch.Judge(seconds(5), seconds(5)));
  EXPECT_FALSE(watch.Judge(seconds(9), seconds(9)));
}

TEST(IdleWatch, SaysHowMuchWasBurnt) {
  TimedHost host;
  SpendTheTick(&host);
  EXPECT_FALSE(host.Passes(kCall, kSpin + kWakeUps + IdleWatch::kSlack + milliseconds(30)));
  EXPECT_EQ(host.said(),
            "work left running after its reply: 30.000 ms of CPU time more than its calls can have "
            "taken, in the 100.000 ms after it");
}

using Finding = IdleLooks::Finding;
using Threads = IdleLooks::Threads;

TEST(IdleLooks, HostThatSleepsIsIdleAtTheFirst) {
  IdleLooks looks;
  EXPECT_EQ(looks.next(), IdleLooks::kFirst);
  EXPECT_EQ(looks.Add(microseconds(100), Threads::kAsleep), Finding::kIdle);
}

TEST(IdleLooks, HostThatWorksIsToldWithinASecond) {
  IdleLooks looks;
  for (int i = 1; i < IdleLooks::kMostAtWork; ++i) {
    EXPECT_EQ(looks.Add(looks.next() / 2, Threads::kRunnable), Finding::kInDoubt);
  }
  EXPECT_EQ(looks.Add(looks.next() / 2, Threads::kAsleep), Finding::kWorking);
  EXPECT_LT(looks.looked(), seconds(1));
  EXPECT_EQ(looks.used(), looks.looked() / 2);
}

// Was rejected for work left running, after 72 ms in which a busy machine did not let it run at
// all.
TEST(IdleLooks, HostThatGetsNoProcessorIsWaitedFor) {
  IdleLooks looks;
  while (looks.looked() < milliseconds(900)) {
    EXPECT_EQ(looks.Add(microseconds(0), Threads::kRunnable), Finding::kInDoubt);
  }
  EXPECT_EQ(looks.Add(microseconds(10), Threads::kAsleep), Finding::kIdle);
}

TEST(IdleLooks, HostThatNeverSleepsIsAtWorkInTheEnd) {
  IdleLooks looks;
  Finding finding = Finding::kInDoubt;
  while (looks.looked() < IdleLooks::kLongest) {
    EXPECT_EQ(finding, Finding::kInDoubt);
    finding = looks.Add(microseconds(0), Threads::kRunnable);
  }
  EXPECT_EQ(finding, Finding::kWorking);
}

TEST(TimerTick, IsBetweenTheFastestAndTheSlowestKernels) {
  EXPECT_GE(TimerTick(), microseconds(500));
  EXPECT_LE(TimerTick(), milliseconds(10));
}

}  // namespace
}  // namespace assay
