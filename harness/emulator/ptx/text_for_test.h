// SPDX-License-Identifier: Apache-2.0
// PTX that tests, benchmarks and rigs of every room write the same way.
#ifndef ASSAY_EMULATOR_PTX_TEXT_FOR_TEST_H_
#define ASSAY_EMULATOR_PTX_TEXT_FOR_TEST_H_

#include <string>
#include <string_view>

namespace assay::gpu::ptx {

/// The directives that every module begins with: lines 1 to 3.
inline constexpr std::string_view kHeader = ".version 9.0\n.target sm_80\n.address_size 64\n";

/// A module of `items`, which begin on line 4.
inline std::string ModuleText(std::string_view items) {
  return std::string(kHeader) + std::string(items);
}

/// Registers of every width.
inline constexpr std::string_view kRegisters =
    ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<40>; .reg .b64 %rd<20>; .reg .f32 %f<20>;"
    ".reg .f64 %fd<9>; .reg .b128 %q<2>;";

}  // namespace assay::gpu::ptx

#endif  // ASSAY_EMULATOR_PTX_TEXT_FOR_TEST_H_
