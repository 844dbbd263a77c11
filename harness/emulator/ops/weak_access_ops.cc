// SPDX-License-Identifier: Apache-2.0
// ld and st that nothing orders (.weak), ldu, and loads of parameters and constants. A handler is a
// quick way through a space (memory_access.h, shared_access.h, local_access.h) and what moves the
// bytes (memory_move.h). Only elements of 4 bytes in registers of 4, which most code moves, have
// that inlined: every combination more costs compile time in each space.
#include "emulator/ops/local_access.h"
#include "emulator/ops/memory_access.h"
#include "emulator/ops/memory_move.h"
#include "emulator/ops/memory_select.h"
#include "emulator/ops/shared_access.h"

namespace assay::gpu::ASSAY_GPU_ISA {
namespace {

// ------------------------------------------------------------------ spaces

// Each has Resolve, the quick way through it, and kSpace, its name to PerformLanes. kInterleaved:
// the words of a lane are 128 bytes apart.
template <ptx::Space kWhich, Touching kTouching>
struct DeviceSpace {
  static constexpr ptx::Space kSpace = kWhich;
  static constexpr bool kInterleaved = false;
  template <std::uint32_t kSize, TouchKind kKind, bool kFull>
  ASSAY_GPU_INLINE Layout Resolve(Warp& warp, const Step* step, std::uint32_t base, LaneMask lanes,
                                  Resolved& resolved) {
    return ResolveGlobal<kSize, kKind, kFull>(warp, step, base, lanes, resolved, kTouching);
  }
};

template <class A>
struct SharedSpace {
  static constexpr ptx::Space kSpace = ptx::Space::kShared;
  static constexpr bool kInterleaved = false;
  template <std::uint32_t kSize, TouchKind kKind, bool kFull>
  ASSAY_GPU_INLINE Layout Resolve(Warp& warp, const Step* step, std::uint32_t base, LaneMask lanes,
                                  Resolved& resolved) {
    return ResolveShared<kSize, kKind, kFull, A>(warp, step, base, lanes, resolved);
  }
};

template <class A>
struct LocalSpace {
  static constexpr ptx::Space kSpace = ptx::Space::kLocal;
  static constexpr bool kInterleaved = true;
  template <std::uint32_t kSize, TouchKind kKind, bool kFull>
  ASSAY_GPU_INLINE Layout Resolve(Warp& warp, const Step* step, std::uint32_t base, LaneMask lanes,
                                  Resolved& resolved) {
    if constexpr (kSize < 4) {
      FillAddresses(Lanes<A>(warp, base), step->immediate, resolved.addresses);
      return Layout::kSlow;
    } else {
      return ResolveLocal<kSize, kKind, kFull, A>(warp, step, base, lanes, resolved);
    }
  }
};

// ------------------------------------------------------------------ handlers

/// Whether the bytes are moved without a call.
template <class Space, class M, class R>
inline constexpr bool kInlined = !Space::kInterleaved && sizeof(M) == 4 && sizeof(R) == 4;

/// Registers wider than compilers use for elements of M: full warps run the masked form too.
template <class M, class R, std::uint32_t kCount>
inline constexpr bool kRare = sizeof(R) > sizeof(M) &&
                              (sizeof(R) == 8 || (sizeof(R) == 4 && kCount > 1));

template <class Space, class M, class R, std::uint32_t kCount, bool kFull>
const Step* Load(Warp& warp, const Step* step) {
  const LaneMask lanes = kFull ? kAllLanes : ExecutedLanes(warp, step);
  if (!kFull && lanes == 0) {
    return step + 1;
  }
  Resolved resolved;
  const Layout layout = Space::template Resolve<sizeof(M) * kCount, TouchKind::kRead, kFull>(
      warp, step, OperandOffset(step, kCount), lanes, resolved);
  if (layout == Layout::kSlow) {
    const SlowRequest request{.space = Space::kSpace, .kind = TouchKind::kRead, .lanes = lanes};
    return LoadSlowly<M, R, kCount>(warp, step, request, resolved);
  }
  if constexpr (kInlined<Space, M, R>) {
    DeliverAll<M, R, kCount, kFull, false>(warp, step, layout, resolved, lanes);
  } else if constexpr (Space::kInterleaved) {
    DeliverOutOfLine<M, R, kCount, kFull, true>(warp, step, Layout::kConsecutive, resolved, lanes);
  } else {
    DeliverOutOfLine<M, R, kCount, kFull, false>(warp, step, layout, resolved, lanes);
  }
  return step + 1;
}

template <class Space, class M, class R, std::uint32_t kCount, bool kFull>
const Step* Store(Warp& warp, const Step* step) {
  const LaneMask lanes = kFull ? kAllLanes : ExecutedLanes(warp, step);
  if (!kFull && lanes == 0) {
    return step + 1;
  }
  Resolved resolved;
  const Layout layout = Space::template Resolve<sizeof(M) * kCount, TouchKind::kWrite, kFull>(
      warp, step, OperandOffset(step, 0), lanes, resolved);
  if (layout == Layout::kSlow) {
    const SlowRequest request{.space = Space::kSpace, .kind = TouchKind::kWrite, .lanes = lanes};
    return StoreSlowly<M, R, kCount>(warp, step, request, resolved);
  }
  if constexpr (kInlined<Space, M, R>) {
    CollectAll<M, R, kCount, kFull, false>(warp, step, layout, resolved, lanes);
  } else if constexpr (Space::kInterleaved) {
    CollectOutOfLine<M, R, kCount, kFull, true>(warp, step, Layout::kConsecutive, resolved, lanes);
  } else {
    CollectOutOfLine<M, R, kCount, kFull, false>(warp, step, layout, resolved, lanes);
  }
  return step + 1;
}

/// The bytes that all lanes read. Null: they read different ones, or outside the parameters; then
/// resolved.addresses are what PerformLanes takes.
template <class A>
[[gnu::noinline]] const std::byte* FindParameter(Warp& warp, const Step* step,
                                                 std::uint32_t base_operand, LaneMask lanes,
                                                 std::uint32_t size_bytes, Resolved& resolved) {
  const A* base = Lanes<A>(warp, base_operand);
  const Launch& launch = *warp.launch;
  const std::uint32_t leader = FirstLane(lanes);
  const std::uint64_t offset = WithoutWindow<A>(
      static_cast<A>(base[leader] + static_cast<A>(step->immediate)), kParamWindow);
  if (offset >= launch.parameter_bytes || size_bytes > launch.parameter_bytes - offset ||
      !IsRun<0>(base, base[leader], lanes)) {
    FillAddresses(base, step->immediate, resolved.addresses);
    return nullptr;
  }
  return launch.parameters + offset;
}

// The first steps of a kernel, seldom anywhere else: full warps run the masked form too.
template <class A, class M, class R, std::uint32_t kCount>
const Step* LoadParameter(Warp& warp, const Step* step) {
  constexpr std::uint32_t kSize = sizeof(M) * kCount;
  const LaneMask lanes = ExecutedLanes(warp, step);
  if (lanes == 0) {
    return step + 1;
  }
  Resolved resolved;
  const std::byte* at =
      FindParameter<A>(warp, step, OperandOffset(step, kCount), lanes, kSize, resolved);
  if (at == nullptr) {
    const SlowRequest request{
        .space = ptx::Space::kParam, .kind = TouchKind::kRead, .lanes = lanes};
    return LoadSlowly<M, R, kCount>(warp, step, request, resolved);
  }
  CountSectors<kSize>(warp, step, CountLanes(lanes), 0);
  resolved.at = const_cast<std::byte*>(at);  // It is only read.
  DeliverOutOfLine<M, R, kCount, false, false>(warp, step, Layout::kUniform, resolved, lanes);
  return step + 1;
}

// ------------------------------------------------------------------ selection

template <class Space>
struct Loads {
  static constexpr bool kExtends = true;
  template <class M, class R, std::uint32_t kCount>
  static Handlers HandlersFor() {
    constexpr bool kFull = !kRare<M, R, kCount>;
    return {.full = Load<Space, M, R, kCount, kFull>, .masked = Load<Space, M, R, kCount, false>};
  }
};

// Stores take the low bytes: the rest of the register does not matter, nor the sign.
template <class Space>
struct Stores {
  static constexpr bool kExtends = false;
  template <class M, class R, std::uint32_t kCount>
  static Handlers HandlersFor() {
    constexpr bool kFull = !kRare<M, R, kCount>;
    return {.full = Store<Space, M, R, kCount, kFull>, .masked = Store<Space, M, R, kCount, false>};
  }
};

template <class A>
struct ParameterLoads {
  static constexpr bool kExtends = true;
  template <class M, class R, std::uint32_t kCount>
  static Handlers HandlersFor() {
    constexpr Handler kBoth = LoadParameter<A, M, R, kCount>;
    return {.full = kBoth, .masked = kBoth};
  }
};

template <template <class> class Forms>
Handlers BySpace(ptx::Space space, const MemoryShape& shape) {
  const bool narrow = shape.address_width == 4;
  using ptx::Space;
  switch (space) {
    case Space::kGlobal:
      return narrow ? Handlers{}
                    : ByType<Forms<DeviceSpace<Space::kGlobal, Touching::kYes>>>(shape);
    case Space::kGeneric:
      return narrow ? Handlers{}
                    : ByType<Forms<DeviceSpace<Space::kGeneric, Touching::kYes>>>(shape);
    case Space::kShared:
      return narrow ? ByType<Forms<SharedSpace<std::uint32_t>>>(shape)
                    : ByType<Forms<SharedSpace<std::uint64_t>>>(shape);
    case Space::kLocal:
      return narrow ? ByType<Forms<LocalSpace<std::uint32_t>>>(shape)
                    : ByType<Forms<LocalSpace<std::uint64_t>>>(shape);
    default:
      return {};
  }
}

}  // namespace

Handlers SelectWeakLoad(ptx::Space space, const MemoryShape& shape) {
  if (space == ptx::Space::kParam) {
    return shape.address_width == 4 ? ByType<ParameterLoads<std::uint32_t>>(shape)
                                    : ByType<ParameterLoads<std::uint64_t>>(shape);
  }
  if (space == ptx::Space::kConst && shape.address_width != 4) {
    return ByType<Loads<DeviceSpace<ptx::Space::kConst, Touching::kNo>>>(shape);
  }
  return BySpace<Loads>(space, shape);
}

Handlers SelectWeakStore(ptx::Space space, const MemoryShape& shape) {
  return BySpace<Stores>(space, shape);
}

}  // namespace assay::gpu::ASSAY_GPU_ISA
