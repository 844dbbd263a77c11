// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_ROW_ERRORS_H_
#define ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_ROW_ERRORS_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "oracle.h"

namespace assay::softmax_topk {

/// Two ways to ask for float arithmetic where the bound of the worst case (Answer::bounds) is wide,
/// since it admits every order in which a long row may be summed. Errors are relative; q_i is what
/// was given over what is right.
///
/// 1. Within a row, always. All probabilities of a row were divided by the same sum, so that one
///    factor explains them but for each one's own error w_i (Answer::own_errors):
///
///        max_i q_i (1 - w_i)  <=  min_i q_i / (1 - w_i)
///
///    No chance is in it. Probabilities rounded to 11 bits are off by 2^-12 each, w_i is about
///    2^-15.5.
///
/// 2. Over the rows of a call, where logits are drawn independently: the root of the mean square
///    (RMS) of the errors of the rows' first probabilities is at most
///
///        RMS(steady) + RMS(varied) (1 + 8 / sqrt(rows))
///
///    with Answer::drawn_errors, whose two parts oracle.cc derives: what may be off to the same
///    side in every row, and what chance makes: u sqrt(V) of the V additions and the rescales.
///    Model of the second: each rounding errs to either side with the same chance whatever those
///    before it did, so that a row's is sub-Gaussian with this proxy (Azuma), and a right
///    implementation is above the bound with a chance of at most exp(-rows (a - 1 - ln a) / 2), a =
///    (1 + 8 / sqrt(rows))^2: below 1e-15 for any number of rows. Roundings are even rather than at
///    their most, so that the factor of safety is three more. A factor of exponents that is cut
///    (log2 e to five digits) is no rounding: it is off by as much in every row.
///
/// Probabilities below 2^-100 take no part: they may be flushed on the way. Nor does what is not
/// finite: Answer::bounds has the last word there. Spans must have equal lengths. Pure functions.

/// How well one factor explains a row.
struct RowFit {
  /// As a share of what is right, the least common factor that the one asks for and the most that
  /// the other allows.
  double least = 0;
  double most = 0;
  std::size_t least_at = 0;  ///< Places in the row.
  std::size_t most_at = 0;

  [[nodiscard]] bool IsRight() const { return least <= most; }
};
[[nodiscard]] RowFit FitRow(std::span<const float> got, std::span<const long double> want,
                            std::span<const double> own_errors);
/// `probabilities [0] and [3] are off by factors 1.0001 and 0.9998, which no one sum explains`
[[nodiscard]] std::string Describe(const RowFit& fit);

/// The errors of rows' first probabilities, which show those of their sums.
class RowErrors {
 public:
  /// One row: its largest probability, as given and right. A row of which it is NaN takes no part.
  void Add(float got, long double want, DrawnError allowed);

  [[nodiscard]] double Rms() const;
  /// At most this for a right implementation, but for the chance above.
  [[nodiscard]] double Bound() const;
  [[nodiscard]] bool IsRight() const { return rows_ == 0 || Rms() <= Bound(); }

 private:
  double rows_ = 0;  ///< How many, as the formulas have it.
  double squares_ = 0;
  double squares_of_steady_ = 0;
  double squares_of_varied_ = 0;
};

/// `the common errors of rows are 2.1e-04 (RMS); those of float are 4.3e-05 at most`
[[nodiscard]] std::string Describe(const RowErrors& errors);

}  // namespace assay::softmax_topk

#endif  // ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_ROW_ERRORS_H_
