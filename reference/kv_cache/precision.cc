// SPDX-License-Identifier: Apache-2.0
#include "precision.h"

// Derivation of the bound on the root mean square
// -----------------------------------------------
// Each operation of float is off by a random relative error of 0.4 u root mean square (u the unit
// roundoff; uniform within half a unit of the last place, mantissas spread logarithmically), and
// those of different operations are independent. Taken is the order in which they add up to most:
// one after the other. x_i, the values of out, have mean 0, so that the output of n tokens with the
// weights p_j is of the size sqrt(sum p_j^2) of a value, and all errors below are in units of it.
//
// scores     a running sum of d products of like size goes like sqrt(i), so that its d roundings
//            make 0.4 u sqrt(d / 2) of the sum's deviation, 1.3 for uniform queries and keys on
//            [-2, 2): 0.4 u sqrt(d). A score of three or four deviations has partial sums that grow
//            like i, and is off by twice that. Each weight takes over the error of its score.
// weights    an exponential and its argument: 2 u.
// two sums   of n weights, which grow like i: 0.4 u sqrt(n / 3); of n weighed values, which grow
//            like sqrt(i): 0.4 u sqrt(n / 2). Together 0.37 u sqrt(n).
// one token  Where one token has all the weight its score's error cancels, and what is added to
//            it is too small to round anything: a division, a product, some rescalings: 2 u.
//
// Of the two terms that grow the bound takes 4 times as much, and of the scores' once more 2 times,
// for they are shared by a whole head and do not average out within it:
//
//            4 u (1.5 sqrt(d) + 0.4 sqrt(n)),  one token: 16 u.
//
// A false alarm is an error of more than 8 deviations of a score, or of the sum of weights, which
// the model gives a chance below 2e-15; the 200,000 heads of a bench make that 4e-10. The rest of
// the margin is for orders and exponentials that nobody thought of. precision_test.cc has what
// plain float, halves, bfloat16 and INT8 make of it, at every shape that is timed.

namespace assay::kvcache {

double RelativeRmsBound(std::int32_t head_size, std::size_t tokens, Weights weights) {
  constexpr double kRoundoff = 0x1p-24;
  if (weights == Weights::kOnOneToken) {
    return 16 * kRoundoff;
  }
  return 4 * kRoundoff *
         (1.5 * std::sqrt(static_cast<double>(head_size)) +
          0.4 * std::sqrt(static_cast<double>(tokens)));
}

}  // namespace assay::kvcache
