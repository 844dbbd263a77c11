// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CHALLENGES_KV_CACHE_WORKLOAD_CALLS_H_
#define ASSAY_CHALLENGES_KV_CACHE_WORKLOAD_CALLS_H_

// The calls of a workload, with their buffers where a bench has them, in their order: bench.cc and
// suite_workloads.cc both make them from here, so that a host cannot tell a test by its calls.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/invocation.h"
#include "workloads.h"

namespace assay::kvcache {

/// How a host is called. A call that fails does not return.
struct WorkloadLink {
  std::function<void(const Invocation&)> call;
  std::function<void(const Invocation&)> timed_call;
};

/// What one host has of a workload, and what it said last.
struct WorkloadSide {
  std::uint64_t cache = 0;
  std::vector<float> out;          ///< Of all rows().
  std::vector<History> read_back;  ///< Of all readings.
};

/// One workload while it is asked: its input, the same for all sides, and the calls that it takes.
class WorkloadCalls {
 public:
  virtual ~WorkloadCalls() = default;

  /// Replaces the input of a step by a fresh one, that no call before has seen.
  virtual void Draw(std::mt19937_64& random) = 0;
  /// Makes the calls of the step; the first ones create a cache and fill it.
  virtual void Run(WorkloadSide& side, const WorkloadLink& link) const = 0;

  /// What of `side.read_back` is not what was stored, in one line; empty when all is.
  [[nodiscard]] std::string DescribeWrongTokens(const WorkloadSide& side) const {
    for (std::size_t i = 0; i < readings_.size(); ++i) {
      const Reading& reading = readings_[i];
      const History want = StoredOf(reading);
      const History& got = side.read_back[i];
      for (const auto& [name, is, right] :
           {std::tuple("k", &got.k, &want.k), std::tuple("v", &got.v, &want.v)}) {
        const auto [at, wanted] = std::ranges::mismatch(*is, *right);
        if (wanted != right->end()) {
          const auto element = static_cast<std::size_t>(wanted - right->begin());
          return fmt::format(
              "kv_read of sequence {}: {} of token {}, element {} is {:.9g} instead "
              "of {:.9g}",
              reading.sequence, name, reading.first + element / config().KeyElements(),
              element % config().KeyElements(), *at, *wanted);
        }
      }
    }
    return "";
  }

  [[nodiscard]] const Config& config() const { return shape_.config; }
  /// What the heads of `WorkloadSide::out` are, in their order.
  [[nodiscard]] const std::vector<OutputRow>& rows() const { return rows_; }
  /// The heads' queries.
  [[nodiscard]] std::span<const float> Queries() const { return q_; }
  /// What was handed in for that sequence, all tokens up to now.
  [[nodiscard]] const History& HistoryOf(std::int32_t sequence) const {
    return histories_[static_cast<std::size_t>(sequence)];
  }

 protected:
  explicit WorkloadCalls(const WorkloadShape& shape)
      : shape_(shape), histories_(static_cast<std::size_t>(shape.config.batch)) {}

  /// Tokens that are read back.
  struct Reading {
    std::int32_t sequence = 0;
    std::size_t first = 0;
    std::size_t count = 1;
  };

  [[nodiscard]] const WorkloadShape& shape() const { return shape_; }
  [[nodiscard]] History& MutableHistoryOf(std::int32_t sequence) {
    return histories_[static_cast<std::size_t>(sequence)];
  }

  std::int32_t DrawSequence(std::mt19937_64& random) const {
    return static_cast<std::int32_t>(random() % histories_.size());
  }
  /// Some tokens next to each other, anywhere among the first `stored` of the sequence.
  static Reading DrawReading(std::mt19937_64& random, std::int32_t sequence, std::size_t stored) {
    const std::size_t count = std::min<std::size_t>(4, stored);
    return {.sequence = sequence, .first = random() % (stored - count + 1), .count = count};
  }

