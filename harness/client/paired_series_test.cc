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
    elapsed_ = {.raw = nanoseconds(time_ns), .net = nanoseconds(time_ns)};
  }
  bool Has(std::string_view) override { return has; }
  std::optional<Elapsed> TakeElapsed() override { return std::exchange(elapsed_, std::nullopt); }
  void SetUnsupportedStatus(std::optional<int> status) override { unsupported_status = status; }

  std::int64_t time_ns = 1000;
  bool has = true;
  std::optional<BenchCallFailed> failure;
  std::optional<int> unsupported_status;

 private:
  void Act() const {
    if (failure) {
      throw BenchCallFailed(*failure);
    }
  }
  char name_;
  std::string* log_;
  std::optional<Elapsed> elapsed_;
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
    description.least_bytes = 4000;
    description.make = [this] { return std::make_unique<OneCall>(*this); };
    return {description, submission_, baseline_, rules, seed};
  }

  static void TakePairs(PairedSeries& series, int count) {
    series.BeginBlock();
    for (int i = 0; i < count; ++i) {
      series.TakePair();
    }
    series.EndBlock();
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
  TakePairs(series, 15);
  const WorkloadEvidence evidence = series.Evidence(0);
  EXPECT_EQ(evidence.verdict, Verdict::kAccepted);
  EXPECT_NEAR(evidence.ratio, 2, 1e-12);  // With the sides exchanged it would be 0.5.
  EXPECT_EQ(evidence.pairs.front(), (TimePair{.submission_ns = 2000, .baseline_ns = 1000}));
}

TEST_F(PairedSeriesTest, SidesTakeTurnsInGoingFirst) {
  PairedSeries series = MakeSeries();
  TakePairs(series, 3);
  EXPECT_THAT(log_, testing::AnyOf("sbbssbbs", "bssbbssb"));  // The first pair does not count.
  EXPECT_THAT(series.pairs(), SizeIs(3));
}

TEST_F(PairedSeriesTest, EveryPairHasAFreshInput) {
  PairedSeries series = MakeSeries();
  TakePairs(series, 2);
  TakePairs(series, 2);
  EXPECT_THAT(inputs_, SizeIs(5));
  EXPECT_EQ(std::set<std::uint64_t>(inputs_.begin(), inputs_.end()).size(), 5U);
}

TEST_F(PairedSeriesTest, SameSeedGivesSameInputs) {
  PairedSeries first = MakeSeries({}, 7);
  TakePairs(first, 3);
  const auto inputs = std::exchange(inputs_, {});
  PairedSeries second = MakeSeries({}, 7);
  TakePairs(second, 3);
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
  TakePairs(series, 4);
  wrong_ = "dx: element 3 was never written";
  TakePairs(series, 4);
  wrong_ = "";
  TakePairs(series, 4);
  const WorkloadEvidence evidence = series.Evidence(1e9);
  EXPECT_EQ(evidence.verdict, Verdict::kWrongAnswer);
  EXPECT_THAT(evidence.detail, HasSubstr("element 3 was never written"));
  EXPECT_THAT(evidence.pairs, IsEmpty());
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
  TakePairs(series, 4);
  EXPECT_EQ(series.Evidence(0).verdict, Verdict::kTimeLimit);
  EXPECT_EQ(series.Evidence(0).detail, "no reply after 10 s");
}

TEST_F(PairedSeriesTest, FailureOfTheBaselineIsNeverTheSubmissions) {
  baseline_.failure.emplace(Verdict::kWrongAnswer, "scale returned 3 instead of 0");
  PairedSeries series = MakeSeries();
  TakePairs(series, 4);
  EXPECT_EQ(series.Evidence(0).verdict, Verdict::kJudgeError);
  EXPECT_THAT(series.Evidence(0).detail, HasSubstr("baseline: scale returned 3"));
}

TEST_F(PairedSeriesTest, MissingEntryPointSkipsTheWorkload) {
  submission_.has = false;
  PairedSeries series = MakeSeries();
  TakePairs(series, 4);
  EXPECT_EQ(series.Evidence(0).verdict, Verdict::kSkipped);
  EXPECT_EQ(series.Evidence(0).detail, "entry point scale is not implemented");
  EXPECT_THAT(log_, IsEmpty());
}

