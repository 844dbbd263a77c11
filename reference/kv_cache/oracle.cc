// SPDX-License-Identifier: Apache-2.0
#include "oracle.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

// Derivation of the error bound of attention
// ------------------------------------------
// u is the unit roundoff of float, d the head size, L the tokens that are read, S_j the sum of
// |q_i k_ji| / sqrt(d) over i, p_j the right weights, m any shift that all exponents share.
//
// s_j     A dot product in any order makes at most d u S_j; dequantising inside it, or a scale
// folded
//         into q or s, a few roundings more: ds_j = (d + 12) u S_j.
// w_j     exp(s_j - m) is off by the factor exp(e_j) at most, e_j = ds_j + 2u |s_j - m| + 8u: the
//         rounded difference, an exponential of up to 6 units, and running maxima, whose rescaling
//         factors multiply to the same exponent.
// p_j     Numerator and denominator are both off: by exp(e_j + E) - 1 with E = sum p_j e_j.
// out_i   sum p_j |v_ji| (exp(e_j + E) - 1), plus the two sums over tokens in any order, each with
//         its rescalings: 2 (L + 16) u sum p_j |v_ji|, plus 4u |out_i|.
//         An average lies between the least and the largest value that it averages, so no right
//         implementation is further off than their distance and the rounding of the two sums.
//
// These are worst cases: right float implementations land at 0.001 to 0.2 of them.

namespace assay::kvcache {
namespace {

constexpr double kRoundoff = std::numeric_limits<float>::epsilon() / 2.0;
constexpr double kTiny = std::numeric_limits<float>::min();
constexpr int kInt8Codes = 127;
constexpr int kInt4Codes = 7;
constexpr std::size_t kInt4Group = 32;

/// float to binary16 and back, to nearest, ties to even.
float RoundToHalf(float value) { return static_cast<float>(static_cast<_Float16>(value)); }

int CodesOf(Storage storage) { return storage == Storage::kInt8 ? kInt8Codes : kInt4Codes; }

/// Calls `visit` with each group of elements that share a scale.
template <class T, class Visit>
void ForEachGroup(const Config& config, std::span<T> tokens, Visit visit) {
  const auto head = static_cast<std::size_t>(config.head_size);
  const std::size_t step = config.storage == Storage::kInt4 ? kInt4Group : head;
  for (std::size_t at = 0; at < tokens.size(); at += head) {
    for (std::size_t from = 0; from < head; from += step) {
      visit(tokens.subspan(at + from, std::min(step, head - from)));
    }
  }
}

template <class T>
float ScaleOf(std::span<T> group, int codes) {
  float largest = 0;
  for (const float value : group) {
    largest = std::max(largest, std::abs(value));
  }
  return largest / static_cast<float>(codes);
}

/// Distance of x / scale from the nearest middle between two codes, in codes.
double DistanceFromTie(float value, float scale) {
  const double code = std::abs(static_cast<double>(value) / static_cast<double>(scale));
  // No std::floor, which is a call: benches have millions of these.
  return std::abs(code - static_cast<int>(code) - 0.5);
}

bool IsQuantised(Storage storage) { return storage == Storage::kInt8 || storage == Storage::kInt4; }

/// The heads of one query, as Attend goes through them.
struct HeadView {
  const Config& config;
  const History& history;
  std::span<const float> q;  ///< [head_size]
  std::size_t kv_head = 0;
  std::size_t first = 0;  ///< First token that is read.
  std::size_t last = 0;   ///< Last token that is read.

  [[nodiscard]] std::span<const float> Row(const std::vector<float>& tokens,
                                           std::size_t token) const {
    const auto head = static_cast<std::size_t>(config.head_size);
    return std::span(tokens).subspan(token * config.KeyElements() + kv_head * head, head);
  }
};

struct Scores {
  std::vector<double> score;
  std::vector<double> absolute;  ///< S_j.
};

Scores ScoresOf(const HeadView& view) {
  const double scale = 1 / std::sqrt(static_cast<double>(view.config.head_size));
  Scores scores;
  for (std::size_t j = view.first; j <= view.last; ++j) {
    double score = 0;
    double absolute = 0;
    const std::span<const float> k = view.Row(view.history.k, j);
    for (std::size_t i = 0; i < k.size(); ++i) {
      const double product = static_cast<double>(view.q[i]) * static_cast<double>(k[i]);
      score += product;
      absolute += std::abs(product);
    }
    scores.score.push_back(score * scale);
    scores.absolute.push_back(absolute * scale);
  }
  return scores;
}

/// Whether every element that the head reads is finite.
bool IsFinite(const HeadView& view) {
  const auto finite = [](float value) { return std::isfinite(value); };
  for (std::size_t j = view.first; j <= view.last; ++j) {
    if (!std::ranges::all_of(view.Row(view.history.k, j), finite) ||
        !std::ranges::all_of(view.Row(view.history.v, j), finite)) {
      return false;
    }
  }
  return std::ranges::all_of(view.q, finite);
}

void AttendHead(const HeadView& view, std::span<double> out, std::span<double> bound) {
  if (!IsFinite(view)) {
    std::ranges::fill(out, std::numeric_limits<double>::quiet_NaN());
    std::ranges::fill(bound, std::numeric_limits<double>::quiet_NaN());
    return;
  }
  const Scores scores = ScoresOf(view);
  const std::size_t count = scores.score.size();
  const double largest = *std::ranges::max_element(scores.score);
  std::vector<double> weight(count);
  std::vector<double> error(count);
  double sum = 0;
  double mean_error = 0;
  for (std::size_t j = 0; j < count; ++j) {
    weight[j] = std::exp(scores.score[j] - largest);
    error[j] = (view.config.head_size + 12) * kRoundoff * scores.absolute[j] +
               2 * kRoundoff * (largest - scores.score[j]) + 8 * kRoundoff;
    sum += weight[j];
    mean_error += weight[j] * error[j];
  }
  mean_error /= sum;
  const double chain = 2 * (static_cast<double>(count) + 16) * kRoundoff;
  std::vector<double> least(out.size(), std::numeric_limits<double>::infinity());
  std::vector<double> most(out.size(), -std::numeric_limits<double>::infinity());
  for (std::size_t j = 0; j < count; ++j) {
    const double p = weight[j] / sum;
    const double factor = std::expm1(error[j] + mean_error) + chain;
    const std::span<const float> v = view.Row(view.history.v, view.first + j);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto value = static_cast<double>(v[i]);
      out[i] += p * value;
      // A weight of 0 times an infinite factor is no error.
      bound[i] += p == 0 ? 0 : p * std::abs(value) * factor;
      least[i] = std::min(least[i], value);
      most[i] = std::max(most[i], value);
    }
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double magnitude = std::max(std::abs(least[i]), std::abs(most[i]));
    bound[i] = std::min(bound[i], most[i] - least[i] + chain * magnitude) +
               8 * kRoundoff * std::abs(out[i]) + kTiny;
  }
}

}  // namespace

