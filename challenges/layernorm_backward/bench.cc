// SPDX-License-Identifier: Apache-2.0
// The timed workloads: forward alone, and backward alone after a forward that is not timed.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "calculators.h"
#include "client/case.h"
#include "client/compare.h"
#include "client/fast_random.h"
#include "client/paired_bench.h"
#include "interface.h"
#include "oracle.h"

namespace assay::layernorm {
namespace {

/// Triangular on (-2, 2): the sum of two uniform numbers, from one word.
double Triangular(FastRandom& random) {
  constexpr double kUnit = 0x1p-31;
  const std::uint64_t word = random.Next();
  return static_cast<double>(static_cast<std::uint32_t>(word >> 32)) * kUnit +
         static_cast<double>(static_cast<std::uint32_t>(word)) * kUnit - 2;
}

/// Draws a problem into memory that is already there. Values are bounded, which is what lets one
/// tolerance stand for all elements of a workload.
template <class T>
void Draw(std::mt19937_64& seeds, Problem<T>& problem) {
  FastRandom random(seeds);
  const auto fill = [&random](std::vector<T>& values, std::size_t count, double centre) {
    values.resize(count);
    for (T& value : values) {
      value = static_cast<T>(centre + Triangular(random));
    }
  };
  fill(problem.x, problem.rows * problem.features, 0.5);
  fill(problem.gamma, problem.features, 0);
  fill(problem.beta, problem.features, 0);
  fill(problem.dy, problem.rows * problem.features, 0);
}

/// How far submission and baseline may be apart, the same for every element of an output.
struct Tolerances {
  double y = 0;
  double dx = 0;
  double dgamma = 0;
  double dbeta = 0;
};

/// The oracle's bounds on a few rows of the same distribution, carried over to all rows. Twice,
/// since both sides may err, and twice again for elements more extreme than those few rows hold.
/// A sum over rows has two parts: what xhat is off by, which grows with the rows, and what summing
/// adds, which grows with the rows and with the chain.
template <class T>
Tolerances Calibrate(std::size_t rows, std::size_t features) {
  constexpr std::size_t kSample = 32;
  constexpr double kSafety = 4;
  constexpr double kRoundoff = std::numeric_limits<T>::epsilon() / 2;
  std::mt19937_64 random(1);
  Problem<T> problem{.rows = kSample, .features = features};
  Draw(random, problem);
  const Answer answer = Solve(problem);
  const auto largest = [](const std::vector<double>& bound) {
    return *std::ranges::max_element(bound);
  };

  double absolute_dgamma = 0;
  double absolute_dbeta = 0;
  for (std::size_t j = 0; j < features; ++j) {
    double products = 0;
    double values = 0;
    for (std::size_t at = j; at < problem.dy.size(); at += features) {
      const double dy = std::abs(static_cast<double>(problem.dy[at]));
      products += dy * std::abs(static_cast<double>(answer.forward.xhat[at]));
      values += dy;
    }
    absolute_dgamma = std::max(absolute_dgamma, products);
    absolute_dbeta = std::max(absolute_dbeta, values);
  }
  const double repeats = static_cast<double>(rows) / kSample;
  const double chain = (static_cast<double>(rows) + 8) * kRoundoff;
  return {.y = kSafety * largest(answer.bounds.y),
          .dx = kSafety * largest(answer.bounds.dx),
          .dgamma = kSafety * repeats * (largest(answer.bounds.dgamma) + chain * absolute_dgamma),
          .dbeta = kSafety * repeats * chain * absolute_dbeta};
}

/// Compares an output of both sides; empty when every element is within `tolerance`.
template <class T>
std::string Compare(std::string_view output, const std::vector<T>& got, const std::vector<T>& want,
                    double tolerance) {
  // In parts that fit a cache: wide copies of whole tensors would be larger than the tensors.
  constexpr std::size_t kPart = 1 << 14;
  const std::vector<double> bound(std::min(kPart, got.size()), tolerance);
  std::vector<double> wide;
  for (std::size_t from = 0; from < got.size(); from += kPart) {
    const std::size_t count = std::min(kPart, got.size() - from);
    const std::span<const T> part = std::span(want).subspan(from, count);
    wide.assign(part.begin(), part.end());
    const Comparison comparison = CompareWithin<T, double>(std::span(got).subspan(from, count),
                                                           wide, std::span(bound).first(count));
    if (!comparison.AllWithin()) {
      return "against the baseline, in the elements from " + std::to_string(from) + ": " +
             Describe(output, comparison);
    }
  }
  return {};
}

template <class T>
class LayerNormWorkload : public assay::Workload {
 public:
  LayerNormWorkload(std::size_t rows, std::size_t features)
      : problem_{.rows = rows, .features = features}, tolerances_(Calibrate<T>(rows, features)) {}

  void MakeInput(std::mt19937_64& random) override { Draw(random, problem_); }

 protected:
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

  Problem<T> problem_;
  Tolerances tolerances_;
  Outputs submission_;
  Outputs baseline_;
};

template <class T>
class ForwardWorkload : public LayerNormWorkload<T> {
 public:
  using LayerNormWorkload<T>::LayerNormWorkload;

  void Run(Side side, BenchHosts& hosts) override {
    Invocation call = this->ForwardCall(this->OutputsOf(side));
    hosts.CallTimed(CaseTest::kForward, call);
  }

  std::string Check() override {
    return Compare("y", this->submission_.y, this->baseline_.y, this->tolerances_.y);
  }
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

  std::string Check() override {
    const auto& got = this->submission_;
    const auto& want = this->baseline_;
    std::string wrong = Compare("dx", got.dx, want.dx, this->tolerances_.dx);
    if (wrong.empty()) {
      wrong = Compare("dgamma", got.dgamma, want.dgamma, this->tolerances_.dgamma);
    }
    if (wrong.empty()) {
      wrong = Compare("dbeta", got.dbeta, want.dbeta, this->tolerances_.dbeta);
    }
    return wrong;
  }
};

template <class TimedWorkload>
bool Add(const std::string& name, const std::string& operation, std::int64_t least_bytes,
         const Workload& shape) {
  return RegisterWorkload({.name = name,
                           .operation = operation,
                           .unsupported_status = LN_UNSUPPORTED,
                           .least_bytes = static_cast<double>(least_bytes),
                           .make = [shape] {
                             return std::make_unique<TimedWorkload>(
                                 static_cast<std::size_t>(shape.rows),
                                 static_cast<std::size_t>(shape.features));
                           }});
}

bool RegisterAll() {
  // One that stays in the cache, and one that does not fit.
  constexpr Workload kSmall{.rows = 1024, .features = 768, .element_bytes = 4};
  constexpr Workload kLarge{.rows = 4096, .features = 768, .element_bytes = 4};
  constexpr Workload kDouble{.rows = 1024, .features = 768, .element_bytes = 8};
  return Add<BackwardWorkload<float>>("backward_f32/1024x768", "ln_backward_f32",
                                      BackwardBytes(kSmall), kSmall) &&
         Add<BackwardWorkload<float>>("backward_f32/4096x768", "ln_backward_f32",
                                      BackwardBytes(kLarge), kLarge) &&
         Add<ForwardWorkload<float>>("forward_f32/4096x768", "ln_forward_f32", ForwardBytes(kLarge),
                                     kLarge) &&
         Add<BackwardWorkload<double>>("backward_f64/1024x768", "ln_backward_f64",
                                       BackwardBytes(kDouble), kDouble);
}

[[maybe_unused]] const bool kRegistered = RegisterAll();

}  // namespace
}  // namespace assay::layernorm
