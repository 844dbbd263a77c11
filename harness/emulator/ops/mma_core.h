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

using Words = VectorOf<std::uint32_t>;
using Wide = hn::Vec<Words>;
ASSAY_GPU_INLINE Wide LoadWide(const std::uint32_t* from) { return hn::Load(Words(), from); }
ASSAY_GPU_INLINE void StoreWide(std::uint32_t* to, Wide value) { hn::Store(value, Words(), to); }
/// Element kT of each quad, four times.
template <unsigned kT>
ASSAY_GPU_INLINE Wide InQuads(Wide value) {
  return hn::Broadcast<kT>(value);
}
ASSAY_GPU_INLINE Wide SpreadQuad(const std::uint32_t* quad) {
  return hn::LoadDup128(Words(), quad);
}
struct FloatMath {
  ASSAY_GPU_INLINE Wide MultiplyAdd(Wide a, Wide b, Wide c) {
    const VectorOf<float> d;
    return hn::BitCast(Words(),
                       hn::MulAdd(hn::BitCast(d, a), hn::BitCast(d, b), hn::BitCast(d, c)));
  }
};
/// Elements are pairs of 16-bit integers, whose products are added to each other.
struct PairMath {
  ASSAY_GPU_INLINE Wide MultiplyAdd(Wide a, Wide b, Wide c) {
#if defined(__AVX512F__)
    return hn::Add(c, Wide{_mm512_madd_epi16(a.raw, b.raw)});
#else
    return hn::Add(c, Wide{_mm256_madd_epi16(a.raw, b.raw)});
#endif
  }
};

inline constexpr unsigned kWideLanes = kPerVector<std::uint32_t>;
inline constexpr unsigned kVectors = kWarpSize / kWideLanes;

// ------------------------------------------------------------------------------- halves to f32

/// The lower halves of registers, as f32 bits.
ASSAY_GPU_INLINE Wide WidenLower(Wide registers) {
  const hn::Rebind<std::uint16_t, Words> d16;
  const hn::Rebind<hwy::float16_t, Words> half;
  const auto halves = hn::BitCast(half, hn::TruncateTo(d16, registers));
  return hn::BitCast(Words(), hn::PromoteTo(VectorOf<float>(), halves));
}

/// f32 bits rounded to f16, in the lower halves; NaNs become the canonical one.
ASSAY_GPU_INLINE Wide NarrowToLower(Wide floats) {
  const hn::Rebind<std::uint16_t, Words> d16;
  const hn::Rebind<hwy::float16_t, Words> half;
  const auto values = hn::BitCast(VectorOf<float>(), floats);
  const Wide narrow = hn::PromoteTo(Words(), hn::BitCast(d16, hn::DemoteTo(half, values)));
  const auto is_number = hn::RebindMask(Words(), hn::Eq(values, values));
  return hn::IfThenElse(is_number, narrow, hn::Set(Words(), 0x7fffU));
}

/// The low and the high halves of 32 registers, as f32 bits.
ASSAY_GPU_INLINE void WidenHalves(const std::uint32_t* pairs, std::uint32_t* low,
                                  std::uint32_t* high) {
  for (unsigned i = 0; i < kWarpSize; i += kWideLanes) {
    const Wide both = LoadWide(pairs + i);
    StoreWide(low + i, WidenLower(hn::And(both, hn::Set(Words(), 0xffffU))));
    StoreWide(high + i, WidenLower(hn::ShiftRight<16>(both)));
  }
}

ASSAY_GPU_INLINE void NarrowToHalves(const std::uint32_t* low, const std::uint32_t* high,
                                     std::uint32_t* pairs) {
  for (unsigned i = 0; i < kWarpSize; i += kWideLanes) {
    const Wide upper = hn::ShiftLeft<16>(NarrowToLower(LoadWide(high + i)));
    StoreWide(pairs + i, hn::Or(NarrowToLower(LoadWide(low + i)), upper));
  }
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

/// mma.sync of f64, which wmma.mma of m8n8k4 is the same as.
Handlers SelectMmaDouble(const ptx::Instruction& instruction);

}  // namespace assay::gpu::ASSAY_GPU_ISA

#endif  // ASSAY_EMULATOR_OPS_MMA_CORE_H_
