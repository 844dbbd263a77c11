// SPDX-License-Identifier: Apache-2.0
// Products of matrix fragments, for mma_ops.cc and wmma_ops.cc. Included only by the sources of
// ops/ (see lanes.h).
//
// Fragments. A register of A is a block of 8 rows by 16 bytes of k in row-major order: lane l
// holds bytes 4*(l%4) … of row l/4. A register of B is the same with columns in place of rows.
// A block of 8x8 results in 32 bits is two registers: lane l holds column 2*(l%4) of row l/4 in
// the first and the column after it in the second; in 16 bits it is one register of both. That is
// the layout of "PTX ISA", matrix fragments of mma, for all types of 4 to 32 bits.
//
// Arithmetic. f16, bf16 and tf32: each result starts from C in f32 and takes one fused
// multiply-add (rounded to nearest even) for each k, in ascending order; f16 results are rounded
// once at the end. Hardware keeps fewer bits and another order: results agree within about
// (K+1)*2^-23 of the sum of the magnitudes, not in every bit. Integers are exact. NaN results are
// 0x7fffffff, or 0x7fff in f16.
#ifndef ASSAY_EMULATOR_OPS_MMA_CORE_H_
#define ASSAY_EMULATOR_OPS_MMA_CORE_H_

#include <bit>
#include <cstdint>

#include "emulator/ops/collective.h"

namespace assay::gpu::ASSAY_GPU_ISA {

// ----------------------------------------------------------------------------- vectors of quads

#if defined(__AVX512F__)

using Wide = __m512i;
ASSAY_GPU_INLINE Wide LoadWide(const std::uint32_t* from) { return _mm512_load_si512(from); }
ASSAY_GPU_INLINE void StoreWide(std::uint32_t* to, Wide value) { _mm512_store_si512(to, value); }
/// Element kT of each quad, four times.
template <unsigned kT>
ASSAY_GPU_INLINE Wide InQuads(Wide value) {
  return _mm512_shuffle_epi32(value, static_cast<_MM_PERM_ENUM>(0x55 * kT));
}
ASSAY_GPU_INLINE Wide SpreadQuad(const std::uint32_t* quad) {
  return _mm512_broadcast_i32x4(_mm_load_si128(reinterpret_cast<const __m128i*>(quad)));
}
struct FloatMath {
  ASSAY_GPU_INLINE Wide MultiplyAdd(Wide a, Wide b, Wide c) {
    return _mm512_castps_si512(
        _mm512_fmadd_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b), _mm512_castsi512_ps(c)));
  }
};
/// Elements are pairs of 16-bit integers.
struct PairMath {
  ASSAY_GPU_INLINE Wide MultiplyAdd(Wide a, Wide b, Wide c) {
    return _mm512_add_epi32(c, _mm512_madd_epi16(a, b));
  }
};

#else

using Wide = __m256i;
ASSAY_GPU_INLINE Wide LoadWide(const std::uint32_t* from) {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(from));
}
ASSAY_GPU_INLINE void StoreWide(std::uint32_t* to, Wide value) {
  _mm256_store_si256(reinterpret_cast<__m256i*>(to), value);
}
template <unsigned kT>
ASSAY_GPU_INLINE Wide InQuads(Wide value) {
  return _mm256_shuffle_epi32(value, 0x55 * kT);
}
ASSAY_GPU_INLINE Wide SpreadQuad(const std::uint32_t* quad) {
  return _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(quad)));
}
struct FloatMath {
  ASSAY_GPU_INLINE Wide MultiplyAdd(Wide a, Wide b, Wide c) {
    return _mm256_castps_si256(
        _mm256_fmadd_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), _mm256_castsi256_ps(c)));
  }
};
struct PairMath {
  ASSAY_GPU_INLINE Wide MultiplyAdd(Wide a, Wide b, Wide c) {
    return _mm256_add_epi32(c, _mm256_madd_epi16(a, b));
  }
};

