// SPDX-License-Identifier: Apache-2.0
#include "emulator/core/program.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace assay::gpu {

std::uint32_t IndexOf(const Program& program, const Step* step) {
  const bool in_full = std::less_equal<>{}(program.full.data(), step) &&
                       std::less<>{}(step, program.full.data() + program.full.size());
  return static_cast<std::uint32_t>(step - (in_full ? program.full.data() : program.masked.data()));
}

bool UsesLoad(const Warp& warp, const Step& step, std::uint32_t lane) {
  const Program* program = warp.launch->program;
  if (program == nullptr) {
    return true;
  }
  const auto found = std::ranges::lower_bound(program->selected_loads, step.instruction, {},
                                              &SelectedLoad::instruction);
  if (found == program->selected_loads.end() || found->instruction != step.instruction) {
    return true;
  }
  return std::ranges::any_of(found->choices, [&](const SelectedLoad::Choice& choice) {
    LaneMask taken = 0;
    std::memcpy(&taken, warp.registers + choice.predicate, sizeof taken);
    return (((taken ^ choice.flip) >> lane) & 1U) != 0;
  });
}

}  // namespace assay::gpu
