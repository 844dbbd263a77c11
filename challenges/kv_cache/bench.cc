// SPDX-License-Identifier: Apache-2.0
// The timed workloads: a decode step (append and attend of one layer) at three batches, the same
// over INT8, and a prompt.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
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

namespace assay::kvcache {
namespace {

/// Uniform on [-2, 2): bounded, which is what lets one tolerance stand for all outputs.
void Fill(FastRandom& random, std::vector<float>& values, std::size_t count) {
  values.resize(count);
  for (float& value : values) {
    value = static_cast<float>(static_cast<std::int32_t>(random.Next() >> 32)) * 0x1p-30F;
  }
}

/// What one side has in its host.
struct SideState {
  std::uint64_t cache = 0;
  std::vector<float> out;
};

/// A cache of one layer, filled on each side when that side's hosts are first used.
class CacheWorkload : public assay::Workload {
 protected:
  explicit CacheWorkload(const Config& config) : config_(config) {}

  SideState& StateOf(Side side) { return states_.at(side == Side::kSubmission ? 0 : 1); }

  void Create(SideState& state, BenchHosts& hosts) const {
    std::array<std::uint64_t, 1> cache{};
    Invocation call("kv_create");
    call.Scalar(config_.layers).Scalar(config_.query_heads).Scalar(config_.kv_heads);
    call.Scalar(config_.head_size).Scalar(config_.batch).Scalar(config_.capacity);
    call.Scalar(static_cast<std::int32_t>(config_.storage)).Scalar(config_.page_size);
    call.Scalar(config_.pages).Scalar(config_.window).Output(cache);
    hosts.Call(CaseTest::kForward, call);
    state.cache = cache[0];
  }

  /// Every output is an average of values below 2, so that the error of both sides together is
  /// below this: 2 (exp(2 e) - 1) with e the error of a score, plus the two sums.
  [[nodiscard]] double Tolerance() const {
    constexpr double kRoundoff = 0x1p-24;
    constexpr double kLargest = 2;
    const double score =
        (config_.head_size + 16) * kRoundoff * kLargest * kLargest * std::sqrt(config_.head_size);
    const double sums = 4 * (config_.capacity + 16.0) * kRoundoff;
    return 2 * kLargest * (std::expm1(4 * score) + sums);
  }

  std::string Compare(std::string_view what) const {
    const auto& got = states_[0].out;
    const std::vector<double> want(states_[1].out.begin(), states_[1].out.end());
    const Comparison comparison =
        CompareWithin<float, double>(got, want, std::vector<double>(want.size(), Tolerance()));
    return comparison.AllWithin() ? "" : "against the baseline: " + Describe(what, comparison);
  }

  Config config_;

 private:
  std::array<SideState, 2> states_;
};

/// One token more for each sequence of a cache that holds `length` of each: stored, and attended.
class DecodeWorkload : public CacheWorkload {
 public:
  DecodeWorkload(const Config& config, std::int32_t length)
      : CacheWorkload(config), length_(static_cast<std::size_t>(length)) {
    sequences_.resize(static_cast<std::size_t>(config.batch));
    std::iota(sequences_.begin(), sequences_.end(), 0);
  }

  void MakeInput(std::mt19937_64& random) override {
    if (fill_seed_ == 0) {
      fill_seed_ = random() | 1;
    }
    FastRandom fast(random);
    Fill(fast, q_, sequences_.size() * config_.QueryElements());
    Fill(fast, k_, sequences_.size() * config_.KeyElements());
    Fill(fast, v_, sequences_.size() * config_.KeyElements());
  }

  void Run(Side side, BenchHosts& hosts) override {
    SideState& state = StateOf(side);
    if (state.cache == 0) {
      Create(state, hosts);
      FillUp(state, hosts);
    }
    Invocation append("kv_append");
    append.Scalar(state.cache).Scalar(0).Scalar(sequences_.size()).Input(sequences_);
    append.Input(k_).Input(v_).Place(assay::Placement::kAligned);
    hosts.CallTimed(CaseTest::kForward, append);
    state.out.resize(q_.size());
    Invocation attend("kv_attend");
    attend.Scalar(state.cache).Scalar(0).Scalar(sequences_.size()).Input(sequences_);
    attend.Input(q_).Output(state.out).Place(assay::Placement::kAligned);
    hosts.CallTimed(CaseTest::kForward, attend);
  }

  std::string Check() override { return Compare("out of kv_attend"); }

