// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_EXEC_SELECTED_LOADS_H_
#define ASSAY_EMULATOR_EXEC_SELECTED_LOADS_H_

#include <cstdint>
#include <vector>

#include "emulator/core/program.h"
#include "emulator/exec/flatten.h"
#include "emulator/exec/register_layout.h"

namespace assay::gpu {

/// Moves loads whose values only `selp` reads behind what computes its predicate, where nothing but
/// arithmetic on other registers lies between. For each order of such instructions a compiler may
/// choose, FindSelectedLoads then finds the load.
void SinkSelectedLoads(FlatKernel& kernel);

/// The loads of `kernel` whose values only `selp` reads, in the same run of instructions and by
/// predicates that are known when the load is done.
[[nodiscard]] std::vector<SelectedLoad> FindSelectedLoads(const FlatKernel& kernel,
                                                          const RegisterLayout& layout);

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_EXEC_SELECTED_LOADS_H_
