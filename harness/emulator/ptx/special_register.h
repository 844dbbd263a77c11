// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_PTX_SPECIAL_REGISTER_H_
#define ASSAY_EMULATOR_PTX_SPECIAL_REGISTER_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "emulator/ptx/opcode.h"

namespace assay::gpu::ptx {

struct SpecialRegisterFacts {
  SpecialRegister reg;
  Type type;
  std::uint64_t number = 0;  ///< Of %envreg<n> and %reserved_smem_offset_<n>.
};

/// `%tid.x`. Nothing for what is no special register, or none that we have.
/// Source: PTX ISA 9.0, section 10.
[[nodiscard]] std::optional<SpecialRegisterFacts> FindSpecialRegister(std::string_view name);

/// `%tid.w`, `%cluster_ctarank` and others that are the same in every thread of a grid without
/// clusters.
[[nodiscard]] std::optional<std::uint64_t> FindConstantRegister(std::string_view name);

/// Whether `name` is a special register of PTX that we do not have: `%pm0`, `%aggr_smem_size`.
[[nodiscard]] bool IsUnsupportedSpecialRegister(std::string_view name);

}  // namespace assay::gpu::ptx

#endif  // ASSAY_EMULATOR_PTX_SPECIAL_REGISTER_H_
