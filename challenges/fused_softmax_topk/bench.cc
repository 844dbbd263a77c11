// SPDX-License-Identifier: Apache-2.0
// The timed workloads: the form on the CPU. The forms on the GPU have no times here, but counters
// and modelled times (suite_traffic.cc); a submission without the CPU form has no workloads.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "client/case.h"
#include "client/compare.h"
#include "client/fast_random.h"
#include "client/paired_bench.h"
#include "interface.h"
#include "oracle.h"

namespace assay::softmax_topk {
namespace {

constexpr std::string_view kOperation = "softmax_topk_cpu_f32";

/// The sum of two uniform numbers: triangular on (-8, 8), so that maxima are as rare as in logits.
void Draw(std::mt19937_64& seeds, std::vector<float>& logits) {
  constexpr float kUnit = 0x1p-29F;
  FastRandom random(seeds);
  for (float& logit : logits) {
    const std::uint64_t word = random.Next();
    logit = static_cast<float>(static_cast<std::uint32_t>(word >> 32U)) * kUnit +
            static_cast<float>(static_cast<std::uint32_t>(word)) * kUnit - 8;
  }
}

struct Shape {
  std::size_t rows;
  std::size_t vocabulary;
  std::size_t k;
};

/// How far submission and baseline may be apart, relative to the probability: the oracle's bounds
/// on one row of the same distribution, for both sides, and twice for rows less tame.
double Calibrate(Shape shape) {
  constexpr double kSafety = 4;
  std::mt19937_64 random(1);
  Problem<float> problem{.rows = 1, .vocabulary = shape.vocabulary, .k = shape.k};
  problem.logits.resize(shape.vocabulary);
  Draw(random, problem.logits);
  const Answer answer = Solve(problem);
  double largest = 0;
  for (std::size_t i = 0; i < shape.k; ++i) {
    largest = std::max(largest, answer.bounds[i] / static_cast<double>(answer.probabilities[i]));
  }
  return kSafety * largest;
}

class CpuWorkload : public Workload {
 public:
  explicit CpuWorkload(Shape shape)
      : shape_(shape), tolerance_(Calibrate(shape)), logits_(shape.rows * shape.vocabulary) {}

  void MakeInput(std::mt19937_64& random) override { Draw(random, logits_); }

  void Run(Side side, BenchHosts& hosts) override {
    Outputs& outputs = side == Side::kSubmission ? submission_ : baseline_;
    outputs.probabilities.resize(shape_.rows * shape_.k);
    outputs.indices.resize(shape_.rows * shape_.k);
    Invocation call{std::string(kOperation)};
    call.Scalar(shape_.rows).Scalar(shape_.vocabulary).Scalar(shape_.k).Input(logits_);
    call.Scalar(shape_.vocabulary).Output(outputs.probabilities).Output(outputs.indices);
    call.Place(Placement::kAligned);
    hosts.CallTimed(CaseTest::kForward, call);
  }

  std::string Check() override {
    const auto differ = std::ranges::mismatch(submission_.indices, baseline_.indices);
    if (differ.in1 != submission_.indices.end()) {
      const auto at = differ.in1 - submission_.indices.begin();
      return "against the baseline: indices[" + std::to_string(at) + "] is " +
             std::to_string(*differ.in1) + " instead of " + std::to_string(*differ.in2);
    }
    const std::vector<double> want(baseline_.probabilities.begin(), baseline_.probabilities.end());
    std::vector<double> bounds(want.size());
    std::ranges::transform(want, bounds.begin(), [&](double p) { return p * tolerance_; });
    const Comparison comparison =
        CompareWithin<float, double>(submission_.probabilities, want, bounds);
    return comparison.AllWithin()
               ? std::string()
               : "against the baseline: " + Describe("probabilities", comparison);
  }

 private:
  struct Outputs {
    std::vector<float> probabilities;
    std::vector<std::int32_t> indices;
  };

  Shape shape_;
  double tolerance_;
  std::vector<float> logits_;
  Outputs submission_;
  Outputs baseline_;
};

bool Add(Shape shape) {
  const std::size_t least_bytes = shape.rows * (shape.vocabulary * sizeof(float) +
                                                shape.k * (sizeof(float) + sizeof(std::int32_t)));
  return RegisterWorkload({.name = "cpu_f32/" + std::to_string(shape.rows) + "x" +
                                   std::to_string(shape.vocabulary) + "/k" +
                                   std::to_string(shape.k),
                           .operation = std::string(kOperation),
                           .unsupported_status = SOFTMAX_TOPK_UNSUPPORTED,
                           .least_bytes = static_cast<double>(least_bytes),
                           .make = [shape] { return std::make_unique<CpuWorkload>(shape); }});
}

bool RegisterAll() {
  // A batch of a model with 32,000 tokens, for greedy search and for sampling, and one of 128,256,
  // of as many rows as keep a run short.
  return Add({.rows = 256, .vocabulary = 32'000, .k = 5}) &&
         Add({.rows = 128, .vocabulary = 32'000, .k = 50}) &&
         Add({.rows = 32, .vocabulary = 128'256, .k = 50});
}

[[maybe_unused]] const bool kRegistered = RegisterAll();

}  // namespace
}  // namespace assay::softmax_topk