#endif

inline constexpr unsigned kWideLanes = sizeof(Wide) / 4;
inline constexpr unsigned kVectors = kWarpSize / kWideLanes;

// ------------------------------------------------------------------------------- halves to f32

ASSAY_GPU_INLINE float WidenHalf(std::uint32_t half) {
  const std::uint32_t sign = (half & 0x8000U) << 16U;
  const std::uint32_t magnitude = half & 0x7fffU;
  if (magnitude >= 0x7c00U) {
    const std::uint32_t quiet = magnitude > 0x7c00U ? 0x400000U : 0;
    return std::bit_cast<float>(sign | 0x7f800000U | (magnitude << 13U) | quiet);
  }
  // 2^112 moves the exponent, and makes subnormals normal.
  const float scaled = std::bit_cast<float>(magnitude << 13U) * 0x1p112F;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | sign);
}

ASSAY_GPU_INLINE std::uint32_t NarrowToHalf(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16U) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) {
    return 0x7fffU;
  }
  if (magnitude >= 0x47800000U) {
    return sign | 0x7c00U;
  }
  if (magnitude < 0x38800000U) {
    // Adding 0.5 leaves the rounded subnormal in the lowest bits.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
    return sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000U);
  }
  const std::uint32_t odd = (magnitude >> 13U) & 1U;
  return sign | ((magnitude - 0x38000000U + 0xfffU + odd) >> 13U);
}

/// The low and the high halves of 32 registers, as f32 bits.
ASSAY_GPU_INLINE void WidenHalves(const std::uint32_t* pairs, std::uint32_t* low,
                                  std::uint32_t* high) {
#if defined(__AVX512F__)
  for (unsigned i = 0; i < kWarpSize; i += 16) {
    const __m512i both = _mm512_load_si512(pairs + i);
    const __m512i upper = _mm512_srli_epi32(both, 16);
    _mm512_store_ps(low + i, _mm512_cvtph_ps(_mm512_cvtepi32_epi16(both)));
    _mm512_store_ps(high + i, _mm512_cvtph_ps(_mm512_cvtepi32_epi16(upper)));
  }
#else
  const __m256i order = _mm256_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15,  //
                                         0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15);
  for (unsigned i = 0; i < kWarpSize; i += 8) {
    const __m256i sorted = _mm256_permute4x64_epi64(_mm256_shuffle_epi8(LoadWide(pairs + i), order),
                                                    0xd8);  // lows, then highs
    _mm256_store_si256(reinterpret_cast<__m256i*>(low + i),
                       _mm256_castps_si256(_mm256_cvtph_ps(_mm256_castsi256_si128(sorted))));
    _mm256_store_si256(reinterpret_cast<__m256i*>(high + i),
                       _mm256_castps_si256(_mm256_cvtph_ps(_mm256_extracti128_si256(sorted, 1))));
  }
#endif
}

ASSAY_GPU_INLINE void NarrowToHalves(const std::uint32_t* low, const std::uint32_t* high,
                                     std::uint32_t* pairs) {
#if defined(__AVX512F__)
  for (unsigned i = 0; i < kWarpSize; i += 16) {
    __m512i halves[2];
    for (unsigned which = 0; which < 2; ++which) {
      const __m512 values = _mm512_load_ps((which == 0 ? low : high) + i);
      const auto nan = _mm512_cmp_ps_mask(values, values, _CMP_UNORD_Q);
      const __m512i narrow =
          _mm512_cvtepu16_epi32(_mm512_cvtps_ph(values, _MM_FROUND_TO_NEAREST_INT));
      halves[which] = _mm512_mask_mov_epi32(narrow, nan, _mm512_set1_epi32(0x7fff));
    }
    _mm512_store_si512(pairs + i, _mm512_or_si512(halves[0], _mm512_slli_epi32(halves[1], 16)));
  }
#else
  for (unsigned i = 0; i < kWarpSize; ++i) {
    pairs[i] = NarrowToHalf(std::bit_cast<float>(low[i])) |
               (NarrowToHalf(std::bit_cast<float>(high[i])) << 16U);
  }
#endif
}

