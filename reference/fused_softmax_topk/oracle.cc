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
// that lose or repeat a term that matters, and exponentials without a maximum subtracted. In long
// flat rows e_S alone is more than the roundings of a narrower type, which therefore are asked for
// in two other ways (row_errors.h):
//
// own        e_S is the error of one sum, by which all of a row's probabilities are divided. What
//            is left of r_i is each one's own; with the rescales that it may see itself, or that a
//            thread of its own made of the sum it divides by,
//              w_i = r_i - e_S + (e + 2u) (M + G_i).
//            It does not grow with V: 2^-15.5 or so for the first of a row.
// steady     Where logits are drawn independently, roundings of a sum are as often up as down, but
//            not all of the error of a row's first probability is of that kind. Exponentials and
//            the division may all be off to one side: r_1 - e_S + sum_j p_j (3u |d_j| + e). And
//            terms of less than half a unit in the last place of the sum are lost, all of them: a
//            plain loop in float, in the order of the row, loses as many as any order that does not
//            look at the terms; twice its error is taken.
// varied     What is as often up as down, each part at most by as much whatever those before it
//            were: the V additions, u each; and the rescales, of which a running maximum in random
//            order makes 3 (ln V + 1) at most or so and the merges of a sum and of what is divided
//            by it M, e + 2u each: their arguments are other numbers in every row. The squares add
//            up (Azuma): u^2 V + (e + 2u)^2 (M + 3 (ln V + 1)).

namespace assay::softmax_topk {
namespace {

using Real = long double;

constexpr double kRoundoff = 0x1p-24;
constexpr double kExponential = 0x1.6a09e667f3bcdp-22;     // 2^-21.5
constexpr double kRescale = kExponential + 2 * kRoundoff;  // The error of one.
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
  Real relative_error = 0;  ///< e_S; 0 where it was not asked for.
  DrawnError drawn = {};    ///< Without what is the first probability's own.
};

enum class Bounds { kWanted, kLeftOut };

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
RowSum Sum(std::span<const float> row, Bounds bounds) {
  RowSum result{.maximum = std::ranges::max(row)};
  Real argument = 0;
  float plain = 0;
  std::vector<double> terms;
  terms.reserve(row.size());
  for (const float x : row) {
    const double d = x - result.maximum;
    const double term = terms.emplace_back(std::exp(d));
    result.sum += term;
    plain += static_cast<float>(term);
    argument += term > 0 ? term * (3 * kRoundoff * -d + kExponential) : 0;
  }
  const auto count = static_cast<double>(row.size());
  result.drawn = {
      .steady =
          static_cast<double>(argument / result.sum) +
          2 * std::abs(static_cast<double>((static_cast<Real>(plain) - result.sum) / result.sum)),
      .varied = std::sqrt(kRoundoff * kRoundoff * count +
                          kRescale * kRescale * (kMergeLevels + 3 * (std::log(count) + 1)))};
  if (bounds == Bounds::kWanted) {
    Real chain = 0;
    for (const double term : terms) {
      chain += std::min<Real>(kRoundoff * result.sum, term);
    }
    result.relative_error =
        argument / result.sum + (1 + count * kRoundoff) * chain / result.sum +
        kRescale * (kMergeLevels + WeightedRescales(row, result.maximum) / result.sum);
  }
  return result;
}

/// Whether the formula gives NaN for all of the row.
bool IsSpecial(std::span<const float> row) {
  return std::ranges::any_of(row,
                             [](float x) { return std::isnan(x) || (std::isinf(x) && x > 0); }) ||
         std::ranges::all_of(row, [](float x) { return std::isinf(x); });
}

/// r_i - e_S
double OwnError(double d, double log_sum) {
  return 3 * kRoundoff * -d + 2 * (kExponential + kRoundoff) + 6 * kRoundoff +
         7 * kRoundoff * log_sum;
}

void SolveRow(std::span<const float> row, std::size_t k, Bounds bounds, Answer& answer) {
  const std::vector<std::int32_t> selected = Select(row, k);
  answer.indices.insert(answer.indices.end(), selected.begin(), selected.end());
  const std::size_t bounds_wanted = bounds == Bounds::kWanted ? k : 0;
  if (IsSpecial(row)) {
    answer.probabilities.insert(answer.probabilities.end(), k,
                                std::numeric_limits<Real>::quiet_NaN());
    answer.bounds.insert(answer.bounds.end(), bounds_wanted, 0);
    answer.own_errors.insert(answer.own_errors.end(), k, 0);
    answer.drawn_errors.emplace_back();
    return;
  }
  const RowSum sum = Sum(row, bounds);
  const auto log_sum = static_cast<double>(std::log(sum.sum));
  answer.drawn_errors.push_back(
      {.steady = OwnError(0, log_sum) + sum.drawn.steady, .varied = sum.drawn.varied});
  double above = 0;  // Different logits above this one.
  for (std::size_t place = 0; place < k; ++place) {
    const float x = row[static_cast<std::size_t>(selected[place])];
    if (place > 0 && x != row[static_cast<std::size_t>(selected[place - 1])]) {
      ++above;
    }
    const double d = x - sum.maximum;
    const bool none = std::isinf(x);
    const Real p = none ? 0 : std::exp(d) / sum.sum;
    const double own = none ? 0 : OwnError(d, log_sum);
    answer.probabilities.push_back(p);
    answer.own_errors.push_back(none ? 0 : std::min(0.5, own + kRescale * (kMergeLevels + above)));
    if (bounds == Bounds::kWanted) {
      // Over a half only where d is in the millions and p is 0.
      const Real relative = std::min<Real>(own + sum.relative_error, 0.5);
      answer.bounds.push_back(none ? 0
                                   : static_cast<double>(p * relative / (1 - relative) + kFlushed));
    }
  }
}

template <class T>
Answer SolveAs(const Problem<T>& problem, Bounds bounds) {
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
    SolveRow(row, problem.k, bounds, answer);
  }
  return answer;
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
  return SolveAs(problem, Bounds::kWanted);
}

template Answer Solve(const Problem<float>&);
template Answer Solve(const Problem<Half>&);
template Answer Solve(const Problem<BFloat16>&);

Answer SolveWithoutBounds(const Problem<float>& problem) {
  return SolveAs(problem, Bounds::kLeftOut);
}

}  // namespace assay::softmax_topk
