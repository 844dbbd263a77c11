// SPDX-License-Identifier: Apache-2.0
#include "oracle.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

// Derivation of the error bound
// -----------------------------
// u = 2^-24 is the unit roundoff of float; d_j = x_j - m <= 0; e = 2^-21.5 the relative error of an
// exponential as good as ex2.approx, 2 ulp and the rounding of what it is compared with (PTX ISA,
// ex2.approx). The maximum is exact in any order.
//
// argument   x - m is rounded, and so are log2(e) and the product with it: 3u |d_j| in the
//            exponent, hence the same relative to exp(d_j). Where m is a running maximum, the
//            exponents of the rescales add up to the same |d_j|.
// chain      Adding a <= b is off by at most min(u (a + b), a), since b itself can be the result.
//            Call a term small where it is below u S. In any tree of additions, those of two
//            subtrees that each hold a term that is not small are fewer than such terms, at most
//            u S each; a subtree of small terms alone loses at most V u of its mass inside, and
//            less than its mass where it is joined to others. Altogether at most
//            C = (1 + V u) sum_j min(u, p_j), relative to S, in any order. A flat row has V u, a
//            row of few large terms a few u.
// rescale    An online normaliser multiplies what it has by exp(m_old - m_new), which is off by e
//            and a rounding of the product. Term j sees at most G_j of them, G_j the number of
//            different logits above x_j, since a running maximum only grows; merging partial sums
//            adds one for each level, in trees over lanes, warps and blocks at most M = 32:
//            (e + 2u) (M + sum_j p_j G_j), relative to S.
// sum        e_S = sum_j p_j (3u |d_j| + e) + C + the rescales.
// p_i        Its own exponential, computed at once or in two factors: 3u |d_i| + 2 (e + u). The
//            division: 6u, the approximate one's 2 ulp or those of a reciprocal and a product.
//            As exp(d_i - ln S) instead: ln S is off by e_S and 7u ln S at most.
//
//   r_i     = 3u |d_i| + 2 (e + u) + 6u + 7u ln S + e_S
//   bound_i = p_i r_i / (1 - r_i) + 2^-126            (r_i <= 0.1 for V <= 2^18 and p_i > 0)
//
// The last for results, or exponentials, that are flushed to zero where they are denormal.
//
// These are worst cases: a right implementation lands at 0.001 to 0.3 of them. Outside are sums
// that lose or repeat a term that matters, exponentials without a maximum subtracted, and
// arithmetic narrower than float.

