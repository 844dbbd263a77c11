// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "gpu/ops/memory_select.h"
#include "gpu/ops/operand_width.h"
#include "gpu/ops/select.h"
#include "gpu/ops/shared_access.h"

namespace assay::gpu::ASSAY_GPU_ISA {
namespace {

// ------------------------------------------------------------------ where addresses lead

// Each space: resolves quickly, and names itself to PerformLanes.
template <ptx::Space kWhich, bool kTouch>
struct DeviceSpace {
  static constexpr ptx::Space kSpace = kWhich;
  static constexpr bool kInterleaved = false;
  static constexpr TouchKind kRead = TouchKind::kRead;
  static constexpr TouchKind kWrite = TouchKind::kWrite;
  template <std::uint32_t kSize, TouchKind kKind, bool kFull>
  static Layout Resolve(Warp& warp, const Step* step, std::uint32_t base, LaneMask lanes,
                        Resolved& resolved) {
    return ResolveGlobal<kSize, kKind, kFull, kTouch>(warp, step, base, lanes, resolved);
  }
};

template <class A>
struct SharedSpace {
  static constexpr ptx::Space kSpace = ptx::Space::kShared;
  static constexpr bool kInterleaved = false;
  static constexpr TouchKind kRead = TouchKind::kRead;
  static constexpr TouchKind kWrite = TouchKind::kWrite;
  template <std::uint32_t kSize, TouchKind kKind, bool kFull>
  static Layout Resolve(Warp& warp, const Step* step, std::uint32_t base, LaneMask lanes,
                        Resolved& resolved) {
    return ResolveShared<kSize, kKind, kFull, A>(warp, step, base, lanes, resolved);
  }
};

template <class A>
struct LocalSpace {
  static constexpr ptx::Space kSpace = ptx::Space::kLocal;
  static constexpr bool kInterleaved = true;
  static constexpr TouchKind kRead = TouchKind::kRead;
  static constexpr TouchKind kWrite = TouchKind::kWrite;
  template <std::uint32_t kSize, TouchKind kKind, bool kFull>
  static Layout Resolve(Warp& warp, const Step* step, std::uint32_t base, LaneMask lanes,
                        Resolved& resolved) {
    return ResolveLocal<kSize, kKind, kFull, A>(warp, step, base, lanes, resolved);
  }
};

// Accesses that other threads may look at any time, and rare ones: always by PerformLanes.
template <ptx::Space kWhich, class A, bool kSync>
struct SlowSpace {
  static constexpr ptx::Space kSpace = kWhich;
  static constexpr bool kInterleaved = false;
  static constexpr TouchKind kRead = kSync ? TouchKind::kSyncRead : TouchKind::kRead;
  static constexpr TouchKind kWrite = kSync ? TouchKind::kSyncWrite : TouchKind::kWrite;
  template <std::uint32_t kSize, TouchKind kKind, bool kFull>
  static Layout Resolve(Warp& warp, const Step* step, std::uint32_t base, LaneMask /*lanes*/,
                        Resolved& resolved) {
    FillAddresses(Lanes<A>(warp, base), step->immediate, resolved.addresses);
    return Layout::kSlow;
  }
};

// ------------------------------------------------------------------ moving the bytes

template <class T>
ASSAY_GPU_INLINE T LoadValue(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <class T>
ASSAY_GPU_INLINE void StoreValue(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

// In local memory a value is in words 128 bytes apart.
template <class T>
ASSAY_GPU_INLINE T LoadWords(const std::byte* at, std::uint32_t lane, std::uint32_t byte) {
  if constexpr (sizeof(T) == 8) {
    const std::byte* from = at + byte * kWarpSize + lane * 4;
    return LoadValue<std::uint32_t>(from) |
           std::uint64_t{LoadValue<std::uint32_t>(from + 4 * kWarpSize)} << 32;
  } else if constexpr (sizeof(T) == 4) {
    return LoadValue<T>(at + byte * kWarpSize + lane * 4);
  } else {
    return LoadValue<T>(at + byte / 4 * 4 * kWarpSize + lane * 4 + byte % 4);
  }
}

template <class T>
ASSAY_GPU_INLINE void StoreWords(std::byte* at, std::uint32_t lane, std::uint32_t byte, T value) {
  if constexpr (sizeof(T) == 8) {
    std::byte* to = at + byte * kWarpSize + lane * 4;
    StoreValue<std::uint32_t>(to, static_cast<std::uint32_t>(value));
    StoreValue<std::uint32_t>(to + 4 * kWarpSize, static_cast<std::uint32_t>(value >> 32));
  } else if constexpr (sizeof(T) == 4) {
    StoreValue<T>(at + byte * kWarpSize + lane * 4, value);
  } else {
    StoreValue<T>(at + byte / 4 * 4 * kWarpSize + lane * 4 + byte % 4, value);
  }
}

// M: in memory, signed to extend the sign. R: of the register.
template <class M, class R>
ASSAY_GPU_INLINE R Widen(M value) {
  return static_cast<R>(value);
}

/// Element `element` of every lane into the register at `to`.
template <class M, class R, std::uint32_t kCount, bool kFull, bool kInterleaved>
ASSAY_GPU_INLINE void Deliver(Layout layout, const Resolved& resolved, LaneMask lanes,
                              std::uint32_t element, R* to) {
  constexpr std::uint32_t kSize = sizeof(M) * kCount;
  const std::uint32_t byte = element * sizeof(M);
  if (layout == Layout::kUniform) {
    const R value = Widen<M, R>(LoadValue<M>(resolved.at + byte));
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      to[lane] = kFull || ((lanes >> lane) & 1U) != 0 ? value : to[lane];
    }
    return;
  }
  if (layout == Layout::kScattered) {
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      const auto* from = reinterpret_cast<const std::byte*>(resolved.addresses[lane]);
      const R value = Widen<M, R>(LoadValue<M>(from + byte));
      to[lane] = kFull || ((lanes >> lane) & 1U) != 0 ? value : to[lane];
    }
    return;
  }
  if constexpr (kFull) {
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      to[lane] = Widen<M, R>(kInterleaved ? LoadWords<M>(resolved.at, lane, byte)
                                          : LoadValue<M>(resolved.at + lane * kSize + byte));
    }
  } else {
#if defined(__AVX512F__)
    // Inactive lanes may lie behind the end of the memory: these loads do not touch them.
    if constexpr (sizeof(M) == 4 && sizeof(R) == 4 && (kCount == 1 || kInterleaved)) {
      const std::byte* from = resolved.at + (kInterleaved ? byte * kWarpSize : 0);
      for (std::uint32_t half = 0; half < 2; ++half) {
        const auto part = static_cast<__mmask16>(lanes >> (16 * half));
        const __m512i value = _mm512_maskz_loadu_epi32(part, from + 64 * half);
        _mm512_mask_storeu_epi32(to + 16 * half, part, value);
      }
      return;
    }
#endif
    for (LaneMask left = lanes; left != 0; left &= left - 1) {
      const std::uint32_t lane = FirstLane(left);
      to[lane] = Widen<M, R>(kInterleaved ? LoadWords<M>(resolved.at, lane, byte)
                                          : LoadValue<M>(resolved.at + lane * kSize + byte));
    }
  }
}

template <class Space, class M, class R, std::uint32_t kCount, bool kFull>
const Step* Load(Warp& warp, const Step* step) {
  constexpr std::uint32_t kSize = sizeof(M) * kCount;
  const LaneMask lanes = kFull ? kAllLanes : ExecutedLanes(warp, step);
  if (!kFull && lanes == 0) {
    return step + 1;
  }
  Resolved resolved;
  const Layout layout = Space::template Resolve<kSize, Space::kRead, kFull>(
      warp, step, OperandOffset(step, kCount), lanes, resolved);
  if (layout == Layout::kSlow) {
    alignas(64) std::byte values[kWarpSize * kSize];
    if (!PerformLanes(warp, step, Space::kSpace, lanes, resolved.addresses, kSize, Space::kRead,
                      values)) {
      return nullptr;
    }
    resolved.at = values;
    for (std::uint32_t element = 0; element < kCount; ++element) {
      Deliver<M, R, kCount, false, false>(Layout::kConsecutive, resolved, lanes, element,
                                          Lanes<R>(warp, OperandOffset(step, element)));
    }
    return step + 1;
  }
  for (std::uint32_t element = 0; element < kCount; ++element) {
    Deliver<M, R, kCount, kFull, Space::kInterleaved>(layout, resolved, lanes, element,
                                                      Lanes<R>(warp, OperandOffset(step, element)));
  }
  return step + 1;
}

template <class M, class R, std::uint32_t kCount, bool kFull, bool kInterleaved>
ASSAY_GPU_INLINE void Collect(Layout layout, const Resolved& resolved, LaneMask lanes,
                              std::uint32_t element, const R* from) {
  constexpr std::uint32_t kSize = sizeof(M) * kCount;
  const std::uint32_t byte = element * sizeof(M);
  if (layout == Layout::kUniform) {
    StoreValue(resolved.at + byte, static_cast<M>(from[LastLane(lanes)]));
    return;
  }
  if (layout == Layout::kScattered) {
    for (LaneMask left = lanes; left != 0; left &= left - 1) {
      const std::uint32_t lane = FirstLane(left);
      StoreValue(reinterpret_cast<std::byte*>(resolved.addresses[lane]) + byte,
                 static_cast<M>(from[lane]));
    }
    return;
  }
  if constexpr (kFull) {
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      if constexpr (kInterleaved) {
        StoreWords<M>(resolved.at, lane, byte, static_cast<M>(from[lane]));
      } else {
        StoreValue(resolved.at + lane * kSize + byte, static_cast<M>(from[lane]));
      }
    }
  } else {
#if defined(__AVX512F__)
    if constexpr (sizeof(M) == 4 && sizeof(R) == 4 && (kCount == 1 || kInterleaved)) {
      std::byte* to = resolved.at + (kInterleaved ? byte * kWarpSize : 0);
      for (std::uint32_t half = 0; half < 2; ++half) {
        _mm512_mask_storeu_epi32(to + 64 * half, static_cast<__mmask16>(lanes >> (16 * half)),
                                 _mm512_load_si512(from + 16 * half));
      }
      return;
    }
#endif
    for (LaneMask left = lanes; left != 0; left &= left - 1) {
      const std::uint32_t lane = FirstLane(left);
      if constexpr (kInterleaved) {
        StoreWords<M>(resolved.at, lane, byte, static_cast<M>(from[lane]));
      } else {
        StoreValue(resolved.at + lane * kSize + byte, static_cast<M>(from[lane]));
      }
    }
  }
}

