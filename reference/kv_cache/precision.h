// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_KV_CACHE_PRECISION_H_
#define ASSAY_REFERENCE_KV_CACHE_PRECISION_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace assay::kvcache {

/// How near outputs are on average, where tokens and queries are random: a bound on the root mean
/// square of the errors of a head. The bounds of oracle.h hold for each element of any input, and
/// so are a hundred times what float arithmetic is off by: a cache that attends to halves, or to
/// INT8 codes, of what it should is within them. It is not within this one.
///
/// Pure functions, safe from any thread.

/// How the weights of an output lie.
enum class Weights {
  kSpread,      ///< Over many of the tokens that are seen.
  kOnOneToken,  ///< All others together weigh less than a unit roundoff beside one.
};

/// The largest root mean square of the errors of one head of an output, in units of that of the
/// output, for a query over `tokens` tokens. Queries, keys and values are independent, of mean 0
/// and of a magnitude that makes scores of a few units; or kOnOneToken. precision.cc derives it.
[[nodiscard]] double RelativeRmsBound(std::int32_t head_size, std::size_t tokens, Weights weights);

/// Root mean square of got - want over that of want. NaN where anything is NaN, or all of want 0.
template <class Want>
[[nodiscard]] double RelativeRms(std::span<const float> got, std::span<const Want> want) {
  double error = 0;
  double magnitude = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    const auto right = static_cast<double>(want[i]);
    const double difference = static_cast<double>(got[i]) - right;
    error += difference * difference;
    magnitude += right * right;
  }
  return std::sqrt(error / magnitude);
}

}  // namespace assay::kvcache

#endif  // ASSAY_REFERENCE_KV_CACHE_PRECISION_H_
