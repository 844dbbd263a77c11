// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_CALCULATORS_H_
#define ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_CALCULATORS_H_

#include <cstdint>
#include <string_view>

namespace assay::softmax_topk {

/// What softmax with top-k costs: the right answers to the challenge's questions (PROMPT.md says
/// how things are counted). Pure; exact while the numbers stay below 2^62.
struct Workload {
  std::int64_t rows = 0;
  std::int64_t vocabulary = 0;
  std::int64_t k = 0;
};

inline constexpr std::int64_t kLogitBytes = 4;
/// A probability and its index.
inline constexpr std::int64_t kPairBytes = 8;

/// The two kernels without fusion: softmax reads each logit for its maximum, for its sum and for
/// its result, and writes every probability; top-k reads each probability and writes k pairs.
/// rows * (20 V + 8 k).
[[nodiscard]] std::int64_t UnfusedBytes(const Workload& workload);
/// Fused, and three passes over the logits: maximum, sum, selection. rows * (12 V + 8 k).
[[nodiscard]] std::int64_t SafeBytes(const Workload& workload);
/// Fused, and one pass (Milakov, Gimelshein, arXiv:1805.02867). rows * (4 V + 8 k): the least, as
/// every logit has to be read and every output written.
[[nodiscard]] std::int64_t OnlineBytes(const Workload& workload);
/// How much faster than without fusion a kernel of so many bytes is while memory bounds both.
[[nodiscard]] double GainOverUnfused(const Workload& workload, std::int64_t bytes);

/// Maximum, subtraction, exponential, addition: 4 a logit; subtraction, exponential and division:
/// 3 an output. rows * (4 V + 3 k).
[[nodiscard]] std::int64_t SafeFlops(const Workload& workload);
/// d = d exp(m - m') + exp(x - m') with m' = max(m, x): one maximum, two subtractions, two
/// exponentials, a multiplication and an addition: 7 a logit. rows * (7 V + 3 k).
[[nodiscard]] std::int64_t OnlineFlops(const Workload& workload);
/// Operations over bytes.
[[nodiscard]] double SafeIntensity(const Workload& workload);
[[nodiscard]] double OnlineIntensity(const Workload& workload);

/// A processor as PROMPT.md states it. The GPUs: NVIDIA's datasheets of the A100 (SXM, 80 GB) and
/// the H100 (SXM), without sparsity or tensor cores; the limits of a multiprocessor from the CUDA
/// C++ Programming Guide, compute capabilities 8.0 and 9.0.
struct Processor {
  double flops_per_second = 0;
  double bytes_per_second = 0;
  std::int64_t multiprocessors = 0;
  std::int64_t warps = 0;                    ///< The most that a multiprocessor holds.
  std::int64_t blocks = 0;                   ///< The most that a multiprocessor holds.
  std::int64_t registers = 0;                ///< Of a multiprocessor.
  std::int64_t register_unit = 0;            ///< A warp gets a multiple of it.
  std::int64_t shared_bytes = 0;             ///< Of a multiprocessor.
  std::int64_t shared_bytes_of_a_block = 0;  ///< The most that a block can have.
  std::int64_t shared_bytes_reserved = 0;    ///< That each block costs beside its own.
};

inline constexpr std::int64_t kKiB = 1024;

inline constexpr Processor kA100With80{.flops_per_second = 19.5e12,
                                       .bytes_per_second = 2.039e12,
                                       .multiprocessors = 108,
                                       .warps = 64,
                                       .blocks = 32,
                                       .registers = 65'536,
                                       .register_unit = 256,
                                       .shared_bytes = 164 * kKiB,
                                       .shared_bytes_of_a_block = 163 * kKiB,
                                       .shared_bytes_reserved = kKiB};
inline constexpr Processor kH100With80{.flops_per_second = 66.9e12,
                                       .bytes_per_second = 3.35e12,
                                       .multiprocessors = 132,
                                       .warps = 64,
                                       .blocks = 32,
                                       .registers = 65'536,
                                       .register_unit = 256,
                                       .shared_bytes = 228 * kKiB,
                                       .shared_bytes_of_a_block = 227 * kKiB,
                                       .shared_bytes_reserved = kKiB};

/// Operations a byte at which both limits of the roofline meet (Williams, Waterman, Patterson:
/// Roofline, CACM 52(4), 2009).
[[nodiscard]] double Ridge(const Processor& processor);
/// "memory" below the ridge, else "compute".
[[nodiscard]] std::string_view Bound(double intensity, const Processor& processor);

/// Aligned sectors of 32 bytes that one warp's load touches when its 32 lanes read consecutive
/// elements, the first of them `start_bytes` behind an aligned sector.
[[nodiscard]] std::int64_t SectorsOfARequest(std::int64_t element_bytes, std::int64_t start_bytes);

/// What a kernel asks of a multiprocessor. `threads` is a multiple of 32.
struct Kernel {
  std::int64_t threads = 0;    ///< A block.
  std::int64_t registers = 0;  ///< A thread.
  std::int64_t shared_bytes = 0;
};
/// Warps that a multiprocessor holds over the most that it can; 0 when a block does not fit.
[[nodiscard]] double Occupancy(const Kernel& kernel, const Processor& processor);

/// Into how many parts each row has to be cut so that one block a part makes at least one for each
/// multiprocessor.
[[nodiscard]] std::int64_t FewestSplits(std::int64_t rows, const Processor& processor);

/// A list of k pairs of logit and index for each thread of a block.
[[nodiscard]] std::int64_t ListBytes(std::int64_t threads, std::int64_t k);
/// Largest k whose lists fit into the shared memory of a block.
[[nodiscard]] std::int64_t LargestListK(std::int64_t threads, const Processor& processor);

}  // namespace assay::softmax_topk

#endif  // ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_CALCULATORS_H_
