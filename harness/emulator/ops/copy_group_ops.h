// SPDX-License-Identifier: Apache-2.0
// .commit_group and .wait_group of cp.async and cp.async.bulk. Included only by the sources of ops/
// (see lanes.h).
#ifndef ASSAY_EMULATOR_OPS_COPY_GROUP_OPS_H_
#define ASSAY_EMULATOR_OPS_COPY_GROUP_OPS_H_

#include <cstdint>

#include "emulator/ops/collective.h"

namespace assay::gpu::ASSAY_GPU_ISA {

/// kCommit(warp, lanes) closes the open groups of `lanes`.
template <auto kCommit, Form kForm>
const Step* CommitGroup(Warp& warp, const Step* step) {
  kCommit(warp, LanesToRun<kForm>(warp, step));
  return step + 1;
}

/// kWait(warp, lanes, groups_left) performs all but the youngest groups of `lanes`. Flat operand:
/// how many these are.
template <auto kWait, Form kForm>
const Step* WaitGroup(Warp& warp, const Step* step) {
  const std::uint32_t groups_left = Lanes<std::uint32_t>(warp, step->operand[0])[0];
  return kWait(warp, LanesToRun<kForm>(warp, step), groups_left) ? step + 1 : nullptr;
}

template <auto kCommit>
Handlers CommitGroupHandlers() {
  return {CommitGroup<kCommit, Form::kFull>, CommitGroup<kCommit, Form::kMasked>};
}
template <auto kWait>
Handlers WaitGroupHandlers() {
  return {WaitGroup<kWait, Form::kFull>, WaitGroup<kWait, Form::kMasked>};
}

}  // namespace assay::gpu::ASSAY_GPU_ISA

#endif  // ASSAY_EMULATOR_OPS_COPY_GROUP_OPS_H_