// All elements of a vector at once: the compiler turns lanes and elements in registers.
template <class M, class R, std::uint32_t kCount>
ASSAY_GPU_INLINE void CollectVector(Warp& warp, const Step* step, std::byte* to) {
  const R* from[kCount];
  for (std::uint32_t element = 0; element < kCount; ++element) {
    from[element] = Lanes<R>(warp, OperandOffset(step, element + 1));
  }
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    for (std::uint32_t element = 0; element < kCount; ++element) {
      StoreValue(to + (lane * kCount + element) * sizeof(M), static_cast<M>(from[element][lane]));
    }
  }
}

template <class Space, class M, class R, std::uint32_t kCount, bool kFull>
const Step* Store(Warp& warp, const Step* step) {
  constexpr std::uint32_t kSize = sizeof(M) * kCount;
  const LaneMask lanes = kFull ? kAllLanes : ExecutedLanes(warp, step);
  if (!kFull && lanes == 0) {
    return step + 1;
  }
  Resolved resolved;
  const Layout layout = Space::template Resolve<kSize, Space::kWrite, kFull>(
      warp, step, OperandOffset(step, 0), lanes, resolved);
  if (layout == Layout::kSlow) {
    alignas(64) std::byte values[kWarpSize * kSize];
    CollectVector<M, R, kCount>(warp, step, values);
    return PerformLanes(warp, step, Space::kSpace, lanes, resolved.addresses, kSize, Space::kWrite,
                        values)
               ? step + 1
               : nullptr;
  }
  if constexpr (kFull && kCount > 1 && !Space::kInterleaved) {
    if (layout == Layout::kConsecutive) {
      CollectVector<M, R, kCount>(warp, step, resolved.at);
      return step + 1;
    }
  }
  for (std::uint32_t element = 0; element < kCount; ++element) {
    Collect<M, R, kCount, kFull, Space::kInterleaved>(
        layout, resolved, lanes, element, Lanes<R>(warp, OperandOffset(step, element + 1)));
  }
  return step + 1;
}