// ------------------------------------------------------------------------------- element types

// Of each: how many 32-bit parts a register of fragments expands to, and how. Part i of lane l,
// with t = l % 4, is what multiplies at step t * kParts + i of the 16 bytes.

struct HalfElements {
  using Math = FloatMath;
  static constexpr unsigned kParts = 2;
  ASSAY_GPU_INLINE void Expand(const std::uint32_t* from, std::uint32_t (*to)[kWarpSize]) {
    WidenHalves(from, to[0], to[1]);
  }
};

struct BrainElements {
  using Math = FloatMath;
  static constexpr unsigned kParts = 2;
  ASSAY_GPU_INLINE void Expand(const std::uint32_t* from, std::uint32_t (*to)[kWarpSize]) {
    for (unsigned i = 0; i < kWarpSize; ++i) {
      to[0][i] = from[i] << 16U;
      to[1][i] = from[i] & 0xffff0000U;
    }
  }
};

/// The lower 13 bits do not count.
struct Tf32Elements {
  using Math = FloatMath;
  static constexpr unsigned kParts = 1;
  ASSAY_GPU_INLINE void Expand(const std::uint32_t* from, std::uint32_t (*to)[kWarpSize]) {
    for (unsigned i = 0; i < kWarpSize; ++i) {
      to[0][i] = from[i] & 0xffffe000U;
    }
  }
};

enum class Sign : std::uint8_t { kUnsigned, kSigned };

/// Integers of kBits: part i is a pair of 16 bits, element i of either half of the register.
template <unsigned kBits, Sign kSign>
struct IntegerElements {
  using Math = PairMath;
  static constexpr unsigned kParts = 16 / kBits;
  ASSAY_GPU_INLINE void Expand(const std::uint32_t* from, std::uint32_t (*to)[kWarpSize]) {
    constexpr unsigned kUp = 16 - kBits;
    for (unsigned part = 0; part < kParts; ++part) {
      const auto* halves = reinterpret_cast<const std::uint16_t*>(from);
      auto* pairs = reinterpret_cast<std::uint16_t*>(to[part]);
      for (unsigned i = 0; i < 2 * kWarpSize; ++i) {
        const auto high = static_cast<std::uint16_t>(halves[i] << (kUp - kBits * part));
        pairs[i] = kSign == Sign::kSigned
                       ? static_cast<std::uint16_t>(static_cast<std::int16_t>(high) >> kUp)
                       : static_cast<std::uint16_t>(high >> kUp);
      }
    }
  }
};

// ------------------------------------------------------------------------------------ products

/// 8 rows of A, kChunks times 16 bytes of k.
template <class Elements, unsigned kChunks>
struct RowsOfA {
  alignas(64) std::uint32_t part[kChunks][Elements::kParts][kWarpSize];
};

/// 8 columns of B: for each step of k the even columns, then the odd ones.
template <class Elements, unsigned kChunks>
struct ColumnsOfB {
  alignas(64) std::uint32_t quad[kChunks][4][Elements::kParts][2][4];
};

/// 8x8 results, even and odd columns.
struct Results {
  alignas(64) std::uint32_t even[kWarpSize];
  alignas(64) std::uint32_t odd[kWarpSize];
};

