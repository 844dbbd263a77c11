// SPDX-License-Identifier: Apache-2.0
#include "decoder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace assay::kvcache {
namespace {

constexpr double kRoundoff = std::numeric_limits<float>::epsilon() / 2.0;
constexpr std::size_t kPerturbedRuns = 6;
constexpr double kSafety = 4;

std::size_t Unsigned(std::int32_t value) { return static_cast<std::size_t>(value); }

/// Sizes of the tensors of one layer, in the order in which their weights lie.
struct LayerSizes {
  std::size_t width;
  std::size_t query;
  std::size_t key;
  std::size_t mlp;

  explicit LayerSizes(const DecoderConfig& config)
      : width(Unsigned(config.width)),
        query(config.Cache().QueryElements()),
        key(config.Cache().KeyElements()),
        mlp(Unsigned(config.mlp_width)) {}

  [[nodiscard]] std::size_t Weights() const {
    const std::size_t attention = width + 2 * query * width + 2 * key * width;
    return attention + (mlp > 0 ? width + 3 * mlp * width : 0);
  }
};

}  // namespace

Config DecoderConfig::Cache() const {
  return {.layers = layers,
          .query_heads = query_heads,
          .kv_heads = kv_heads,
          .head_size = head_size,
          .batch = 1,
          .capacity = capacity,
          .window = window};
}

std::size_t WeightCount(const DecoderConfig& config) {
  const std::size_t width = Unsigned(config.width);
  return 2 * Unsigned(config.vocabulary) * width + width +
         Unsigned(config.layers) * LayerSizes(config).Weights();
}

std::vector<float> DrawWeights(std::mt19937_64& random, const DecoderConfig& config) {
  std::normal_distribution<double> normal;
  std::vector<float> weights;
  const auto matrix = [&](std::size_t rows, std::size_t columns) {
    const double deviation = 1 / std::sqrt(static_cast<double>(columns));
    for (std::size_t i = 0; i < rows * columns; ++i) {
      weights.push_back(static_cast<float>(deviation * normal(random)));
    }
  };
  const auto norm = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      weights.push_back(static_cast<float>(1 + 0.2 * normal(random)));
    }
  };
  const LayerSizes sizes(config);
  matrix(Unsigned(config.vocabulary), sizes.width);
  for (std::int32_t layer = 0; layer < config.layers; ++layer) {
    norm(sizes.width);
    matrix(sizes.query, sizes.width);
    matrix(2 * sizes.key, sizes.width);
    matrix(sizes.width, sizes.query);
    if (sizes.mlp > 0) {
      norm(sizes.width);
      matrix(2 * sizes.mlp, sizes.width);
      matrix(sizes.width, sizes.mlp);
    }
  }
  norm(sizes.width);
  matrix(Unsigned(config.vocabulary), sizes.width);
  return weights;
}

double OracleDecoder::Run::Perturbed(double value, double magnitude, double roundings) {
  if (roundoff == 0) {
    return value;
  }
  std::uniform_real_distribution<double> sign(-1, 1);
  return value + sign(random) * roundings * roundoff * magnitude;
}

namespace {

/// matrix [rows][columns] times x.
template <class Run>
std::vector<double> Multiply(Run& run, const float* matrix, std::size_t rows,
                             std::span<const double> x) {
  std::vector<double> product(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    double sum = 0;
    double magnitude = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      const double term = static_cast<double>(matrix[row * x.size() + j]) * x[j];
      sum += term;
      magnitude += std::abs(term);
    }
    product[row] = run.Perturbed(sum, magnitude, static_cast<double>(x.size()) + 2);
  }
  return product;
}

template <class Run>
std::vector<double> RmsNorm(Run& run, const float* gain, std::span<const double> x, float eps) {
  const auto count = static_cast<double>(x.size());
  double squares = 0;
  for (const double value : x) {
    squares += value * value / count;
  }
  const double scale =
      1 / std::sqrt(run.Perturbed(squares, squares, count + 2) + static_cast<double>(eps));
  std::vector<double> normed(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double value = static_cast<double>(gain[i]) * x[i] * scale;
    normed[i] = run.Perturbed(value, std::abs(value), 6);
  }
  return normed;
}

