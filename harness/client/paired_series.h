// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLIENT_PAIRED_SERIES_H_
#define ASSAY_CLIENT_PAIRED_SERIES_H_

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "client/paired_bench.h"
#include "evidence/evidence.h"
#include "evidence/verdict.h"

namespace assay {

/// Thrown by BenchHosts' calls to leave Workload::Run; caught by PairedSeries.
class BenchCallFailed : public std::exception {
 public:
  BenchCallFailed(Verdict verdict, std::string detail)
      : verdict_(verdict), detail_(std::move(detail)) {}
  /// Declined: skipped, for that cause.
  BenchCallFailed(SkipCause cause, std::string detail)
      : verdict_(Verdict::kSkipped), cause_(cause), detail_(std::move(detail)) {}
  [[nodiscard]] Verdict verdict() const { return verdict_; }
  [[nodiscard]] std::optional<SkipCause> skip_cause() const { return cause_; }
  [[nodiscard]] const char* what() const noexcept override { return detail_.c_str(); }

 private:
  Verdict verdict_;
  std::optional<SkipCause> cause_;
  std::string detail_;
};

/// One side's hosts and their clock.
class TimedHosts : public BenchHosts {
 public:
  struct Elapsed {
    std::chrono::nanoseconds raw{0};  ///< As measured: an upper limit of the time taken.
    std::chrono::nanoseconds net{0};  ///< Less the empty round trips; at least 1 ns.
    /// Of the empty calls between inputs and call, which wake the host.
    std::chrono::nanoseconds waking{0};
  };
  /// Whether the hosts offer the operation. Throws BenchCallFailed when none can be started.
  [[nodiscard]] virtual bool Has(std::string_view operation) = 0;
  /// Of all calls of CallTimed since TakeElapsed before; nothing when there were none.
  [[nodiscard]] virtual std::optional<Elapsed> TakeElapsed() = 0;
  /// What starts and calls took since TakeUntimed before, less the times of CallTimed.
  [[nodiscard]] virtual std::chrono::nanoseconds TakeUntimed() = 0;
  /// Status by which the calls of this workload may decline (WorkloadDescription).
  virtual void SetUnsupportedStatus(std::optional<int> status) = 0;
  /// Ends all hosts: the next calls get fresh ones, elsewhere in memory.
  virtual void Renew() = 0;
};

/// When a series has enough blocks.
struct SeriesRules {
  int least_blocks = 9;  ///< The fewest of which an interval may leave out the extremes.
  int most_blocks = 20;
  /// Relative half-width of the ratio's interval at which it is precise.
  double half_width = 0.015;
  /// More bytes a second than this machine can move from where the workload's bytes fit; a time
  /// that would need more is a cheat. 0: no floor.
  double impossible_bytes_per_second = 0;
  /// What starts and untimed calls may take of the submission beyond the baseline's, in all: past
  /// it the series ends as time_limit, so that who waits there gets no fewer blocks but fails. Not
  /// below kUntimedFactor times the baseline's, where a busy machine may make the difference.
  std::chrono::nanoseconds untimed_limit = std::chrono::nanoseconds::max();
  static constexpr int kUntimedFactor = 4;
};

/// The pairs of one workload. Takes them in blocks, so that the workloads of a run can alternate
/// and each block has hosts of its own (TimeBlock).
class PairedSeries {
 public:
  /// Both hosts outlive the series.
  PairedSeries(WorkloadDescription description, TimedHosts& submission, TimedHosts& baseline,
               SeriesRules rules, std::uint64_t seed);

  /// Makes the workload and fresh hosts, and takes a pair that is checked and not counted: first
  /// calls pay for page faults that later ones do not. The side that goes first in it, by lot, gets
  /// the memory that was freed last, and keeps it for the block.
  void BeginBlock();
  /// One pair on one fresh input: submission first and baseline first in turn (ABBA). Nothing when
  /// the series ended, now or before, by a failure.
  std::optional<TimePair> TakePair();
  /// Frees the workload.
  void EndBlock();

  /// A failure ended it: no further pairs can be taken.
  [[nodiscard]] bool failed() const { return failure_.has_value(); }
  [[nodiscard]] bool HasLeastBlocks() const;
  /// Precise, or at the most blocks.
  [[nodiscard]] bool HasEnoughBlocks() const;

  /// What the submission's starts and untimed calls took beyond the baseline's; at least 0.
  [[nodiscard]] std::chrono::nanoseconds UntimedExcess() const;
  /// The same of its timed calls.
  [[nodiscard]] std::chrono::nanoseconds TimedExcess() const;

  /// What is known so far. `bandwidth` is the machine's, in bytes a second. A workload that failed
  /// has no times; one without a pair is skipped.
  [[nodiscard]] WorkloadEvidence Evidence(double bandwidth_bytes_per_second) const;

  [[nodiscard]] const WorkloadDescription& description() const { return description_; }
  [[nodiscard]] const std::vector<TimeBlock>& blocks() const { return blocks_; }

 private:
  struct Failure {
    Verdict verdict;
    std::string detail;
    std::optional<SkipCause> skip_cause = {};
  };
  std::optional<TimePair> RunPair(Side first);
  [[nodiscard]] TimedHosts::Elapsed RunSide(Side side);
  void CheckEntryPoints();
  /// Adds up what was not timed since the call before; over its limit the series ends.
  void AccountForUntimed();
  [[nodiscard]] bool BelowFloor(std::chrono::nanoseconds raw) const;
  /// The time of a side in a pair: what it took to wake beyond the median of our own baseline in
  /// this series is work that it did on its inputs before its clock ran, and counts.
  [[nodiscard]] std::int64_t Charged_ns(const TimedHosts::Elapsed& elapsed) const;
  /// Runs `step`; a failed call ends the series. Anything else thrown is a fault of the bench.
  template <class Step>
  void Guarded(Side side, Step step);

  WorkloadDescription description_;
  TimedHosts& submission_;
  TimedHosts& baseline_;
  SeriesRules rules_;
  std::mt19937_64 random_;
  Side first_;  ///< Of the next pair.
  std::unique_ptr<Workload> workload_;
  std::vector<TimeBlock> blocks_;
  std::vector<std::chrono::nanoseconds> baseline_waking_;  ///< Of each pair so far.
  std::chrono::nanoseconds untimed_submission_{0};         ///< So far.
  std::chrono::nanoseconds untimed_baseline_{0};
  std::chrono::nanoseconds timed_difference_{0};  ///< The submission's less the baseline's.
  std::optional<Failure> failure_;
};

}  // namespace assay

#endif  // ASSAY_CLIENT_PAIRED_SERIES_H_
