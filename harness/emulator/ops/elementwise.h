// SPDX-License-Identifier: Apache-2.0
// Handlers made of an operation on one lane: the loops over 32 lanes and the two forms of a Step.
// Included only by the sources of ops/ (see lanes.h).
#ifndef ASSAY_EMULATOR_OPS_ELEMENTWISE_H_
#define ASSAY_EMULATOR_OPS_ELEMENTWISE_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "emulator/ops/lanes.h"

namespace assay::gpu::ASSAY_GPU_ISA {

// std::bit_cast would be a weak function of this width (see check_symbols.cmake).
template <class To, class From>
ASSAY_GPU_INLINE To BitCast(From from) {
  return __builtin_bit_cast(To, from);
}

/// For operations that need no rounding mode of their own (compare RoundingScope).
struct PlainEnvironment {
  ASSAY_GPU_INLINE void Finish(const void* /*results*/) {}
};

/// to[i] = Op::Apply(from[i]...). `to` may be one of the sources.
template <class Op, std::uint32_t kCount, class R, class... A>
ASSAY_GPU_INLINE void ApplyToEach(R* to, const A*... from) {
#pragma GCC ivdep
  for (std::uint32_t i = 0; i < kCount; ++i) {
    to[i] = Op::Apply(from[i]...);
  }
}

/// The two handlers of an operation whose Form::Compute(warp, step, R* to) writes the results of
/// all lanes, those that do not run too; kPerLane elements of each to a lane (2: the halves of an
/// f16x2).
template <class Form, class R, std::uint32_t kPerLane = 1>
struct WholeWarp {
  static const Step* Full(Warp& warp, const Step* step) {
    Form::Compute(warp, step, Lanes<R>(warp, step->operand[0]));
    return step + 1;
  }

  static const Step* Masked(Warp& warp, const Step* step) {
    alignas(64) R result[kWarpSize * kPerLane];
    Form::Compute(warp, step, result);
    const LaneMask lanes = ExecutedLanes(warp, step);
    if constexpr (kPerLane == 1) {
      StoreLanes(Lanes<R>(warp, step->operand[0]), result, lanes);
    } else {
      static_assert(kPerLane == 2 && sizeof(R) == 2);
      StoreLanes(Lanes<std::uint32_t>(warp, step->operand[0]),
                 reinterpret_cast<const std::uint32_t*>(result), lanes);
    }
    return step + 1;
  }

 private:
  WholeWarp() = default;
  friend Form;
};

/// The two handlers of an operation whose result is a predicate: Form::Compute(warp, step) gives it
/// for all lanes, those that do not run too.
template <class Form>
struct WholePredicate {
  static const Step* Full(Warp& warp, const Step* step) {
    Predicate(warp, step->operand[0]) = Form::Compute(warp, step);
    return step + 1;
  }
  static const Step* Masked(Warp& warp, const Step* step) {
    StorePredicate(Predicate(warp, step->operand[0]), Form::Compute(warp, step),
                   ExecutedLanes(warp, step));
    return step + 1;
  }