// ------------------------------------------------------------------ parameters

template <class M, class R, std::uint32_t kCount, class A, bool kFull>
const Step* LoadParameter(Warp& warp, const Step* step) {
  constexpr std::uint32_t kSize = sizeof(M) * kCount;
  const LaneMask lanes = kFull ? kAllLanes : ExecutedLanes(warp, step);
  if (!kFull && lanes == 0) {
    return step + 1;
  }
  const A* base = Lanes<A>(warp, OperandOffset(step, kCount));
  const Launch& launch = *warp.launch;
  const std::uint32_t leader = kFull ? 0 : FirstLane(lanes);
  const std::uint64_t offset = WithoutWindow<A>(
      static_cast<A>(base[leader] + static_cast<A>(step->immediate)), kParamWindow);
  Resolved resolved;
  if (offset >= launch.parameter_bytes || kSize > launch.parameter_bytes - offset ||
      !IsRun<0>(base, base[leader], lanes)) {
    alignas(64) std::byte values[kWarpSize * kSize];
    FillAddresses(base, step->immediate, resolved.addresses);
    if (!PerformLanes(warp, step, ptx::Space::kParam, lanes, resolved.addresses, kSize,
                      TouchKind::kRead, values)) {
      return nullptr;
    }
    resolved.at = values;
    for (std::uint32_t element = 0; element < kCount; ++element) {
      Deliver<M, R, kCount, false, false>(Layout::kConsecutive, resolved, lanes, element,
                                          Lanes<R>(warp, OperandOffset(step, element)));
    }
    return step + 1;
  }
  CountSectors<kSize>(warp, step, kFull ? kWarpSize : CountLanes(lanes), 0);
  // Deliver only reads it.
  resolved.at = const_cast<std::byte*>(launch.parameters) + offset;
  for (std::uint32_t element = 0; element < kCount; ++element) {
    Deliver<M, R, kCount, kFull, false>(Layout::kUniform, resolved, lanes, element,
                                        Lanes<R>(warp, OperandOffset(step, element)));
  }
  return step + 1;
}

