// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLIENT_COMPARE_H_
#define ASSAY_CLIENT_COMPARE_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace assay {

/// How one output compares with the oracle's.
struct Comparison {
  std::size_t elements = 0;
  std::size_t outside = 0;    ///< Elements that are not within their bound.
  std::size_t unwritten = 0;  ///< Of those, the ones that still hold the poison.
  /// Largest |got - want| / bound; 0 when there are no elements, infinite where one is a NaN and
  /// the other is not, or where the bound is 0 and the values differ.
  double error_over_bound = 0;
  std::size_t worst_index = 0;    ///< Where error_over_bound is; the first of equals.
  std::size_t first_outside = 0;  ///< First element outside its bound; 0 when there is none.
  long double got = 0;            ///< The values at first_outside, or else at worst_index.
  long double want = 0;
  double bound = 0;
  bool first_outside_unwritten = false;

  [[nodiscard]] bool AllWithin() const { return outside == 0; }
};

/// Compares each element of `got` with `want`: right when |got - want| <= bound, computed in long
/// double and asked in that positive form, so that a NaN anywhere is wrong unless it is expected.
///
/// Where `want` is finite its bound must be too: there are no wildcards. Where `want` is NaN, `got`
/// must be NaN (of any payload), and where `want` is infinite, the same infinity; but where the
/// bound is not finite either, that asks only for a value that is not finite.
///
/// `poison`, if not empty, is what the output held before the call: an element outside its bound
/// that still has exactly those bits was never written.
///
/// Spans must have equal lengths (poison: equal or empty) and bounds must be >= 0; anything else is
/// a fault of the suite and throws std::invalid_argument. Thread-safe. Defined for T float and
/// double, Want double and long double.
template <class T, class Want>
[[nodiscard]] Comparison CompareWithin(std::span<const T> got, std::span<const Want> want,
                                       std::span<const double> bound,
                                       std::span<const T> poison = {});

/// One line for a reader: `dx: 3 of 768 outside their bound, first [17]: got 1.5, want 1.25,
/// bound 1e-06 (worst [18], error/bound 2.5e+05)`, or `dx: element 17 was never written (…)`.
[[nodiscard]] std::string Describe(std::string_view output, const Comparison& comparison);

}  // namespace assay

#endif  // ASSAY_CLIENT_COMPARE_H_