std::string_view ToString(Storage storage) {
  switch (storage) {
    case Storage::kF32:
      return "f32";
    case Storage::kF16:
      return "f16";
    case Storage::kInt8:
      return "int8";
    case Storage::kInt4:
      return "int4";
  }
  return "?";
}

std::size_t TokenBytes(const Config& config) {
  const auto head = static_cast<std::size_t>(config.head_size);
  const std::size_t rows = 2 * static_cast<std::size_t>(config.kv_heads);
  switch (config.storage) {
    case Storage::kF32:
      return rows * head * sizeof(float);
    case Storage::kF16:
      return rows * head * 2;
    case Storage::kInt8:
      return rows * (head + sizeof(float));
    case Storage::kInt4:
      return rows * ((head + 1) / 2 + sizeof(float) * ((head + kInt4Group - 1) / kInt4Group));
  }
  return 0;
}

std::vector<float> Stored(const Config& config, std::span<const float> tokens) {
  std::vector<float> stored(tokens.begin(), tokens.end());
  if (config.storage == Storage::kF16) {
    std::ranges::transform(stored, stored.begin(), RoundToHalf);
  } else if (IsQuantised(config.storage)) {
    const int codes = CodesOf(config.storage);
    ForEachGroup(config, std::span(stored), [codes](std::span<float> group) {
      const float scale = ScaleOf(group, codes);
      for (float& value : group) {
        const float code = scale == 0 ? 0.0F : std::nearbyint(value / scale);
        value = std::clamp(code, static_cast<float>(-codes), static_cast<float>(codes)) * scale;
      }
    });
  }
  return stored;
}

void AvoidTies(const Config& config, std::span<float> tokens) {
  if (!IsQuantised(config.storage)) {
    return;
  }
  constexpr double kNear = 1e-3;
  const int codes = CodesOf(config.storage);
  ForEachGroup(config, tokens, [codes](std::span<float> group) {
    const float scale = ScaleOf(group, codes);
    for (float& value : group) {
      if (scale > 0 && DistanceFromTie(value, scale) < kNear) {
        value *= 1 - 0.01F;  // Towards zero, so that the largest stays the largest.
        value = DistanceFromTie(value, scale) < kNear ? 0 : value;
      }
    }
  });
}

std::vector<double> StorageBounds(const Config& config, std::span<const float> tokens) {
  std::vector<double> bounds;
  if (IsQuantised(config.storage)) {
    const int codes = CodesOf(config.storage);
    ForEachGroup(config, tokens, [&](std::span<const float> group) {
      const double step = static_cast<double>(ScaleOf(group, codes));
      for (const float value : group) {
        const double code_roundings = 8 * kRoundoff * std::abs(static_cast<double>(value));
        bounds.push_back(step / 2 + code_roundings + 2 * codes * kRoundoff * step + 1e-45);
      }
    });
    return bounds;
  }
  for (const float value : tokens) {
    const double magnitude = std::abs(static_cast<double>(value));
    bounds.push_back(config.storage == Storage::kF32 ? 0 : std::max(magnitude * 0x1p-11, 0x1p-25));
  }
  return bounds;
}

Answer Attend(const Config& config, const History& history, std::size_t position,
              std::span<const float> q) {
  Answer result{.out = std::vector<double>(q.size()), .bound = std::vector<double>(q.size())};
  if (history.Tokens(config) == 0) {
    return result;
  }
  const auto head = static_cast<std::size_t>(config.head_size);
  const auto window = static_cast<std::size_t>(config.window);
  const std::size_t first = window != 0 && position >= window ? position - window + 1 : 0;
  const auto group = static_cast<std::size_t>(config.query_heads / config.kv_heads);
  for (std::size_t h = 0; h < static_cast<std::size_t>(config.query_heads); ++h) {
    const HeadView view{.config = config,
                        .history = history,
                        .q = q.subspan(h * head, head),
                        .kv_head = h / group,
                        .first = first,
                        .last = position};
    AttendHead(view, std::span(result.out).subspan(h * head, head),
               std::span(result.bound).subspan(h * head, head));
  }
  return result;
}

}  // namespace assay::kvcache