// ------------------------------------------------------------------ addresses between spaces

template <class A, bool kToSpace, bool kFull>
ASSAY_GPU_INLINE void Convert(Warp& warp, const Step* step, std::uint64_t window) {
  const LaneMask lanes = kFull ? kAllLanes : ExecutedLanes(warp, step);
  A* to = Lanes<A>(warp, step->operand[0]);
  const A* from = Lanes<A>(warp, step->operand[1]);
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    const std::uint64_t address = from[lane];
    const bool tagged = window != 0 && (address >> kWindowShift) == (window >> kWindowShift);
    const std::uint64_t converted =
        kToSpace ? (tagged ? address ^ window : address) : address | window;
    to[lane] = kFull || ((lanes >> lane) & 1U) != 0 ? static_cast<A>(converted) : to[lane];
  }
}

template <std::uint64_t kWindow, bool kToSpace, bool kFull>
const Step* ConvertAddress(Warp& warp, const Step* step) {
  Convert<std::uint64_t, kToSpace, kFull>(warp, step, kWindow);
  return step + 1;
}

template <ptx::Space kSpace, bool kFull>
const Step* IsInSpace(Warp& warp, const Step* step) {
  const LaneMask lanes = kFull ? kAllLanes : ExecutedLanes(warp, step);
  const auto* address = Lanes<std::uint64_t>(warp, step->operand[1]);
  LaneMask inside = 0;
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    const std::uint64_t window = address[lane] >> kWindowShift << kWindowShift;
    bool is = false;
    if constexpr (kSpace == ptx::Space::kShared) {
      is = window == kSharedWindow;
    } else if constexpr (kSpace == ptx::Space::kLocal) {
      is = window == kLocalWindow;
    } else if constexpr (kSpace == ptx::Space::kParam) {
      is = window == kParamWindow;
    } else if constexpr (kSpace == ptx::Space::kConst) {
      const Allocation* found = warp.launch->memory->Find(address[lane]);
      is = found != nullptr && found->writable == Allocation::Writable::kNo;
    } else {
      is = window == 0;
    }
    inside |= is ? LaneMask{1} << lane : 0;
  }
  LaneMask& to = Predicate(warp, step->operand[0]);
  to = (to & ~lanes) | (inside & lanes);
  return step + 1;
}