namespace assay::softmax_topk {
namespace {

using Real = long double;

constexpr double kRoundoff = 0x1p-24;
constexpr double kExponential = 0x1.6a09e667f3bcdp-22;  // 2^-21.5
constexpr double kMergeLevels = 32;
constexpr double kFlushed = 0x1p-126;

/// Binary formats of 16 bits: one sign bit, the exponent, `mantissa_bits`.
struct Format {
  int mantissa_bits;
  int smallest_exponent;  ///< Of normal numbers.
  int largest_exponent;
};
constexpr Format kHalf = {10, -14, 15};
constexpr Format kBFloat16 = {7, -126, 127};

double Decode(std::uint16_t bits, const Format& format) {
  const int mantissa_bits = format.mantissa_bits;
  const int fraction = bits & ((1 << mantissa_bits) - 1);
  const int exponent = (bits & 0x7fff) >> mantissa_bits;
  const int special = format.largest_exponent - format.smallest_exponent + 2;
  double magnitude = 0;
  if (exponent == special) {
    magnitude = fraction == 0 ? std::numeric_limits<double>::infinity()
                              : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = std::ldexp(fraction, format.smallest_exponent - mantissa_bits);
  } else {
    magnitude = std::ldexp(fraction + (1 << mantissa_bits),
                           format.smallest_exponent + exponent - 1 - mantissa_bits);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

std::uint16_t Encode(double value, const Format& format) {
  const int mantissa_bits = format.mantissa_bits;
  const int sign = std::signbit(value) ? 0x8000 : 0;
  const int infinity = (format.largest_exponent - format.smallest_exponent + 2) << mantissa_bits;
  if (std::isnan(value)) {
    return static_cast<std::uint16_t>(sign | infinity | (1 << (mantissa_bits - 1)));
  }
  const double magnitude = std::abs(value);
  if (magnitude == 0 || std::isinf(magnitude)) {
    return static_cast<std::uint16_t>(sign | (magnitude == 0 ? 0 : infinity));
  }
  const int exponent = std::max(std::ilogb(magnitude), format.smallest_exponent);
  // In units of the last place; rounding up to the next power of two carries into the exponent.
  const double units = std::nearbyint(std::ldexp(magnitude, mantissa_bits - exponent));
  const double scaled = units + std::ldexp(exponent - format.smallest_exponent, mantissa_bits);
  return static_cast<std::uint16_t>(
      sign | std::min(static_cast<int>(std::min(scaled, 65535.0)), infinity));
}

/// Whether element i of the row comes before element j.
bool ComesBefore(std::span<const float> row, std::int32_t i, std::int32_t j) {
  const float a = row[static_cast<std::size_t>(i)];
  const float b = row[static_cast<std::size_t>(j)];
  if (std::isnan(a) || std::isnan(b)) {
    return std::isnan(a) == std::isnan(b) ? i < j : std::isnan(b);
  }
  return a == b ? i < j : a > b;
}

/// What a row's softmax is made of.
struct RowSum {
  double maximum = 0;
  Real sum = 0;             ///< S
  Real relative_error = 0;  ///< e_S
};

/// sum_j p_j G_j times S.
Real WeightedRescales(std::span<const float> row, double maximum) {
  std::vector<float> sorted(row.begin(), row.end());
  std::ranges::sort(sorted, std::greater<>());
  Real weighted = 0;
  double above = 0;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    above += sorted[i] != sorted[i - 1] ? 1 : 0;
    weighted += std::exp(sorted[i] - maximum) * above;
  }
  return weighted;
}

/// For a row of finite numbers and -infinity, not all of them -infinity.
RowSum Sum(std::span<const float> row) {
  RowSum result{.maximum = std::ranges::max(row)};
  for (const float x : row) {
    result.sum += std::exp(x - result.maximum);
  }
  Real argument = 0;
  Real chain = 0;
  for (const float x : row) {
    const double d = x - result.maximum;
    const double term = std::exp(d);
    if (term > 0) {
      argument += term * (3 * kRoundoff * -d + kExponential);
      chain += std::min<Real>(kRoundoff * result.sum, term);
    }
  }
  const Real count = static_cast<Real>(row.size());
  result.relative_error = argument / result.sum + (1 + count * kRoundoff) * chain / result.sum +
                          (kExponential + 2 * kRoundoff) *
                              (kMergeLevels + WeightedRescales(row, result.maximum) / result.sum);
  return result;
}

/// Whether the formula gives NaN for all of the row.
bool IsSpecial(std::span<const float> row) {
  return std::ranges::any_of(row,
                             [](float x) { return std::isnan(x) || (std::isinf(x) && x > 0); }) ||
         std::ranges::all_of(row, [](float x) { return std::isinf(x); });
}

void SolveRow(std::span<const float> row, std::size_t k, Answer& answer) {
  const std::vector<std::int32_t> selected = Select(row, k);
  answer.indices.insert(answer.indices.end(), selected.begin(), selected.end());
  if (IsSpecial(row)) {
    answer.probabilities.insert(answer.probabilities.end(), k,
                                std::numeric_limits<Real>::quiet_NaN());
    answer.bounds.insert(answer.bounds.end(), k, 0);
    return;
  }
  const RowSum sum = Sum(row);
  for (const std::int32_t index : selected) {
    const float x = row[static_cast<std::size_t>(index)];
    if (std::isinf(x)) {
      answer.probabilities.push_back(0);
      answer.bounds.push_back(0);
      continue;
    }
    const double d = x - sum.maximum;
    const Real p = std::exp(d) / sum.sum;
    const Real error = 3 * kRoundoff * -d + 2 * (kExponential + kRoundoff) + 6 * kRoundoff +
                       7 * kRoundoff * std::log(sum.sum) + sum.relative_error;
    // Over a half only where d is in the millions and p is 0.
    const Real relative = std::min<Real>(error, 0.5);
    answer.probabilities.push_back(p);
    answer.bounds.push_back(static_cast<double>(p * relative / (1 - relative) + kFlushed));
  }
}

}  // namespace

float ToFloat(Half logit) { return static_cast<float>(Decode(logit.bits, kHalf)); }
float ToFloat(BFloat16 logit) { return static_cast<float>(Decode(logit.bits, kBFloat16)); }

template <>
float Nearest<float>(double value) {
  return static_cast<float>(value);
}
template <>
Half Nearest<Half>(double value) {
  return {Encode(value, kHalf)};
}
template <>
BFloat16 Nearest<BFloat16>(double value) {
  return {Encode(value, kBFloat16)};
}

std::vector<std::int32_t> Select(std::span<const float> row, std::size_t k) {
  std::vector<std::int32_t> order(row.size());
  std::iota(order.begin(), order.end(), 0);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k), order.end(),
                    [&](std::int32_t i, std::int32_t j) { return ComesBefore(row, i, j); });
  order.resize(k);
  return order;
}

template <class T>
Answer Solve(const Problem<T>& problem) {
  Answer answer;
  if (problem.k == 0) {
    return answer;
  }
  std::vector<float> row(problem.vocabulary);
  for (std::size_t r = 0; r < problem.rows; ++r) {
    std::transform(
        problem.logits.begin() + static_cast<std::ptrdiff_t>(r * problem.vocabulary),
        problem.logits.begin() + static_cast<std::ptrdiff_t>((r + 1) * problem.vocabulary),
        row.begin(), [](T logit) { return ToFloat(logit); });
    SolveRow(row, problem.k, answer);
  }
  return answer;
}

template Answer Solve(const Problem<float>&);
template Answer Solve(const Problem<Half>&);
template Answer Solve(const Problem<BFloat16>&);

}  // namespace assay::softmax_topk
