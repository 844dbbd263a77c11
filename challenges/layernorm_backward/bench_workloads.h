// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CHALLENGES_LAYERNORM_BACKWARD_BENCH_WORKLOADS_H_
#define ASSAY_CHALLENGES_LAYERNORM_BACKWARD_BENCH_WORKLOADS_H_

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "client/case.h"
#include "client/compare.h"
#include "client/paired_bench.h"
#include "oracle.h"
#include "random_rounding.h"
#include "timed_shapes.h"

namespace assay::layernorm {

/// The timed workloads: forward alone, and backward alone after a forward that is not timed. Each
/// output of a timed call is used. y and the gradients are compared with the baseline's, element by
/// element and as a whole; some rows, drawn, with the oracle; and what a timed forward saved goes
/// through a backward that is not timed, in pairs that are drawn and that no host can know.

/// How far an element of submission and baseline may be apart, the same for each of an output.
struct Largest {
  double y = 0;
  double dx = 0;
  double dgamma = 0;
  double dbeta = 0;
};

struct Tolerances {
  Largest worst;
  RmsBounds rms;
};

/// The oracle's bounds on a few rows of the same distribution, carried over to all rows. Twice,
/// since both sides may err, and twice again for elements more extreme than those few rows hold.
/// A sum over rows has two parts: what xhat is off by, which grows with the rows, and what summing
/// adds, which grows with the rows and with the chain.
template <class T>
Largest CalibrateWorst(const Problem<T>& sample, const Answer& answer, std::size_t rows) {
  constexpr double kSafety = 4;
  constexpr double kRoundoff = std::numeric_limits<T>::epsilon() / 2;
  const std::size_t features = sample.features;
  const auto largest = [](const std::vector<double>& bound) {
    return *std::ranges::max_element(bound);
  };

  double absolute_dgamma = 0;
  double absolute_dbeta = 0;
  for (std::size_t j = 0; j < features; ++j) {
    double products = 0;
    double values = 0;
    for (std::size_t at = j; at < sample.dy.size(); at += features) {
      const double dy = std::abs(static_cast<double>(sample.dy[at]));
      products += dy * std::abs(static_cast<double>(answer.forward.xhat[at]));
      values += dy;
    }
    absolute_dgamma = std::max(absolute_dgamma, products);
    absolute_dbeta = std::max(absolute_dbeta, values);
  }
  const double repeats = static_cast<double>(rows) / static_cast<double>(sample.rows);
  const double chain = (static_cast<double>(rows) + 8) * kRoundoff;
  return {.y = kSafety * largest(answer.bounds.y),
          .dx = kSafety * largest(answer.bounds.dx),
          .dgamma = kSafety * repeats * (largest(answer.bounds.dgamma) + chain * absolute_dgamma),
          .dbeta = kSafety * repeats * chain * absolute_dbeta};
}

/// Of the root mean square of a difference: both sides err as random roundings do, and an input may
/// be a quarter larger than the sample.
template <class T>
RmsBounds CalibrateRms(const Problem<T>& sample, const Answer& answer, std::size_t rows) {
  constexpr double kSafety = 2.5;
  const RmsBounds one_side = RmsBoundsOfRowsLike(sample, answer, rows);
  return {.y = kSafety * one_side.y,
          .dx = kSafety * one_side.dx,
          .dgamma = kSafety * one_side.dgamma,
          .dbeta = kSafety * one_side.dbeta};
}

template <class T>
Tolerances Calibrate(std::size_t rows, std::size_t features) {
  constexpr std::size_t kSample = 32;
  std::mt19937_64 random(1);
  Problem<T> sample{.rows = kSample, .features = features};
  DrawTimed(random, sample);
  const Answer answer = Solve(sample);
  return {.worst = CalibrateWorst(sample, answer, rows), .rms = CalibrateRms(sample, answer, rows)};
}

/// An output of both sides, and how far apart they may be.
template <class T>
struct Pair {
  std::string_view output;
  const std::vector<T>& got;
  const std::vector<T>& want;
  double tolerance = 0;      ///< Of each element.
  double rms_tolerance = 0;  ///< Of the root mean square.
};

/// Empty when every element, and all together, are within their tolerance.
template <class T>
std::string Compare(const Pair<T>& pair) {
  // In parts that fit a cache: wide copies of whole tensors would be larger than the tensors.
  constexpr std::size_t kPart = 1 << 14;
  const std::vector<double> bound(std::min(kPart, pair.got.size()), pair.tolerance);
  std::vector<double> wide;
  double squares = 0;
  for (std::size_t from = 0; from < pair.got.size(); from += kPart) {
    const std::size_t count = std::min(kPart, pair.got.size() - from);
    const std::span<const T> got = std::span(pair.got).subspan(from, count);
    const std::span<const T> want = std::span(pair.want).subspan(from, count);
    wide.assign(want.begin(), want.end());
    const Comparison comparison =
        CompareWithin<T, double>(got, wide, std::span(bound).first(count));
    if (!comparison.AllWithin()) {
      return fmt::format("against the baseline, in the elements from {}: {}", from,
                         Describe(pair.output, comparison));
    }
    for (std::size_t i = 0; i < count; ++i) {
      squares += (got[i] - wide[i]) * (got[i] - wide[i]);
    }
  }
  const double rms = std::sqrt(squares / static_cast<double>(pair.got.size()));
  if (!(rms <= pair.rms_tolerance)) {
    return fmt::format(
        "against the baseline, {}: the root mean square of the difference is {:.3g}, bound {:.3g}: "
        "more than random roundings of the type add up to",
        pair.output, rms, pair.rms_tolerance);
  }
  return {};
}

/// Some rows of an output against the oracle's; empty when they are right.
template <class T>
std::string CompareRows(std::string_view output, const std::vector<T>& got,
                        const std::vector<long double>& want, const std::vector<double>& bound,
                        const std::vector<double>& rms_bound) {
  const Comparison comparison = CompareWithin<T, long double>(got, want, bound);
  if (!comparison.AllWithin()) {
    return fmt::format("against the oracle, in sampled rows: {}", Describe(output, comparison));
  }
  const double rms = RmsOverBound<T>(got, want, rms_bound);
  if (!(rms <= 1)) {
    return fmt::format(
        "against the oracle, sampled rows of {}: the root mean square of error over "
        "bound is {:.3g}",
        output, rms);
  }
  return {};
}

/// The first that is not empty, else empty.
inline std::string FirstOf(std::initializer_list<std::string> findings) {
  const auto* const first =
      std::ranges::find_if(findings, [](const std::string& finding) { return !finding.empty(); });
  return first == findings.end() ? std::string() : *first;
}

template <class T>
class LayerNormWorkload : public assay::Workload {
 public:
  LayerNormWorkload(std::size_t rows, std::size_t features)
      : problem_{.rows = rows, .features = features}, tolerances_(Calibrate<T>(rows, features)) {}