template <bool kFull>
const Step* Fence(Warp& warp, const Step* step) {
  const LaneMask lanes = kFull ? kAllLanes : ExecutedLanes(warp, step);
  if (lanes != 0) {
    NoteFence(warp);
  }
  return step + 1;
}

const Step* Nothing(Warp& /*warp*/, const Step* step) { return step + 1; }

// st.release, ld.acquire: a fence, and the access.
template <Handler kThen, bool kFull>
const Step* ThenWithFence(Warp& warp, const Step* step) {
  const LaneMask lanes = kFull ? kAllLanes : ExecutedLanes(warp, step);
  if (lanes != 0) {
    NoteFence(warp);
  }
  return kThen(warp, step);
}

// ------------------------------------------------------------------ selection

enum class What : std::uint8_t { kLoad, kStore };

template <What kWhat, class Space, class M, class R, std::uint32_t kCount>
Handlers Of(bool releases) {
  if constexpr (kWhat == What::kLoad) {
    return {.full = Load<Space, M, R, kCount, true>, .masked = Load<Space, M, R, kCount, false>};
  } else {
    if constexpr (Space::kWrite == TouchKind::kSyncWrite) {
      if (releases) {
        return {.full = ThenWithFence<Store<Space, M, R, kCount, true>, true>,
                .masked = ThenWithFence<Store<Space, M, R, kCount, false>, false>};
      }
    }
    return {.full = Store<Space, M, R, kCount, true>, .masked = Store<Space, M, R, kCount, false>};
  }
}

template <What kWhat, class Space, class M, class R>
Handlers ByCount(std::uint32_t count, bool releases) {
  if (count == 1) {
    return Of<kWhat, Space, M, R, 1>(releases);
  }
  if (count == 2) {
    return Of<kWhat, Space, M, R, 2>(releases);
  }
  if constexpr (sizeof(M) <= 4) {
    if (count == 4) {
      return Of<kWhat, Space, M, R, 4>(releases);
    }
  }
  return {};
}

// Stores take the low bytes: what the register has more does not matter, nor its sign.
template <What kWhat, class Space, class M, class S>
Handlers ByRegister(bool is_signed, std::uint32_t width, std::uint32_t count, bool releases) {
  const auto pick = [&]<class R>(R) -> Handlers {
    if constexpr (sizeof(R) < sizeof(M)) {
      return {};
    } else if constexpr (kWhat == What::kStore || sizeof(R) == sizeof(M)) {
      return ByCount<kWhat, Space, M, R>(count, releases);
    } else {
      return is_signed ? ByCount<kWhat, Space, S, R>(count, releases)
                       : ByCount<kWhat, Space, M, R>(count, releases);
    }
  };
  switch (width) {
    case 2:
      return pick(std::uint16_t{});
    case 4:
      return pick(std::uint32_t{});
    case 8:
      return pick(std::uint64_t{});
    default:
      return {};
  }
}

struct Shape {
  std::uint32_t bytes = 0;  // Of an element in memory.
  bool is_signed = false;
  std::uint32_t width = 0;  // Of its register.
  std::uint32_t count = 1;
  std::uint32_t address_width = 8;
  bool releases = false;
};

