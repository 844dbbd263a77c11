// SPDX-License-Identifier: Apache-2.0
#include "client/paired_series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace assay {
namespace {

using std::chrono::nanoseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// Hosts without processes: a clock that says what the test wants, and a log of who was called.
class FakeHosts : public TimedHosts {
 public:
  FakeHosts(char name, std::string* log) : name_(name), log_(log) {}

  void Call(std::string_view, const Invocation&) override { Act(); }
  void CallTimed(std::string_view, const Invocation&) override {
    Act();
    *log_ += name_;
    untimed_ += nanoseconds(untimed_ns);
    elapsed_ = {
        .raw = nanoseconds(time_ns), .net = nanoseconds(time_ns), .waking = nanoseconds(waking_ns)};
  }
  bool Has(std::string_view) override { return has; }
  std::optional<Elapsed> TakeElapsed() override { return std::exchange(elapsed_, std::nullopt); }
  nanoseconds TakeUntimed() override { return std::exchange(untimed_, nanoseconds(0)); }
  void SetUnsupportedStatus(std::optional<int> status) override { unsupported_status = status; }
  void Renew() override { ++renewed; }

  std::int64_t time_ns = 1000;
  std::int64_t untimed_ns = 10'000;
  std::int64_t waking_ns = 50;
  bool has = true;
  std::optional<BenchCallFailed> failure;
  std::optional<int> unsupported_status;
  int renewed = 0;

 private:
  void Act() const {
    if (failure) {
      throw BenchCallFailed(*failure);
    }
  }
  char name_;
  std::string* log_;
  std::optional<Elapsed> elapsed_;
  nanoseconds untimed_{0};
};

class PairedSeriesTest : public testing::Test {
 protected:
  /// A workload that calls once and finds what `wrong_` says.
  class OneCall : public Workload {
   public:
    explicit OneCall(PairedSeriesTest& test) : test_(test) { ++test_.alive_; }
    ~OneCall() override { --test_.alive_; }
    void MakeInput(std::mt19937_64& random) override { test_.inputs_.push_back(random()); }
    void Run(Side, BenchHosts& hosts) override {
      if (test_.calls_) {
        hosts.CallTimed("forward", Invocation("scale"));
      }
    }
    std::string Check() override { return test_.wrong_; }

   private:
    PairedSeriesTest& test_;
  };

  PairedSeries MakeSeries(SeriesRules rules = {}, std::uint64_t seed = 1) {
    WorkloadDescription description;
    description.name = "scale/10";
    description.operation = "scale";
    description.unsupported_status = 2;
    description.shown_by = {"int8"};
    description.least_bytes = 4000;
    description.make = [this] { return std::make_unique<OneCall>(*this); };
    return {description, submission_, baseline_, rules, seed};
  }

  static void TakeBlock(PairedSeries& series, int pairs) {
    series.BeginBlock();
    for (int i = 0; i < pairs; ++i) {
      series.TakePair();
    }
    series.EndBlock();
  }
  static void TakeBlocks(PairedSeries& series, int count) {
    for (int i = 0; i < count; ++i) {
      TakeBlock(series, 1);
    }
  }

