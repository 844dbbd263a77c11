// SPDX-License-Identifier: Apache-2.0
#include "client/paired_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include "client/results.h"
#include "evidence/statistics.h"

namespace assay {
namespace {

Side Other(Side side) { return side == Side::kSubmission ? Side::kBaseline : Side::kSubmission; }

Side DrawSide(std::mt19937_64& random) {
  return random() % 2 == 0 ? Side::kSubmission : Side::kBaseline;
}

}  // namespace

PairedSeries::PairedSeries(WorkloadDescription description, TimedHosts& submission,
                           TimedHosts& baseline, SeriesRules rules, std::uint64_t seed)
    : description_(std::move(description)),
      submission_(submission),
      baseline_(baseline),
      rules_(rules),
      random_(seed),
      first_(DrawSide(random_)) {}

template <class Step>
void PairedSeries::Guarded(Side side, Step step) {
  try {
    step();
  } catch (const BenchCallFailed& failure) {
    // The baseline is ours: whatever happens to it says nothing about the submission.
    failure_ = side == Side::kSubmission
                   ? Failure{failure.verdict(), failure.what(), failure.skip_cause()}
                   : Failure{Verdict::kJudgeError, fmt::format("baseline: {}", failure.what())};
  }
}

void PairedSeries::CheckEntryPoints() {
  Guarded(Side::kBaseline, [&] {
    if (!baseline_.Has(description_.operation)) {
      throw BenchCallFailed(Verdict::kJudgeError,
                            fmt::format("entry point {} is missing", description_.operation));
    }
  });
  Guarded(Side::kSubmission, [&] {
    if (!failed() && !submission_.Has(description_.operation)) {
      throw BenchCallFailed(SkipCause::kNotOffered, fmt::format("entry point {} is not implemented",
                                                                description_.operation));
    }
  });
}

void PairedSeries::BeginBlock() {
  if (failed()) {
    return;
  }
  submission_.Renew();
  baseline_.Renew();
  // The hosts serve other series too: what was not timed there is not this one's.
  static_cast<void>(submission_.TakeUntimed());
  static_cast<void>(baseline_.TakeUntimed());
  if (blocks_.empty()) {
    CheckEntryPoints();
  }
  if (failed()) {
    return;
  }
  workload_ = description_.make();
  blocks_.emplace_back();
  static_cast<void>(RunPair(DrawSide(random_)));
}

void PairedSeries::EndBlock() { workload_.reset(); }

std::optional<TimePair> PairedSeries::TakePair() {
  if (failed() || workload_ == nullptr) {
    return std::nullopt;
  }
  const std::optional<TimePair> pair = RunPair(std::exchange(first_, Other(first_)));
  if (pair) {
    blocks_.back().pairs.push_back(*pair);
  }
  return pair;
}

std::optional<TimePair> PairedSeries::RunPair(Side first) {
  submission_.SetUnsupportedStatus(description_.unsupported_status);
  baseline_.SetUnsupportedStatus(std::nullopt);
  workload_->MakeInput(random_);
  TimedHosts::Elapsed submission;
  TimedHosts::Elapsed baseline;
  for (const Side side : {first, Other(first)}) {
    Guarded(side, [&] { (side == Side::kSubmission ? submission : baseline) = RunSide(side); });
    if (failed()) {
      return std::nullopt;
    }
  }
  // The time of a wrong output never counts.
  if (std::string wrong = workload_->Check(); !wrong.empty()) {
    failure_ = Failure{Verdict::kWrongAnswer, fmt::format("timed output: {}", wrong)};
    return std::nullopt;
  }
  if (BelowFloor(submission.raw)) {
    failure_ = Failure{Verdict::kRejected,
                       fmt::format("faster than memory: at least {:.0f} bytes in {} ns",
                                   description_.least_bytes, submission.raw.count())};
    return std::nullopt;
  }
  timed_difference_ += submission.raw - baseline.raw;
  AccountForUntimed();
  if (failed()) {
    return std::nullopt;
  }
  baseline_waking_.push_back(baseline.waking);
  return TimePair{.submission_ns = Charged_ns(submission), .baseline_ns = Charged_ns(baseline)};
}

void PairedSeries::AccountForUntimed() {
  untimed_submission_ += submission_.TakeUntimed();
  untimed_baseline_ += baseline_.TakeUntimed();
  if (UntimedExcess() > rules_.untimed_limit &&
      untimed_submission_ > SeriesRules::kUntimedFactor * untimed_baseline_) {
    const auto seconds = [](std::chrono::nanoseconds time) {
      return std::chrono::duration<double>(time).count();
    };
    failure_ = Failure{Verdict::kTimeLimit,
                       fmt::format("its starts and calls that are not timed took {:.3g} s, the "
                                   "baseline's {:.3g} s",
                                   seconds(untimed_submission_), seconds(untimed_baseline_))};
  }
}

std::chrono::nanoseconds PairedSeries::UntimedExcess() const {
  return std::max(untimed_submission_ - untimed_baseline_, std::chrono::nanoseconds(0));
}

std::chrono::nanoseconds PairedSeries::TimedExcess() const {
  return std::max(timed_difference_, std::chrono::nanoseconds(0));
}

std::int64_t PairedSeries::Charged_ns(const TimedHosts::Elapsed& elapsed) const {
  std::vector<std::chrono::nanoseconds> usual = baseline_waking_;
  const auto middle = usual.begin() + static_cast<std::ptrdiff_t>(usual.size() / 2);
  std::ranges::nth_element(usual, middle);
  return (elapsed.net + std::max(elapsed.waking - *middle, std::chrono::nanoseconds(0))).count();
}

TimedHosts::Elapsed PairedSeries::RunSide(Side side) {
  TimedHosts& hosts = side == Side::kSubmission ? submission_ : baseline_;
  static_cast<void>(hosts.TakeElapsed());
  workload_->Run(side, hosts);
  const auto elapsed = hosts.TakeElapsed();
  if (!elapsed) {
    throw std::logic_error(
        fmt::format("workload {} ran without a call of CallTimed", description_.name));
  }
  return *elapsed;
}

bool PairedSeries::BelowFloor(std::chrono::nanoseconds raw) const {
  return rules_.impossible_bytes_per_second > 0 &&
         static_cast<double>(raw.count()) * 1e-9 * rules_.impossible_bytes_per_second <
             description_.least_bytes;
}

bool PairedSeries::HasLeastBlocks() const {
  return blocks_.size() >= static_cast<std::size_t>(rules_.least_blocks);
}

bool PairedSeries::HasEnoughBlocks() const {
  if (!HasLeastBlocks()) {
    return false;
  }
  const RatioEstimate estimate = MedianRatio(blocks_);
  return blocks_.size() >= static_cast<std::size_t>(rules_.most_blocks) ||
         (estimate.high - estimate.low) / 2 <= rules_.half_width * estimate.ratio;
}

WorkloadEvidence PairedSeries::Evidence(double bandwidth_bytes_per_second) const {
  WorkloadEvidence evidence;
  evidence.name = description_.name;
  evidence.operation = description_.operation;
  evidence.shown_by = description_.shown_by;
  evidence.least_bytes = description_.least_bytes;
  if (failure_) {
    evidence.verdict = failure_->verdict;
    evidence.refused = failure_->verdict == Verdict::kSkipped;
    evidence.skip_cause = failure_->skip_cause;
    evidence.detail = OneLine(failure_->detail);
    return evidence;
  }
  if (blocks_.empty()) {
    evidence.verdict = Verdict::kSkipped;
    evidence.skip_cause = SkipCause::kNotAsked;
    evidence.detail = "no time was left for it";
    return evidence;
  }
  const RatioEstimate estimate = MedianRatio(blocks_);
  evidence.verdict = Verdict::kAccepted;
  evidence.blocks = blocks_;
  evidence.ratio = estimate.ratio;
  evidence.ratio_low = estimate.low;
  evidence.ratio_high = estimate.high;
  evidence.share_of_bandwidth =
      ShareOfBandwidth(blocks_, description_.least_bytes, bandwidth_bytes_per_second);
  return evidence;
}

}  // namespace assay