template <What kWhat, class Space>
Handlers ByType(const Shape& shape) {
  const bool is_signed = shape.is_signed;
  switch (shape.bytes) {
    case 1:
      return ByRegister<kWhat, Space, std::uint8_t, std::int8_t>(is_signed, shape.width,
                                                                 shape.count, shape.releases);
    case 2:
      return ByRegister<kWhat, Space, std::uint16_t, std::int16_t>(is_signed, shape.width,
                                                                   shape.count, shape.releases);
    case 4:
      return ByRegister<kWhat, Space, std::uint32_t, std::int32_t>(is_signed, shape.width,
                                                                   shape.count, shape.releases);
    case 8:
      return ByRegister<kWhat, Space, std::uint64_t, std::int64_t>(is_signed, shape.width,
                                                                   shape.count, shape.releases);
    default:
      return {};
  }
}

template <What kWhat, bool kSync>
Handlers BySpace(ptx::Space space, const Shape& shape) {
  const bool narrow = shape.address_width == 4;
  using ptx::Space;
  switch (space) {
    case Space::kGlobal:
      if (narrow) {
        return {};
      }
      if constexpr (kSync) {
        return ByType<kWhat, SlowSpace<Space::kGlobal, std::uint64_t, true>>(shape);
      } else {
        return ByType<kWhat, DeviceSpace<Space::kGlobal, true>>(shape);
      }
    case Space::kGeneric:
      if (narrow) {
        return {};
      }
      if constexpr (kSync) {
        return ByType<kWhat, SlowSpace<Space::kGeneric, std::uint64_t, true>>(shape);
      } else {
        return ByType<kWhat, DeviceSpace<Space::kGeneric, true>>(shape);
      }
    case Space::kShared:
      if constexpr (kSync) {
        return narrow ? ByType<kWhat, SlowSpace<Space::kShared, std::uint32_t, true>>(shape)
                      : ByType<kWhat, SlowSpace<Space::kShared, std::uint64_t, true>>(shape);
      } else {
        return narrow ? ByType<kWhat, SharedSpace<std::uint32_t>>(shape)
                      : ByType<kWhat, SharedSpace<std::uint64_t>>(shape);
      }
    case Space::kLocal:
      return narrow ? ByType<kWhat, LocalSpace<std::uint32_t>>(shape)
                    : ByType<kWhat, LocalSpace<std::uint64_t>>(shape);
    case Space::kConst:
      if constexpr (kWhat == What::kLoad) {
        if (narrow) {
          return {};
        }
        return ByType<kWhat, DeviceSpace<Space::kConst, false>>(shape);
      }
      return {};
    default:
      return {};
  }
}

template <class M, class R, std::uint32_t kCount>
Handlers ParameterOf(std::uint32_t address_width) {
  if (address_width == 4) {
    return {.full = LoadParameter<M, R, kCount, std::uint32_t, true>,
            .masked = LoadParameter<M, R, kCount, std::uint32_t, false>};
  }
  return {.full = LoadParameter<M, R, kCount, std::uint64_t, true>,
          .masked = LoadParameter<M, R, kCount, std::uint64_t, false>};
}

template <class M, class R>
Handlers ParameterByCount(const Shape& shape) {
  if (shape.count == 1) {
    return ParameterOf<M, R, 1>(shape.address_width);
  }
  if (shape.count == 2) {
    return ParameterOf<M, R, 2>(shape.address_width);
  }
  if constexpr (sizeof(M) <= 4) {
    if (shape.count == 4) {
      return ParameterOf<M, R, 4>(shape.address_width);
    }
  }
  return {};
}

template <class M, class S>
Handlers ParameterByRegister(const Shape& shape) {
  const auto pick = [&]<class R>(R) -> Handlers {
    if constexpr (sizeof(R) < sizeof(M)) {
      return {};
    } else if constexpr (sizeof(R) == sizeof(M)) {
      return ParameterByCount<M, R>(shape);
    } else {
      return shape.is_signed ? ParameterByCount<S, R>(shape) : ParameterByCount<M, R>(shape);
    }
  };
  switch (shape.width) {
    case 2:
      return pick(std::uint16_t{});
    case 4:
      return pick(std::uint32_t{});
    case 8:
      return pick(std::uint64_t{});
    default:
      return {};
  }
}

