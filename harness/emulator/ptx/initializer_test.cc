// SPDX-License-Identifier: Apache-2.0
// Initialisers of variables, as bytes: PTX ISA 9.0, section 5.4.4.
#include "emulator/ptx/initializer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/ptx/parse_for_test.h"

namespace assay::gpu::ptx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Bytes = std::vector<std::uint8_t>;

// The eight bytes of the address of `symbol`, one by one.
std::string BytesOf(const std::string& symbol) {
  std::string bytes = "0xFF(" + symbol + ")";
  std::string zeros;
  for (int byte = 1; byte < 8; ++byte) {
    zeros += "00";
    bytes += ", 0xFF";
    bytes += zeros + "(" + symbol + ")";
  }
  return bytes;
}

TEST(Initializer, NumbersAreLittleEndianAndOfTheTypesWidth) {
  struct Case {
    std::string_view text;
    Bytes bytes;
  };
  for (const auto& [text, bytes] : std::vector<Case>({
           {".u8 a = 200", {200}},
           {".s8 a = -2", {0xfe}},
           {".b16 a = 0x1234", {0x34, 0x12}},
           {".s32 a = -2", {0xfe, 0xff, 0xff, 0xff}},
           {".u64 a = 0x0123456789ABCDEF", {0xef, 0xcd, 0xab, 0x89, 0x67, 0x45, 0x23, 0x01}},
           {".u64 a = 18446744073709551615", {255, 255, 255, 255, 255, 255, 255, 255}},
           {".b32 a = 1 << 8 | 2", {2, 1, 0, 0}},
           {".f32 a = 0f40490FDB", {0xdb, 0x0f, 0x49, 0x40}},
           {".f32 a = -1.5", {0, 0, 0xc0, 0xbf}},
           {".f32 a = 0d3FF8000000000000", {0, 0, 0xc0, 0x3f}},
           {".f64 a = 1.5", {0, 0, 0, 0, 0, 0, 0xf8, 0x3f}},
           {".f64 a = 0fBF800000", {0, 0, 0, 0, 0, 0, 0xf0, 0xbf}},
           {".f64 a = 1.0 + 0.5", {0, 0, 0, 0, 0, 0, 0xf8, 0x3f}},
           {".b32 a = 0f3F800000", {0, 0, 0x80, 0x3f}},
           {".b64 a = 0d3FF0000000000000", {0, 0, 0, 0, 0, 0, 0xf0, 0x3f}},
       })) {
    EXPECT_EQ(OneVariable(".global " + std::string(text) + ";").initial, bytes) << text;
  }
}

// Elements are of 8 bits, so that a byte is an element.
TEST(Initializer, BracesGoThroughTheDimensions) {
  struct Case {
    std::string_view text;
    std::uint64_t size_bytes;
    Bytes bytes;
  };
  for (const auto& [text, size_bytes, bytes] : std::vector<Case>({
           {"a[4] = {1, 2, 3, 4}", 4, {1, 2, 3, 4}},
           // What is left out at the end is zero and not kept.
           {"a[4] = {1, 2}", 4, {1, 2}},
           {"a[4] = {}", 4, {}},
           {"a[1000000] = {9}", 1000000, {9}},
           {"a[2][3] = {1, 2, 3, 4, 5, 6}", 6, {1, 2, 3, 4, 5, 6}},
           {"a[2][3] = {{1, 2, 3}, {4, 5, 6}}", 6, {1, 2, 3, 4, 5, 6}},
           {"a[2][3] = {{1}, {4, 5}}", 6, {1, 0, 0, 4, 5}},
           {"a[3][2] = {{}, {3}}", 6, {0, 0, 3}},
           {"a[2][3] = {{1, 2, 3}, 4}", 6, {1, 2, 3, 4}},
           {"a[2][2][2] = {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}", 8, {1, 2, 3, 4, 5, 6, 7, 8}},
           {"a[2][2][2] = {{{1}, {3}}, {{5}}}", 8, {1, 0, 3, 0, 5}},
           {"a[2][2][2] = {{1, 2, 3, 4}, {5}}", 8, {1, 2, 3, 4, 5}},
           // An open first dimension is as long as what is listed.
           {"a[] = {1, 2, 3}", 3, {1, 2, 3}},
           {"a[][2] = {{1, 2}, {3}}", 4, {1, 2, 3}},
           {"a[][2] = {1, 2, 3}", 4, {1, 2, 3}},
           {"a[][2][2] = {{{1}}, {{2}}, {{3}}}", 12, {1, 0, 0, 0, 2, 0, 0, 0, 3}},
           {"a[] = {}", 0, {}},
       })) {
    const Variable variable = OneVariable(".global .b8 " + std::string(text) + ";");
    EXPECT_EQ(variable.size_bytes, size_bytes) << text;
    EXPECT_EQ(variable.initial, bytes) << text;
    EXPECT_TRUE(variable.addresses.empty()) << text;
  }
}

