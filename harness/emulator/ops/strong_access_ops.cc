// SPDX-License-Identifier: Apache-2.0
// ld and st that are volatile, relaxed, acquire, release: the strong operations of "PTX ISA",
// memory consistency model. Other threads may take part in them at any time, so PerformLanes does
// them all; full warps run the masked form too.
#include "emulator/ops/memory_move.h"
#include "emulator/ops/memory_select.h"

namespace assay::gpu::ASSAY_GPU_ISA {
namespace {

template <ptx::Space kSpace, class A, class M, class R, std::uint32_t kCount>
const Step* LoadStrong(Warp& warp, const Step* step) {
  const LaneMask lanes = ExecutedLanes(warp, step);
  if (lanes == 0) {
    return step + 1;
  }
  Resolved resolved;
  FillAddresses(Lanes<A>(warp, OperandOffset(step, kCount)), step->immediate, resolved.addresses);
  const SlowRequest request{.space = kSpace, .kind = TouchKind::kSyncRead, .lanes = lanes};
  return LoadSlowly<M, R, kCount>(warp, step, request, resolved);
}

/// Whether warps of the block may go by what a fenced warp stores at `address`.
template <ptx::Space kSpace>
bool TellsBlock(const Warp& warp, std::uint64_t address) {
  if (kSpace == ptx::Space::kGlobal || warp.worker->checker == nullptr ||
      (warp.block->shared_shadow->fenced_warps >> warp.index & 1U) == 0) {
    return false;
  }
  return kSpace == ptx::Space::kShared || address >> kWindowShift == kSharedWindow >> kWindowShift;
}

template <ptx::Space kSpace, class A, Releases kReleases, class M, class R, std::uint32_t kCount>
const Step* StoreStrong(Warp& warp, const Step* step) {
  const LaneMask lanes = ExecutedLanes(warp, step);
  if (lanes == 0) {
    return step + 1;
  }
  if constexpr (kReleases == Releases::kToAll) {
    NoteFence(warp);
  } else if constexpr (kReleases == Releases::kToBlock) {
    NoteFenceOfBlock(warp);
  }
  Resolved resolved;
  FillAddresses(Lanes<A>(warp, OperandOffset(step, 0)), step->immediate, resolved.addresses);
  const SlowRequest request{.space = kSpace, .kind = TouchKind::kSyncWrite, .lanes = lanes};
  const Step* next = StoreSlowly<M, R, kCount>(warp, step, request, resolved);
  if (next == nullptr || !TellsBlock<kSpace>(warp, resolved.addresses[FirstLane(lanes)])) {
    return next;
  }
  // Others act on it first: a race with what this warp does next shows only then.
  warp.stop = Stop::kTurnOver;
  warp.resume = next;
  return nullptr;
}

template <ptx::Space kSpace, class A>
struct StrongLoads {
  static constexpr bool kExtends = true;
  template <class M, class R, std::uint32_t kCount>
  static Handlers HandlersFor() {
    constexpr Handler kBoth = LoadStrong<kSpace, A, M, R, kCount>;
    return {.full = kBoth, .masked = kBoth};
  }
};

template <ptx::Space kSpace, class A, Releases kReleases>
struct StrongStores {
  static constexpr bool kExtends = false;
  template <class M, class R, std::uint32_t kCount>
  static Handlers HandlersFor() {
    constexpr Handler kBoth = StoreStrong<kSpace, A, kReleases, M, R, kCount>;
    return {.full = kBoth, .masked = kBoth};
  }
};

/// Forms<kSpace, address type> of a space that threads share.
template <template <ptx::Space, class> class Forms>
Handlers BySharedSpace(ptx::Space space, const MemoryShape& shape) {
  const bool narrow = shape.address_width == 4;
  using ptx::Space;
  switch (space) {
    case Space::kGlobal:
      return narrow ? Handlers{} : ByType<Forms<Space::kGlobal, std::uint64_t>>(shape);
    case Space::kGeneric:
      return narrow ? Handlers{} : ByType<Forms<Space::kGeneric, std::uint64_t>>(shape);
    case Space::kShared:
      return narrow ? ByType<Forms<Space::kShared, std::uint32_t>>(shape)
                    : ByType<Forms<Space::kShared, std::uint64_t>>(shape);
    default:
      return {};
  }
}

/// Other spaces are one thread's, or never written.
bool IsSharedByThreads(ptx::Space space) {
  return space == ptx::Space::kGlobal || space == ptx::Space::kGeneric ||
         space == ptx::Space::kShared;
}

template <ptx::Space kSpace, class A>
using ReleasingStores = StrongStores<kSpace, A, Releases::kToAll>;
template <ptx::Space kSpace, class A>
using BlockReleasingStores = StrongStores<kSpace, A, Releases::kToBlock>;
template <ptx::Space kSpace, class A>
using RelaxedStores = StrongStores<kSpace, A, Releases::kNo>;

}  // namespace

Handlers SelectStrongLoad(ptx::Space space, const MemoryShape& shape) {
  return IsSharedByThreads(space) ? BySharedSpace<StrongLoads>(space, shape)
                                  : SelectWeakLoad(space, shape);
}

Handlers SelectStrongStore(ptx::Space space, const MemoryShape& shape, Releases releases) {
  if (!IsSharedByThreads(space)) {
    return SelectWeakStore(space, shape);
  }
  switch (releases) {
    case Releases::kToAll:
      return BySharedSpace<ReleasingStores>(space, shape);
    case Releases::kToBlock:
      return BySharedSpace<BlockReleasingStores>(space, shape);
    default:
      return BySharedSpace<RelaxedStores>(space, shape);
  }
}

}  // namespace assay::gpu::ASSAY_GPU_ISA