Handlers SelectParameter(const Shape& shape) {
  switch (shape.bytes) {
    case 1:
      return ParameterByRegister<std::uint8_t, std::int8_t>(shape);
    case 2:
      return ParameterByRegister<std::uint16_t, std::int16_t>(shape);
    case 4:
      return ParameterByRegister<std::uint32_t, std::int32_t>(shape);
    case 8:
      return ParameterByRegister<std::uint64_t, std::int64_t>(shape);
    default:
      return {};
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
  const bool sync = order != ptx::Order::kWeak;
  shape.releases =
      order == ptx::Order::kRelease || order == ptx::Order::kSc || order == ptx::Order::kAcqRel;
  if (load) {
    if (instruction.space == ptx::Space::kParam) {
      return SelectParameter(shape);
    }
    return sync ? BySpace<What::kLoad, true>(instruction.space, shape)
                : BySpace<What::kLoad, false>(instruction.space, shape);
  }
  return sync ? BySpace<What::kStore, true>(instruction.space, shape)
              : BySpace<What::kStore, false>(instruction.space, shape);
}

template <std::uint64_t kWindow>
Handlers ConvertHandlers(bool to_space) {
  if (to_space) {
    return {.full = ConvertAddress<kWindow, true, true>,
            .masked = ConvertAddress<kWindow, true, false>};
  }
  return {.full = ConvertAddress<kWindow, false, true>,
          .masked = ConvertAddress<kWindow, false, false>};
}

Handlers SelectCvta(const ptx::Instruction& instruction) {
  if (ptx::SizeOf(instruction.type) != 8) {
    return {};
  }
  switch (instruction.space) {
    case ptx::Space::kShared:
      return ConvertHandlers<kSharedWindow>(instruction.to);
    case ptx::Space::kLocal:
      return ConvertHandlers<kLocalWindow>(instruction.to);
    case ptx::Space::kParam:
      return ConvertHandlers<kParamWindow>(instruction.to);
    default:
      return ConvertHandlers<0>(instruction.to);
  }
}

template <ptx::Space kSpace>
Handlers IsInSpaceHandlers() {
  return {.full = IsInSpace<kSpace, true>, .masked = IsInSpace<kSpace, false>};
}

Handlers SelectIsspacep(const ptx::Instruction& instruction) {
  if (OperandWidth(instruction, 1) != 8) {
    return {};
  }
  switch (instruction.space) {
    case ptx::Space::kGlobal:
      return IsInSpaceHandlers<ptx::Space::kGlobal>();
    case ptx::Space::kShared:
      return IsInSpaceHandlers<ptx::Space::kShared>();
    case ptx::Space::kLocal:
      return IsInSpaceHandlers<ptx::Space::kLocal>();
    case ptx::Space::kConst:
      return IsInSpaceHandlers<ptx::Space::kConst>();
    case ptx::Space::kParam:
      return IsInSpaceHandlers<ptx::Space::kParam>();
    default:
      return {};
  }
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
    case ptx::Opcode::kCvta:
      return SelectCvta(instruction);
    case ptx::Opcode::kIsspacep:
      return SelectIsspacep(instruction);
    case ptx::Opcode::kMembar:
    case ptx::Opcode::kFence:
      // Of a block's scope: orders nothing between blocks.
      if (instruction.scope == ptx::Scope::kCta) {
        return {.full = Nothing, .masked = Nothing};
      }
      return {.full = Fence<true>, .masked = Fence<false>};
    case ptx::Opcode::kPrefetch:
    case ptx::Opcode::kDiscard:
    case ptx::Opcode::kApplyPriority:
      return {.full = Nothing, .masked = Nothing};
    default:
      return {};
  }
}

}  // namespace assay::gpu::ASSAY_GPU_ISA
