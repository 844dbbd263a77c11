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
           {"vabsdiff4.u32.s32.s32", Opcode::kVabsdiff4, Mode::kNone},
           {"vabsdiff4.u32.u32.u32.add", Opcode::kVabsdiff4, Mode::kSum},
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
           {"vabsdiff4.u32.u32", kCombination},
           {"vabsdiff4.u32.u32.s32", kCombination},
           {"vabsdiff4.u32.u32.u32.sat", "modifier .sat"},
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
