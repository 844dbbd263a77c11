// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_LAYERNORM_BACKWARD_CALCULATORS_H_
#define ASSAY_REFERENCE_LAYERNORM_BACKWARD_CALCULATORS_H_

#include <cstdint>
#include <string_view>

namespace assay::layernorm {

/// What layer normalisation costs, as functions of rows N, features D and the element's bytes e:
/// the right answers to the challenge's questions (PROMPT.md says how things are counted).
/// Pure; exact for N * D * e below 2^62. Bytes count each tensor once, as if caches were perfect.
struct Workload {
  std::int64_t rows = 0;
  std::int64_t features = 0;
  std::int64_t element_bytes = 4;
};

/// Additions, subtractions, multiplications, divisions and square roots count one each.
/// Per element: 1 for the mean, 3 for the variance (subtract, square, add), 1 for xhat, which uses
/// that difference again, 1 for gamma, 1 for beta: 7. Per row: two divisions by D, + eps, root,
/// reciprocal: 5.  7 N D + 5 N.
[[nodiscard]] std::int64_t ForwardFlops(const Workload& workload);

/// From xhat, rstd and gamma. Per element: d = dy gamma, its sum (2); d xhat and its sum (2);
/// rstd (d - M1 - xhat M2) (4); dy xhat and its sum (2); sum of dy (1): 11. Per row: two divisions
/// by D.  11 N D + 2 N.
[[nodiscard]] std::int64_t BackwardFlops(const Workload& workload);

/// xhat, rstd and gamma: (N D + N + D) e.
[[nodiscard]] std::int64_t LeastSavedBytes(const Workload& workload);

/// Reads x, gamma, beta; writes y and the least saved: (3 N D + N + 3 D) e.
[[nodiscard]] std::int64_t ForwardBytes(const Workload& workload);

/// Reads dy, xhat, rstd, gamma; writes dx, dgamma, dbeta: (3 N D + N + 3 D) e.
[[nodiscard]] std::int64_t BackwardBytes(const Workload& workload);

/// One kernel for each step, every intermediate through memory:
///   d = dy gamma (2ND + D); M1 of d (ND + N); M2 of d, xhat (2ND + N);
///   dx of d, xhat, rstd, M1, M2 (3ND + 3N); dgamma of dy, xhat (2ND + D); dbeta of dy (ND + D).
/// (11 N D + 5 N + 3 D) e.
[[nodiscard]] std::int64_t UnfusedBackwardBytes(const Workload& workload);

/// Partial sums of dgamma and dbeta, one of each a block, written and read again:
/// 4 * blocks * D * e. The workload's rows do not matter.
[[nodiscard]] std::int64_t PartialSumBytes(const Workload& workload, std::int64_t blocks);

/// BackwardFlops / BackwardBytes.
[[nodiscard]] double BackwardIntensity(const Workload& workload);

struct Processor {
  double flops_per_second = 0;
  double bytes_per_second = 0;
};

/// "memory" when the intensity lies below the processor's ridge point, else "compute" (Williams,
/// Waterman, Patterson: Roofline, CACM 52(4), 2009).
[[nodiscard]] std::string_view BackwardBound(const Workload& workload, const Processor& processor);

/// Without synchronisation between blocks, sums over the rows need a second launch; or other blocks
/// of the first, which read dy and xhat again.
inline constexpr int kBackwardLaunches = 2;
/// With global atomics the last block to finish adds up the partial sums.
inline constexpr int kBackwardLaunchesWithAtomics = 1;

}  // namespace assay::layernorm

#endif  // ASSAY_REFERENCE_LAYERNORM_BACKWARD_CALCULATORS_H_
