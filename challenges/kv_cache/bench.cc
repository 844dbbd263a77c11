// SPDX-License-Identifier: Apache-2.0
// The timed workloads of workloads.h: decode steps (append and attend of one layer) at three
// batches, over INT8 and with grouped heads, and a prompt.

#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>

#include "client/paired_bench.h"
#include "interface.h"
#include "oracle.h"
#include "workload_calls.h"
#include "workloads.h"

namespace assay::kvcache {
namespace {

constexpr std::string_view kHost = "forward";

/// The calls of a workload on both sides. What the submission computes is held against the
/// baseline, head by head, and what it stored against what it was given: a cache that is narrower
/// than it says where it is timed is fast and wrong.
class CacheWorkload : public assay::Workload {
 public:
  explicit CacheWorkload(const WorkloadShape& shape) : calls_(MakeCalls(shape)) {}

  void MakeInput(std::mt19937_64& random) override { calls_->Draw(random); }

  void Run(Side side, BenchHosts& hosts) override {
    calls_->Run(side == Side::kSubmission ? submission_ : baseline_,
                {.call = [&](const Invocation& call) { hosts.Call(kHost, call); },
                 .timed_call = [&](const Invocation& call) { hosts.CallTimed(kHost, call); }});
  }

  std::string Check() override {
    const std::string wrong = DescribeWrongOutput();
    return wrong.empty() ? calls_->DescribeWrongTokens(submission_) : wrong;
  }

 private:
  /// The errors of both sides are within the bound of one: those of the baseline, which adds up
  /// side by side, are a tenth of it.
  [[nodiscard]] std::string DescribeWrongOutput() const {
    const auto head_size = static_cast<std::size_t>(calls_->config().head_size);
    for (std::size_t i = 0; i < calls_->rows().size(); ++i) {
      const OutputRow& row = calls_->rows()[i];
      const auto got = std::span(submission_.out).subspan(i * head_size, head_size);
      const auto want = std::span(baseline_.out).subspan(i * head_size, head_size);
      const std::string wrong = DescribeRmsOutside(row, calls_->config(), got, want);
      if (!wrong.empty()) {
        return "against the baseline: " + wrong;
      }
    }
    return "";
  }

  std::unique_ptr<WorkloadCalls> calls_;
  WorkloadSide submission_;
  WorkloadSide baseline_;
};

/// What a step has to move: for a decode step every token once, for a prompt the tokens that it
/// stores, and what goes in and out.
double LeastBytes(const WorkloadShape& shape) {
  const Config& config = shape.config;
  const double of_token =
      2 * sizeof(float) * static_cast<double>(config.QueryElements() + config.KeyElements());
  const auto tokens = static_cast<double>(shape.tokens);
  if (shape.kind == WorkloadShape::Kind::kPrompt) {
    return tokens * of_token;
  }
  const double stored = config.batch * (tokens + 1) * static_cast<double>(TokenBytes(config));
  return stored + config.batch * of_token;
}

/// Tags of the cases in which the suite sees what not every submission has to support.
std::vector<std::string> ShownBy(const Config& config) {
  std::vector<std::string> tags;
  if (config.storage != Storage::kF32) {
    tags.emplace_back(ToString(config.storage));
  }
  if (config.query_heads != config.kv_heads) {
    tags.emplace_back("gqa");
  }
  return tags;
}

bool AddAll() {
  bool added = true;
  for (const WorkloadShape& shape : kWorkloadShapes) {
    const bool is_prompt = shape.kind == WorkloadShape::Kind::kPrompt;
    added =
        RegisterWorkload({.name = NameOf(shape),
                          .operation = is_prompt ? "kv_prefill" : "kv_attend",
                          .unsupported_status = KV_UNSUPPORTED,
                          .shown_by = ShownBy(shape.config),
                          .least_bytes = LeastBytes(shape),
                          .make = [shape] { return std::make_unique<CacheWorkload>(shape); }}) &&
        added;
  }
  return added;
}

[[maybe_unused]] const bool kRegistered = AddAll();

}  // namespace
}  // namespace assay::kvcache