  void Create(WorkloadSide& side, const WorkloadLink& link) const {
    std::array<std::uint64_t, 1> cache{};
    const Config& config = shape_.config;
    Invocation call("kv_create");
    call.Scalar(config.layers).Scalar(config.query_heads).Scalar(config.kv_heads);
    call.Scalar(config.head_size).Scalar(config.batch).Scalar(config.capacity);
    call.Scalar(static_cast<std::int32_t>(config.storage)).Scalar(config.page_size);
    call.Scalar(config.pages).Scalar(config.window).Output(cache);
    link.call(call);
    side.cache = cache[0];
  }

  void ReadBack(WorkloadSide& side, const WorkloadLink& link) const {
    side.read_back.resize(readings_.size());
    for (std::size_t i = 0; i < readings_.size(); ++i) {
      const Reading& reading = readings_[i];
      History& got = side.read_back[i];
      got.k.resize(reading.count * config().KeyElements());
      got.v.resize(got.k.size());
      Invocation read("kv_read");
      read.Scalar(side.cache).Scalar(0).Scalar(reading.sequence).Scalar(reading.first);
      read.Scalar(reading.count).Output(got.k).Output(got.v).Place(assay::Placement::kAligned);
      link.call(read);
    }
  }

  std::vector<float> q_;  ///< Of all rows_.
  std::vector<OutputRow> rows_;
  std::vector<Reading> readings_;

 private:
  [[nodiscard]] History StoredOf(const Reading& reading) const {
    const std::size_t elements = config().KeyElements();
    const History& history = HistoryOf(reading.sequence);
    const auto part = [&](const std::vector<float>& values) {
      return std::span(values).subspan(reading.first * elements, reading.count * elements);
    };
    return {.k = Stored(config(), part(history.k)), .v = Stored(config(), part(history.v))};
  }

  WorkloadShape shape_;
  std::vector<History> histories_;  ///< By sequence.
};

/// One token more for each sequence: stored, and attended; then some of the tokens just stored are
/// read back, and some of the older ones. Of a share f of tokens that are stored wrong, a series of
/// 40 pairs misses all with a chance of (1 - f)^400.
class DecodeCalls : public WorkloadCalls {
 public:
  explicit DecodeCalls(const WorkloadShape& shape) : WorkloadCalls(shape) {
    sequences_.resize(static_cast<std::size_t>(shape.config.batch));
    std::iota(sequences_.begin(), sequences_.end(), 0);
  }

  void Draw(std::mt19937_64& random) override {
    FastRandom fast(random);
    q_.clear();
    rows_.clear();
    step_ = {};
    for (const std::int32_t sequence : sequences_) {
      History& history = MutableHistoryOf(sequence);
      DrawTokensInto(history, fast, config(), history.k.empty() ? shape().tokens + 1 : 1);
      const auto newest = static_cast<std::ptrdiff_t>(config().KeyElements());
      step_.k.insert(step_.k.end(), history.k.end() - newest, history.k.end());
      step_.v.insert(step_.v.end(), history.v.end() - newest, history.v.end());
      DrawQuery(random, config(), sequence, history, history.Tokens(config()), q_, rows_);
    }
    readings_.clear();
    for (int i = 0; i < 2; ++i) {
      const std::int32_t sequence = DrawSequence(random);
      const std::size_t newest = HistoryOf(sequence).Tokens(config()) - 1;
      readings_.push_back({.sequence = sequence, .first = newest});
      readings_.push_back(DrawReading(random, DrawSequence(random), newest));
    }
  }

  void Run(WorkloadSide& side, const WorkloadLink& link) const override {
    if (side.cache == 0) {
      Create(side, link);
      FillUp(side, link);
    }
    Invocation append("kv_append");
    append.Scalar(side.cache).Scalar(0).Scalar(sequences_.size()).Input(sequences_);
    append.Input(step_.k).Input(step_.v).Place(assay::Placement::kAligned);
    link.timed_call(append);
    side.out.resize(q_.size());
    Invocation attend("kv_attend");
    attend.Scalar(side.cache).Scalar(0).Scalar(sequences_.size()).Input(sequences_);
    attend.Input(q_).Output(side.out).Place(assay::Placement::kAligned);
    link.timed_call(attend);
    ReadBack(side, link);
  }

