// SPDX-License-Identifier: Apache-2.0
// f16, bf16 and the 8-bit formats to and from f32. Included only by the sources of ops/ (see
// lanes.h).
#ifndef ASSAY_EMULATOR_OPS_HALF_LANES_H_
#define ASSAY_EMULATOR_OPS_HALF_LANES_H_

#include <cstdint>

#include "emulator/ops/float_lanes.h"

namespace assay::gpu::ASSAY_GPU_ISA {

/// A binary format that f32 holds exactly: its bits for results of rounding.
template <std::uint32_t kMantissa, std::uint32_t kFormatBias, std::uint32_t kLargestFinite,
          std::uint32_t kCanonicalNan, bool kHasInfinity>
struct NarrowFormat {
  static constexpr std::uint32_t kMantissaBits = kMantissa;
  static constexpr std::uint32_t kBias = kFormatBias;
  static constexpr std::uint32_t kLargest = kLargestFinite;
  static constexpr std::uint32_t kNan = kCanonicalNan;
  static constexpr bool kInfinity = kHasInfinity;
};
using F16 = NarrowFormat<10, 15, 0x7bff, 0x7fff, true>;
using Bf16 = NarrowFormat<7, 127, 0x7f7f, 0x7fff, true>;
using E5m2 = NarrowFormat<2, 15, 0x7b, 0x7f, true>;
using E4m3 = NarrowFormat<3, 7, 0x7e, 0x7f, false>;

enum class Overflow : std::uint8_t { kToInfinity, kToFinite };

/// Whether what is cut off below `kept` makes it one larger.
template <ptx::Rounding kRounding>
ASSAY_GPU_INLINE bool RoundsUp(std::uint32_t kept, std::uint32_t rest, std::uint32_t half,
                               bool negative) {
  switch (kRounding) {
    case ptx::Rounding::kRz:
      return false;
    case ptx::Rounding::kRm:
      return negative && rest != 0;
    case ptx::Rounding::kRp:
      return !negative && rest != 0;
    case ptx::Rounding::kRna:
      return rest >= half;
    default:
      return rest > half || (rest == half && (kept & 1U) != 0);
  }
}

/// The magnitude bits of `magnitude` (f32 bits, no sign) in Format; a sign must be added.
template <class Format, ptx::Rounding kRounding, Overflow kOverflow>
ASSAY_GPU_INLINE std::uint32_t Narrowed(std::uint32_t magnitude, bool negative) {
  constexpr std::uint32_t kShift = 23 - Format::kMantissaBits;
  constexpr std::uint32_t kLowestNormal = 128 - Format::kBias;  // its exponent field in f32
  const std::uint32_t exponent = magnitude >> 23U;
  const bool normal = exponent >= kLowestNormal;
  const std::uint32_t below = kLowestNormal - exponent;  // used for subnormal results only
  const std::uint32_t shift = normal ? kShift : (below < 31 - kShift ? kShift + below : 31);
  const std::uint32_t significand = (magnitude & 0x007fffffU) | (exponent != 0 ? 0x00800000U : 0U);
  // A subnormal f32 that stays subnormal, in bf16, has the exponent of the lowest normal.
  const bool same_range = Format::kBias == 127;
  const std::uint32_t base = same_range ? magnitude
                             : normal   ? magnitude - ((127 - Format::kBias) << 23U)
                                        : significand;
  const std::uint32_t used_shift = same_range ? kShift : shift;
  const std::uint32_t kept = base >> used_shift;
  const std::uint32_t rest = base & ((1U << used_shift) - 1U);
  const std::uint32_t half = 1U << (used_shift - 1U);
  const std::uint32_t rounded = kept + (RoundsUp<kRounding>(kept, rest, half, negative) ? 1U : 0U);
  const bool stops_short = kRounding == ptx::Rounding::kRz ||
                           (kRounding == ptx::Rounding::kRm && !negative) ||
                           (kRounding == ptx::Rounding::kRp && negative);
  const bool is_infinity = magnitude == 0x7f800000U;
  const bool finite = kOverflow == Overflow::kToFinite || (stops_short && !is_infinity);
  const std::uint32_t beyond =
      finite ? Format::kLargest : (Format::kInfinity ? Format::kLargest + 1 : Format::kNan);
  const std::uint32_t limited = rounded > Format::kLargest ? beyond : rounded;
  return magnitude > 0x7f800000U ? Format::kNan : limited;
}

/// The bits of `value` in a format of 16 bits.
template <class Format, ptx::Rounding kRounding, Overflow kOverflow = Overflow::kToInfinity>
ASSAY_GPU_INLINE std::uint16_t Narrow16(float value) {
  const std::uint32_t bits = ToBits(value);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  const bool negative = bits >> 31U != 0;
  const std::uint32_t narrowed = Narrowed<Format, kRounding, kOverflow>(magnitude, negative);
  const bool is_nan = magnitude > 0x7f800000U;
  return static_cast<std::uint16_t>(narrowed | (negative && !is_nan ? 0x8000U : 0U));
}
template <class Format, ptx::Rounding kRounding>
ASSAY_GPU_INLINE std::uint8_t Narrow8(float value) {
  const std::uint32_t bits = ToBits(value);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  const bool negative = bits >> 31U != 0;
  const std::uint32_t narrowed =
      Narrowed<Format, kRounding, Overflow::kToFinite>(magnitude, negative);
  const bool is_nan = magnitude > 0x7f800000U;
  return static_cast<std::uint8_t>(narrowed | (negative && !is_nan ? 0x80U : 0U));
}

/// The f32 of f16 bits; a NaN stays one.
ASSAY_GPU_INLINE float FromF16(std::uint16_t half) {
  const std::uint32_t magnitude = (half & 0x7fffU) << 13U;
  const float scaled = FromBits(magnitude) * 0x1p112F;  // exact, subnormals too
  const std::uint32_t finite = ToBits(scaled);
  const std::uint32_t bits = magnitude >= 0x0f800000U ? magnitude | 0x7f800000U : finite;
  return FromBits(bits | (static_cast<std::uint32_t>(half) & 0x8000U) << 16U);
}
ASSAY_GPU_INLINE float FromBf16(std::uint16_t half) {
  return FromBits(static_cast<std::uint32_t>(half) << 16U);
}
template <class Format>
ASSAY_GPU_INLINE float Widen(std::uint16_t half) {
  return Format::kMantissaBits == 10 ? FromF16(half) : FromBf16(half);
}

/// .ftz: a number below the least normal f16 becomes a zero. (bf16 has no .ftz.)
template <bool kFlush>
ASSAY_GPU_INLINE float FlushHalf(float value) {
  if constexpr (kFlush) {
    return __builtin_fabsf(value) < 0x1p-14F ? FromBits(ToBits(value) & 0x80000000U) : value;
  }
  return value;
}

/// to[i] = from[i], for kCount (a multiple of 16) numbers.
template <class Format, std::uint32_t kCount>
ASSAY_GPU_INLINE void WidenEach(float* to, const std::uint16_t* from) {
  if constexpr (Format::kMantissaBits == 10) {
    const VectorOf<float> d;
    const hn::Rebind<hwy::float16_t, VectorOf<float>> half;
    for (std::uint32_t i = 0; i < kCount; i += kPerVector<float>) {
      const auto* halves = reinterpret_cast<const hwy::float16_t*>(from + i);
      hn::StoreU(hn::PromoteTo(d, hn::LoadU(half, halves)), d, to + i);
    }
    return;
  }
  for (std::uint32_t i = 0; i < kCount; ++i) {
    to[i] = Widen<Format>(from[i]);
  }
}

/// to[i] = from[i] rounded, for kCount (a multiple of 16) numbers; NaNs become the canonical one.
template <class Format, ptx::Rounding kRounding, std::uint32_t kCount>
ASSAY_GPU_INLINE void NarrowEach(std::uint16_t* to, const float* from) {
  if constexpr (Format::kMantissaBits == 10) {
    constexpr int kDirection = kRounding == ptx::Rounding::kRz   ? _MM_FROUND_TO_ZERO
                               : kRounding == ptx::Rounding::kRm ? _MM_FROUND_TO_NEG_INF
                               : kRounding == ptx::Rounding::kRp ? _MM_FROUND_TO_POS_INF
                                                                 : _MM_FROUND_TO_NEAREST_INT;
#if defined(__AVX512F__)
    for (std::uint32_t i = 0; i < kCount; i += 16) {
      const __m512 value = _mm512_loadu_ps(from + i);
      // The unmasked intrinsic warns of g++'s own undefined value (PR 105593).
      const __m256i halves = _mm512_maskz_cvtps_ph(0xffff, value, kDirection | _MM_FROUND_NO_EXC);
      const __mmask16 nan = _mm512_cmp_ps_mask(value, value, _CMP_UNORD_Q);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i),
                          _mm256_mask_blend_epi16(nan, halves, _mm256_set1_epi16(0x7fff)));
    }
#else
    for (std::uint32_t i = 0; i < kCount; i += 8) {
      const __m256 value = _mm256_loadu_ps(from + i);
      const __m128i halves = _mm256_cvtps_ph(value, kDirection);
      const __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(value, value, _CMP_UNORD_Q));
      const __m128i nan16 =
          _mm_packs_epi32(_mm256_castsi256_si128(nan), _mm256_extracti128_si256(nan, 1));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i),
                       _mm_blendv_epi8(halves, _mm_set1_epi16(0x7fff), nan16));
    }