 private:
  WholePredicate() = default;
  friend Form;
};

/// An operation with the signature R Op::Apply(A...) on registers of R and A.
template <class Op, std::uint32_t kPerLane, class Environment, class Function>
struct Elementwise;

template <class Op, std::uint32_t kPerLane, class Environment, class R, class... A>
struct Elementwise<Op, kPerLane, Environment, R (*)(A...)>
    : WholeWarp<Elementwise<Op, kPerLane, Environment, R (*)(A...)>, R, kPerLane> {
  ASSAY_GPU_INLINE void Compute(Warp& warp, const Step* step, R* to) {
    ComputeFrom(warp, step, to, std::index_sequence_for<A...>{});
  }

 private:
  template <std::size_t... kIndex>
  ASSAY_GPU_INLINE void ComputeFrom(Warp& warp, const Step* step, R* to,
                                    std::index_sequence<kIndex...> /*sources*/) {
    [[maybe_unused]] const Environment environment;
    ApplyToEach<Op, kWarpSize * kPerLane>(to, Lanes<A>(warp, step->operand[kIndex + 1])...);
    Environment::Finish(to);
  }
};

template <class Op, class Environment = PlainEnvironment>
ASSAY_GPU_INLINE Handlers HandlersOf() {
  using Form = Elementwise<Op, 1, Environment, decltype(&Op::Apply)>;
  return {Form::Full, Form::Masked};
}

/// One handler for full warps and others: it looks at the mask.
ASSAY_GPU_INLINE Handlers BothForms(Handler handler) { return {handler, handler}; }

/// For the packed types of two 16-bit elements.
template <class Op, class Environment = PlainEnvironment>
ASSAY_GPU_INLINE Handlers PackedHandlersOf() {
  using Form = Elementwise<Op, 2, Environment, decltype(&Op::Apply)>;
  return {Form::Full, Form::Masked};
}

/// Op<T> for an integer type, signed or not.
template <template <class> class Op>
ASSAY_GPU_INLINE Handlers ForInteger(ptx::Type type) {
  switch (type) {
    case ptx::Type::kU16:
      return HandlersOf<Op<std::uint16_t>>();
    case ptx::Type::kS16:
      return HandlersOf<Op<std::int16_t>>();
    case ptx::Type::kU32:
      return HandlersOf<Op<std::uint32_t>>();
    case ptx::Type::kS32:
      return HandlersOf<Op<std::int32_t>>();
    case ptx::Type::kU64:
      return HandlersOf<Op<std::uint64_t>>();
    case ptx::Type::kS64:
      return HandlersOf<Op<std::int64_t>>();
    case ptx::Type::kU16x2:
      return PackedHandlersOf<Op<std::uint16_t>>();
    case ptx::Type::kS16x2:
      return PackedHandlersOf<Op<std::int16_t>>();
    default:
      return {};
  }
}

/// Op<T> for what does the same to signed, unsigned and untyped bits.
template <template <class> class Op>
ASSAY_GPU_INLINE Handlers ForBits(ptx::Type type) {
  switch (type) {
    case ptx::Type::kB16:
    case ptx::Type::kU16:
    case ptx::Type::kS16:
      return HandlersOf<Op<std::uint16_t>>();
    case ptx::Type::kB32:
    case ptx::Type::kU32:
    case ptx::Type::kS32:
      return HandlersOf<Op<std::uint32_t>>();
    case ptx::Type::kB64:
    case ptx::Type::kU64:
    case ptx::Type::kS64:
      return HandlersOf<Op<std::uint64_t>>();
    case ptx::Type::kU16x2:
    case ptx::Type::kS16x2:
      return PackedHandlersOf<Op<std::uint16_t>>();
    default:
      return {};
  }
}

/// Types of twice the width, and the same signedness.
template <class T>
struct Wider;
template <>
struct Wider<std::uint16_t> {
  using Type = std::uint32_t;
};
template <>
struct Wider<std::int16_t> {
  using Type = std::int32_t;
};
template <>
struct Wider<std::uint32_t> {
  using Type = std::uint64_t;
};
template <>
struct Wider<std::int32_t> {
  using Type = std::int64_t;
};
template <>
struct Wider<std::uint64_t> {
  __extension__ using Type = unsigned __int128;
};
template <>
struct Wider<std::int64_t> {
  __extension__ using Type = __int128;
};
template <class T>
using WiderOf = typename Wider<T>::Type;

template <class T>
using UnsignedOf = std::make_unsigned_t<T>;

template <class T>
inline constexpr T kAllOnes = static_cast<T>(~T{0});
template <class T>
inline constexpr bool kIsSigned = static_cast<T>(-1) < T{0};
template <class T>
inline constexpr std::uint32_t kBits = 8 * sizeof(T);
template <class T>
inline constexpr T kLowest =
    kIsSigned<T> ? static_cast<T>(UnsignedOf<T>{1} << (kBits<T> - 1)) : T{0};
template <class T>
inline constexpr T kHighest = static_cast<T>(~kLowest<T>);

/// Lane l of `to`: bit l of `mask`, as 0 or 1.
template <class T>
ASSAY_GPU_INLINE void SpreadMask(T* to, LaneMask mask) {
#pragma GCC ivdep
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    to[lane] = static_cast<T>((mask >> lane) & 1U);
  }
}

/// Bit l: whether lane l of `values` is negative.
ASSAY_GPU_INLINE LaneMask GatherSigns(const std::int32_t* values) {
  const VectorOf<std::int32_t> d;
  LaneMask mask = 0;
  for (std::uint32_t lane = 0; lane < kWarpSize; lane += kPerVector<std::int32_t>) {
    mask |= WarpMask<std::int32_t>(hn::Lt(hn::LoadU(d, values + lane), hn::Zero(d)), lane);
  }
  return mask;
}

}  // namespace assay::gpu::ASSAY_GPU_ISA

#endif  // ASSAY_EMULATOR_OPS_ELEMENTWISE_H_
