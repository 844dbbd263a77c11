// SPDX-License-Identifier: Apache-2.0
#include "emulator/core/warp.h"

#include <utility>

namespace assay::gpu {

const Step* Fault(Warp& warp, int error, std::string detail) {
  if (warp.worker->fault.error == 0) {
    warp.worker->fault = {error, std::move(detail)};
    warp.worker->fault_position = warp.block->position;
  }
  warp.stop = Stop::kFault;
  return nullptr;
}

void Report(Warp& warp, const Step* step, FindingKind kind, Severity severity, std::uint32_t lane,
            MemorySpace space, std::uint64_t address, std::uint32_t size_bytes, std::string note) {
  warp.worker->findings.Add({.kind = kind,
                             .severity = severity,
                             .site = {.instruction = step->instruction,
                                      .block = warp.block->linear,
                                      .thread = warp.index * kWarpSize + lane},
                             .space = space,
                             .address = address,
                             .size_bytes = size_bytes,
                             .position = warp.block->position,
                             .note = std::move(note)});
}

const Step* WaitForLanes(Warp& warp, const Step* step, LaneMask wanted) {
  warp.stop = Stop::kLanes;
  warp.resume = step;
  warp.wanted = wanted;
  return nullptr;
}

}  // namespace assay::gpu
