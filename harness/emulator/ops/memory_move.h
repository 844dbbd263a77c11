// SPDX-License-Identifier: Apache-2.0
// Bytes between registers and memory, once it is known where a request leads (lane_layout.h).
// Included only by the sources of ops/ (see lanes.h).
#ifndef ASSAY_EMULATOR_OPS_MEMORY_MOVE_H_
#define ASSAY_EMULATOR_OPS_MEMORY_MOVE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "emulator/memory/access.h"
#include "emulator/ops/lane_layout.h"

namespace assay::gpu::ASSAY_GPU_ISA {

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
    // Inactive lanes may lie behind the end of the memory: these loads do not touch them.
    if constexpr (sizeof(M) == 4 && sizeof(R) == 4 && (kCount == 1 || kInterleaved)) {
      const VectorOf<std::uint32_t> d;
      const auto* from = reinterpret_cast<const std::uint32_t*>(
          resolved.at + (kInterleaved ? byte * kWarpSize : 0));
      for (std::uint32_t lane = 0; lane < kWarpSize; lane += kPerVector<std::uint32_t>) {
        const auto part = VectorMask<std::uint32_t>(lanes, lane);
        hn::BlendedStore(hn::MaskedLoad(part, d, from + lane), part, d,
                         reinterpret_cast<std::uint32_t*>(to) + lane);
      }
      return;
    }
    for (LaneMask left = lanes; left != 0; left &= left - 1) {
      const std::uint32_t lane = FirstLane(left);
      to[lane] = Widen<M, R>(kInterleaved ? LoadWords<M>(resolved.at, lane, byte)
                                          : LoadValue<M>(resolved.at + lane * kSize + byte));
    }
  }
}

/// All elements of a load.
template <class M, class R, std::uint32_t kCount, bool kFull, bool kInterleaved>
ASSAY_GPU_INLINE void DeliverAll(Warp& warp, const Step* step, Layout layout,
                                 const Resolved& resolved, LaneMask lanes) {
  for (std::uint32_t element = 0; element < kCount; ++element) {
    Deliver<M, R, kCount, kFull, kInterleaved>(layout, resolved, lanes, element,
                                               Lanes<R>(warp, OperandOffset(step, element)));
  }
}

/// The same, one function for all spaces: what most combinations of types do with.
template <class M, class R, std::uint32_t kCount, bool kFull, bool kInterleaved>
[[gnu::noinline]] void DeliverOutOfLine(Warp& warp, const Step* step, Layout layout,
                                        const Resolved& resolved, LaneMask lanes) {
  DeliverAll<M, R, kCount, kFull, kInterleaved>(warp, step, layout, resolved, lanes);
}

/// How a request that no quick way takes is put to PerformLanes.
struct SlowRequest {
  ptx::Space space;
  TouchKind kind;
  LaneMask lanes;
};

template <class M, class R, std::uint32_t kCount>
[[gnu::noinline]] const Step* LoadSlowly(Warp& warp, const Step* step, const SlowRequest& request,
                                         const Resolved& resolved) {
  constexpr std::uint32_t kSize = sizeof(M) * kCount;
  alignas(64) std::byte values[kWarpSize * kSize];
  if (!PerformLanes(warp, step, request.space, request.lanes, resolved.addresses, kSize,
                    request.kind, values)) {
    return nullptr;
  }
  Resolved read;
  read.at = values;
  DeliverAll<M, R, kCount, false, false>(warp, step, Layout::kConsecutive, read, request.lanes);
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
    if constexpr (sizeof(M) == 4 && sizeof(R) == 4 && (kCount == 1 || kInterleaved)) {
      const VectorOf<std::uint32_t> d;
      auto* to =
          reinterpret_cast<std::uint32_t*>(resolved.at + (kInterleaved ? byte * kWarpSize : 0));
      for (std::uint32_t lane = 0; lane < kWarpSize; lane += kPerVector<std::uint32_t>) {
        hn::BlendedStore(hn::Load(d, reinterpret_cast<const std::uint32_t*>(from) + lane),
                         VectorMask<std::uint32_t>(lanes, lane), d, to + lane);
      }
      return;
    }
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

/// All elements of a store.
template <class M, class R, std::uint32_t kCount, bool kFull, bool kInterleaved>
ASSAY_GPU_INLINE void CollectAll(Warp& warp, const Step* step, Layout layout,
                                 const Resolved& resolved, LaneMask lanes) {
  if constexpr (kFull && kCount > 1 && !kInterleaved) {
    if (layout == Layout::kConsecutive) {
      CollectVector<M, R, kCount>(warp, step, resolved.at);
      return;
    }
  }
  for (std::uint32_t element = 0; element < kCount; ++element) {
    Collect<M, R, kCount, kFull, kInterleaved>(layout, resolved, lanes, element,
                                               Lanes<R>(warp, OperandOffset(step, element + 1)));
  }
}

/// As DeliverOutOfLine.
template <class M, class R, std::uint32_t kCount, bool kFull, bool kInterleaved>
[[gnu::noinline]] void CollectOutOfLine(Warp& warp, const Step* step, Layout layout,
                                        const Resolved& resolved, LaneMask lanes) {
  CollectAll<M, R, kCount, kFull, kInterleaved>(warp, step, layout, resolved, lanes);
}

template <class M, class R, std::uint32_t kCount>
[[gnu::noinline]] const Step* StoreSlowly(Warp& warp, const Step* step, const SlowRequest& request,
                                          const Resolved& resolved) {
  constexpr std::uint32_t kSize = sizeof(M) * kCount;
  alignas(64) std::byte values[kWarpSize * kSize];
  CollectVector<M, R, kCount>(warp, step, values);
  return PerformLanes(warp, step, request.space, request.lanes, resolved.addresses, kSize,
                      request.kind, values)
             ? step + 1
             : nullptr;
}

}  // namespace assay::gpu::ASSAY_GPU_ISA

#endif  // ASSAY_EMULATOR_OPS_MEMORY_MOVE_H_
