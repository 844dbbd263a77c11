// SPDX-License-Identifier: Apache-2.0
// cp.async.bulk between device memory and shared memory: what it does is in pending_copies.h and
// bulk_copies.h.
#include <bit>
#include <cstdint>

#include "emulator/ops/bulk_copies.h"
#include "emulator/ops/collective.h"
#include "emulator/ops/copy_group_ops.h"
#include "emulator/ops/mbarrier.h"

namespace assay::gpu::ASSAY_GPU_ISA {
namespace {

using ptx::Mode;

constexpr std::uint32_t kUnitBytes = 16;

/// Of an address in shared memory: its base register has 32 bits or 64.
enum class Width : std::uint8_t { kNarrow, kWide };

template <Width kWidth>
ASSAY_GPU_INLINE std::uint64_t SharedAddress(Warp& warp, std::uint32_t base, std::uint32_t lane,
                                             std::uint64_t offset) {
  if constexpr (kWidth == Width::kNarrow) {
    return static_cast<std::uint32_t>(Lanes<std::uint32_t>(warp, base)[lane] +
                                      static_cast<std::uint32_t>(offset));
  } else {
    return Lanes<std::uint64_t>(warp, base)[lane] + offset;
  }
}

/// Flat operands: where to, where from, its offset, the size, then an mbarrier and its offset.
template <BulkCopy::To kTo, Width kShared, Width kMbarrier, Form kForm>
const Step* Bulk(Warp& warp, const Step* step) {
  const std::uint32_t* at = OperandTable(step);
  for (LaneMask left = LanesToRun<kForm>(warp, step); left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    const std::uint64_t from_offset = Lanes<std::uint64_t>(warp, at[2])[lane];
    BulkCopy copy;
    copy.step = step;
    copy.lane = lane;
    copy.to = kTo;
    copy.size_bytes = Lanes<std::uint32_t>(warp, at[3])[lane];
    if (copy.size_bytes % kUnitBytes != 0) {
      return FaultOnBulkSize(warp, step, lane, copy.size_bytes);
    }
    if constexpr (kTo == BulkCopy::To::kShared) {
      copy.shared = SharedOffset(SharedAddress<kShared>(warp, at[0], lane, step->immediate));
      copy.global = Lanes<std::uint64_t>(warp, at[1])[lane] + from_offset;
      copy.mbarrier =
          SharedAddress<kMbarrier>(warp, at[4], lane, Lanes<std::uint64_t>(warp, at[5])[lane]);
      if (MbarrierAt(*warp.block, warp.launch->shared_bytes, copy.mbarrier) == nullptr) {
        return FaultOnMbarrierAddress(warp, step, lane, copy.mbarrier);
      }
    } else {
      copy.global = Lanes<std::uint64_t>(warp, at[0])[lane] + step->immediate;
      copy.shared = SharedOffset(SharedAddress<kShared>(warp, at[1], lane, from_offset));
    }
    if (!IssueBulkCopy(warp, copy)) {
      return nullptr;
    }
  }
  return step + 1;
}

// Into L2, which is modelled, never asked.
const Step* Prefetch(Warp& /*warp*/, const Step* step) { return step + 1; }

// ------------------------------------------------------------------------------------ selection

Width WidthOf(const ptx::Operand& address) {
  return address.index >= 0 && ptx::SizeOf(address.type) == 4 ? Width::kNarrow : Width::kWide;
}

template <BulkCopy::To kTo, Width kShared, Width kMbarrier>
Handlers OfWidths() {
  return {Bulk<kTo, kShared, kMbarrier, Form::kFull>, Bulk<kTo, kShared, kMbarrier, Form::kMasked>};
}

Handlers SelectToShared(const ptx::Operand* operands) {
  constexpr auto kTo = BulkCopy::To::kShared;
  if (WidthOf(operands[3]) == Width::kNarrow) {
    return WidthOf(operands[0]) == Width::kNarrow ? OfWidths<kTo, Width::kNarrow, Width::kNarrow>()
                                                  : OfWidths<kTo, Width::kWide, Width::kNarrow>();
  }
  return WidthOf(operands[0]) == Width::kNarrow ? OfWidths<kTo, Width::kNarrow, Width::kWide>()
                                                : OfWidths<kTo, Width::kWide, Width::kWide>();
}

Handlers SelectToGlobal(const ptx::Operand* operands) {
  constexpr auto kTo = BulkCopy::To::kGlobal;
  return WidthOf(operands[1]) == Width::kNarrow ? OfWidths<kTo, Width::kNarrow, Width::kWide>()
                                                : OfWidths<kTo, Width::kWide, Width::kWide>();
}

}  // namespace

Handlers SelectBulkCopy(const ptx::Instruction& instruction) {
  switch (instruction.mode) {
    case Mode::kCommitGroup:
      return CommitGroupHandlers<CommitBulkCopies>();
    case Mode::kWaitGroup:
      return WaitGroupHandlers<WaitForBulkCopies>();
    case Mode::kL2:
      return {Prefetch, Prefetch};
    case Mode::kMbarrierArrive:
      return SelectToShared(instruction.operands.data());
    case Mode::kNone:
      return SelectToGlobal(instruction.operands.data());
    default:
      return {};
  }
}

}  // namespace assay::gpu::ASSAY_GPU_ISA