  void MakeInput(std::mt19937_64& random) override {
    DrawTimed(random, problem_);
    sampled_ = DrawRows(random, problem_.rows, kSampledRows);
  }

 protected:
  /// Their oracle takes a few milliseconds, less than drawing an input.
  static constexpr std::size_t kSampledRows = 12;

  struct Outputs {
    std::vector<T> y, dx, dgamma, dbeta;
    SavedTensors saved;
  };

  Outputs& OutputsOf(Side side) { return side == Side::kSubmission ? submission_ : baseline_; }

  Invocation ForwardCall(Outputs& outputs) {
    outputs.y.resize(problem_.x.size());
    Invocation call(std::is_same_v<T, float> ? "ln_forward_f32" : "ln_forward_f64");
    call.Scalar(problem_.rows).Scalar(problem_.features).Input(problem_.x).Input(problem_.gamma);
    call.Input(problem_.beta).Scalar(problem_.eps).Output(outputs.y).Save(&outputs.saved);
    call.Place(Placement::kAligned);
    return call;
  }

  Invocation BackwardCall(Outputs& outputs) {
    outputs.dx.resize(problem_.x.size());
    outputs.dgamma.resize(problem_.features);
    outputs.dbeta.resize(problem_.features);
    Invocation call(std::is_same_v<T, float> ? "ln_backward_f32" : "ln_backward_f64");
    call.Scalar(problem_.rows).Scalar(problem_.features).Input(problem_.dy).Load(outputs.saved);
    call.Output(outputs.dx).Output(outputs.dgamma).Output(outputs.dbeta);
    call.Place(Placement::kAligned);
    return call;
  }

