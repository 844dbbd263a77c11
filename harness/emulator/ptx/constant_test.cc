// SPDX-License-Identifier: Apache-2.0
// Constant expressions: values by hand from PTX ISA 9.0, section 4.5.
#include "emulator/ptx/constant.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "emulator/ptx/source.h"

namespace assay::gpu::ptx {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kAllOnes = ~std::uint64_t{0};
constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63U;

// The value of `text`, all of which has to be one expression.
Constant ValueOf(std::string_view text) {
  Source source(text, "c.ptx");
  const Result<Constant> value = ParseConstant(source);
  EXPECT_TRUE(value.has_value()) << text << ": " << ToString(value.error());
  EXPECT_TRUE(source.lexer.Is(Token::Kind::kEnd)) << text;
  return value.value_or(Constant{});
}

std::int64_t SignedValueOf(std::string_view text) {
  return static_cast<std::int64_t>(ValueOf(text).bits);
}

double DoubleValueOf(std::string_view text) {
  const Constant value = ValueOf(text);
  EXPECT_EQ(value.type, Type::kF64) << text;
  return std::bit_cast<double>(value.bits);
}

std::string RefusalOf(std::string_view text) {
  Source source(text, "c.ptx");
  const Result<Constant> value = ParseConstant(source);
  EXPECT_FALSE(value.has_value()) << text;
  return value ? "" : value.error().where + ": " + value.error().cause;
}

struct Typed {
  std::string_view text;
  Type type;
  std::uint64_t bits;
};

void ExpectTyped(std::span<const Typed> cases) {
  for (const auto& [text, type, bits] : cases) {
    const Constant value = ValueOf(text);
    EXPECT_EQ(ToString(value.type), ToString(type)) << text;
    EXPECT_EQ(value.bits, bits) << text;
  }
}

TEST(ConstantExpression, LiteralsAreSignedUnlessTheyNeedTheSignBitOrSayU) {
  ExpectTyped(std::to_array<Typed>({
      {"0", Type::kS64, 0},
      {"42", Type::kS64, 42},
      {"0x1234", Type::kS64, 0x1234},
      {"0XaBcD", Type::kS64, 0xabcd},
      {"0123", Type::kS64, 83},
      {"0b1011", Type::kS64, 11},
      {"9223372036854775807", Type::kS64, kSignBit - 1},
      {"0777777777777777777777", Type::kS64, kSignBit - 1},
      {"9223372036854775808", Type::kU64, kSignBit},
      {"01000000000000000000000", Type::kU64, kSignBit},
      {"0xfabc123400000000", Type::kU64, 0xfabc123400000000},
      {"18446744073709551615", Type::kU64, kAllOnes},
      {"42U", Type::kU64, 42},
      {"0x1234U", Type::kU64, 0x1234},
      {"017U", Type::kU64, 15},
      {"0b11U", Type::kU64, 3},
      {"WARP_SZ", Type::kS64, 32},
  }));
}

TEST(ConstantExpression, FloatLiteralsKeepTheirBits) {
  ExpectTyped(std::to_array<Typed>({
      {"0f00000000", Type::kF32, 0},
      {"0f3f800000", Type::kF32, 0x3f800000},
      {"0F7FC00001", Type::kF32, 0x7fc00001},
      {"0d4000000000000000", Type::kF64, 0x4000000000000000},
      {"0D7ff0000000000000", Type::kF64, 0x7ff0000000000000},
      {"1.5", Type::kF64, 0x3ff8000000000000},
      {"25e-2", Type::kF64, 0x3fd0000000000000},
      {"2E+1", Type::kF64, 0x4034000000000000},
      {".5", Type::kF64, 0x3fe0000000000000},
      {".05", Type::kF64, 0x3fa999999999999a},
      {".25e1", Type::kF64, 0x4004000000000000},
      {"-.5", Type::kF64, 0xbfe0000000000000},
  }));
}

// Each pair of neighbouring precedences, with numbers for which the other grouping differs.
TEST(ConstantExpression, OperatorsBindAsInC) {
  struct Case {
    std::string_view text;
    std::int64_t value;
  };
  for (const auto& [text, value] : std::to_array<Case>({
           {"2 + 3 * 4", 14},
           {"2 * 3 + 4", 10},
           {"20 - 4 - 3", 13},
           {"100 / 5 / 2", 10},
           {"19 % 7 % 3", 2},
           {"2 + 9 % 4", 3},
           {"1 << 2 + 1", 8},
           {"64 >> 1 << 2", 128},
           {"3 < 1 << 2", 1},
           {"5 == 1 < 3", 0},
           {"6 & 2 == 2", 0},
           {"1 ^ 3 & 2", 3},
           {"1 | 1 ^ 1", 1},
           {"0 && 0 | 1", 0},
           {"1 || 1 && 0", 1},
           {"1 || 0 ? 5 : 6", 5},
           {"0 ? 1 : 0 ? 2 : 3", 3},
           {"1 ? 0 ? 2 : 3 : 4", 3},
           {"(2 + 3) * 4", 20},
           {"2 * (3 + (4 - 1))", 12},
           {"- 2 + 3", 1},
           {"- -5", 5},
           {"-+-5", 5},
           {"!0 + 1", 2},
           {"!!7", 1},
           {"~1 & 7", 6},
           {"-1 << 3", -8},
           {"WARP_SZ * 4 - 1", 127},
       })) {
    EXPECT_EQ(SignedValueOf(text), value) << text;
  }
}

TEST(ConstantExpression, OneUnsignedOperandMakesTheResultUnsigned) {
  ExpectTyped(std::to_array<Typed>({
      {"7 - 9", Type::kS64, kAllOnes - 1},
      {"7U - 9", Type::kU64, kAllOnes - 1},
      {"7 - 9U", Type::kU64, kAllOnes - 1},
      {"2 * 3U", Type::kU64, 6},
      {"-8 / 2", Type::kS64, kAllOnes - 3},
      {"-7 / 2", Type::kS64, kAllOnes - 2},
      {"-8 / 2U", Type::kU64, 0x7ffffffffffffffc},
      {"5 & 3U", Type::kU64, 1},
      {"5U | 3", Type::kU64, 7},
      {"5 ^ 3", Type::kS64, 6},
      {"-1U", Type::kU64, kAllOnes},
      {"+1U", Type::kU64, 1},
  }));
}

TEST(ConstantExpression, ComparisonsConvertTheirOperandsAndAreSigned) {
  ExpectTyped(std::to_array<Typed>({
      {"-1 < 0", Type::kS64, 1},
      {"-1 < 0U", Type::kS64, 0},
      {"-1 > 1U", Type::kS64, 1},
      {"1U <= 1U", Type::kS64, 1},
      {"2 <= 1", Type::kS64, 0},
      {"-3 >= -2", Type::kS64, 0},
      {"-1 == 0xFFFFFFFFFFFFFFFF", Type::kS64, 1},
      {"1U != 1", Type::kS64, 0},
      {"3 && 2U", Type::kS64, 1},
      {"0U || 0", Type::kS64, 0},
      {"!5U", Type::kS64, 0},
  }));
}

TEST(ConstantExpression, ShiftsHaveTheTypeOfWhatIsShifted) {
  ExpectTyped(std::to_array<Typed>({
      {"-8 >> 1", Type::kS64, kAllOnes - 3},
      {"-8 >> 1U", Type::kS64, kAllOnes - 3},
      {"0xfffffffffffffff8 >> 1", Type::kU64, 0x7ffffffffffffffc},
      {"1U << 3", Type::kU64, 8},
      {"1 << 3U", Type::kS64, 8},
      {"1 << 63", Type::kS64, kSignBit},
      // The count is unsigned, and one of 64 or more shifts every bit out.
      {"1 << 64", Type::kS64, 0},
      {"1 << -1", Type::kS64, 0},
      {"5 >> 64", Type::kS64, 0},
      {"-1 >> 64", Type::kS64, kAllOnes},
      {"0xFFFFFFFFFFFFFFFF >> 64", Type::kU64, 0},
      {"0xFFFFFFFFFFFFFFFF >> 63", Type::kU64, 1},
  }));
}

TEST(ConstantExpression, CastsChangeTheTypeAlone) {
  ExpectTyped(std::to_array<Typed>({
      {"(.u64)1", Type::kU64, 1},
      {"(.s64)1U", Type::kS64, 1},
      {"(.u64)-8 >> 1", Type::kU64, 0x7ffffffffffffffc},
      {"(.u64)(-8 >> 1)", Type::kU64, kAllOnes - 3},
      {"(.s64)0xFFFFFFFFFFFFFFFF < 0", Type::kS64, 1},
      {"(.s64)(.u64)-1 < 0", Type::kS64, 1},
      {"-(.u64)2", Type::kU64, kAllOnes - 1},
  }));
}

TEST(ConstantExpression, ComplementsAreUnsigned) {
  ExpectTyped(std::to_array<Typed>({
      {"~0", Type::kU64, kAllOnes},
      {"~0 >> 1", Type::kU64, 0x7fffffffffffffff},
      {"~0 > 0", Type::kS64, 1},
      {"~5U", Type::kU64, kAllOnes - 5},
      {"(.s64)~0 >> 1", Type::kS64, kAllOnes},
      {"1 + ~0", Type::kU64, 0},
  }));
}

TEST(ConstantExpression, RemaindersAreOfUnsignedOperands) {
  ExpectTyped(std::to_array<Typed>({
      {"-1 % 10", Type::kS64, 5},
      {"7 % -1", Type::kS64, 7},
      {"(-9223372036854775807 - 1) % -1", Type::kS64, kSignBit},
      {"-7 % 0x8000000000000000", Type::kS64, kSignBit - 7},
  }));
}

TEST(ConstantExpression, BranchesOfAChoiceAreConverted) {
  ExpectTyped(std::to_array<Typed>({
      {"1 ? -1 : 0U", Type::kU64, kAllOnes},
      {"(1 ? -1 : 0U) >> 1", Type::kU64, 0x7fffffffffffffff},
      {"(0 ? 0U : -1) > 0", Type::kS64, 1},
      {"(1 ? -1 : 0) >> 1", Type::kS64, kAllOnes},
      {"1 ? 0f3F800000 : 2.0", Type::kF64, 0x3ff0000000000000},
      {"0 ? 0f3F800000 : 0f40000000", Type::kF32, 0x40000000},
      {"-1 ? 3 : 4", Type::kS64, 3},
  }));
}

TEST(ConstantExpression, NumbersMayStandRightBeforeAPercent) {
  for (const std::string_view text : {"7% 4", "7 %4", "7%4", "7 % 4", "(7)%4", "0x7%4", "7U%4"}) {
    EXPECT_EQ(SignedValueOf(text), 3) << text;
  }
  EXPECT_EQ(SignedValueOf("100%7%2 + 1"), 1);
  EXPECT_THAT(RefusalOf("7 % %4"), HasSubstr("expected a number but found \"%4\""));
}

TEST(ConstantExpression, OverflowWraps) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(SignedValueOf("9223372036854775807 + 1"), kLeast);
  EXPECT_EQ(SignedValueOf("-9223372036854775807 - 2"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(SignedValueOf("9223372036854775807 * 2"), -2);
  EXPECT_EQ(SignedValueOf("-(-9223372036854775807 - 1)"), kLeast);
  EXPECT_EQ(SignedValueOf("(-9223372036854775807 - 1) / -1"), kLeast);
  EXPECT_EQ(ValueOf("18446744073709551615 + 1").bits, 0U);
  EXPECT_EQ(ValueOf("0U - 1").bits, kAllOnes);
  EXPECT_EQ(ValueOf("0x8000000000000000 * 2").bits, 0U);
}

TEST(ConstantExpression, FloatsAreDoubles) {
  EXPECT_EQ(DoubleValueOf("1.5 + 2.25"), 3.75);
  EXPECT_EQ(DoubleValueOf("2.0 - 0.5 * 2.0"), 1.0);
  EXPECT_EQ(DoubleValueOf("-1.5"), -1.5);
  EXPECT_EQ(DoubleValueOf("3.0 / 2.0"), 1.5);
  EXPECT_EQ(DoubleValueOf("(1.0 + 2.0) * 0.5"), 1.5);
  EXPECT_EQ(DoubleValueOf("1 ? 2.5 : 3.5"), 2.5);
  EXPECT_EQ(DoubleValueOf("1.0 / 0.0"), std::numeric_limits<double>::infinity());
  ExpectTyped(std::to_array<Typed>({
      {"-0f3F800000", Type::kF32, 0xbf800000},
      {"-0f00000000", Type::kF32, 0x80000000},
      {"3.0 * 0.5 == 1.5", Type::kS64, 1},
      {"1.5 < 2.5", Type::kS64, 1},
      {"2.5 <= 1.5", Type::kS64, 0},
      {"2.5 > 2.5", Type::kS64, 0},
      {"0d4000000000000000 >= 2.0", Type::kS64, 1},
      {"0d7FF8000000000000 == 0d7FF8000000000000", Type::kS64, 0},
      {"0d7FF8000000000000 != 0d7FF8000000000000", Type::kS64, 1},
  }));
}

TEST(ConstantExpression, WhatIsNoneIsRefusedAtItsLine) {
  struct Case {
    std::string_view text;
    std::string_view refusal;
  };
  for (const auto& [text, refusal] : std::to_array<Case>({
           {"1 / 0", "c.ptx:1: constant expression cannot apply \"/\" to its operands"},
           {"1 % 0", "cannot apply \"%\""},
           {"1U / (2 - 2)", "cannot apply \"/\""},
           {"1 + 1.5", "cannot apply \"+\""},
           {"1.5 < 1", "cannot apply \"<\""},
           {"1.5 % 2.0", "cannot apply \"%\""},
           {"1.5 << 1.0", "cannot apply \"<<\""},
           {"1.5 & 1.5", "cannot apply \"&\""},
           {"1.5 && 1.5", "cannot apply \"&&\""},
           {"1.5 ? 1 : 2", "cannot apply \"?:\""},
           {"1 ? 1.5 : 2", "cannot apply \"?:\""},
           {"0 ? 1 : 0f3F800000", "cannot apply \"?:\""},
           {"!1.5", "cannot apply \"!\""},
           {"~0f3F800000", "cannot apply \"~\""},
           {"(.s64)1.5", "cannot apply \"(.s64)\""},
           {"(.u64)1.5", "cannot apply \"(.u64)\""},
           {"", "expected a number but found the end of the text"},
           {"1 +\n\n", "c.ptx:3: expected a number but found the end of the text"},
           {"1 +\n* 2", "c.ptx:2: expected a number but found \"*\""},
           {"()", "expected a number but found \")\""},
           {"(1", "expected \")\" but found the end of the text"},
           {"(1 2)", "expected \")\" but found \"2\""},
           {"1 ? 2", "expected \":\" but found the end of the text"},
           {"1 ? 2 ; 3", "expected \":\" but found \";\""},
           {"(.u32)1", "expected a number but found \".u32\""},
           {"(.s64 1", "expected \")\" but found \"1\""},
           {"1 + x", "expected a number but found \"x\""},
           {"\"1\"", "expected a number but found \"1\""},
           {"1 + 08", "expected a number but found \"08\""},
           {"18446744073709551616", "found \"18446744073709551616\""},
       })) {
    EXPECT_THAT(RefusalOf(text), HasSubstr(refusal)) << text;
  }
}

TEST(ConstantExpression, DepthIsBoundedAndLengthIsNot) {
  EXPECT_EQ(SignedValueOf(std::string(10, '(') + "7" + std::string(10, ')')), 7);
  EXPECT_EQ(SignedValueOf(std::string(20, '~') + "7"), 7);
  std::string sum = "1";
  for (int i = 1; i < 10'000; ++i) {
    sum += "+1";
  }
  EXPECT_EQ(SignedValueOf(sum), 10'000);
  std::string choices;
  for (int i = 0; i < 1000; ++i) {
    choices += "0 ? 1 : ";
  }
  for (const std::string& deep :
       {std::string(100'000, '('), std::string(100'000, '!') + "1", choices + "2"}) {
    EXPECT_THAT(RefusalOf(deep), HasSubstr("nests deeper than 32 levels"));
  }
}

TEST(ConstantExpression, EndsWhereItsOperatorsEnd) {
  for (const std::string_view behind : {",", "]", "}", ";", ")", "(", "1", ".b32"}) {
    const std::string text = "2 * 3 " + std::string(behind);
    Source source(text, "c.ptx");
    const Result<Constant> value = ParseConstant(source);
    ASSERT_TRUE(value.has_value()) << text;
    EXPECT_EQ(value->bits, 6U) << text;
    EXPECT_EQ(source.lexer.token().text, behind);
  }
}

TEST(ConstantExpression, StartsWithANumberASignOrAParenthesis) {
  for (const std::string_view text :
       {"1", "0x1", "0f00000000", "1.5", "-x", "+", "~", "!", "(", "WARP_SZ"}) {
    EXPECT_TRUE(StartsConstant(Lexer(text))) << text;
  }
  for (const std::string_view text :
       {"%r1", "x", "WARP_SZ2", "[", "{", "*", ")", ".u64", "\"1\"", "089", "", "@"}) {
    EXPECT_FALSE(StartsConstant(Lexer(text))) << text;
  }
}

}  // namespace
}  // namespace assay::gpu::ptx