 private:
  /// The same tokens on both sides, in parts that are small beside the cache.
  void FillUp(const SideState& state, BenchHosts& hosts) const {
    constexpr std::size_t kPart = 512;
    std::mt19937_64 seeds(fill_seed_);
    FastRandom fast(seeds);
    std::vector<float> k;
    std::vector<float> v;
    for (const std::int32_t sequence : sequences_) {
      for (std::size_t at = 0; at < length_; at += kPart) {
        const std::size_t count = std::min(kPart, length_ - at);
        const std::vector<std::int32_t> repeated(count, sequence);
        Fill(fast, k, count * config_.KeyElements());
        Fill(fast, v, count * config_.KeyElements());
        Invocation append("kv_append");
        append.Scalar(state.cache).Scalar(0).Scalar(count).Input(repeated).Input(k).Input(v);
        append.Place(assay::Placement::kAligned);
        hosts.Call(CaseTest::kForward, append);
      }
    }
  }

  std::size_t length_;
  std::vector<std::int32_t> sequences_;
  std::uint64_t fill_seed_ = 0;
  std::vector<float> q_, k_, v_;
};

/// A prompt into an empty sequence.
class PrefillWorkload : public CacheWorkload {
 public:
  PrefillWorkload(const Config& config, std::int32_t tokens)
      : CacheWorkload(config), tokens_(static_cast<std::size_t>(tokens)) {}

  void MakeInput(std::mt19937_64& random) override {
    FastRandom fast(random);
    Fill(fast, q_, tokens_ * config_.QueryElements());
    Fill(fast, k_, tokens_ * config_.KeyElements());
    Fill(fast, v_, tokens_ * config_.KeyElements());
  }

  void Run(Side side, BenchHosts& hosts) override {
    SideState& state = StateOf(side);
    if (state.cache == 0) {
      Create(state, hosts);
    }
    state.out.resize(q_.size());
    Invocation prefill("kv_prefill");
    prefill.Scalar(state.cache).Scalar(0).Scalar(0).Scalar(tokens_).Input(q_).Input(k_).Input(v_);
    prefill.Output(state.out).Place(assay::Placement::kAligned);
    hosts.CallTimed(CaseTest::kForward, prefill);
    Invocation free("kv_free");
    free.Scalar(state.cache).Scalar(0);
    hosts.Call(CaseTest::kForward, free);
  }

  std::string Check() override { return Compare("out of kv_prefill"); }

 private:
  std::size_t tokens_;
  std::vector<float> q_, k_, v_;
};

/// What one decode step has to move: every token once, and what goes in and out.
double DecodeBytes(const Config& config, std::int32_t length) {
  const double tokens = static_cast<double>(config.batch) * (length + 1);
  const double queries = static_cast<double>(config.batch) * 2 * sizeof(float) *
                         static_cast<double>(config.QueryElements() + config.KeyElements());
  return tokens * static_cast<double>(TokenBytes(config)) + queries;
}

constexpr std::int32_t kSteps = 16;  ///< Room for the pairs of a block.

/// Heads of 128 as in the Llama models, but one KV head for each query head: the shape that every
/// submission has to support.
constexpr Config Shape(std::int32_t batch, std::int32_t length, Storage storage = Storage::kF32) {
  return {.query_heads = 8,
          .kv_heads = 8,
          .head_size = 128,
          .batch = batch,
          .capacity = length + kSteps,
          .storage = storage};
}

bool AddDecode(std::int32_t batch, std::int32_t length, Storage storage = Storage::kF32,
               std::int32_t query_heads = 8) {
  Config config = Shape(batch, length, storage);
  config.query_heads = query_heads;
  std::vector<std::string> shown_by;  // What not every submission has to support.
  if (storage != Storage::kF32) {
    shown_by.emplace_back(ToString(storage));
  }
  if (config.query_heads != config.kv_heads) {
    shown_by.emplace_back("gqa");
  }
  const std::string name = fmt::format("decode_{}{}/{}x{}", ToString(storage),
                                       query_heads == 8 ? "" : "_gqa", batch, length);
  return RegisterWorkload(
      {.name = name,
       .operation = "kv_attend",
       .unsupported_status = KV_UNSUPPORTED,
       .shown_by = shown_by,
       .least_bytes = DecodeBytes(config, length),
       .make = [config, length] { return std::make_unique<DecodeWorkload>(config, length); }});
}

bool AddPrefill(std::int32_t tokens) {
  const Config config = Shape(1, tokens);
  const double elements =
      static_cast<double>(2 * config.QueryElements() + 2 * config.KeyElements());
  return RegisterWorkload(
      {.name = fmt::format("prefill_f32/{}", tokens),
       .operation = "kv_prefill",
       .unsupported_status = KV_UNSUPPORTED,
       .least_bytes = elements * tokens * sizeof(float),
       .make = [config, tokens] { return std::make_unique<PrefillWorkload>(config, tokens); }});
}

[[maybe_unused]] const bool kRegistered =
    AddDecode(1, 4096) && AddDecode(8, 512) && AddDecode(32, 256) &&
    AddDecode(1, 4096, Storage::kInt8) && AddDecode(1, 4096, Storage::kF32, 32) && AddPrefill(192);

}  // namespace
}  // namespace assay::kvcache
