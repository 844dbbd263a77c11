// SPDX-License-Identifier: Apache-2.0
#include "client/compare.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace assay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A NaN as poison equals itself only so.
std::uint32_t Bits(float value) { return std::bit_cast<std::uint32_t>(value); }
std::uint64_t Bits(double value) { return std::bit_cast<std::uint64_t>(value); }

void RequireWellFormed(std::size_t got, std::size_t want, std::size_t bound, std::size_t poison) {
  if (got != want || got != bound || (poison != 0 && poison != got)) {
    throw std::invalid_argument(fmt::format(
        "comparison of {} elements with {} wanted, {} bounds and {} of poison: lengths must agree",
        got, want, bound, poison));
  }
}

void RequireBound(std::size_t index, long double want, double bound) {
  if (std::isfinite(want) && !(bound >= 0 && std::isfinite(bound))) {
    throw std::invalid_argument(fmt::format(
        "bound[{}] of the finite value {} is {}: must be finite and >= 0", index, want, bound));
  }
}

/// Error over bound of one element; at most 1 exactly when it is right. See CompareWithin.
double ErrorOverBound(long double got, long double want, double bound) {
  if (!std::isfinite(want) && !std::isfinite(bound)) {
    return std::isfinite(got) ? kInfinity : 0;
  }
  if (std::isnan(want)) {
    return std::isnan(got) ? 0 : kInfinity;
  }
  if (got == want) {  // Also equal infinities, whose difference would be a NaN.
    return 0;
  }
  const long double error = std::fabs(got - want);
  const auto ratio = static_cast<double>(error / static_cast<long double>(bound));
  if (error <= static_cast<long double>(bound)) {  // Positive form: a NaN is not <= anything.
    return ratio < 1 ? ratio : 1;
  }
  // Above 1 even where the division rounds to it; a NaN counts as infinite.
  return std::isnan(ratio) ? kInfinity : ratio > 1 ? ratio : std::nextafter(1.0, 2.0);
}

}  // namespace

template <class T, class Want>
Comparison CompareWithin(std::span<const T> got, std::span<const Want> want,
                         std::span<const double> bound, std::span<const T> poison) {
  RequireWellFormed(got.size(), want.size(), bound.size(), poison.size());
  Comparison result{.elements = got.size()};
  for (std::size_t i = 0; i < got.size(); ++i) {
    RequireBound(i, static_cast<long double>(want[i]), bound[i]);
    const double error = ErrorOverBound(static_cast<long double>(got[i]),
                                        static_cast<long double>(want[i]), bound[i]);
    if (error > result.error_over_bound) {
      result.error_over_bound = error;
      result.worst_index = i;
    }
    if (error > 1) {
      const bool unwritten = !poison.empty() && Bits(got[i]) == Bits(poison[i]);
      if (result.outside == 0) {
        result.first_outside = i;
        result.first_outside_unwritten = unwritten;
      }
      ++result.outside;
      result.unwritten += unwritten ? 1U : 0U;
    }
  }
  if (!got.empty()) {
    const std::size_t shown = result.outside != 0 ? result.first_outside : result.worst_index;
    result.got = static_cast<long double>(got[shown]);
    result.want = static_cast<long double>(want[shown]);
    result.bound = bound[shown];
  }
  return result;
}

template Comparison CompareWithin(std::span<const float>, std::span<const double>,
                                  std::span<const double>, std::span<const float>);
template Comparison CompareWithin(std::span<const float>, std::span<const long double>,
                                  std::span<const double>, std::span<const float>);
template Comparison CompareWithin(std::span<const double>, std::span<const double>,
                                  std::span<const double>, std::span<const double>);
template Comparison CompareWithin(std::span<const double>, std::span<const long double>,
                                  std::span<const double>, std::span<const double>);

std::string Describe(std::string_view output, const Comparison& comparison) {
  if (comparison.AllWithin()) {
    return fmt::format("{}: all {} within their bound (error/bound {:.3g})", output,
                       comparison.elements, comparison.error_over_bound);
  }
  const std::string counts =
      fmt::format("{} of {} outside their bound", comparison.outside, comparison.elements);
  if (comparison.first_outside_unwritten) {
    return fmt::format("{}: element {} was never written ({}, {} never written)", output,
                       comparison.first_outside, counts, comparison.unwritten);
  }
  return fmt::format(
      "{}: {}, first [{}]: got {:.9g}, want {:.9g}, bound {:.3g} (worst [{}], "
      "error/bound {:.3g})",
      output, counts, comparison.first_outside, comparison.got, comparison.want, comparison.bound,
      comparison.worst_index, comparison.error_over_bound);
}

}  // namespace assay