TEST(Initializer, VectorsAreOneDimensionMore) {
  EXPECT_THAT(OneVariable(".global .v4 .b8 a = {1, 2, 3, 4};").initial, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(OneVariable(".global .v2 .b8 a[2] = {{1}, {3, 4}};").initial,
              ElementsAre(1, 0, 3, 4));
  const Variable open = OneVariable(".global .v4 .b8 a[] = {{1, 2, 3, 4}, {5}};");
  EXPECT_EQ(open.size_bytes, 8U);
  EXPECT_THAT(open.initial, ElementsAre(1, 2, 3, 4, 5));
}

TEST(Initializer, OpenInnerDimensionsAreCountedInTheirFirstList) {
  const Variable kernel =
      OneVariable(".global .f32 blur_kernel[][] = {{.05,.1,.05},{.1,.4,.1},{.05,.1,.05}};");
  EXPECT_EQ(kernel.size_bytes, 36U);
  ASSERT_EQ(kernel.initial.size(), 36U);
  EXPECT_EQ(kernel.initial[12], 0xcd);  // 0.1 again, in the second row.
  const Variable cube = OneVariable(".global .b8 a[][2][] = {{{1, 2, 3}, {4}}, {{5}}};");
  EXPECT_EQ(cube.size_bytes, 12U);
  EXPECT_THAT(cube.initial, ElementsAre(1, 2, 3, 4, 0, 0, 5));
  EXPECT_THAT(Failure(ParseItems(".global .b8 a[][] = {{1}, {2, 3}};")),
              HasSubstr("initialiser of a has 2 elements in braces that stand for 1"));
  for (const std::string_view text : {".global .b8 a[][] = {1, 2};", ".global .b8 a[][];",
                                      ".global .b8 a[2][];", ".global .b8 a[2][0];"}) {
    EXPECT_THAT(Failure(ParseItems(text)),
                HasSubstr("array a leaves open another dimension than its first"))
        << text;
  }
}

TEST(Initializer, HalvesAreRoundedToNearestEven) {
  EXPECT_THAT(OneVariable(".global .f16 h = 1.0;").initial, ElementsAre(0, 0x3c));
  EXPECT_THAT(OneVariable(".global .bf16 h = 0f3DCCCCCD;").initial, ElementsAre(0xcd, 0x3d));
  EXPECT_THAT(OneVariable(".global .f16 h[2] = {0.1, -1.5};").initial,
              ElementsAre(0x66, 0x2e, 0, 0xbe));
  // Bits as they are.
  EXPECT_THAT(OneVariable(".global .f16 h = 0x3C00;").initial, ElementsAre(0, 0x3c));
}

TEST(Initializer, AddressesMayHaveOffsetsAndBeGeneric) {
  struct Case {
    std::string_view text;
    std::string_view symbol;
    std::int64_t addend;
    bool generic;
  };
  for (const auto& [text, symbol, addend, generic] : std::to_array<Case>({
           {"x", "x", 0, false},
           {"x+4", "x", 4, false},
           {"x + 4 * 2", "x", 8, false},
           {"x-4", "x", -4, false},
           {"x+-4", "x", -4, false},
           {"x + 0x10", "x", 16, false},
           {"generic(x)", "x", 0, true},
           {"generic(x)+12", "x", 12, true},
           {"generic(x+4)", "x", 4, true},
           {"generic(x+4)-12", "x", -8, true},
           {"f", "f", 0, false},
           // Declared behind it.
           {"later+2", "later", 2, false},
       })) {
    const Module module = MustParse(
        ParseItems(".func f() { ret; }\n.global .b32 x[4];\n.global .u64 a = " + std::string(text) +
                   ";\n.global .b32 later;"));
    const Variable* const variable = module.FindVariable("a");
    ASSERT_NE(variable, nullptr) << text;
    ASSERT_EQ(variable->addresses.size(), 1U) << text;
    EXPECT_EQ(variable->addresses[0].symbol, symbol) << text;
    EXPECT_EQ(variable->addresses[0].addend, addend) << text;
    EXPECT_EQ(variable->addresses[0].generic, generic) << text;
    EXPECT_EQ(variable->addresses[0].offset_bytes, 0U) << text;
    EXPECT_EQ(variable->initial, Bytes(8)) << text;
  }
}

TEST(Initializer, AddressesStandBetweenNumbers) {
  const Variable table = OneVariable(
      ".global .b32 x;\n.func f();\n.const .u64 a[2][3] = {{1, x, 3}, {f, generic(x)+8}};");
  ASSERT_EQ(table.addresses.size(), 3U);
  EXPECT_EQ(table.addresses[0].offset_bytes, 8U);
  EXPECT_EQ(table.addresses[1].offset_bytes, 24U);
  EXPECT_EQ(table.addresses[1].symbol, "f");
  EXPECT_EQ(table.addresses[2].offset_bytes, 32U);
  EXPECT_EQ(table.addresses[2].addend, 8);
  ASSERT_EQ(table.initial.size(), 40U);
  EXPECT_EQ(table.initial[0], 1);
  EXPECT_EQ(table.initial[16], 3);
}

TEST(Initializer, ASymbolMayBeTheVariableItself) {
  const Variable self = OneVariable(".global .u64 a[2] = {a, a+8};");
  ASSERT_EQ(self.addresses.size(), 2U);
  EXPECT_EQ(self.addresses[1].symbol, "a");
  EXPECT_EQ(self.addresses[1].addend, 8);
}

TEST(Initializer, AddressesByteByByteAreOneAddress) {
  struct Case {
    std::string symbol;
    std::int64_t addend;
    bool generic;
  };
  for (const auto& [symbol, addend, generic] : std::vector<Case>({
           {"x", 0, false},
           {"x+4", 4, false},
           {"generic(x)", 0, true},
           {"generic(x)+4", 4, true},
       })) {
    const Variable variable =
        OneVariable(".global .b32 x[2];\n.global .align 8 .u8 a[24] = {1, 2, 3, 4, 5, 6, 7, 8, " +
                    BytesOf(symbol) + ", 9};");
    ASSERT_EQ(variable.addresses.size(), 1U) << symbol;
    EXPECT_EQ(variable.addresses[0].symbol, "x") << symbol;
    EXPECT_EQ(variable.addresses[0].offset_bytes, 8U) << symbol;
    EXPECT_EQ(variable.addresses[0].addend, addend) << symbol;
    EXPECT_EQ(variable.addresses[0].generic, generic) << symbol;
    ASSERT_EQ(variable.initial.size(), 17U) << symbol;
    EXPECT_EQ(variable.initial[7], 8) << symbol;
    EXPECT_EQ(variable.initial[16], 9) << symbol;
  }
}

TEST(Initializer, AddressesInPiecesAreRefused) {
  const std::string whole = BytesOf("x");
  const std::string other = BytesOf("y");
  const std::string first_four = whole.substr(0, whole.find(", 0xFF00000000("));
  const std::string from_second = whole.substr(whole.find(", ") + 2);
  const std::string last_four_of_y = other.substr(other.find(", 0xFF00000000("));
  struct Case {
    std::string list;
    std::string_view refusal;
  };
  for (const auto& [list, refusal] : std::vector<Case>({
           {first_four, "initialiser of a has an address byte by byte that is not whole"},
           {first_four + ", 5", "not whole"},
           {first_four + ", " + whole, "not whole"},
           {from_second, "has the bytes of the address of x out of order"},
           {first_four + last_four_of_y, "has the bytes of the address of y out of order"},
           {whole + ", 0xFF00(x)", "out of order"},
           {"0xFF(x), 0xFF(x)", "not whole"},
           {first_four + BytesOf("x+4").substr(BytesOf("x+4").find(", 0xFF00000000(")),
            "out of order"},
           {first_four +
                BytesOf("generic(x)").substr(BytesOf("generic(x)").find(", 0xFF00000000(")),
            "out of order"},
           {"0x0F(x)", "masks the address of x with what is not a byte of it"},
           {"0xFFFF(x)", "what is not a byte of it"},
           {"0(x)", "what is not a byte of it"},
           {"0x1FE(x)", "what is not a byte of it"},
           {"0xFF(5)", "expected a symbol but found \"5\""},
           {"0xFF(x", "expected \")\""},
       })) {
    EXPECT_THAT(Failure(ParseItems(".global .b32 x, y;\n.global .b8 a[32] = {" + list + "};")),
                HasSubstr(refusal))
        << list;
  }
  EXPECT_THAT(Failure(ParseItems(".global .b32 x;\n.global .b16 a[8] = {" + whole + "};")),
              HasSubstr("what is not a byte of it"));
}

TEST(Initializer, FaultsNameTheVariableAndTheLine) {
  struct Case {
    std::string_view text;
    std::string_view refusal;
  };
  for (const auto& [text, refusal] : std::to_array<Case>({
           {".b8 a[2] = {1, 2, 3}", "initialiser of a has 3 bytes, the variable 2"},
           {".u16 a[2] = {1, 2, 3}", "initialiser of a has 6 bytes, the variable 4"},
           {".b8 a[2][2] = {{1, 2}, {3, 4}, {5}}", "has 5 bytes, the variable 4"},
           {".b8 a[2][3] = {{1, 2, 3, 4}, {5}}",
            "initialiser of a has 4 elements in braces that stand for 3"},
           {".b8 a[2][2][2] = {{{1}, {2}, {3}}}", "has 6 elements in braces that stand for 4"},
           {".v2 .b8 a[2] = {{1, 2, 3}, {4}}", "has 3 elements in braces that stand for 2"},
           {".b8 a[3] = {1, 2,}", "expected an element but found \"}\""},
           {".b8 a[2][2] = {{1, 2},}", "expected an element but found \"}\""},
           {".b16 a = 1.0", "a number of another kind"},
           {".b32 a = 1.0", "a number of another kind"},
           {".b64 a = 0f3F800000", "a number of another kind"},
           {".b8 a[2] = {0f3F800000}", "a number of another kind"},
           {".b128 a = 1.0", "a number of another kind"},
           {".f16x2 a = 1.0", "a number of another kind"},
           {".f16x2 a = 1", "a number of another kind"},
           {".bf16 a = 1", "a number of another kind"},
           {".b8 a = {1}", "test.ptx:4: initialiser nests deeper than its array"},
           {".b8 a[2] = {{1}, {2}}", "initialiser nests deeper than its array"},
           {".b8 a[2][2] = {{{1}}}", "initialiser nests deeper than its array"},
           {".s32 a = 1.5", "initialiser of a has a number of another kind than its type"},
           {".u64 a = 0f3F800000", "a number of another kind"},
           {".f32 a[2] =\n{1.0, 2}", "test.ptx:5: initialiser of a has a number of another kind"},
           {".f64 a = 1", "a number of another kind"},
           {".b8 a =", "expected a number but found \";\""},
           {".b8 a[2] = {1 2}", "expected \",\" but found \"2\""},
           {".b8 a[2] = {1, 2", "expected \",\" but found \";\""},
           {".b8 a[2] = {,}", "expected a number but found \",\""},
           {".b8 a[2] = {1 / 0}", "cannot apply \"/\""},
           {".b8 a[2] = \"hi\"", "expected a number but found \"hi\""},
           {".u64 a = generic(5)", "expected a symbol but found \"5\""},
           {".u64 a = generic(a", "expected \")\" but found \";\""},
           {".u64 a = a+b", "expected a number but found \"b\""},
           {".u64 a = b", "initialiser of a names \"b\", which nothing declares"},
           {".u64 a = generic(b)", "initialiser of a names \"b\", which nothing declares"},
           {".b16 a = a", "puts the address of a into 2 bytes; addresses have 8"},
           {".b128 a = a", "puts the address of a into 16 bytes; addresses have 8"},
           {".u64 a = %tid", "names \"%tid\", which nothing declares"},
       })) {
    EXPECT_THAT(Failure(ParseItems(".global " + std::string(text) + ";")), HasSubstr(refusal))
        << text;
  }
}

TEST(Initializer, IsOfBoundedLength) {
  EXPECT_EQ(OneVariable(".global .b8 a[2][1000000] = {{1}, 2};").initial.size(), 1'000'001U);
  EXPECT_THAT(Failure(ParseItems(".global .b8 a[2][67108864] = {{1}, 2};")),
              HasSubstr("initialiser of a reaches past 64 MiB"));
  EXPECT_THAT(Failure(ParseItems(".global .b64 a[2][8388608] = {{1}, 2};")),
              HasSubstr("initialiser of a reaches past 64 MiB"));
  EXPECT_THAT(Failure(ParseItems(".global .b8 a[][1099511627776] = {{}, {}};")),
              HasSubstr("initialiser of a is too long"));
  EXPECT_THAT(Failure(ParseItems(".global .b8 a[2] = " + std::string(100'000, '{') + ";")),
              HasSubstr("nests deeper than its array"));
}

}  // namespace
}  // namespace assay::gpu::ptx
