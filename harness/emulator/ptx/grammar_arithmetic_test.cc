// SPDX-License-Identifier: Apache-2.0
// How arithmetic, comparisons and conversions may be spelled: PTX ISA 9.0, sections 9.7.1 to 9.7.9.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/ptx/grammar.h"
#include "emulator/ptx/parse_for_test.h"

namespace assay::gpu::ptx {
namespace {

TEST(GrammarArithmetic, TypesOfEachOpcode) {
  constexpr std::string_view kIntegers = "u16 u32 u64 s16 s32 s64";
  constexpr std::string_view kLongIntegers = "u32 u64 s32 s64";
  constexpr std::string_view kBitTypes = "b16 b32 b64";
  constexpr std::string_view kPredicateOrBits = "pred b16 b32 b64";
  constexpr std::string_view kHalfTypes = "f16 f16x2 bf16 bf16x2";
  struct Case {
    std::string_view before;
    std::string_view behind;
    std::string types;
  };
  for (const auto& [before, behind, types] : std::vector<Case>({
           {"add.", "", "u16 u32 u64 s16 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64 u16x2 s16x2"},
           {"sub.", "", "u16 u32 u64 s16 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64"},
           {"addc.cc.", "", std::string(kLongIntegers)},
           {"subc.", "", std::string(kLongIntegers)},
           {"mul.lo.", "", std::string(kIntegers)},
           {"mul.hi.", "", std::string(kIntegers)},
           {"mad.lo.", "", std::string(kIntegers)},
           {"madc.hi.cc.", "", std::string(kLongIntegers)},
           {"mul24.lo.", "", "u32 s32"},
           {"mad24.hi.", "", "u32 s32"},
           {"mul.rn.", "", std::string(kHalfTypes) + " f32 f64"},
           {"fma.rn.", "", std::string(kHalfTypes) + " f32 f64"},
           {"mad.rn.", "", "f32 f64"},
           {"div.", "", std::string(kIntegers)},
           {"rem.", "", std::string(kIntegers)},
           {"sad.", "", std::string(kIntegers)},
           {"neg.", "", "s16 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64"},
           {"min.", "", "u16 u32 u64 s16 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64 u16x2 s16x2"},
           {"popc.", "", "b32 b64"},
           {"clz.", "", "b32 b64"},
           {"brev.", "", "b32 b64"},
           {"bfind.", "", std::string(kLongIntegers)},
           {"bfe.", "", std::string(kLongIntegers)},
           {"bfi.", "", "b32 b64"},
           {"fns.", "", "b32"},
           {"bmsk.clamp.", "", "b32"},
           {"szext.wrap.", "", "u32 s32"},
           {"dp4a.", ".u32", "u32 s32"},
           {"dp2a.lo.", ".s32", "u32 s32"},
           {"testp.finite.", "", "f32 f64"},
           {"copysign.", "", "f32 f64"},
           {"rcp.rn.", "", "f32 f64"},
           {"sqrt.rz.", "", "f32 f64"},
           {"rsqrt.approx.", "", "f32 f64"},
           {"sin.approx.", "", "f32"},
           {"cos.approx.ftz.", "", "f32"},
           {"lg2.approx.", "", "f32"},
           {"tanh.approx.", "", std::string(kHalfTypes) + " f32"},
           {"and.", "", std::string(kPredicateOrBits)},
           {"or.", "", std::string(kPredicateOrBits)},
           {"xor.", "", std::string(kPredicateOrBits)},
           {"not.", "", std::string(kPredicateOrBits)},
           {"cnot.", "", std::string(kBitTypes)},
           {"shl.", "", std::string(kBitTypes)},
           {"shr.", "", std::string(kBitTypes) + " " + std::string(kIntegers)},
           {"shf.l.wrap.", "", "b32"},
           {"lop3.", "", "b32"},
           {"prmt.", "", "b32"},
           {"selp.", "", "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64"},
           {"slct.", ".s32", "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64"},
           {"setp.eq.", "", "b16 b32 b64 u16 u32 u64 s16 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64"},
           {"nanosleep.", "", "u32"},
       })) {
    EXPECT_EQ(TypesTaken(before, behind), types) << before;
  }
}

TEST(GrammarArithmetic, FlagsAndRoundings) {
  struct Case {
    std::string_view spelling;
    Rounding rounding;
    bool flush_to_zero;
    bool saturate;
    bool approximate;
  };
  for (const auto& [spelling, rounding, flush_to_zero, saturate, approximate] :
       std::to_array<Case>({
           {"add.f32", Rounding::kNone, false, false, false},
           {"add.rn.f32", Rounding::kRn, false, false, false},
           {"add.rz.ftz.sat.f32", Rounding::kRz, true, true, false},
           {"sub.rm.f64", Rounding::kRm, false, false, false},
           {"mul.rp.ftz.f32", Rounding::kRp, true, false, false},
           {"add.sat.s32", Rounding::kNone, false, true, false},
           {"add.ftz.sat.f16x2", Rounding::kNone, true, true, false},
           {"mad.hi.sat.s32", Rounding::kNone, false, true, false},
           {"mad24.hi.sat.s32", Rounding::kNone, false, true, false},
           {"fma.rn.sat.f16", Rounding::kRn, false, true, false},
           {"div.approx.ftz.f32", Rounding::kNone, true, false, true},
           {"div.rm.f64", Rounding::kRm, false, false, false},
           {"rcp.approx.ftz.f64", Rounding::kNone, true, false, true},
           {"rcp.rp.ftz.f32", Rounding::kRp, true, false, false},
           {"sqrt.approx.f32", Rounding::kNone, false, false, true},
           {"rsqrt.approx.ftz.f64", Rounding::kNone, true, false, true},
           {"ex2.approx.ftz.bf16x2", Rounding::kNone, true, false, true},
           {"neg.ftz.f32", Rounding::kNone, true, false, false},
           {"abs.ftz.f32", Rounding::kNone, true, false, false},
           {"max.ftz.f32", Rounding::kNone, true, false, false},
           {"setp.lt.ftz.f32", Rounding::kNone, true, false, false},
           {"slct.ftz.f32.f32", Rounding::kNone, true, false, false},
           {"cvt.rzi.ftz.s32.f32", Rounding::kRzi, true, false, false},
           {"cvt.rni.sat.f32.f32", Rounding::kRni, false, true, false},
           {"cvt.rmi.f64.f64", Rounding::kRmi, false, false, false},
           {"cvt.rpi.u64.f64", Rounding::kRpi, false, false, false},
           {"cvt.rna.tf32.f32", Rounding::kRna, false, false, false},
           {"cvt.rn.satfinite.e5m2x2.f16x2", Rounding::kRn, false, true, false},
           {"cvt.sat.u8.s32", Rounding::kNone, false, true, false},
       })) {
    const Instruction instruction = DecodeSpelling(spelling);
    EXPECT_EQ(instruction.reason, "") << spelling;
    EXPECT_EQ(instruction.rounding, rounding) << spelling;
    EXPECT_EQ(instruction.flush_to_zero, flush_to_zero) << spelling;
    EXPECT_EQ(instruction.saturate, saturate) << spelling;
    EXPECT_EQ(instruction.approximate, approximate) << spelling;
  }
}

TEST(GrammarArithmetic, WordsOfOneOpcode) {
  struct Case {
    std::string_view spelling;
    Opcode opcode;
    Mode mode;
  };
  for (const auto& [spelling, opcode, mode] : std::to_array<Case>({
           {"mul.lo.u32", Opcode::kMul, Mode::kLo},
           {"mul.hi.s64", Opcode::kMul, Mode::kHi},
           {"mul.wide.s16", Opcode::kMul, Mode::kWide},
           {"mul.rn.f32", Opcode::kMul, Mode::kNone},
           {"mad.wide.u32", Opcode::kMad, Mode::kWide},
           {"madc.hi.u32", Opcode::kMadc, Mode::kHi},
           {"mul24.hi.u32", Opcode::kMul24, Mode::kHi},
           {"dp2a.lo.s32.u32", Opcode::kDp2a, Mode::kLo},
           {"div.full.ftz.f32", Opcode::kDiv, Mode::kFull},
           {"div.s32", Opcode::kDiv, Mode::kNone},
           {"shf.l.clamp.b32", Opcode::kShf, Mode::kLeftClamp},
           {"shf.l.wrap.b32", Opcode::kShf, Mode::kLeftWrap},
           {"shf.r.clamp.b32", Opcode::kShf, Mode::kRightClamp},
           {"shf.r.wrap.b32", Opcode::kShf, Mode::kRightWrap},
           {"bmsk.wrap.b32", Opcode::kBmsk, Mode::kWrap},
           {"szext.clamp.s32", Opcode::kSzext, Mode::kClamp},
           {"prmt.b32", Opcode::kPrmt, Mode::kNone},
           {"prmt.b32.b4e", Opcode::kPrmt, Mode::kB4e},
           {"prmt.b32.rc8", Opcode::kPrmt, Mode::kRc8},
           {"prmt.b32.ecl", Opcode::kPrmt, Mode::kEcl},
           {"prmt.b32.ecr", Opcode::kPrmt, Mode::kEcr},
           {"prmt.b32.rc16", Opcode::kPrmt, Mode::kRc16},
           {"bfind.u64", Opcode::kBfind, Mode::kNone},
           {"bfind.shiftamt.s32", Opcode::kBfind, Mode::kShiftAmount},
           {"testp.infinite.f32", Opcode::kTestp, Mode::kInfinite},
           {"testp.number.f64", Opcode::kTestp, Mode::kNumber},
           {"testp.notanumber.f32", Opcode::kTestp, Mode::kNotANumber},
           {"testp.normal.f32", Opcode::kTestp, Mode::kNormal},
       })) {
    const Instruction instruction = DecodeSpelling(spelling);
    EXPECT_EQ(instruction.reason, "") << spelling;
    EXPECT_EQ(instruction.opcode, opcode) << spelling;
    EXPECT_EQ(instruction.mode, mode) << spelling;
  }
  EXPECT_TRUE(DecodeSpelling("add.cc.s64").carry_out);
  EXPECT_TRUE(DecodeSpelling("subc.cc.u32").carry_out);
  EXPECT_TRUE(DecodeSpelling("madc.lo.cc.u64").carry_out);
  EXPECT_FALSE(DecodeSpelling("addc.u32").carry_out);
  EXPECT_TRUE(DecodeSpelling("max.NaN.ftz.f32").nan_propagates);
  EXPECT_TRUE(DecodeSpelling("min.relu.s32").relu);
  EXPECT_TRUE(DecodeSpelling("fma.rn.relu.bf16").relu);
}

TEST(GrammarArithmetic, Comparisons) {
  constexpr std::array<std::pair<std::string_view, Compare>, 18> kOperators = {{
      {"eq", Compare::kEq},
      {"ne", Compare::kNe},
      {"lt", Compare::kLt},
      {"le", Compare::kLe},
      {"gt", Compare::kGt},
      {"ge", Compare::kGe},
      {"lo", Compare::kLo},
      {"ls", Compare::kLs},
      {"hi", Compare::kHi},
      {"hs", Compare::kHs},
      {"equ", Compare::kEqu},
      {"neu", Compare::kNeu},
      {"ltu", Compare::kLtu},
      {"leu", Compare::kLeu},
      {"gtu", Compare::kGtu},
      {"geu", Compare::kGeu},
      {"num", Compare::kNum},
      {"nan", Compare::kNan},
  }};
  for (const auto& [word, compare] : kOperators) {
    const bool is_unsigned = word == "lo" || word == "ls" || word == "hi" || word == "hs";
    const std::string spelling =
        "setp." + std::string(word) + ".or." + (is_unsigned ? "u32" : "f32");
    const Instruction instruction = DecodeSpelling(spelling);
    EXPECT_EQ(instruction.reason, "") << spelling;
    EXPECT_EQ(instruction.compare, compare) << spelling;
    EXPECT_EQ(instruction.bool_op, BoolOp::kOr) << spelling;
  }
  EXPECT_EQ(DecodeSpelling("setp.eq.s32").bool_op, BoolOp::kNone);
  const Instruction set = DecodeSpelling("set.gtu.and.ftz.f32.f32");
  EXPECT_EQ(set.compare, Compare::kGtu);
  EXPECT_EQ(set.bool_op, BoolOp::kAnd);
  EXPECT_EQ(set.type, Type::kF32);
}

TEST(GrammarArithmetic, Conversions) {
  struct Case {
    std::string_view spelling;
    Type type;
    Type source;
  };
  for (const auto& [spelling, type, source] : std::to_array<Case>({
           {"cvt.u8.u32", Type::kU8, Type::kU32},
           {"cvt.s64.s8", Type::kS64, Type::kS8},
           {"cvt.rn.f32.s64", Type::kF32, Type::kS64},
           {"cvt.rzi.u16.f16", Type::kU16, Type::kF16},
           {"cvt.rn.f16.f64", Type::kF16, Type::kF64},
           {"cvt.f64.f32", Type::kF64, Type::kF32},
           {"cvt.f32.bf16", Type::kF32, Type::kBf16},
           {"cvt.rz.bf16.f32", Type::kBf16, Type::kF32},
           {"cvt.rn.relu.bf16x2.f32", Type::kBf16x2, Type::kF32},
           {"cvt.rn.f16x2.e4m3x2", Type::kF16x2, Type::kE4m3x2},
           {"cvt.rn.f16x2.e5m2x2", Type::kF16x2, Type::kE5m2x2},
       })) {
    const Instruction instruction = DecodeSpelling(spelling);
    EXPECT_EQ(instruction.reason, "") << spelling;
    EXPECT_EQ(ToString(instruction.type), ToString(type)) << spelling;
    EXPECT_EQ(ToString(instruction.source_type), ToString(source)) << spelling;
  }
}

TEST(GrammarArithmetic, RefusedSpellingsNameTheirWord) {
  struct Case {
    std::string_view spelling;
    std::string_view reason;
  };
  constexpr std::string_view kCombination = "combination of modifiers";
  for (const auto& [spelling, reason] : std::to_array<Case>({
           {"", "opcode "},
           {"ADD.s32", "opcode ADD"},
           {"adds.s32", "opcode adds"},
           {"add.", "modifier ."},
           {"add.s32.", "modifier ."},
           {"add..s32", "modifier ."},
           {"add.S32", "modifier .S32"},
           {"add.rn.rz.f32", "modifier .rz"},
           {"add.ftz.ftz.f32", "modifier .ftz"},
           {"add.approx.f32", "modifier .approx"},
           {"add.lo.s32", "modifier .lo"},
           {"add.relu.f16", "modifier .relu"},
           {"add.global.s32", "modifier .global"},
           {"addc.sat.u32", "modifier .sat"},
           {"mul.lo.hi.s32", "modifier .hi"},
           {"mul.lo.cc.u32", "modifier .cc"},
           {"rem.sat.s32", "modifier .sat"},
           {"and.sat.b32", "modifier .sat"},
           {"neg.sat.f32", "modifier .sat"},
           {"min.NaN.NaN.f32", "modifier .NaN"},
           {"min.nan.f32", "modifier .nan"},
           {"setp.eq.lt.s32", "modifier .lt"},
           {"setp.eq.and.or.s32", "modifier .or"},
           {"setp.eq.sat.s32", "modifier .sat"},
           {"shl.clamp.b32", "modifier .clamp"},
           {"prmt.b32.f4e.b4e", "modifier .b4e"},
           {"testp.finite.normal.f32", "modifier .normal"},
           {"cvt.rn.approx.f32.f64", "modifier .approx"},
           {"exit.sync", "modifier .sync"},
           {"trap.b32", kCombination},
           {"mov", kCombination},
           {"mov.b32.b32", kCombination},
           {"sqrt.f32", kCombination},
           {"rcp.ftz.f32", kCombination},
           {"sin.f32", kCombination},
           {"tanh.f32", kCombination},
           {"fma.f32", kCombination},
           {"fma.rn.s32", "type .s32"},
           {"mul.lo.f64", "modifier .lo"},
           {"mad.s32", kCombination},
           {"madc.cc.u32", kCombination},
           {"dp2a.u32.u32", kCombination},
           {"dp4a.u32", kCombination},
           {"abs.u32", "type .u32"},
           {"neg.b32", "type .b32"},
           {"add.b64", "type .b64"},
           {"rem.f32", "type .f32"},
           {"dp4a.u32.f32", "type .f32"},
           {"dp2a.lo.s64.u32", "type .s64"},
           {"slct.f32.f64", "type .f64"},
           {"slct.f16.s32", "type .f16"},
           {"set.eq.u64.u32", "type .u64"},
           {"set.eq.u32.pred", "type .pred"},
           {"shf.l.b32", kCombination},
           {"shf.wrap.b32", kCombination},
           {"shf.l.r.wrap.b32", kCombination},
           {"shf.l.clamp.wrap.b32", kCombination},
           {"bmsk.b32", kCombination},
           {"szext.u32", kCombination},
           {"testp.f32", kCombination},
           {"setp.b32", kCombination},
           {"setp.eq", kCombination},
           {"set.eq.u32", kCombination},
           {"slct.u32", kCombination},
           {"cvt.u32", kCombination},
           {"cvt.u32.u32.u32", kCombination},
           {"cvt.pred.u32", "type .pred"},
       })) {
    EXPECT_EQ(ReasonOf(spelling), reason) << spelling;
  }
}

// What a modifier is refused for is the type beside it.
TEST(GrammarArithmetic, ModifiersBelongToTypes) {
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

TEST(GrammarArithmetic, ConversionsRoundWhereTheyLoseBits) {
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

TEST(GrammarArithmetic, ExtremesWithTheSignOfBoth) {
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

TEST(GrammarArithmetic, TypesThatFewOpcodesHave) {
  EXPECT_EQ(TypesTaken("abs."), "s16 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64");
  EXPECT_EQ(TypesTaken("add.sat."), "s32 f16 f16x2 f32");
  EXPECT_EQ(TypesTaken("add.cc."), "u32 u64 s32 s64");
  EXPECT_EQ(TypesTaken("add.ftz."), "f16 f16x2 f32");
  EXPECT_EQ(TypesTaken("sub.rm."), "f32 f64");
  EXPECT_EQ(TypesTaken("mul.wide."), "u16 u32 s16 s32");
  EXPECT_EQ(TypesTaken("max.relu."), "s32 s16x2");
  EXPECT_EQ(TypesTaken("min.NaN."), "f16 f16x2 bf16 bf16x2 f32");
  EXPECT_EQ(TypesTaken("setp.lt."), "u16 u32 u64 s16 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64");
  EXPECT_EQ(TypesTaken("setp.ltu."), "f16 f16x2 bf16 bf16x2 f32 f64");
  EXPECT_EQ(TypesTaken("dp4a.u32."), "u32 s32");
  EXPECT_EQ(TypesTaken("dp2a.hi.s32."), "u32 s32");
  EXPECT_EQ(TypesTaken("slct.f32."), "s32 f32");
  EXPECT_EQ(TypesTaken("set.ge.u32."), "u16 u32 u64 s16 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64");
  EXPECT_EQ(TypesTaken("ex2.approx."), "f16 f16x2 f32");
  EXPECT_EQ(TypesTaken("ex2.approx.ftz."), "f16 f16x2 bf16 bf16x2 f32");
  EXPECT_EQ(TypesTaken("div.approx."), "f32");
  EXPECT_EQ(TypesTaken("rcp.approx."), "f32");
  EXPECT_EQ(TypesTaken("rcp.approx.ftz."), "f32 f64");
  EXPECT_EQ(TypesTaken("mad.rp."), "f32 f64");
}

TEST(GrammarArithmetic, ModifiersMayComeInAnyOrder) {
  const Instruction one = DecodeSpelling("fma.rn.ftz.sat.f32");
  const Instruction other = DecodeSpelling("fma.f32.sat.ftz.rn");
  EXPECT_EQ(other.reason, "");
  EXPECT_EQ(other.rounding, one.rounding);
  EXPECT_EQ(other.flush_to_zero, one.flush_to_zero);
  EXPECT_EQ(other.saturate, one.saturate);
  EXPECT_EQ(other.type, one.type);
}

}  // namespace
}  // namespace assay::gpu::ptx