template <class Elements, unsigned kChunks>
ASSAY_GPU_INLINE void ExpandB(const std::uint32_t* const* registers,
                              ColumnsOfB<Elements, kChunks>& to) {
  using Quad = std::uint32_t __attribute__((vector_size(16)));
  for (unsigned chunk = 0; chunk < kChunks; ++chunk) {
    alignas(64) std::uint32_t parts[Elements::kParts][kWarpSize];
    Elements::Expand(registers[chunk], parts);
    for (unsigned part = 0; part < Elements::kParts; ++part) {
      for (unsigned parity = 0; parity < 2; ++parity) {
        Quad column[4];
        for (unsigned j = 0; j < 4; ++j) {
          __builtin_memcpy(&column[j], parts[part] + (2 * j + parity) * 4, sizeof(Quad));
        }
        const Quad low01 = __builtin_shufflevector(column[0], column[1], 0, 4, 1, 5);
        const Quad low23 = __builtin_shufflevector(column[2], column[3], 0, 4, 1, 5);
        const Quad high01 = __builtin_shufflevector(column[0], column[1], 2, 6, 3, 7);
        const Quad high23 = __builtin_shufflevector(column[2], column[3], 2, 6, 3, 7);
        const Quad steps[4] = {__builtin_shufflevector(low01, low23, 0, 1, 4, 5),
                               __builtin_shufflevector(low01, low23, 2, 3, 6, 7),
                               __builtin_shufflevector(high01, high23, 0, 1, 4, 5),
                               __builtin_shufflevector(high01, high23, 2, 3, 6, 7)};
        for (unsigned t = 0; t < 4; ++t) {
          __builtin_memcpy(to.quad[chunk][t][part][parity], &steps[t], sizeof(Quad));
        }
      }
    }
  }
}

template <class Elements, unsigned kT>
ASSAY_GPU_INLINE void MultiplyStep(const std::uint32_t (*a)[kWarpSize],
                                   const std::uint32_t (*b)[2][4], Wide* even, Wide* odd) {
  for (unsigned part = 0; part < Elements::kParts; ++part) {
    const Wide even_columns = SpreadQuad(b[part][0]);
    const Wide odd_columns = SpreadQuad(b[part][1]);
    for (unsigned v = 0; v < kVectors; ++v) {
      const Wide rows = InQuads<kT>(LoadWide(a[part] + v * kWideLanes));
      even[v] = Elements::Math::MultiplyAdd(rows, even_columns, even[v]);
      odd[v] = Elements::Math::MultiplyAdd(rows, odd_columns, odd[v]);
    }
  }
}

/// results += a * b, k ascending.
template <class Elements, class ElementsOfB, unsigned kChunks>
ASSAY_GPU_INLINE void Multiply(const RowsOfA<Elements, kChunks>& a,
                               const ColumnsOfB<ElementsOfB, kChunks>& b, Results& results) {
  Wide even[kVectors];
  Wide odd[kVectors];
  for (unsigned v = 0; v < kVectors; ++v) {
    even[v] = LoadWide(results.even + v * kWideLanes);
    odd[v] = LoadWide(results.odd + v * kWideLanes);
  }
  for (unsigned chunk = 0; chunk < kChunks; ++chunk) {
    MultiplyStep<Elements, 0>(a.part[chunk], b.quad[chunk][0], even, odd);
    MultiplyStep<Elements, 1>(a.part[chunk], b.quad[chunk][1], even, odd);
    MultiplyStep<Elements, 2>(a.part[chunk], b.quad[chunk][2], even, odd);
    MultiplyStep<Elements, 3>(a.part[chunk], b.quad[chunk][3], even, odd);
  }
  for (unsigned v = 0; v < kVectors; ++v) {
    StoreWide(results.even + v * kWideLanes, even[v]);
    StoreWide(results.odd + v * kWideLanes, odd[v]);
  }
}

// ---------------------------------------------------------------- accumulators in registers

enum class Saturation : std::uint8_t { kWraps, kSaturates };

