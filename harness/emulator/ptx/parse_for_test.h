// SPDX-License-Identifier: Apache-2.0
// What the tests of the PTX front end share.
#ifndef ASSAY_EMULATOR_PTX_PARSE_FOR_TEST_H_
#define ASSAY_EMULATOR_PTX_PARSE_FOR_TEST_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "emulator/ptx/check_module.h"
#include "emulator/ptx/parser.h"
#include "emulator/ptx/spelling.h"
#include "emulator/ptx/text_for_test.h"

namespace assay::gpu::ptx {

/// Parses a module of `items`, which begin on line 4.
inline Result<Module> ParseItems(std::string_view items) {
  return Parse(ModuleText(items), "test.ptx");
}

/// Parses a kernel `k` with registers of every width and the body `body`, whose first line is 5.
inline Result<Module> ParseBody(std::string_view body) {
  return ParseItems(
      ".global .b32 g; .extern .shared .align 16 .b8 dyn[]; .func f(.param .b32 a);"
      ".visible .entry k(.param .b64 p) { " +
      std::string(kRegisters) + "\n" + std::string(body) + "\n}\n");
}

inline Module MustParse(const Result<Module>& parsed) {
  EXPECT_TRUE(parsed.has_value()) << ToString(parsed.error());
  if (!parsed) {
    return {};
  }
  EXPECT_EQ(FindInconsistency(*parsed), "");
  return *parsed;
}

/// Kernel `k` of ParseBody, which has to parse.
inline Function Kernel(std::string_view body) {
  const Module module = MustParse(ParseBody(body));
  const Function* const kernel = module.FindFunction("k");
  EXPECT_NE(kernel, nullptr);
  return kernel == nullptr ? Function{} : *kernel;
}

/// The first instruction of `body`.
inline Instruction One(std::string_view body) {
  const Function kernel = Kernel(body);
  EXPECT_FALSE(kernel.instructions.empty());
  return kernel.instructions.empty() ? Instruction{} : kernel.instructions.front();
}

/// The last variable of the module that `items` make.
inline Variable OneVariable(std::string_view items) {
  const Module module = MustParse(ParseItems(items));
  EXPECT_FALSE(module.variables.empty());
  return module.variables.empty() ? Variable{} : module.variables.back();
}

/// Why the instruction that `spelling` names is not supported; empty when it is.
inline std::string ReasonOf(std::string_view spelling) {
  const Instruction instruction = DecodeSpelling(spelling);
  EXPECT_EQ(instruction.spelling, spelling);
  EXPECT_EQ(instruction.opcode == Opcode::kUnsupported, !instruction.reason.empty()) << spelling;
  return instruction.reason;
}

/// Every type that makes an instruction of `before` and `behind` when it stands between them.
inline std::string TypesTaken(std::string_view before, std::string_view behind = "") {
  std::string taken;
  for (auto type = Type::kPred; type <= Type::kE5m2x2;
       type = static_cast<Type>(static_cast<std::uint8_t>(type) + 1)) {
    const std::string name(ToString(type));
    if (ReasonOf(std::string(before) + name + std::string(behind)).empty()) {
      taken += (taken.empty() ? "" : " ") + name;
    }
  }
  return taken;
}

/// What a parse returns is consistent, whatever the text: MustParse's check, without its demand.
inline void ExpectConsistent(std::string_view text) {
  const auto parsed = Parse(text, "damaged.ptx");
  if (parsed) {
    EXPECT_EQ(FindInconsistency(*parsed), "");
  } else {
    EXPECT_FALSE(parsed.error().cause.empty());
  }
}

/// The error of `parsed`, which must have failed, as `where: cause`.
inline std::string Failure(const Result<Module>& parsed) {
  EXPECT_FALSE(parsed.has_value());
  return parsed ? "" : parsed.error().where + ": " + parsed.error().cause;
}

}  // namespace assay::gpu::ptx

#endif  // ASSAY_EMULATOR_PTX_PARSE_FOR_TEST_H_