  std::string log_;
  FakeHosts submission_{'s', &log_};
  FakeHosts baseline_{'b', &log_};
  std::string wrong_;
  bool calls_ = true;
  std::vector<std::uint64_t> inputs_;
  int alive_ = 0;
};

TEST_F(PairedSeriesTest, SubmissionThatTakesTwiceAsLongHasRatioTwo) {
  submission_.time_ns = 2000;
  PairedSeries series = MakeSeries();
  TakeBlocks(series, 9);
  const WorkloadEvidence evidence = series.Evidence(0);
  EXPECT_EQ(evidence.verdict, Verdict::kAccepted);
  EXPECT_NEAR(evidence.ratio, 2, 1e-12);  // With the sides exchanged it would be 0.5.
  EXPECT_THAT(evidence.blocks, SizeIs(9));
  EXPECT_THAT(evidence.blocks.front().pairs,
              ElementsAre(TimePair{.submission_ns = 2000, .baseline_ns = 1000}));
}

// A host that worked on its inputs in the empty calls before its clock was measured at a third.
TEST_F(PairedSeriesTest, WakingLongerThanTheBaselineCountsAsWork) {
  submission_.waking_ns = 3050;
  PairedSeries series = MakeSeries();
  TakeBlock(series, 1);
  EXPECT_THAT(series.blocks().front().pairs,
              ElementsAre(TimePair{.submission_ns = 4000, .baseline_ns = 1000}));
}

TEST_F(PairedSeriesTest, WakingFasterThanTheBaselineEarnsNothing) {
  submission_.waking_ns = 10;
  PairedSeries series = MakeSeries();
  TakeBlock(series, 1);
  EXPECT_THAT(series.blocks().front().pairs,
              ElementsAre(TimePair{.submission_ns = 1000, .baseline_ns = 1000}));
}

TEST_F(PairedSeriesTest, SidesTakeTurnsInGoingFirst) {
  PairedSeries series = MakeSeries();
  TakeBlock(series, 3);
  EXPECT_THAT(log_.substr(2), testing::AnyOf("sbbssb", "bssbbs"));  // The first does not count.
  EXPECT_THAT(series.blocks().front().pairs, SizeIs(3));
}

// Two copies of one program differ by where they lie in memory: the bench whose hosts lived on
// found the baseline 10 % faster than itself.
TEST_F(PairedSeriesTest, EachBlockHasFreshHostsOnBothSides) {
  PairedSeries series = MakeSeries();
  TakeBlock(series, 3);
  TakeBlock(series, 3);
  EXPECT_EQ(submission_.renewed, 2);
  EXPECT_EQ(baseline_.renewed, 2);
}

TEST_F(PairedSeriesTest, WhichSideTouchesMemoryFirstIsDrawnByLot) {
  PairedSeries series = MakeSeries();
  std::set<char> first;
  for (int i = 0; i < 20; ++i) {
    log_.clear();
    TakeBlock(series, 1);
    first.insert(log_.front());
  }
  EXPECT_THAT(first, SizeIs(2));
}

TEST_F(PairedSeriesTest, EveryPairHasAFreshInput) {
  PairedSeries series = MakeSeries();
  TakeBlock(series, 2);
  TakeBlock(series, 2);
  EXPECT_THAT(inputs_, SizeIs(6));
  EXPECT_EQ(std::set<std::uint64_t>(inputs_.begin(), inputs_.end()).size(), 6U);
}

TEST_F(PairedSeriesTest, SameSeedGivesSameInputs) {
  PairedSeries first = MakeSeries({}, 7);
  TakeBlock(first, 3);
  const auto inputs = std::exchange(inputs_, {});
  PairedSeries second = MakeSeries({}, 7);
  TakeBlock(second, 3);
  EXPECT_EQ(inputs_, inputs);
}

TEST_F(PairedSeriesTest, WorkloadLivesForABlockOnly) {
  PairedSeries series = MakeSeries();
  series.BeginBlock();
  EXPECT_EQ(alive_, 1);
  series.EndBlock();
  EXPECT_EQ(alive_, 0);
  EXPECT_EQ(series.TakePair(), std::nullopt);
}

TEST_F(PairedSeriesTest, WrongTimedOutputVoidsAllTimes) {
  PairedSeries series = MakeSeries();
  TakeBlock(series, 4);
  wrong_ = "dx: element 3 was never written";
  TakeBlock(series, 4);
  wrong_ = "";
  TakeBlock(series, 4);
  const WorkloadEvidence evidence = series.Evidence(1e9);
  EXPECT_EQ(evidence.verdict, Verdict::kWrongAnswer);
  EXPECT_THAT(evidence.detail, HasSubstr("element 3 was never written"));
  EXPECT_THAT(evidence.blocks, IsEmpty());
  EXPECT_EQ(evidence.ratio, 0);
}

TEST_F(PairedSeriesTest, WrongWarmUpOutputCountsToo) {
  wrong_ = "wrong";
  PairedSeries series = MakeSeries();
  series.BeginBlock();
  EXPECT_TRUE(series.failed());
}

TEST_F(PairedSeriesTest, FailureOfTheSubmissionIsItsVerdict) {
  submission_.failure.emplace(Verdict::kTimeLimit, "no reply after 10 s");
  PairedSeries series = MakeSeries();
  TakeBlock(series, 4);
  EXPECT_EQ(series.Evidence(0).verdict, Verdict::kTimeLimit);
  EXPECT_EQ(series.Evidence(0).detail, "no reply after 10 s");
}

TEST_F(PairedSeriesTest, FailureOfTheBaselineIsNeverTheSubmissions) {
  baseline_.failure.emplace(Verdict::kWrongAnswer, "scale returned 3 instead of 0");
  PairedSeries series = MakeSeries();
  TakeBlock(series, 4);
  EXPECT_EQ(series.Evidence(0).verdict, Verdict::kJudgeError);
  EXPECT_THAT(series.Evidence(0).detail, HasSubstr("baseline: scale returned 3"));
}

TEST_F(PairedSeriesTest, MissingEntryPointSkipsTheWorkload) {
  submission_.has = false;
  PairedSeries series = MakeSeries();
  TakeBlock(series, 4);
  EXPECT_EQ(series.Evidence(0).verdict, Verdict::kSkipped);
  EXPECT_EQ(series.Evidence(0).detail, "entry point scale is not implemented");
  EXPECT_THAT(log_, IsEmpty());
}

// A row from which a submission may slip away by declining says what it declined.
TEST_F(PairedSeriesTest, EvidenceSaysWhatWasRefusedAndWhereItWouldShow) {
  submission_.failure.emplace(SkipCause::kRefused, "scale says it is not supported");
  PairedSeries series = MakeSeries();
  TakeBlock(series, 1);
  const WorkloadEvidence evidence = series.Evidence(0);
  EXPECT_EQ(evidence.skip_cause, SkipCause::kRefused);
  EXPECT_TRUE(evidence.refused);
  EXPECT_EQ(evidence.operation, "scale");
  EXPECT_THAT(evidence.shown_by, ElementsAre("int8"));
  submission_.failure.reset();
  submission_.has = false;
  PairedSeries missing = MakeSeries();
  TakeBlock(missing, 1);
  EXPECT_TRUE(missing.Evidence(0).refused);
  EXPECT_EQ(missing.Evidence(0).skip_cause, SkipCause::kNotOffered);
  EXPECT_EQ(MakeSeries().Evidence(0).skip_cause, SkipCause::kNotAsked);
  EXPECT_FALSE(MakeSeries().Evidence(0).refused);  // Not its doing: no time was left.
}

// Sleep in calls that are not timed left one block, and a row that nobody could win.
TEST_F(PairedSeriesTest, UntimedTimeBeyondTheBaselinesIsCharged) {
  submission_.untimed_ns = 50'000;
  submission_.time_ns = 1500;
  PairedSeries series = MakeSeries({.untimed_limit = nanoseconds(120'000)});
  TakeBlock(series, 2);  // Three pairs.
  EXPECT_EQ(series.UntimedExcess(), nanoseconds(120'000));
  EXPECT_EQ(series.TimedExcess(), nanoseconds(1500));
  EXPECT_FALSE(series.failed());
  TakeBlock(series, 1);
  EXPECT_EQ(series.Evidence(0).verdict, Verdict::kTimeLimit);
  EXPECT_THAT(series.Evidence(0).detail, HasSubstr("that are not timed took"));
}

// A busy machine makes some calls slow: that is nobody's fault.
TEST_F(PairedSeriesTest, UntimedTimeLikeTheBaselinesIsNeverTooLong) {
  submission_.untimed_ns = 30'000;
  PairedSeries series = MakeSeries({.untimed_limit = nanoseconds(1)});
  TakeBlock(series, 3);
  EXPECT_FALSE(series.failed());
}

TEST_F(PairedSeriesTest, UntimedTimeBelowTheBaselinesEarnsNothing) {
  submission_.untimed_ns = 1000;
  submission_.time_ns = 500;
  PairedSeries series = MakeSeries();
  TakeBlock(series, 3);
  EXPECT_EQ(series.UntimedExcess(), nanoseconds(0));
  EXPECT_EQ(series.TimedExcess(), nanoseconds(0));
}

TEST_F(PairedSeriesTest, EntryPointMissingInTheBaselineIsOurFault) {
  baseline_.has = false;
  submission_.has = false;
  PairedSeries series = MakeSeries();
  TakeBlock(series, 4);
  EXPECT_EQ(series.Evidence(0).verdict, Verdict::kJudgeError);
}

TEST_F(PairedSeriesTest, OnlyTheSubmissionMayDecline) {
  PairedSeries series = MakeSeries();
  TakeBlock(series, 1);
  EXPECT_EQ(submission_.unsupported_status, 2);
  EXPECT_EQ(baseline_.unsupported_status, std::nullopt);
}

TEST_F(PairedSeriesTest, WorkloadThatTimesNothingIsAFaultOfTheBench) {
  calls_ = false;
  PairedSeries series = MakeSeries();
  EXPECT_THROW(series.BeginBlock(), std::logic_error);
}

TEST_F(PairedSeriesTest, FasterThanMemoryIsRejected) {
  // 4000 bytes in 1000 ns are 4e9 bytes a second.
  PairedSeries possible = MakeSeries({.impossible_bytes_per_second = 4e9});
  TakeBlock(possible, 1);
  EXPECT_FALSE(possible.failed());
  PairedSeries impossible = MakeSeries({.impossible_bytes_per_second = 3.9e9});
  TakeBlock(impossible, 1);
  EXPECT_EQ(impossible.Evidence(0).verdict, Verdict::kRejected);
  EXPECT_THAT(impossible.Evidence(0).detail, HasSubstr("faster than memory"));
}

TEST_F(PairedSeriesTest, EqualTimesArePreciseAtTheLeastNumberOfBlocks) {
  PairedSeries series = MakeSeries();
  TakeBlocks(series, 8);
  EXPECT_FALSE(series.HasLeastBlocks());
  EXPECT_FALSE(series.HasEnoughBlocks());
  TakeBlocks(series, 1);
  EXPECT_TRUE(series.HasLeastBlocks());
  EXPECT_TRUE(series.HasEnoughBlocks());
}

TEST_F(PairedSeriesTest, NoisyTimesGoOnToTheMostBlocks) {
  PairedSeries series = MakeSeries();
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(series.HasEnoughBlocks()) << i;
    submission_.time_ns = 1000 + 400 * (i % 2);
    TakeBlocks(series, 1);
  }
  EXPECT_TRUE(series.HasEnoughBlocks());
}

TEST_F(PairedSeriesTest, ShareOfBandwidthComesFromTheMedianTime) {
  PairedSeries series = MakeSeries();
  TakeBlocks(series, 9);
  EXPECT_DOUBLE_EQ(series.Evidence(16e9).share_of_bandwidth, 0.25);  // 4e9 of 16e9 bytes a second.
}

TEST_F(PairedSeriesTest, WithoutAPairItIsSkipped) {
  PairedSeries series = MakeSeries();
  EXPECT_EQ(series.Evidence(1e9).verdict, Verdict::kSkipped);
}

}  // namespace
}  // namespace assay
