// SPDX-License-Identifier: Apache-2.0
// A cache in a host and the model of it, side by side.

#include "suite_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "interface.h"
#include "precision.h"

namespace assay::kvcache {
namespace {

/// Outputs of a prefill that are compared: more would make the oracle the longest part of a run.
constexpr std::size_t kComparedTokens = 48;

/// What the contract allows over the least bytes.
constexpr double kBytesAllowed = 1.25;

/// Heads of fewer elements than this, and calls of fewer, may be small by chance all over: their
/// errors say nothing beside them.
constexpr std::size_t kAveragedHead = 16;
constexpr std::size_t kAveragedElements = 64;

/// How far over the bound on a head's root mean square its worst element may be. The errors of a
/// head's elements are nearly normal around 0 with a deviation of a third of that bound (its
/// derivation is in precision.cc), so that 4 are 12 deviations: of the million elements of a run
/// one is beyond that with a chance below 1e-26.
constexpr double kLargestOverRms = 4;

HostFailure Wrong(std::string detail) { return {Verdict::kWrongAnswer, std::move(detail)}; }

/// The sum of four uniform numbers from one word, with variance 1: near enough to normal, and the
/// longest cases draw millions.
std::vector<float> Normal(std::mt19937_64& random, std::size_t count, double deviation) {
  constexpr double kUnit = 0x1p-16;
  const double scale = deviation * std::sqrt(3.0);
  std::vector<float> values(count);
  for (float& value : values) {
    const std::uint64_t word = random();
    const std::uint64_t sum =
        (word & 0xFFFF) + (word >> 16 & 0xFFFF) + (word >> 32 & 0xFFFF) + (word >> 48);
    value = static_cast<float>(scale * ((static_cast<double>(sum) + 2) * kUnit - 2));
  }
  return values;
}

std::vector<float> Part(const std::vector<float>& values, std::size_t from, std::size_t count) {
  const auto begin = values.begin() + static_cast<std::ptrdiff_t>(from);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

std::string List(std::span<const std::int32_t> sequences) {
  constexpr std::size_t kShown = 8;
  std::string text;
  for (const std::int32_t sequence : sequences.first(std::min(kShown, sequences.size()))) {
    text += fmt::format("{}{}", text.empty() ? "" : ",", sequence);
  }
  return sequences.size() > kShown ? fmt::format("{},… {} in all", text, sequences.size()) : text;
}

/// What kv_create may refuse though each capability is reported.
bool IsOptional(const Config& config) {
  const bool is_plain = config.kv_heads == config.query_heads && config.storage == Storage::kF32;
  return config.window > 0 && !is_plain;
}

}  // namespace

Tokens DrawTokens(std::mt19937_64& random, const Config& config, std::size_t count,
                  const Distribution& distribution) {
  Tokens tokens{.count = count,
                .q = Normal(random, count * config.QueryElements(), distribution.query_scale),
                .k = Normal(random, count * config.KeyElements(), distribution.key_scale),
                .v = Normal(random, count * config.KeyElements(), distribution.value_scale)};
  AvoidTies(config, tokens.k);
  AvoidTies(config, tokens.v);
  return tokens;
}

Tokens Slice(const Config& config, const Tokens& tokens, std::size_t first, std::size_t count) {
  const std::size_t query = config.QueryElements();
  const std::size_t key = config.KeyElements();
  return {.count = count,
          .q = Part(tokens.q, first * query, count * query),
          .k = Part(tokens.k, first * key, count * key),
          .v = Part(tokens.v, first * key, count * key)};
}

std::string StatusName(int status) {
  constexpr std::array<std::string_view, 6> kNames = {"KV_OK",          "KV_INVALID_ARGUMENT",
                                                      "KV_UNSUPPORTED", "KV_OUT_OF_MEMORY",
                                                      "KV_CAPACITY",    "KV_NO_PAGES"};
  const auto index = static_cast<std::size_t>(status);
  return index < kNames.size() ? std::string(kNames.at(index)) : fmt::format("status {}", status);
}

std::string Describe(const Config& config) {
  std::string text =
      fmt::format("{} layer{}, {}/{} heads of {}, {}", config.layers, config.layers == 1 ? "" : "s",
                  config.query_heads, config.kv_heads, config.head_size, ToString(config.storage));
  if (config.IsPaged()) {
    text += fmt::format(", {} pages of {}", config.pages, config.page_size);
  }
  if (config.window > 0) {
    text += fmt::format(", window {}", config.window);
  }
  return text + fmt::format(", batch {}, capacity {}", config.batch, config.capacity);
}

Driver::Driver(HostLink link, const Config& config, std::uint64_t handle)
    : link_(std::move(link)), model_(config), handle_(handle) {}

std::expected<Driver, HostFailure> Driver::Create(HostLink link, const Config& config) {
  std::array<std::uint64_t, 1> handle{};
  Invocation call("kv_create");
  call.Scalar(config.layers)
      .Scalar(config.query_heads)
      .Scalar(config.kv_heads)
      .Scalar(config.head_size)
      .Scalar(config.batch)
      .Scalar(config.capacity)
      .Scalar(static_cast<std::int32_t>(config.storage))
      .Scalar(config.page_size)
      .Scalar(config.pages)
      .Scalar(config.window)
      .Output(handle);
  const auto reply = link.call(call);
  if (!reply) {
    return std::unexpected(reply.error());
  }
  if (reply->status == KV_UNSUPPORTED && IsOptional(config)) {
    return std::unexpected(HostFailure{
        Verdict::kSkipped, fmt::format("kv_create({}) says KV_UNSUPPORTED", Describe(config))});
  }
  if (reply->status != KV_OK || handle[0] == 0) {
    return std::unexpected(
        Wrong(fmt::format("kv_create({}) returned {}{} instead of a cache", Describe(config),
                          StatusName(reply->status), reply->status == KV_OK ? " and null" : "")));
  }
  return Driver(std::move(link), config, handle[0]);
}

Outcome Driver::CallWanting(int status, const Invocation& invocation, const std::string& activity) {
  const auto reply = link_.call(invocation);
  if (!reply) {
    return HostFailure{reply.error().verdict,
                       fmt::format("{}: {}", activity, reply.error().detail)};
  }
  if (reply->status == status) {
    return std::nullopt;
  }
  return Wrong(fmt::format("{} returned {} instead of {}", activity, StatusName(reply->status),
                           StatusName(status)));
}

Outcome Driver::CompareOutput(std::string_view activity, std::span<const float> got,
                              const Answer& want) {
  std::vector<double> admitted = want.out;
  std::vector<double> bound = want.bound;
  for (std::size_t i = 0; i < admitted.size(); ++i) {
    if (std::isnan(admitted[i])) {  // Anything is right there.
      admitted[i] = static_cast<double>(got[i]);
      bound[i] = 0;
    }
  }
  const Comparison comparison = link_.compare(got, admitted, bound);
  error_over_bound_ = std::max(error_over_bound_, comparison.error_over_bound);
  if (comparison.AllWithin()) {
    return std::nullopt;
  }
  return Wrong(assay::Describe(activity, comparison));
}

void Driver::Count(std::span<const float> got, const Answer& want, std::size_t seen,
                   Errors& errors) {
  const auto head_size = static_cast<std::size_t>(config().head_size);
  if (precision_ == Precision::kOfEachElement || head_size < kAveragedHead || seen == 0) {
    return;
  }
  const double bound = RelativeRmsBound(config().head_size, seen, Weights::kSpread);
  for (std::size_t head = 0; head < want.out.size(); head += head_size) {
    double squares = 0;
    double largest = 0;
    for (std::size_t i = head; i < head + head_size; ++i) {
      const double error = (static_cast<double>(got[i]) - want.out[i]) / bound;
      squares += want.out[i] * want.out[i];
      errors.weighted_squares += error * error;
      largest = std::max(largest, std::abs(error));
    }
    errors.wanted_squares += squares;
    errors.largest =
        std::max(errors.largest, largest / std::sqrt(squares / static_cast<double>(head_size)));
  }
  errors.elements += want.out.size();
}

Outcome Driver::CompareAverage(std::string_view activity, const Errors& errors) const {
  if (errors.elements < kAveragedElements) {
    return std::nullopt;
  }
  const double over_bound = std::sqrt(errors.weighted_squares / errors.wanted_squares);
  if (over_bound > 1) {
    return Wrong(
        fmt::format("{}: the root mean square of the errors of {} elements is {:.3g} times "
                    "its bound, as if something were narrower than float",
                    activity, errors.elements, over_bound));
  }
  if (errors.largest > kLargestOverRms) {
    return Wrong(
        fmt::format("{}: of {} elements the worst is off by {:.3g} times what the root "
                    "mean square of its head's errors may be; {} are allowed",
                    activity, errors.elements, errors.largest, kLargestOverRms));
  }
  return std::nullopt;
}

std::size_t Driver::Seen(std::size_t tokens) const {
  const auto window = static_cast<std::size_t>(config().window);
  return window == 0 ? tokens : std::min(tokens, window);
}

Outcome Driver::Destroy() {
  Invocation call("kv_destroy");
  call.Scalar(std::exchange(handle_, 0));
  return CallWanting(KV_OK, call, "kv_destroy");
}

Outcome Driver::Prefill(std::int32_t layer, std::int32_t sequence, const Tokens& tokens) {
  const bool in_range = model_.HasLayer(layer) && model_.HasSequence(sequence);
  const std::size_t before = in_range ? model_.Length(layer, sequence) : 0;
  const std::string activity = fmt::format("kv_prefill(layer {}, sequence {}, {} tokens at {})",
                                           layer, sequence, tokens.count, before);
  const std::vector<std::int32_t> sequences(tokens.count, sequence);
  const int status = in_range ? model_.Append(layer, sequences, tokens.k, tokens.v)
                              : static_cast<int>(KV_INVALID_ARGUMENT);
  out_.assign(tokens.q.size(), 0);
  Invocation call("kv_prefill");
  call.Scalar(handle_).Scalar(layer).Scalar(sequence).Scalar(tokens.count).Input(tokens.q);
  call.Input(tokens.k).Input(tokens.v).Output(out_);
  const auto reply = link_.call(call);
  if (reply && reply->status == KV_UNSUPPORTED && before > 0) {
    return HostFailure{Verdict::kSkipped, activity + " says KV_UNSUPPORTED"};
  }
  if (!reply) {
    return HostFailure{reply.error().verdict,
                       fmt::format("{}: {}", activity, reply.error().detail)};
  }
  if (reply->status != status) {
    return Wrong(fmt::format("{} returned {} instead of {}", activity, StatusName(reply->status),
                             StatusName(status)));
  }
  if (status != KV_OK) {
    return std::nullopt;
  }
  const std::size_t step = (tokens.count + kComparedTokens - 1) / kComparedTokens;
  const std::size_t elements = config().QueryElements();
  Errors errors;
  for (std::size_t i = 0; i < tokens.count;
       i = i + 1 == tokens.count ? tokens.count : std::min(i + step, tokens.count - 1)) {
    const auto q = std::span(tokens.q).subspan(i * elements, elements);
    const Answer want = kvcache::Attend(config(), model_.At(layer, sequence), before + i, q);
    const auto got = std::span(out_).subspan(i * elements, elements);
    if (auto wrong = CompareOutput(fmt::format("out[{}] of {}", i, activity), got, want)) {
      return wrong;
    }
    Count(got, want, Seen(before + i + 1), errors);
  }
  return CompareAverage(activity, errors);
}

Outcome Driver::Append(std::int32_t layer, std::span<const std::int32_t> sequences,
                       const Tokens& tokens) {
  const std::string activity =
      fmt::format("kv_append(layer {}, sequences {})", layer, List(sequences));
  const int status = model_.Append(layer, sequences, tokens.k, tokens.v);
  Invocation call("kv_append");
  call.Scalar(handle_).Scalar(layer).Scalar(sequences.size()).Input(sequences);
  call.Input(tokens.k).Input(tokens.v);
  return CallWanting(status, call, activity);
}

Outcome Driver::Append(std::int32_t layer, std::int32_t sequence, const Tokens& tokens) {
  return Append(layer, std::vector<std::int32_t>(tokens.count, sequence), tokens);
}

Outcome Driver::Attend(std::int32_t layer, std::span<const std::int32_t> sequences,
                       const Tokens& tokens) {
  const std::string activity =
      fmt::format("kv_attend(layer {}, sequences {})", layer, List(sequences));
  const bool in_range =
      model_.HasLayer(layer) && std::ranges::all_of(sequences, [this](std::int32_t sequence) {
        return model_.HasSequence(sequence);
      });
  out_.assign(tokens.q.size(), 0);
  Invocation call("kv_attend");
  call.Scalar(handle_).Scalar(layer).Scalar(sequences.size()).Input(sequences);
  call.Input(tokens.q).Output(out_);
  auto wrong = CallWanting(in_range ? KV_OK : KV_INVALID_ARGUMENT, call, activity);
  if (wrong || !in_range) {
    return wrong;
  }
  const std::size_t elements = config().QueryElements();
  Errors errors;
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const std::size_t length = model_.Length(layer, sequences[i]);
    const auto q = std::span(tokens.q).subspan(i * elements, elements);
    const Answer want =
        kvcache::Attend(config(), model_.At(layer, sequences[i]), length == 0 ? 0 : length - 1, q);
    const auto got = std::span(out_).subspan(i * elements, elements);
    wrong = CompareOutput(fmt::format("out[{}] of {}, which has {} tokens", i, activity, length),
                          got, want);
    if (wrong) {
      return wrong;
    }
    Count(got, want, Seen(length), errors);
  }
  return CompareAverage(activity, errors);
}

Outcome Driver::Free(std::int32_t sequence) {
  Invocation call("kv_free");
  call.Scalar(handle_).Scalar(sequence);
  return CallWanting(model_.Free(sequence), call, fmt::format("kv_free(sequence {})", sequence));
}

Outcome Driver::Fork(std::int32_t parent, std::int32_t child) {
  Invocation call("kv_fork");
  call.Scalar(handle_).Scalar(parent).Scalar(child);
  return CallWanting(model_.Fork(parent, child), call,
                     fmt::format("kv_fork({} to {})", parent, child));
}

Outcome Driver::CheckLengths() {
  for (std::int32_t layer = 0; layer < config().layers; ++layer) {
    for (std::int32_t sequence = 0; sequence < config().batch; ++sequence) {
      std::array<std::uint64_t, 1> length{};
      Invocation call("kv_length");
      call.Scalar(handle_).Scalar(layer).Scalar(sequence).Output(length);
      const std::string activity = fmt::format("kv_length(layer {}, sequence {})", layer, sequence);
      if (auto wrong = CallWanting(KV_OK, call, activity)) {
        return wrong;
      }
      if (length[0] != model_.Length(layer, sequence)) {
        return Wrong(fmt::format("{} is {} instead of {}", activity, length[0],
                                 model_.Length(layer, sequence)));
      }
    }
  }
  return std::nullopt;
}

std::expected<Driver::Usage, HostFailure> Driver::ReadUsage() {
  std::array<std::uint64_t, 3> usage{};
  Invocation call("kv_get_usage");
  call.Scalar(handle_).Output(usage);
  if (auto wrong = CallWanting(KV_OK, call, "kv_get_usage")) {
    return std::unexpected(*wrong);
  }
  return Usage{.bytes = usage[0], .pages_in_use = usage[1], .pages_free = usage[2]};
}

Outcome Driver::CheckUsage() {
  const auto usage = ReadUsage();
  if (!usage) {
    return usage.error();
  }
  if (usage->pages_in_use != model_.PagesInUse() || usage->pages_free != model_.PagesFree()) {
    return Wrong(fmt::format("kv_get_usage says {} pages in use and {} free instead of {} and {}",
                             usage->pages_in_use, usage->pages_free, model_.PagesInUse(),
                             model_.PagesFree()));
  }
  const auto least = static_cast<double>(model_.UsedBytes());
  const auto bytes = static_cast<double>(usage->bytes);
  // What a window keeps beyond what is seen is not laid down.
  const bool exact = config().window == 0;
  if (exact && (bytes < least || bytes > kBytesAllowed * least)) {
    return Wrong(
        fmt::format("kv_get_usage says {} bytes; the tokens held take {}, and up to {} "
                    "are allowed",
                    usage->bytes, model_.UsedBytes(), kBytesAllowed * least));
  }
  return std::nullopt;
}

Outcome Driver::CheckStored(std::int32_t layer, std::int32_t sequence) {
  const std::size_t first = model_.FirstVisible(layer, sequence);
  return CheckStored(layer, sequence, first, model_.Length(layer, sequence) - first);
}

Outcome Driver::CheckStored(std::int32_t layer, std::int32_t sequence, std::size_t first,
                            std::size_t count) {
  const std::size_t elements = config().KeyElements();
  std::vector<float> k(count * elements);
  std::vector<float> v(count * elements);
  Invocation call("kv_read");
  call.Scalar(handle_).Scalar(layer).Scalar(sequence).Scalar(first).Scalar(count);
  call.Output(k).Output(v);
  const std::string activity = fmt::format("kv_read(layer {}, sequence {}, tokens {} to {})", layer,
                                           sequence, first, first + count);
  if (auto wrong = CallWanting(KV_OK, call, activity)) {
    return wrong;
  }
  const History& history = model_.At(layer, sequence);
  for (const auto& [name, got, all] :
       {std::tuple("k", &k, &history.k), std::tuple("v", &v, &history.v)}) {
    const auto want = std::span(*all).subspan(first * elements);
    for (std::size_t i = 0; i < got->size(); ++i) {
      const bool same = (*got)[i] == want[i] || (std::isnan((*got)[i]) && std::isnan(want[i]));
      if (!same) {
        return Wrong(fmt::format("{}: {} of token {}, element {} is {:.9g} instead of {:.9g}",
                                 activity, name, first + i / elements, i % elements, (*got)[i],
                                 want[i]));
      }
    }
  }
  return std::nullopt;
}

Outcome Driver::CheckAll() {
  if (auto wrong = CheckLengths()) {
    return wrong;
  }
  if (auto wrong = CheckUsage()) {
    return wrong;
  }
  for (std::int32_t layer = 0; layer < config().layers; ++layer) {
    for (std::int32_t sequence = 0; sequence < config().batch; ++sequence) {
      if (auto wrong = CheckStored(layer, sequence)) {
        return wrong;
      }
    }
  }
  return std::nullopt;
}

}  // namespace assay::kvcache