/// Rotates each head of `heads` by `position`.
template <class Run>
void Rotate(Run& run, const DecoderConfig& config, std::size_t position, std::span<double> heads) {
  if (config.rope_base <= 0) {
    return;
  }
  const std::size_t head = Unsigned(config.head_size);
  const std::size_t half = head / 2;
  for (std::size_t at = 0; at < heads.size(); at += head) {
    for (std::size_t i = 0; i < half; ++i) {
      const double exponent = -2.0 * static_cast<double>(i) / static_cast<double>(head);
      double angle =
          static_cast<double>(position) * std::pow(static_cast<double>(config.rope_base), exponent);
      // In float the angle itself is off by some roundings of its size.
      angle = run.Perturbed(angle, angle, 8);
      const double a = heads[at + i];
      const double b = heads[at + i + half];
      const double magnitude = std::abs(a) + std::abs(b);
      heads[at + i] = run.Perturbed(a * std::cos(angle) - b * std::sin(angle), magnitude, 4);
      heads[at + i + half] = run.Perturbed(a * std::sin(angle) + b * std::cos(angle), magnitude, 4);
    }
  }
}

}  // namespace

OracleDecoder::OracleDecoder(const DecoderConfig& config, std::vector<float> weights)
    : config_(config), weights_(std::move(weights)) {
  Reset();
}

void OracleDecoder::Reset() {
  tokens_ = 0;
  runs_.clear();
  for (std::size_t i = 0; i <= kPerturbedRuns; ++i) {
    runs_.push_back({.k = std::vector<std::vector<double>>(Unsigned(config_.layers)),
                     .v = std::vector<std::vector<double>>(Unsigned(config_.layers)),
                     .random = std::mt19937_64(i),
                     .roundoff = i == 0 ? 0 : kRoundoff});
  }
}

std::vector<double> OracleDecoder::AttendIn(Run& run, std::size_t layer,
                                            std::span<const double> q) {
  const std::size_t head = Unsigned(config_.head_size);
  const std::size_t key_elements = config_.Cache().KeyElements();
  const std::size_t group = Unsigned(config_.query_heads / config_.kv_heads);
  const std::size_t count = run.k[layer].size() / key_elements;
  const std::size_t window = Unsigned(config_.window);
  const std::size_t first = window != 0 && count > window ? count - window : 0;
  std::vector<double> out(q.size());
  for (std::size_t h = 0; h < Unsigned(config_.query_heads); ++h) {
    std::vector<double> weights;
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t j = first; j < count; ++j) {
      double score = 0;
      double magnitude = 0;
      for (std::size_t i = 0; i < head; ++i) {
        const double term = q[h * head + i] * run.k[layer][j * key_elements + h / group * head + i];
        score += term;
        magnitude += std::abs(term);
      }
      const double scale = 1 / std::sqrt(static_cast<double>(head));
      weights.push_back(
          run.Perturbed(score * scale, magnitude * scale, static_cast<double>(head) + 8));
      largest = std::max(largest, weights.back());
    }
    double sum = 0;
    for (double& weight : weights) {
      weight = run.Perturbed(std::exp(weight - largest), std::exp(weight - largest), 8);
      sum += weight;
    }
    const auto chain = static_cast<double>(weights.size()) + 8;
    sum = run.Perturbed(sum, sum, chain);
    for (std::size_t i = 0; i < head; ++i) {
      double value = 0;
      double magnitude = 0;
      for (std::size_t j = first; j < count; ++j) {
        const double term =
            weights[j - first] / sum * run.v[layer][j * key_elements + h / group * head + i];
        value += term;
        magnitude += std::abs(term);
      }
      out[h * head + i] = run.Perturbed(value, magnitude, chain);
    }
  }
  return out;
}

