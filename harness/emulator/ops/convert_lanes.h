// SPDX-License-Identifier: Apache-2.0
// cvt in two halves, for the many combinations of types, register widths and modifiers that are
// too rare for loops of their own: a loader brings the source's lanes into a wide type that holds
// them exactly, a saver makes the destination of it. Included only by the sources of ops/.
#ifndef ASSAY_EMULATOR_OPS_CONVERT_LANES_H_
#define ASSAY_EMULATOR_OPS_CONVERT_LANES_H_

#include <cstdint>

#include "emulator/ops/float_lanes.h"
#include "emulator/ops/half_lanes.h"
#include "emulator/ptx/module.h"

namespace assay::gpu::ASSAY_GPU_ISA {

/// 32 values on their way: of integers (unsigned ones of 64 bits as their bits) or of floats.
union WideLanes {
  alignas(64) std::int64_t integer[kWarpSize];
  alignas(64) double real[kWarpSize];
};

// Out of line, so that a combination of two of them is a small function.
#define ASSAY_GPU_NOINLINE __attribute__((noinline))
using Loader = void (*)(Warp& warp, std::uint32_t offset, WideLanes& to);
using Saver = void (*)(Warp& warp, std::uint32_t offset, WideLanes& from, LaneMask lanes);

template <class S, class Store>
ASSAY_GPU_NOINLINE void LoadIntegers(Warp& warp, std::uint32_t offset, WideLanes& to) {
  const Store* from = Lanes<Store>(warp, offset);
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    to.integer[lane] = static_cast<std::int64_t>(static_cast<S>(from[lane]));
  }
}

template <class D, class Store>
ASSAY_GPU_NOINLINE void SaveIntegers(Warp& warp, std::uint32_t offset, WideLanes& from,
                                     LaneMask lanes) {
  alignas(64) Store result[kWarpSize];
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    result[lane] = static_cast<Store>(static_cast<D>(from.integer[lane]));
  }
  StoreLanes(Lanes<Store>(warp, offset), result, lanes);
}

template <Loader kLoad, Saver kSave>
const Step* ConvertStep(Warp& warp, const Step* step) {
  WideLanes lanes;
  kLoad(warp, step->operand[1], lanes);
  kSave(warp, step->operand[0], lanes, ExecutedLanes(warp, step));
  return step + 1;
}

template <Loader kLoad, Saver kSave>
ASSAY_GPU_INLINE Handlers ConvertHandlers() {
  return {ConvertStep<kLoad, kSave>, ConvertStep<kLoad, kSave>};
}

/// visitor.HandlersFor<X, Store>() for the integer type X of `type`, in a register of `width`
/// bytes; nulls when it does not fit, or is no integer.
template <class X, class Visitor>
ASSAY_GPU_INLINE Handlers VisitWidth(const Visitor& visitor, std::uint32_t width) {
  switch (width) {
    case 2:
      if constexpr (sizeof(X) <= 2) {
        return visitor.template HandlersFor<X, std::uint16_t>();
      }
      return {};
    case 4:
      if constexpr (sizeof(X) <= 4) {
        return visitor.template HandlersFor<X, std::uint32_t>();
      }
      return {};
    case 8:
      return visitor.template HandlersFor<X, std::uint64_t>();
    default:
      return {};
  }
}
template <class Visitor>
Handlers VisitInteger(const Visitor& visitor, ptx::Type type, std::uint32_t width) {
  switch (type) {
    case ptx::Type::kU8:
    case ptx::Type::kB8:
      return VisitWidth<std::uint8_t>(visitor, width);
    case ptx::Type::kS8:
      return VisitWidth<std::int8_t>(visitor, width);
    case ptx::Type::kU16:
    case ptx::Type::kB16:
      return VisitWidth<std::uint16_t>(visitor, width);
    case ptx::Type::kS16:
      return VisitWidth<std::int16_t>(visitor, width);
    case ptx::Type::kU32:
    case ptx::Type::kB32:
      return VisitWidth<std::uint32_t>(visitor, width);
    case ptx::Type::kS32:
      return VisitWidth<std::int32_t>(visitor, width);
    case ptx::Type::kU64:
    case ptx::Type::kB64:
      return VisitWidth<std::uint64_t>(visitor, width);
    case ptx::Type::kS64:
      return VisitWidth<std::int64_t>(visitor, width);
    default:
      return {};
  }
}

ASSAY_GPU_INLINE bool IsIntegerType(ptx::Type type) {
  switch (type) {
    case ptx::Type::kU8:
    case ptx::Type::kS8:
    case ptx::Type::kB8:
    case ptx::Type::kU16:
    case ptx::Type::kS16:
    case ptx::Type::kB16:
    case ptx::Type::kU32:
    case ptx::Type::kS32:
    case ptx::Type::kB32:
    case ptx::Type::kU64:
    case ptx::Type::kS64:
    case ptx::Type::kB64:
      return true;
    default:
      return false;
  }
}

/// f16, bf16, f32 or f64 to double, exactly.
template <class Format>
ASSAY_GPU_NOINLINE void LoadHalves(Warp& warp, std::uint32_t offset, WideLanes& to) {
  const std::uint16_t* from = Lanes<std::uint16_t>(warp, offset);
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    to.real[lane] = static_cast<double>(Widen<Format>(from[lane]));
  }
}
template <class T, bool kFlush>
ASSAY_GPU_NOINLINE void LoadFloats(Warp& warp, std::uint32_t offset, WideLanes& to) {
  const T* from = Lanes<T>(warp, offset);
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    to.real[lane] = static_cast<double>(Flush<kFlush>(from[lane]));
  }
}

/// To an integer, in the direction of cvt's .rni, .rzi, .rmi, .rpi.
template <ptx::Rounding kRounding, class T>
ASSAY_GPU_INLINE T ToIntegral(T value) {
  if constexpr (sizeof(T) == 4) {
    switch (kRounding) {
      case ptx::Rounding::kRni:
        return __builtin_rintf(value);
      case ptx::Rounding::kRmi:
        return __builtin_floorf(value);
      case ptx::Rounding::kRpi:
        return __builtin_ceilf(value);
      default:
        return __builtin_truncf(value);
    }
  } else {
    switch (kRounding) {
      case ptx::Rounding::kRni:
        return __builtin_rint(value);
      case ptx::Rounding::kRmi:
        return __builtin_floor(value);
      case ptx::Rounding::kRpi:
        return __builtin_ceil(value);
      default:
        return __builtin_trunc(value);
    }
  }
}

}  // namespace assay::gpu::ASSAY_GPU_ISA

#endif  // ASSAY_EMULATOR_OPS_CONVERT_LANES_H_
