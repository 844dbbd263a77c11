// SPDX-License-Identifier: Apache-2.0
// Whether blocks that store to one place store the same: of each sector a worker keeps a sum of
// what its stores first left in each byte, and that is compared with the memory when the launch
// ends. Inlined, so that sources of ops/ may include it (lanes.h).
#ifndef ASSAY_GPU_MEMORY_STORED_VALUES_H_
#define ASSAY_GPU_MEMORY_STORED_VALUES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__AVX512BW__) && defined(__AVX512VL__)
#include <immintrin.h>
#endif

namespace assay::gpu {

/// One odd number for each word of a sector. The sum of words times these is linear in the bytes:
/// those of two masks that share none add up.
inline constexpr std::array<std::uint32_t, 8> kValueWeights = {
    0x9e3779b1U, 0x85ebca77U, 0xc2b2ae3dU, 0x27d4eb2fU,
    0x165667b1U, 0xd6e8feb9U, 0xa0761d65U, 0xe7037ed1U};

/// Added to a sum when a store leaves in a byte something else than an earlier one: from then on
/// the sum is that of no memory.
inline constexpr std::uint32_t kValuesDiffer = 0x6c8e9cf5U;

/// Of the bytes of `mask`, of the sector whose byte b is bytes[b]. No others are read.
[[nodiscard]] inline __attribute__((always_inline)) std::uint32_t ValueSum(const std::byte* bytes,
                                                                           std::uint32_t mask) {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
  const __m256i words = _mm256_maskz_loadu_epi8(mask, bytes);
  const __m256i weights =
      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kValueWeights.data()));
  const __m256i products = _mm256_mullo_epi32(words, weights);
  __m128i sum =
      _mm_add_epi32(_mm256_castsi256_si128(products), _mm256_extracti128_si256(products, 1));
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4e));
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xb1));
  return static_cast<std::uint32_t>(_mm_cvtsi128_si32(sum));
#else
  std::uint32_t sum = 0;
  for (std::uint32_t word = 0; word < kValueWeights.size(); ++word) {
    const std::uint32_t part = (mask >> (4 * word)) & 15U;
    std::uint32_t value = 0;
    for (std::uint32_t byte = 0; byte < 4; ++byte) {
      if (((part >> byte) & 1U) != 0) {
        value |= std::to_integer<std::uint32_t>(bytes[4 * word + byte]) << (8 * byte);
      }
    }
    sum += value * kValueWeights[word];
  }
  return sum;
#endif
}

/// Whether any byte of `mask` is another in `a` than in `b`. No others are read.
[[nodiscard]] inline __attribute__((always_inline)) bool ValuesDiffer(const std::byte* a,
                                                                      const std::byte* b,
                                                                      std::uint32_t mask) {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
  return _mm256_cmpneq_epi8_mask(_mm256_maskz_loadu_epi8(mask, a),
                                 _mm256_maskz_loadu_epi8(mask, b)) != 0;
#else
  for (; mask != 0; mask &= mask - 1) {
    const auto byte = static_cast<std::uint32_t>(__builtin_ctz(mask));
    if (a[byte] != b[byte]) {
      return true;
    }
  }
  return false;
#endif
}

/// Adds a store of `values` to the bytes of `mask` to `sum`, before it is performed. `written`:
/// what the worker's stores have been to before, `memory`: what is there.
inline __attribute__((always_inline)) void AddStore(std::uint32_t& sum, std::uint32_t written,
                                                    const std::byte* memory,
                                                    const std::byte* values, std::uint32_t mask) {
  const std::uint32_t fresh = mask & ~written;
  const std::uint32_t again = mask & written;
  if (fresh != 0) {
    sum += ValueSum(values, fresh);
  }
  if (again != 0 && ValuesDiffer(memory, values, again)) {
    sum += kValuesDiffer;
  }
}

}  // namespace assay::gpu

#endif  // ASSAY_GPU_MEMORY_STORED_VALUES_H_