  [[nodiscard]] std::string CheckForward() const {
    const Tolerances& bound = tolerances_;
    const Problem<T> rows = RowsOf(problem_, sampled_);
    const Answer answer = Solve(rows);
    return FirstOf(
        {Compare<T>({"y", submission_.y, baseline_.y, bound.worst.y, bound.rms.y}),
         CompareRows("y", RowsOf(submission_.y, problem_.features, sampled_), answer.forward.y,
                     answer.bounds.y, RandomRoundingBounds(rows, answer).y)});
  }

  [[nodiscard]] std::string CheckGradients() const {
    const Outputs& got = submission_;
    const Outputs& want = baseline_;
    const Tolerances& bound = tolerances_;
    const Problem<T> rows = RowsOf(problem_, sampled_);
    const Answer answer = Solve(rows);
    return FirstOf(
        {Compare<T>({"dx", got.dx, want.dx, bound.worst.dx, bound.rms.dx}),
         Compare<T>({"dgamma", got.dgamma, want.dgamma, bound.worst.dgamma, bound.rms.dgamma}),
         Compare<T>({"dbeta", got.dbeta, want.dbeta, bound.worst.dbeta, bound.rms.dbeta}),
         CompareRows("dx", RowsOf(got.dx, problem_.features, sampled_), answer.gradients.dx,
                     answer.bounds.dx, RandomRoundingBounds(rows, answer).dx)});
  }

 private:
  Problem<T> problem_;
  Tolerances tolerances_;
  RowChoice sampled_;
  Outputs submission_;
  Outputs baseline_;
};

template <class T>
class ForwardWorkload : public LayerNormWorkload<T> {
 public:
  using LayerNormWorkload<T>::LayerNormWorkload;

  void MakeInput(std::mt19937_64& random) override {
    LayerNormWorkload<T>::MakeInput(random);
    // Not in each pair: it takes as long as the pair.
    uses_saved_ = random() % 2 == 0;
  }

  void Run(Side side, BenchHosts& hosts) override {
    auto& outputs = this->OutputsOf(side);
    Invocation forward = this->ForwardCall(outputs);
    hosts.CallTimed(CaseTest::kForward, forward);
    if (uses_saved_) {
      Invocation backward = this->BackwardCall(outputs);
      hosts.Call(CaseTest::kBackward, backward);
    }
  }

  std::string Check() override {
    std::string wrong = this->CheckForward();
    if (wrong.empty() && uses_saved_) {
      wrong = this->CheckGradients();
      if (!wrong.empty()) {
        wrong = "of a backward from what the timed forward saved: " + wrong;
      }
    }
    return wrong;
  }

 private:
  bool uses_saved_ = false;  ///< Drawn for each pair, behind all that a host sees of it.
};

template <class T>
class BackwardWorkload : public LayerNormWorkload<T> {
 public:
  using LayerNormWorkload<T>::LayerNormWorkload;

  void Run(Side side, BenchHosts& hosts) override {
    auto& outputs = this->OutputsOf(side);
    Invocation forward = this->ForwardCall(outputs);
    hosts.Call(CaseTest::kForward, forward);
    Invocation backward = this->BackwardCall(outputs);
    hosts.CallTimed(CaseTest::kBackward, backward);
  }

  std::string Check() override { return this->CheckGradients(); }
};

inline std::unique_ptr<assay::Workload> MakeTimed(const TimedShape& shape) {
  const bool is_float = shape.element_bytes == sizeof(float);
  if (shape.pass == TimedPass::kForward) {
    if (is_float) {
      return std::make_unique<ForwardWorkload<float>>(shape.rows, shape.features);
    }
    return std::make_unique<ForwardWorkload<double>>(shape.rows, shape.features);
  }
  if (is_float) {
    return std::make_unique<BackwardWorkload<float>>(shape.rows, shape.features);
  }
  return std::make_unique<BackwardWorkload<double>>(shape.rows, shape.features);
}

}  // namespace assay::layernorm

#endif  // ASSAY_CHALLENGES_LAYERNORM_BACKWARD_BENCH_WORKLOADS_H_
