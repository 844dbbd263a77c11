// SPDX-License-Identifier: Apache-2.0
// ld and st: where addresses lead, and the choice of the form. A form is a quick way through a
// space (memory_access.h, shared_access.h) and what moves the bytes (memory_move.h). Only elements
// of 4 bytes in registers of 4, which most code moves, have that inlined: every combination more
// costs compile time in each space.
#include <cstring>

#include "emulator/ops/memory_move.h"
#include "emulator/ops/memory_select.h"
#include "emulator/ops/operand_width.h"
#include "emulator/ops/select.h"
#include "emulator/ops/shared_access.h"

namespace assay::gpu::ASSAY_GPU_ISA {
namespace {

// ------------------------------------------------------------------ where addresses lead

// Each space: resolves quickly, and names itself to PerformLanes.
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

// ------------------------------------------------------------------ forms

/// Moved without a call.
template <class Space, class M, class R>
inline constexpr bool kInlined = !Space::kInterleaved && sizeof(M) == 4 && sizeof(R) == 4;

/// Registers that are wider than code has for elements of M: one form stands for both.
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

// Accesses that other threads may look at any time: always by PerformLanes. One form is both.
enum class Releases : std::uint8_t { kNo, kYes };

template <ptx::Space kSpace, class A, class M, class R, std::uint32_t kCount>
const Step* LoadSynchronized(Warp& warp, const Step* step) {
  const LaneMask lanes = ExecutedLanes(warp, step);
  if (lanes == 0) {
    return step + 1;
  }
  Resolved resolved;
  FillAddresses(Lanes<A>(warp, OperandOffset(step, kCount)), step->immediate, resolved.addresses);
  const SlowRequest request{.space = kSpace, .kind = TouchKind::kSyncRead, .lanes = lanes};
  return LoadSlowly<M, R, kCount>(warp, step, request, resolved);
}

template <ptx::Space kSpace, class A, Releases kReleases, class M, class R, std::uint32_t kCount>
const Step* StoreSynchronized(Warp& warp, const Step* step) {
  const LaneMask lanes = ExecutedLanes(warp, step);
  if (lanes == 0) {
    return step + 1;
  }
  if constexpr (kReleases == Releases::kYes) {
    NoteFence(warp);
  }
  Resolved resolved;
  FillAddresses(Lanes<A>(warp, OperandOffset(step, 0)), step->immediate, resolved.addresses);
  const SlowRequest request{.space = kSpace, .kind = TouchKind::kSyncWrite, .lanes = lanes};
  return StoreSlowly<M, R, kCount>(warp, step, request, resolved);
}

/// Where all lanes read the one parameter, or null: not there. Addresses for PerformLanes then.
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

// A kernel's first steps: one form is both.
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

// What can be made of types: Of<M, R, kCount>(), M in memory (signed: to extend the sign), R of the
// register, kCount elements.
template <class Space>
struct Loads {
  static constexpr bool kExtends = true;
  template <class M, class R, std::uint32_t kCount>
  static Handlers Of() {
    constexpr bool kFull = !kRare<M, R, kCount>;
    return {.full = Load<Space, M, R, kCount, kFull>, .masked = Load<Space, M, R, kCount, false>};
  }
};

// Stores take the low bytes: what the register has more does not matter, nor its sign.
template <class Space>
struct Stores {
  static constexpr bool kExtends = false;
  template <class M, class R, std::uint32_t kCount>
  static Handlers Of() {
    constexpr bool kFull = !kRare<M, R, kCount>;
    return {.full = Store<Space, M, R, kCount, kFull>, .masked = Store<Space, M, R, kCount, false>};
  }
};

template <ptx::Space kSpace, class A>
struct SynchronizedLoads {
  static constexpr bool kExtends = true;
  template <class M, class R, std::uint32_t kCount>
  static Handlers Of() {
    constexpr Handler kBoth = LoadSynchronized<kSpace, A, M, R, kCount>;
    return {.full = kBoth, .masked = kBoth};
  }
};

template <ptx::Space kSpace, class A, Releases kReleases>
struct SynchronizedStores {
  static constexpr bool kExtends = false;
  template <class M, class R, std::uint32_t kCount>
  static Handlers Of() {
    constexpr Handler kBoth = StoreSynchronized<kSpace, A, kReleases, M, R, kCount>;
    return {.full = kBoth, .masked = kBoth};
  }
};

template <class A>
struct ParameterLoads {
  static constexpr bool kExtends = true;
  template <class M, class R, std::uint32_t kCount>
  static Handlers Of() {
    constexpr Handler kBoth = LoadParameter<A, M, R, kCount>;
    return {.full = kBoth, .masked = kBoth};
  }
};

struct Shape {
  std::uint32_t bytes = 0;  // Of an element in memory.
  bool is_signed = false;
  std::uint32_t width = 0;  // Of its register.
  std::uint32_t count = 1;
  std::uint32_t address_width = 8;
  Releases releases = Releases::kNo;
};

template <class Forms, class M, class R>
Handlers ByCount(std::uint32_t count) {
  if (count == 1) {
    return Forms::template Of<M, R, 1>();
  }
  if (count == 2) {
    return Forms::template Of<M, R, 2>();
  }
  if constexpr (sizeof(M) <= 4) {
    if (count == 4) {
      return Forms::template Of<M, R, 4>();
    }
  }
  return {};
}

template <class Forms, class M, class S, class R>
Handlers BySign(const Shape& shape) {
  if constexpr (sizeof(R) < sizeof(M)) {
    return {};
  } else if constexpr (!Forms::kExtends || sizeof(R) == sizeof(M)) {
    return ByCount<Forms, M, R>(shape.count);
  } else {
    return shape.is_signed ? ByCount<Forms, S, R>(shape.count) : ByCount<Forms, M, R>(shape.count);
  }
}

template <class Forms, class M, class S>
Handlers ByRegister(const Shape& shape) {
  switch (shape.width) {
    case 2:
      return BySign<Forms, M, S, std::uint16_t>(shape);
    case 4:
      return BySign<Forms, M, S, std::uint32_t>(shape);
    case 8:
      return BySign<Forms, M, S, std::uint64_t>(shape);
    default:
      return {};
  }
}

template <class Forms>
Handlers ByType(const Shape& shape) {
  switch (shape.bytes) {
    case 1:
      return ByRegister<Forms, std::uint8_t, std::int8_t>(shape);
    case 2:
      return ByRegister<Forms, std::uint16_t, std::int16_t>(shape);
    case 4:
      return ByRegister<Forms, std::uint32_t, std::int32_t>(shape);
    case 8:
      return ByRegister<Forms, std::uint64_t, std::int64_t>(shape);
    default:
      return {};
  }
}

template <template <class> class Forms>
Handlers BySpace(ptx::Space space, const Shape& shape) {
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

Handlers SelectLoad(ptx::Space space, const Shape& shape) {
  if (space == ptx::Space::kParam) {
    return shape.address_width == 4 ? ByType<ParameterLoads<std::uint32_t>>(shape)
                                    : ByType<ParameterLoads<std::uint64_t>>(shape);
  }
  if (space == ptx::Space::kConst && shape.address_width != 4) {
    return ByType<Loads<DeviceSpace<ptx::Space::kConst, Touching::kNo>>>(shape);
  }
  return BySpace<Loads>(space, shape);
}

template <ptx::Space kSpace, class A>
Handlers SynchronizedIn(bool load, const Shape& shape) {
  if (load) {
    return ByType<SynchronizedLoads<kSpace, A>>(shape);
  }
  return shape.releases == Releases::kYes
             ? ByType<SynchronizedStores<kSpace, A, Releases::kYes>>(shape)
             : ByType<SynchronizedStores<kSpace, A, Releases::kNo>>(shape);
}

Handlers SelectSynchronized(ptx::Space space, bool load, const Shape& shape) {
  const bool narrow = shape.address_width == 4;
  using ptx::Space;
  switch (space) {
    case Space::kGlobal:
      return narrow ? Handlers{} : SynchronizedIn<Space::kGlobal, std::uint64_t>(load, shape);
    case Space::kGeneric:
      return narrow ? Handlers{} : SynchronizedIn<Space::kGeneric, std::uint64_t>(load, shape);
    case Space::kShared:
      return narrow ? SynchronizedIn<Space::kShared, std::uint32_t>(load, shape)
                    : SynchronizedIn<Space::kShared, std::uint64_t>(load, shape);
    default:  // Of one thread alone, or never written.
      return load ? SelectLoad(space, shape) : BySpace<Stores>(space, shape);
  }
}

Handlers SelectAccess(const ptx::Instruction& instruction, bool load) {
  const std::uint32_t count = instruction.vector;
  const std::uint32_t value = load ? 0 : 1;
  Shape shape{.bytes = ptx::SizeOf(instruction.type),
              .is_signed = ptx::IsSigned(instruction.type),
              .width = OperandWidth(instruction, value),
              .count = count,
              .address_width = OperandWidth(instruction, load ? count : 0)};
  // One width for all elements; sinks and immediates have the type's own.
  for (std::uint32_t element = 1; element < count; ++element) {
    if (OperandWidth(instruction, value + element) != shape.width) {
      return {};
    }
  }
  if (shape.bytes == 1 && shape.width == 1) {
    return {};
  }
  const ptx::Order order = instruction.order;
  if (order != ptx::Order::kWeak) {
    const bool releases =
        order == ptx::Order::kRelease || order == ptx::Order::kSc || order == ptx::Order::kAcqRel;
    shape.releases = releases ? Releases::kYes : Releases::kNo;
    return SelectSynchronized(instruction.space, load, shape);
  }
  return load ? SelectLoad(instruction.space, shape) : BySpace<Stores>(instruction.space, shape);
}

}  // namespace

Handlers SelectMemory(const ptx::Instruction& instruction) {
  switch (instruction.opcode) {
    case ptx::Opcode::kLd:
    case ptx::Opcode::kLdu:
      return SelectAccess(instruction, true);
    case ptx::Opcode::kSt:
      return SelectAccess(instruction, false);
    case ptx::Opcode::kAtom:
    case ptx::Opcode::kRed:
      return SelectAtomic(instruction);
    default:
      return SelectAddress(instruction);
  }
}

}  // namespace assay::gpu::ASSAY_GPU_ISA
