// SPDX-License-Identifier: Apache-2.0
#include "emulator/ops/lane_reports.h"

#include <bit>
#include <cstdint>
#include <string>

namespace assay::gpu {
namespace {

constexpr int kErrorIllegalAddress = 700;
constexpr int kErrorMisalignedAddress = 716;

std::string Hex(std::uint64_t value) {
  std::string text;
  do {
    text.insert(text.begin(), "0123456789abcdef"[value % 16]);
    value /= 16;
  } while (value != 0);
  return "0x" + text;
}

std::uint32_t LowestLane(LaneMask lanes) {
  return static_cast<std::uint32_t>(std::countr_zero(lanes));
}

}  // namespace

void CheckMembers(Warp& warp, const Step* step, const LaneMask* masks, LaneMask executed,
                  LaneMask wanted) {
  LaneMask outside = 0;
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    outside |= ~masks[lane] & (LaneMask{1} << lane) & executed;
  }
  if (outside != 0) {
    const std::uint32_t lane = LowestLane(outside);
    Report(warp, step, FindingKind::kInvalidMask, Severity::kError, lane, MemorySpace::kNone, 0, 0,
           "the thread executes it but is not in its own mask " + Hex(masks[lane]));
  }
  if (const LaneMask idle = wanted & warp.active & ~executed; idle != 0) {
    Report(warp, step, FindingKind::kInvalidMask, Severity::kError, LowestLane(idle),
           MemorySpace::kNone, 0, 0,
           "mask " + Hex(wanted) + " names the thread, but its guard predicate is false");
  }
  if (const LaneMask exited = wanted & warp.exited & warp.existing; exited != 0) {
    Report(warp, step, FindingKind::kInvalidMask, Severity::kWarning, LowestLane(executed),
           MemorySpace::kNone, 0, 0, "mask " + Hex(wanted) + " names exited lanes " + Hex(exited));
  }
}

void ReportIncompleteWarp(Warp& warp, const Step* step, LaneMask executed) {
  if (warp.worker->checker == nullptr || executed == 0) {
    return;
  }
  Report(warp, step, FindingKind::kInvalidMask, Severity::kError, LowestLane(executed),
         MemorySpace::kNone, 0, 0,
         "all 32 threads of the warp have to execute it; lanes " + Hex(executed) + " do");
}

void ReportInactiveSources(Warp& warp, const Step* step, LaneMask lanes,
                           const std::int32_t* sources) {
  if (warp.worker->checker == nullptr) {
    return;
  }
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const std::uint32_t lane = LowestLane(left);
    Report(warp, step, FindingKind::kInactiveSource, Severity::kError, lane, MemorySpace::kNone, 0,
           0, "reads lane " + std::to_string(sources[lane]) + ", which takes no part");
  }
}

void ReportInvalidMbarrier(Warp& warp, const Step* step, std::uint32_t lane, std::uint64_t address,
                           const char* note) {
  if (warp.worker->checker == nullptr) {
    return;
  }
  Report(warp, step, FindingKind::kInvalidBarrier, Severity::kError, lane, MemorySpace::kShared,
         address, 8, note);
}

const Step* FaultOnMbarrierAddress(Warp& warp, const Step* step, std::uint32_t lane,
                                   std::uint64_t address) {
  const bool misaligned = address % 8 != 0;
  if (warp.worker->checker != nullptr) {
    Report(warp, step, misaligned ? FindingKind::kMisaligned : FindingKind::kOutOfBounds,
           Severity::kError, lane, MemorySpace::kShared, address, 8, "mbarrier object");
  }
  return Fault(
      warp, misaligned ? kErrorMisalignedAddress : kErrorIllegalAddress,
      "an mbarrier object at " + Hex(address) +
          (misaligned ? " is not aligned to 8 bytes" : " is not in the block's shared memory"));
}

const Step* FaultOnBulkSize(Warp& warp, const Step* step, std::uint32_t lane,
                            std::uint32_t size_bytes) {
  constexpr const char* kWhy = "cp.async.bulk copies a multiple of 16 bytes";
  if (warp.worker->checker != nullptr) {
    Report(warp, step, FindingKind::kMisaligned, Severity::kError, lane, MemorySpace::kShared, 0,
           size_bytes, kWhy);
  }
  return Fault(warp, kErrorMisalignedAddress, kWhy);
}

std::uint32_t UndefinedValue(const Warp& warp) {
  const std::uint64_t mixed = (warp.launch->options->seed + 1) * 0x9e3779b97f4a7c15U;
  return static_cast<std::uint32_t>(mixed >> 32U) | 1U;
}

}  // namespace assay::gpu
