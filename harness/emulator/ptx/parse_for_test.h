// SPDX-License-Identifier: Apache-2.0
// What the tests of the PTX front end share.
#ifndef ASSAY_EMULATOR_PTX_PARSE_FOR_TEST_H_
#define ASSAY_EMULATOR_PTX_PARSE_FOR_TEST_H_

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "emulator/ptx/check_module.h"
#include "emulator/ptx/parser.h"

namespace assay::gpu::ptx {

inline constexpr std::string_view kHeader = ".version 9.0\n.target sm_80\n.address_size 64\n";

/// Parses `items` behind the directives that every module begins with: they take lines 1 to 3.
inline Result<Module> ParseItems(std::string_view items) {
  return Parse(std::string(kHeader) + std::string(items), "test.ptx");
}

/// Parses a kernel `k` with registers of every width and the body `body`, whose first line is 5.
inline Result<Module> ParseBody(std::string_view body) {
  return ParseItems(
      ".global .b32 g; .extern .shared .align 16 .b8 dyn[]; .func f(.param .b32 a);"
      ".visible .entry k(.param .b64 p) { .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<40>;"
      ".reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .f64 %fd<9>; .reg .b128 %q<2>;\n" +
      std::string(body) + "\n}\n");
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

/// The error of `parsed`, which must have failed, as `where: cause`.
inline std::string Failure(const Result<Module>& parsed) {
  EXPECT_FALSE(parsed.has_value());
  return parsed ? "" : parsed.error().where + ": " + parsed.error().cause;
}

}  // namespace assay::gpu::ptx

#endif  // ASSAY_EMULATOR_PTX_PARSE_FOR_TEST_H_
