// SPDX-License-Identifier: Apache-2.0
// Which modifiers of arithmetic and conversions stand beside each other.
#include "emulator/ptx/combination.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

#include "emulator/ptx/parse_for_test.h"

namespace assay::gpu::ptx {
namespace {

// What a modifier is refused for is the type beside it.
TEST(Combination, ModifiersBelongToTypes) {
  struct Case {
    std::string_view spelling;
    std::string_view word;  // That the type does not take.
  };
  for (const auto& [spelling, word] : std::to_array<Case>({
           {"abs.ftz.s32", "ftz"},        {"abs.ftz.f64", "ftz"},
           {"abs.ftz.bf16", "ftz"},       {"add.ftz.s32", "ftz"},
           {"add.ftz.f64", "ftz"},        {"add.ftz.bf16x2", "ftz"},
           {"add.rn.s32", "rn"},          {"add.rni.f32", "rni"},
           {"add.rz.f16", "rz"},          {"add.sat.u32", "sat"},
           {"add.sat.s64", "sat"},        {"add.sat.f64", "sat"},
           {"add.sat.bf16", "sat"},       {"add.sat.cc.s32", "sat"},
           {"add.cc.f32", "cc"},          {"add.cc.u16", "cc"},
           {"add.cc.u16x2", "cc"},        {"sub.ftz.s64", "ftz"},
           {"sub.sat.u64", "sat"},        {"sub.cc.s16", "cc"},
           {"sub.rzi.f64", "rzi"},        {"mul.wide.s64", "wide"},
           {"mul.wide.u64", "wide"},      {"mul.lo.sat.s32", "sat"},
           {"mul.rn.lo.s32", "rn"},       {"mul.ftz.f64", "ftz"},
           {"mul.hi.f32", "hi"},          {"mad.wide.s64", "wide"},
           {"mad.hi.sat.u32", "sat"},     {"mad.lo.sat.s32", "sat"},
           {"mad.wide.sat.s32", "sat"},   {"mad.hi.sat.cc.s32", "sat"},
           {"mad.wide.cc.u32", "cc"},     {"mad.lo.cc.u16", "cc"},
           {"mad.rn.sat.f64", "sat"},     {"mad24.wide.s32", "wide"},
           {"mad24.hi.sat.u32", "sat"},   {"mad24.lo.sat.s32", "sat"},
           {"mul24.wide.u32", "wide"},    {"madc.wide.u32", "wide"},
           {"dp2a.wide.u32.u32", "wide"}, {"fma.rn.ftz.f64", "ftz"},
           {"fma.rn.relu.f32", "relu"},   {"fma.rz.f16", "rz"},
           {"fma.rn.sat.bf16", "sat"},    {"fma.rn.relu.sat.f16", "relu"},
           {"div.rn.s32", "rn"},          {"div.full.u32", "full"},
           {"div.approx.f64", "approx"},  {"div.rn.ftz.f64", "ftz"},
           {"div.full.f64", "full"},      {"div.approx.rn.f32", "rn"},
           {"div.full.rz.f32", "rz"},     {"div.approx.full.f32", "full"},
           {"rcp.rn.ftz.f64", "ftz"},     {"rcp.approx.rn.f32", "rn"},
           {"sqrt.approx.f64", "approx"}, {"sqrt.rn.ftz.f64", "ftz"},
           {"sqrt.approx.rz.f32", "rz"},  {"tanh.approx.ftz.f32", "ftz"},
           {"neg.ftz.s32", "ftz"},        {"neg.ftz.f64", "ftz"},
           {"max.ftz.s32", "ftz"},        {"max.ftz.f64", "ftz"},
           {"max.ftz.bf16", "ftz"},       {"min.NaN.s32", "NaN"},
           {"min.NaN.f64", "NaN"},        {"min.relu.u32", "relu"},
           {"max.relu.f16", "relu"},      {"setp.lo.f32", "lo"},
           {"setp.hs.f64", "hs"},         {"setp.ltu.s32", "ltu"},
           {"setp.nan.u64", "nan"},       {"setp.num.u32", "num"},
           {"setp.lt.b32", "lt"},         {"setp.hi.b64", "hi"},
           {"setp.eq.ftz.s32", "ftz"},    {"setp.lt.ftz.f64", "ftz"},
           {"setp.lt.ftz.bf16", "ftz"},   {"set.lo.u32.f32", "lo"},
           {"set.ltu.u32.s32", "ltu"},    {"set.ge.u32.b32", "ge"},
           {"slct.ftz.f32.s32", "ftz"},
       })) {
    EXPECT_EQ(ReasonOf(spelling), "modifier ." + std::string(word)) << spelling;
  }
}

TEST(Combination, ConversionsRoundWhereTheyLoseBits) {
  struct Case {
    std::string_view spelling;
    std::string_view reason;
  };
  constexpr std::string_view kCombination = "combination of modifiers";
  for (const auto& [spelling, reason] : std::to_array<Case>({
           {"cvt.f32.f64", kCombination},
           {"cvt.f16.f32", kCombination},
           {"cvt.f16.bf16", kCombination},
           {"cvt.f32.s32", kCombination},
           {"cvt.f64.u8", kCombination},
           {"cvt.s32.f32", kCombination},
           {"cvt.ftz.u8.f32", kCombination},
           {"cvt.f16x2.f32", kCombination},
           {"cvt.tf32.f32", kCombination},
           {"cvt.satfinite.e4m3x2.f32", kCombination},
           {"cvt.rn.e4m3x2.f32", kCombination},
           {"cvt.rn.f32.tf32", "type .tf32"},
           {"cvt.rn.f16x2.bf16x2", kCombination},
           {"cvt.rn.bf16x2.e4m3x2", kCombination},
           {"cvt.u32.b32", "type .b32"},
           {"cvt.rn.s32.u32", "modifier .rn"},
           {"cvt.rzi.u8.s16", "modifier .rzi"},
           {"cvt.rni.f32.s32", "modifier .rni"},
           {"cvt.rn.s32.f32", "modifier .rn"},
           {"cvt.rn.f64.f32", "modifier .rn"},
           {"cvt.rn.f32.f16", "modifier .rn"},
           {"cvt.rn.f32.f32", "modifier .rn"},
           {"cvt.rzi.f32.f64", "modifier .rzi"},
           {"cvt.rzi.f64.f32", "modifier .rzi"},
           {"cvt.rm.f16x2.f32", "modifier .rm"},
           {"cvt.rz.satfinite.e5m2x2.f32", "modifier .rz"},
           {"cvt.rna.f16.f32", "modifier .rna"},
           {"cvt.rm.tf32.f32", "modifier .rm"},
           {"cvt.ftz.s32.s64", "modifier .ftz"},
           {"cvt.rzi.ftz.s32.f64", "modifier .ftz"},
           {"cvt.rn.sat.f16x2.f32", "modifier .sat"},
           {"cvt.rn.sat.e4m3x2.f32", "modifier .sat"},
           {"cvt.rn.relu.f32.f64", "modifier .relu"},
           {"cvt.rn.relu.f16.s32", "modifier .relu"},
           {"cvt.rn.satfinite.f32.f64", "modifier .satfinite"},
       })) {
    EXPECT_EQ(ReasonOf(spelling), reason) << spelling;
  }
  for (const std::string_view spelling : {"cvt.f32.f32",
                                          "cvt.sat.f32.f32",
                                          "cvt.ftz.sat.f32.f32",
                                          "cvt.rpi.ftz.f32.f32",
                                          "cvt.rmi.f16.f16",
                                          "cvt.f64.bf16",
                                          "cvt.ftz.f32.f16",
                                          "cvt.rp.f32.u64",
                                          "cvt.rm.f16.s8",
                                          "cvt.rn.bf16.f64",
                                          "cvt.rz.bf16.f16",
                                          "cvt.rn.ftz.f32.f64",
                                          "cvt.rzi.ftz.u64.f32",
                                          "cvt.rni.s8.bf16",
                                          "cvt.sat.u16.s64",
                                          "cvt.rz.relu.f16x2.f32",
                                          "cvt.rn.satfinite.f16.f32",
                                          "cvt.rna.satfinite.tf32.f32",
                                          "cvt.rz.tf32.f32",
                                          "cvt.rn.relu.f16x2.e5m2x2",
                                          "cvt.rn.satfinite.relu.e4m3x2.f16x2",
                                          "cvt.s16.s16"}) {
    EXPECT_EQ(ReasonOf(spelling), "") << spelling;
  }
}

TEST(Combination, ExtremesWithTheSignOfBoth) {
  for (const std::string_view spelling :
       {"min.xorsign.abs.f32", "max.ftz.NaN.xorsign.abs.f32", "min.xorsign.abs.f16",
        "max.NaN.xorsign.abs.bf16x2", "max.ftz.xorsign.abs.f16x2"}) {
    EXPECT_EQ(ReasonOf(spelling), "") << spelling;
    EXPECT_EQ(DecodeSpelling(spelling).mode, Mode::kXorSignAbs) << spelling;
  }
  EXPECT_EQ(DecodeSpelling("min.f32").mode, Mode::kNone);
  EXPECT_EQ(ReasonOf("min.xorsign.f32"), "combination of modifiers");
  EXPECT_EQ(ReasonOf("min.abs.f32"), "modifier .abs");
  EXPECT_EQ(ReasonOf("min.xorsign.abs.f64"), "modifier .xorsign");
  EXPECT_EQ(ReasonOf("max.xorsign.abs.s32"), "modifier .xorsign");
  EXPECT_EQ(One("max.NaN.xorsign.abs.f32 %f1, %f2, -1.5;").operands.at(2).bits, 0xbfc00000U);
}

}  // namespace
}  // namespace assay::gpu::ptx
