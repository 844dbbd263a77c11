// SPDX-License-Identifier: Apache-2.0
// The timed workloads: the form on the CPU. The forms on the GPU have no times here, but counters
// and modelled times (suite_traffic.cc); a submission without the CPU form has no workloads.

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "bench_shapes.h"
#include "client/case.h"
#include "client/paired_bench.h"
#include "interface.h"
#include "oracle.h"
#include "row_errors.h"

namespace assay::softmax_topk {
namespace {

/// What a row's probabilities may be apart from another implementation's, by place: errors as the
/// oracle has them for rows of the same distribution, those of both sides, and a quarter more for
/// rows less tame.
struct Tolerance {
  std::vector<double> own_errors;
  DrawnError drawn = {};
};

Tolerance Calibrate(const TimedShape& shape) {
  constexpr double kBothSides = 2 * 1.25;
  constexpr std::size_t kRows = 8;
  std::mt19937_64 random(1);
  Problem<float> problem{.rows = kRows, .vocabulary = shape.vocabulary, .k = shape.k};
  problem.logits.resize(kRows * shape.vocabulary);
  DrawTimedLogits(random, problem.logits);
  const Answer answer = SolveWithoutBounds(problem);
  Tolerance tolerance{.own_errors = std::vector<double>(shape.k)};
  for (std::size_t i = 0; i < answer.own_errors.size(); ++i) {
    double& most = tolerance.own_errors[i % shape.k];
    most = std::max(most, kBothSides * answer.own_errors[i]);
  }
  for (const DrawnError& of_row : answer.drawn_errors) {
    tolerance.drawn.steady = std::max(tolerance.drawn.steady, kBothSides * of_row.steady);
    tolerance.drawn.varied = std::max(tolerance.drawn.varied, kBothSides * of_row.varied);
  }
  return tolerance;
}

class CpuWorkload : public Workload {
 public:
  explicit CpuWorkload(const TimedShape& shape)
      : shape_(shape), tolerance_(Calibrate(shape)), logits_(shape.rows * shape.vocabulary) {}

  void MakeInput(std::mt19937_64& random) override {
    DrawTimedLogits(random, logits_);
    for (std::size_t& row : sampled_) {
      row = random() % shape_.rows;
    }
  }

  void Run(Side side, BenchHosts& hosts) override {
    TimedOutputs& outputs = side == Side::kSubmission ? submission_ : baseline_;
    hosts.CallTimed(CaseTest::kForward, TimedCall(shape_, logits_, outputs));
  }

  /// All rows against the baseline's, and a few against the oracle's.
  std::string Check() override {
    const auto differ = std::ranges::mismatch(submission_.indices, baseline_.indices);
    if (differ.in1 != submission_.indices.end()) {
      const auto at = differ.in1 - submission_.indices.begin();
      return "against the baseline: indices[" + std::to_string(at) + "] is " +
             std::to_string(*differ.in1) + " instead of " + std::to_string(*differ.in2);
    }
    RowErrors errors;
    const std::vector<long double> baseline(baseline_.probabilities.begin(),
                                            baseline_.probabilities.end());
    for (std::size_t r = 0; r < shape_.rows; ++r) {
      const std::span<const long double> want = std::span(baseline).subspan(r * shape_.k, shape_.k);
      if (const RowFit fit = FitRow(Given(r), want, tolerance_.own_errors); !fit.IsRight()) {
        return "against the baseline: row " + std::to_string(r) + ": " + Describe(fit);
      }
      errors.Add(Given(r).front(), want.front(), tolerance_.drawn);
    }
    return errors.IsRight() ? CheckSample() : "against the baseline: " + Describe(errors);
  }

 private:
  static constexpr std::size_t kSampled = 4;

  [[nodiscard]] std::span<const float> Given(std::size_t row) const {
    return std::span(submission_.probabilities).subspan(row * shape_.k, shape_.k);
  }

  /// What the oracle says to the sampled rows.
  [[nodiscard]] std::string CheckSample() const {
    RowErrors errors;
    for (const std::size_t row : sampled_) {
      const auto begin = logits_.begin() + static_cast<std::ptrdiff_t>(row * shape_.vocabulary);
      const Answer answer = SolveWithoutBounds(
          {.rows = 1,
           .vocabulary = shape_.vocabulary,
           .k = shape_.k,
           .logits = {begin, begin + static_cast<std::ptrdiff_t>(shape_.vocabulary)}});
      const std::string where = "row " + std::to_string(row);
      if (!std::ranges::equal(answer.indices,
                              std::span(submission_.indices).subspan(row * shape_.k, shape_.k))) {
        return where + ": indices are not the oracle's";
      }
      if (const RowFit fit = FitRow(Given(row), answer.probabilities, answer.own_errors);
          !fit.IsRight()) {
        return where + ": " + Describe(fit);
      }
      errors.Add(Given(row).front(), answer.probabilities.front(), answer.drawn_errors.front());
    }
    return errors.IsRight() ? "" : "in sampled rows " + Describe(errors);
  }

  TimedShape shape_;
  Tolerance tolerance_;
  std::vector<float> logits_;
  std::array<std::size_t, kSampled> sampled_{};
  TimedOutputs submission_;
  TimedOutputs baseline_;
};

bool Add(const TimedShape& shape) {
  const std::size_t least_bytes = shape.rows * (shape.vocabulary * sizeof(float) +
                                                shape.k * (sizeof(float) + sizeof(std::int32_t)));
  return RegisterWorkload({.name = "cpu_f32/" + std::to_string(shape.rows) + "x" +
                                   std::to_string(shape.vocabulary) + "/k" +
                                   std::to_string(shape.k),
                           .operation = std::string(kTimedOperation),
                           .unsupported_status = SOFTMAX_TOPK_UNSUPPORTED,
                           .least_bytes = static_cast<double>(least_bytes),
                           .make = [shape] { return std::make_unique<CpuWorkload>(shape); }});
}

[[maybe_unused]] const bool kRegistered = std::ranges::all_of(kTimedShapes, Add);

}  // namespace
}  // namespace assay::softmax_topk