#endif
    return;
  }
  for (std::uint32_t i = 0; i < kCount; ++i) {
    to[i] = Narrow16<Format, kRounding>(from[i]);
  }
}

// Rounding to odd keeps, in the last bit, whether anything was lost: any further rounding to two
// bits less and fewer is as if it had been made from the exact value. Bits of magnitudes are in the
// order of the magnitudes, so the neighbour toward the exact value is one up or down.

/// `value` as f32, rounded to odd.
ASSAY_GPU_INLINE float ToOddFloat(double value) {
  const float nearest = static_cast<float>(value);
  const std::uint32_t bits = ToBits(nearest);
  constexpr std::uint64_t kMagnitude = ~FloatFormat<double>::kSign;
  const auto difference = static_cast<std::int64_t>(
      (ToBits(value) & kMagnitude) - (ToBits(static_cast<double>(nearest)) & kMagnitude));
  const auto toward = static_cast<std::uint32_t>(
      (difference >> 63U) |
      static_cast<std::int64_t>(static_cast<std::uint64_t>(-difference) >> 63U));  // its sign
  return FromBits(bits + toward * (1U - (bits & 1U)));
}

/// a + b, rounded to odd, where neither is infinite nor the sum overflows.
template <class T>
ASSAY_GPU_INLINE T OddSum(T a, T b) {
  const T sum = a + b;
  const T b_part = sum - a;
  const T error = (a - (sum - b_part)) + (b - b_part);
  const BitsOf<T> bits = ToBits(sum);
  const BitsOf<T> differs = (ToBits(error) ^ bits) >> (kBits<BitsOf<T>> - 1);
  const BitsOf<T> toward = bits + 1 - 2 * differs;
  const BitsOf<T> odd = (bits & 1U) != 0 ? bits : toward;
  return FromBits(error == T{0} ? bits : odd);
}

}  // namespace assay::gpu::ASSAY_GPU_ISA

#endif  // ASSAY_EMULATOR_OPS_HALF_LANES_H_