TEST_F(PairedSeriesTest, EntryPointMissingInTheBaselineIsOurFault) {
  baseline_.has = false;
  submission_.has = false;
  PairedSeries series = MakeSeries();
  TakePairs(series, 4);
  EXPECT_EQ(series.Evidence(0).verdict, Verdict::kJudgeError);
}

TEST_F(PairedSeriesTest, OnlyTheSubmissionMayDecline) {
  PairedSeries series = MakeSeries();
  TakePairs(series, 1);
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
  TakePairs(possible, 1);
  EXPECT_FALSE(possible.failed());
  PairedSeries impossible = MakeSeries({.impossible_bytes_per_second = 3.9e9});
  TakePairs(impossible, 1);
  EXPECT_EQ(impossible.Evidence(0).verdict, Verdict::kRejected);
  EXPECT_THAT(impossible.Evidence(0).detail, HasSubstr("faster than memory"));
}

TEST_F(PairedSeriesTest, EqualTimesArePreciseAtTheLeastNumberOfPairs) {
  PairedSeries series = MakeSeries();
  TakePairs(series, 14);
  EXPECT_FALSE(series.HasLeastPairs());
  EXPECT_FALSE(series.HasEnoughPairs());
  TakePairs(series, 1);
  EXPECT_TRUE(series.HasLeastPairs());
  EXPECT_TRUE(series.HasEnoughPairs());
}

TEST_F(PairedSeriesTest, NoisyTimesGoOnToTheMostPairs) {
  PairedSeries series = MakeSeries();
  series.BeginBlock();
  for (int i = 0; i < 60; ++i) {
    EXPECT_FALSE(series.HasEnoughPairs()) << i;
    submission_.time_ns = 1000 + 400 * (i % 2);
    series.TakePair();
  }
  EXPECT_TRUE(series.HasEnoughPairs());
}

TEST_F(PairedSeriesTest, ShareOfBandwidthComesFromTheMedianTime) {
  PairedSeries series = MakeSeries();
  TakePairs(series, 15);
  EXPECT_DOUBLE_EQ(series.Evidence(16e9).share_of_bandwidth, 0.25);  // 4e9 of 16e9 bytes a second.
}

TEST_F(PairedSeriesTest, WithoutAPairItIsSkipped) {
  PairedSeries series = MakeSeries();
  EXPECT_EQ(series.Evidence(1e9).verdict, Verdict::kSkipped);
}

std::vector<TimePair> Pairs(int count, std::int64_t submission_ns, std::int64_t baseline_ns) {
  return std::vector<TimePair>(static_cast<std::size_t>(count),
                               {.submission_ns = submission_ns, .baseline_ns = baseline_ns});
}

TEST(FalseWinRate, EqualSidesNeverWin) { EXPECT_EQ(FalseWinRate(Pairs(60, 9, 9), 15, 0.02), 0); }

TEST(FalseWinRate, CountsGroupsThatExcludeEqualEitherWay) {
  std::vector<TimePair> pairs = Pairs(15, 1000, 1000);
  const auto slower = Pairs(15, 1100, 1000);
  const auto faster = Pairs(15, 1000, 1100);
  pairs.insert(pairs.end(), slower.begin(), slower.end());
  pairs.insert(pairs.end(), faster.begin(), faster.end());
  EXPECT_DOUBLE_EQ(FalseWinRate(pairs, 15, 0.02), 2.0 / 3);
}

TEST(FalseWinRate, DifferencesBelowTheMarginAreNoWins) {
  EXPECT_EQ(FalseWinRate(Pairs(15, 1010, 1000), 15, 0.02), 0);
  EXPECT_EQ(FalseWinRate(Pairs(15, 1010, 1000), 15, 0.001), 1);
}

TEST(FalseWinRate, TooFewPairsSayNothing) { EXPECT_EQ(FalseWinRate(Pairs(14, 9, 1), 15, 0), 0); }

}  // namespace
}  // namespace assay