void OracleDecoder::Layer(Run& run, std::size_t layer, const float* weights,
                          std::vector<double>& x) {
  const LayerSizes sizes(config_);
  const auto take = [&weights](std::size_t count) {
    const float* taken = weights;
    weights += count;
    return taken;
  };
  const auto add = [&run, &x](const std::vector<double>& more) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = run.Perturbed(x[i] + more[i], std::abs(x[i]) + std::abs(more[i]), 1);
    }
  };
  std::vector<double> h = RmsNorm(run, take(sizes.width), x, config_.norm_eps);
  std::vector<double> q = Multiply(run, take(sizes.query * sizes.width), sizes.query, h);
  std::vector<double> k = Multiply(run, take(sizes.key * sizes.width), sizes.key, h);
  const std::vector<double> v = Multiply(run, take(sizes.key * sizes.width), sizes.key, h);
  Rotate(run, config_, tokens_, q);
  Rotate(run, config_, tokens_, k);
  run.k[layer].insert(run.k[layer].end(), k.begin(), k.end());
  run.v[layer].insert(run.v[layer].end(), v.begin(), v.end());
  add(Multiply(run, take(sizes.width * sizes.query), sizes.width, AttendIn(run, layer, q)));
  if (sizes.mlp == 0) {
    return;
  }
  h = RmsNorm(run, take(sizes.width), x, config_.norm_eps);
  std::vector<double> gate = Multiply(run, take(sizes.mlp * sizes.width), sizes.mlp, h);
  const std::vector<double> up = Multiply(run, take(sizes.mlp * sizes.width), sizes.mlp, h);
  for (std::size_t i = 0; i < gate.size(); ++i) {
    const double silu = gate[i] / (1 + std::exp(-gate[i]));
    gate[i] = run.Perturbed(silu * up[i], std::abs(silu * up[i]), 8);
  }
  add(Multiply(run, take(sizes.width * sizes.mlp), sizes.width, gate));
}

std::vector<double> OracleDecoder::StepOf(Run& run, std::int32_t token) {
  const LayerSizes sizes(config_);
  const float* embedding = weights_.data() + Unsigned(token) * sizes.width;
  std::vector<double> x(embedding, embedding + sizes.width);
  const float* weights = weights_.data() + Unsigned(config_.vocabulary) * sizes.width;
  for (std::size_t layer = 0; layer < Unsigned(config_.layers); ++layer) {
    Layer(run, layer, weights, x);
    weights += sizes.Weights();
  }
  const std::vector<double> h = RmsNorm(run, weights, x, config_.norm_eps);
  return Multiply(run, weights + sizes.width, Unsigned(config_.vocabulary), h);
}

Logits OracleDecoder::Step(std::int32_t token) {
  Logits logits{.value = StepOf(runs_.front(), token), .bound = {}};
  logits.bound.resize(logits.value.size(), std::numeric_limits<float>::min());
  for (std::size_t run = 1; run < runs_.size(); ++run) {
    const std::vector<double> perturbed = StepOf(runs_[run], token);
    for (std::size_t i = 0; i < perturbed.size(); ++i) {
      logits.bound[i] =
          std::max(logits.bound[i], kSafety * std::abs(perturbed[i] - logits.value[i]));
    }
  }
  // An element on which all runs agree by chance still has the error of its neighbours.
  const double mean = std::accumulate(logits.bound.begin(), logits.bound.end(), 0.0) /
                      static_cast<double>(logits.bound.size());
  std::ranges::transform(logits.bound, logits.bound.begin(),
                         [mean](double bound) { return std::max(bound, mean); });
  ++tokens_;
  return logits;
}

Logits OracleDecoder::Prefill(std::span<const std::int32_t> tokens) {
  Logits logits;
  for (const std::int32_t token : tokens) {
    logits = Step(token);
  }
  return logits;
}

bool MaySample(std::span<const float> logits, float temperature, std::int32_t top_k, float uniform,
               std::int32_t token) {
  if (token < 0 || Unsigned(token) >= logits.size()) {
    return false;
  }
  std::vector<std::size_t> order(logits.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
  });
  if (temperature == 0) {
    return order.front() == Unsigned(token);
  }
  if (top_k > 0) {
    order.resize(std::min(order.size(), Unsigned(top_k)));
  }
  std::vector<double> weights;
  weights.reserve(order.size());
  for (const std::size_t i : order) {
    weights.push_back(
        std::exp((static_cast<double>(logits[i]) - static_cast<double>(logits[order.front()])) /
                 static_cast<double>(temperature)));
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  const double border = 4 * (static_cast<double>(order.size()) + 64) * kRoundoff;
  const auto drawn = static_cast<double>(uniform);
  double before = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double after = before + weights[i] / sum;
    if (order[i] == Unsigned(token)) {
      return drawn >= before - border && drawn < after + border;
    }
    before = after;
  }
  return false;
}

}  // namespace assay::kvcache