struct FloatResults {
  static constexpr unsigned kRegisters = 2;  ///< Of a block of 8x8.
  ASSAY_GPU_INLINE void Load(Warp& warp, const std::uint32_t* c, Results& results) {
    __builtin_memcpy(results.even, Lanes<std::uint32_t>(warp, c[0]), sizeof results.even);
    __builtin_memcpy(results.odd, Lanes<std::uint32_t>(warp, c[1]), sizeof results.odd);
  }
  ASSAY_GPU_INLINE void Store(Warp& warp, const std::uint32_t* d, const std::uint32_t*,
                              Results& results, LaneMask lanes) {
    for (std::uint32_t* values : {results.even, results.odd}) {
      for (unsigned i = 0; i < kWarpSize; ++i) {
        values[i] = (values[i] & 0x7fffffffU) > 0x7f800000U ? 0x7fffffffU : values[i];
      }
    }
    StoreLanes(Lanes<std::uint32_t>(warp, d[0]), results.even, lanes);
    StoreLanes(Lanes<std::uint32_t>(warp, d[1]), results.odd, lanes);
  }
};

struct HalfResults {
  static constexpr unsigned kRegisters = 1;
  ASSAY_GPU_INLINE void Load(Warp& warp, const std::uint32_t* c, Results& results) {
    WidenHalves(Lanes<std::uint32_t>(warp, c[0]), results.even, results.odd);
  }
  ASSAY_GPU_INLINE void Store(Warp& warp, const std::uint32_t* d, const std::uint32_t*,
                              Results& results, LaneMask lanes) {
    alignas(64) std::uint32_t pairs[kWarpSize];
    NarrowToHalves(results.even, results.odd, pairs);
    StoreLanes(Lanes<std::uint32_t>(warp, d[0]), pairs, lanes);
  }
};

/// The products sum up exactly; C is added last, so that there is one place to saturate.
template <Saturation kSaturation>
struct IntegerResults {
  static constexpr unsigned kRegisters = 2;
  ASSAY_GPU_INLINE void Load(Warp&, const std::uint32_t*, Results& results) {
    __builtin_memset(&results, 0, sizeof results);
  }
  ASSAY_GPU_INLINE std::uint32_t Add(std::uint32_t c, std::uint32_t product) {
    const std::uint32_t sum = c + product;
    if constexpr (kSaturation == Saturation::kSaturates) {
      const bool overflows = ((~(c ^ product) & (c ^ sum)) >> 31U) != 0;
      return overflows ? 0x7fffffffU + (c >> 31U) : sum;
    }
    return sum;
  }
  ASSAY_GPU_INLINE void Store(Warp& warp, const std::uint32_t* d, const std::uint32_t* c,
                              Results& results, LaneMask lanes) {
    std::uint32_t* products[2] = {results.even, results.odd};
    for (unsigned which = 0; which < 2; ++which) {
      const auto* addend = Lanes<std::uint32_t>(warp, c[which]);
      for (unsigned i = 0; i < kWarpSize; ++i) {
        products[which][i] = Add(addend[i], products[which][i]);
      }
      StoreLanes(Lanes<std::uint32_t>(warp, d[which]), products[which], lanes);
    }
  }
};

/// For instructions that all lanes have to execute. False: wait for the others (in the masked
/// form), or no lane executes; `next` is what to return.
template <Form kForm>
ASSAY_GPU_INLINE bool WholeWarpArrived(Warp& warp, const Step* step, LaneMask executed,
                                       const Step*& next) {
  if (kForm == Form::kFull || executed == kAllLanes) {
    return true;
  }
  if (executed == 0) {
    next = step + 1;
    return false;
  }
  if (!LanesComplete(warp, kAllLanes)) {
    next = WaitForLanes(warp, step, kAllLanes);
    return false;
  }
  warp.stop = Stop::kNone;
  ReportIncompleteWarp(warp, step, executed);
  return true;
}

/// mma.sync of f64, which wmma.mma of m8n8k4 is the same as.
Handlers SelectMmaDouble(const ptx::Instruction& instruction);

}  // namespace assay::gpu::ASSAY_GPU_ISA

#endif  // ASSAY_EMULATOR_OPS_MMA_CORE_H_
