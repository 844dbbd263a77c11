// SPDX-License-Identifier: Apache-2.0
// Single instructions, written in PTX, for tests and benchmarks.
#ifndef ASSAY_EMULATOR_OPS_INSTRUCTION_FOR_TEST_H_
#define ASSAY_EMULATOR_OPS_INSTRUCTION_FOR_TEST_H_

#include <expected>
#include <string>
#include <string_view>

#include "base/error.h"
#include "emulator/ptx/module.h"
#include "emulator/ptx/parser.h"
#include "emulator/ptx/text_for_test.h"

namespace assay::gpu {

/// The instruction `text`, of registers %p, %h (16 bits), %r (32), %d (64) and %f (f32). An error
/// where it is no PTX.
inline Result<ptx::Instruction> ParseInstruction(std::string_view text) {
  const auto module =
      ptx::Parse(ptx::ModuleText(".visible .entry k()\n{\n.reg .pred %p<8>;\n.reg .b16 %h<8>;\n"
                                 ".reg .b32 %r<8>;\n.reg .b64 %d<8>;\n.reg .f32 %f<8>;\n" +
                                 std::string(text) + "\nret;\n}\n"),
                 "test");
  if (!module) {
    return std::unexpected(module.error());
  }
  return module->functions.at(0).instructions.at(0);
}

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_OPS_INSTRUCTION_FOR_TEST_H_