 private:
  /// In parts that are small beside the cache.
  void FillUp(const WorkloadSide& side, const WorkloadLink& link) const {
    constexpr std::size_t kPart = 512;
    const std::size_t elements = config().KeyElements();
    for (const std::int32_t sequence : sequences_) {
      const History& history = HistoryOf(sequence);
      for (std::size_t at = 0; at < shape().tokens; at += kPart) {
        const std::size_t count = std::min(kPart, shape().tokens - at);
        const std::vector<std::int32_t> repeated(count, sequence);
        Invocation append("kv_append");
        append.Scalar(side.cache).Scalar(0).Scalar(count).Input(repeated);
        append.Input(std::span(history.k).subspan(at * elements, count * elements));
        append.Input(std::span(history.v).subspan(at * elements, count * elements));
        append.Place(assay::Placement::kAligned);
        link.call(append);
      }
    }
  }

  std::vector<std::int32_t> sequences_;
  History step_;  ///< The newest token of each sequence.
};

/// A prompt into an empty sequence, of which some tokens are read back and which, in one step of
/// four, a query then attends to; then the sequence is freed.
class PromptCalls : public WorkloadCalls {
 public:
  explicit PromptCalls(const WorkloadShape& shape) : WorkloadCalls(shape) {}

  void Draw(std::mt19937_64& random) override {
    constexpr std::uint64_t kOneInAttends = 4;
    FastRandom fast(random);
    History& history = MutableHistoryOf(0);
    history.k.clear();
    history.v.clear();
    DrawTokensInto(history, fast, config(), shape().tokens);
    q_.clear();
    rows_.clear();
    for (std::size_t i = 0; i < shape().tokens; ++i) {
      DrawQuery(random, config(), 0, history, i + 1, q_, rows_);
    }
    attends_ = random() % kOneInAttends == 0;
    if (attends_) {
      DrawQuery(random, config(), 0, history, shape().tokens, q_, rows_);
    }
    readings_.clear();
    for (int i = 0; i < 3; ++i) {
      readings_.push_back(DrawReading(random, 0, shape().tokens));
    }
  }

  void Run(WorkloadSide& side, const WorkloadLink& link) const override {
    if (side.cache == 0) {
      Create(side, link);
    }
    const std::size_t of_prompt = shape().tokens * config().QueryElements();
    side.out.resize(q_.size());
    Invocation prefill("kv_prefill");
    prefill.Scalar(side.cache).Scalar(0).Scalar(0).Scalar(shape().tokens);
    prefill.Input(std::span(q_).first(of_prompt)).Input(HistoryOf(0).k).Input(HistoryOf(0).v);
    prefill.Output(std::span(side.out).first(of_prompt)).Place(assay::Placement::kAligned);
    link.timed_call(prefill);
    ReadBack(side, link);
    if (attends_) {
      Attend(side, link, of_prompt);
    }
    Invocation free("kv_free");
    free.Scalar(side.cache).Scalar(0);
    link.call(free);
  }

 private:
  /// The query and the output that begin at `element`.
  void Attend(WorkloadSide& side, const WorkloadLink& link, std::size_t element) const {
    constexpr std::array<std::int32_t, 1> kSequence{0};
    Invocation attend("kv_attend");
    attend.Scalar(side.cache).Scalar(0).Scalar(kSequence.size()).Input(kSequence);
    attend.Input(std::span(q_).subspan(element)).Output(std::span(side.out).subspan(element));
    attend.Place(assay::Placement::kAligned);
    link.call(attend);
  }

  bool attends_ = false;
};

inline std::unique_ptr<WorkloadCalls> MakeCalls(const WorkloadShape& shape) {
  if (shape.kind == WorkloadShape::Kind::kPrompt) {
    return std::make_unique<PromptCalls>(shape);
  }
  return std::make_unique<DecodeCalls>(shape);
}

}  // namespace assay::kvcache

#endif  // ASSAY_CHALLENGES_KV_CACHE_WORKLOAD_CALLS_H_
