// SPDX-License-Identifier: Apache-2.0
// Text that was cut off, damaged or made to do harm: an error, and never a crash.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/ptx/parse_for_test.h"

namespace assay::gpu::ptx {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// A bit of everything. Each of its proper prefixes ends within something.
constexpr std::string_view kSmallKernel = R"(.visible .entry k(
  .param .u64 .ptr .global .align 16 p, .param .align 8 .b8 s[16])
.maxntid 32, 4 .minnctapersm 2 .pragma "nounroll";
{
  .reg .pred %p<3>; .reg .b32 %r<0x10>; .reg .f32 %f<5>, x; .reg .b64 %rd<5>;
  .shared .align 16 .b8 tile[4][1 << 5]; .param .b32 out;
  .loc 1 20 3, function_name $L__info+3, inlined_at 1 7 1
  ld.param.u64 %rd1, [p+8]; // a comment
  setp.lt.and.f32 %p1|%p2, %f1, 0f3F800000, !%p1;
  @!%p1 bra $L__BB0_1;
  mov.b64 %rd2, {%r1, %r2}; /* another */
  mov.u32 %r3, %tid.x; mov.u64 %rd3, tile+-4;
  t: .branchtargets $L__BB0_1, $L__BB0_2;
  brx.idx %r1, t;
  $L__BB0_1: { .reg .b32 y; add.s32 y, %r1, (1 + 2) * -3; }
  q: .callprototype (.param .b32 _) _ (.param .b64 _);
  call.uni (out), %rd1, (%rd2), q;
  wgmma.mma_async.sync.aligned [%rd1, {%r1}];
  $L__BB0_2: ret;
})";

TEST(HostileText, EveryPrefixOfAKernelIsAnError) {
  const std::string text = ModuleText(kSmallKernel);
  MustParse(Parse(text, "cut.ptx"));
  for (std::size_t size = kHeader.size() + 1; size < text.size(); ++size) {
    const auto parsed = Parse(std::string_view(text).substr(0, size), "cut.ptx");
    ASSERT_FALSE(parsed.has_value()) << text.substr(0, size);
    EXPECT_THAT(parsed.error().where, StartsWith("cut.ptx:"));
    EXPECT_FALSE(parsed.error().cause.empty());
  }
}

TEST(HostileText, EveryPrefixOfAVariableIsAnError) {
  const std::string text =
      ".visible .global .align 8 .u64 a[2][2] = {{1, f+8}, {generic(b), 0x10}}, b";
  for (std::size_t size = 1; size <= text.size(); ++size) {
    EXPECT_FALSE(ParseItems(".func f();" + text.substr(0, size)).has_value()) << size;
  }
  EXPECT_TRUE(ParseItems(".func f();" + text + ";").has_value());
}

TEST(HostileText, EveryByteMayBeLostOrAnother) {
  const std::string text = ModuleText(kSmallKernel);
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string damaged = text;
    damaged.erase(at, 1);
    ExpectConsistent(damaged);
    for (const char byte : {'\0', '"', '{', '}', '/', '\xff', '9', '%', '.'}) {
      damaged = text;
      damaged[at] = byte;
      ExpectConsistent(damaged);
    }
  }
}

TEST(HostileText, TokensInAnyOrderAreAnErrorOrAModule) {
  std::istringstream words(
      ".reg .b32 .f64 .pred .param .shared .align .loc %r<9> %r1 %p1 x y L: L @ ! ; ; ; , , { } [ "
      "] ( ) = | + - 1 0 0x7F 1.5 0f00000000 _ add.s32 mov.b64 ld.u32 bra call brx.idx "
      "setp.lt.s32 t: .branchtargets .callprototype wgmma \"s\" %tid.x ? :");
  const std::vector<std::string> tokens{std::istream_iterator<std::string>(words), {}};
  std::minstd_rand random(4);
  for (int i = 0; i < 4000; ++i) {
    std::string text = ModuleText(".entry k() { .reg .b32 %r<9>; .reg .pred %p<9>; ");
    for (int token = 0; token < 24; ++token) {
      text += tokens.at(random() % tokens.size()) + ' ';
    }
    ExpectConsistent(text + "; L: t: x: }");
  }
}

TEST(HostileText, UnendedStringsAndCommentsEndWithTheText) {
  struct Case {
    std::string_view items;
    std::string_view refusal;
  };
  for (const auto& [items, refusal] : std::to_array<Case>({
           {".file 1 \"a.cu", "test.ptx:4: expected the name of a file but found \"\"a.cu\""},
           {".file 1 \"a.cu\n\"", "expected the name of a file"},
           {".file 1 \"a.cu\\\"", "expected the name of a file"},
           {".pragma \"nounroll;\n", "expected the text of a .pragma"},
           {".entry k() { .pragma \"x; ret; }", "expected the text of a .pragma"},
           {".entry k() { ret; /* }", "expected an instruction of k but found \"/* }\""},
           {".entry k() { ret; }\n/*", "test.ptx:5: expected a directive such as .entry"},
           {".global .b32 a; /*/", "expected a directive such as .entry but found \"/*/\""},
           {".entry k() { ret; // }", "expected an instruction of k but found the end of the text"},
           {".entry k() {\n\n/*\n* /", "test.ptx:6: expected an instruction of k"},
           {".entry k() { ret; /", "expected an instruction of k but found \"/\""},
           {".section .debug {\n\n", "test.ptx:6: expected \"}\" of a section"},
       })) {
    EXPECT_THAT(Failure(ParseItems(items)), HasSubstr(refusal)) << items;
  }
}

TEST(HostileText, BytesThatPtxDoesNotHaveAreRefusedOutsideOfComments) {
  const auto with = [](std::string_view byte) {
    return std::string(".entry k() { ret") + std::string(byte) + "; }";
  };
  for (const char byte : {'\0', '\x01', '\x1f', '\x7f', '\x80', '\xff', '`', '\\', '\''}) {
    const std::string_view text(&byte, 1);
    EXPECT_FALSE(ParseItems(with(text)).has_value()) << static_cast<int>(byte);
    EXPECT_FALSE(ParseItems(text).has_value()) << static_cast<int>(byte);
    EXPECT_FALSE(ParseItems("." + std::string(text)).has_value()) << static_cast<int>(byte);
    EXPECT_TRUE(ParseItems(with("/*" + std::string(text) + "*/")).has_value());
    EXPECT_TRUE(ParseItems("// " + std::string(text) + "\n").has_value());
  }
  for (const std::string_view blank : {" ", "\t", "\r", "\n", "\r\n", "\f", "\v", ""}) {
    EXPECT_TRUE(ParseItems(with(blank)).has_value());
  }
}

TEST(HostileText, DeepNestingEndsEarly) {
  constexpr std::size_t kDeep = 200'000;
  for (const std::string_view before :
       {"", ".entry k() ", ".entry k() { call f, ", ".entry k() { mov.b32 %r1, ",
        ".entry k() { ld.u32 %r1, ", ".entry k() { wgmma ", ".entry k", ".global .b32 a",
        ".global .b32 a[2] = ", ".section .debug_info ", ".global .attribute"}) {
    for (const char each : {'(', '{', '[', '<', '!', '-', '~', '@', ':'}) {
      EXPECT_FALSE(ParseItems(std::string(before) + std::string(kDeep, each)).has_value())
          << before << each;
    }
  }
}

TEST(HostileText, HugeNumbersAreRefused) {
  const std::string digits(1000, '9');
  for (const std::string& number :
       {digits, "0x" + digits, "0b" + std::string(1000, '1'), "0" + std::string(1000, '7'),
        digits + ".0", "1e" + digits, std::string("1e999"), digits + "U",
        std::string("0f") + digits}) {
    EXPECT_FALSE(ParseItems(".global .b32 a[" + number + "];").has_value()) << number;
    EXPECT_FALSE(ParseItems(".global .b64 a = " + number + ";").has_value()) << number;
    EXPECT_FALSE(ParseItems(".file " + number + " \"a\"").has_value()) << number;
    EXPECT_FALSE(ParseBody("mov.b64 %rd1, " + number + ";").has_value()) << number;
    EXPECT_FALSE(ParseBody(".reg .b32 %x<" + number + ">;").has_value()) << number;
    EXPECT_FALSE(ParseBody(".loc 1 " + number + " 1").has_value()) << number;
    EXPECT_FALSE(ParseItems(".entry k() .maxntid " + number + " { ret; }").has_value()) << number;
  }
}

TEST(HostileText, LongNamesAreKeptAndShortenedInFaults) {
  const std::string name(100'000, 'n');
  const Module module = MustParse(ParseItems(".entry " + name + "() { " + name + ": ret; }"));
  EXPECT_EQ(module.functions.at(0).name, name);
  const std::string failure = Failure(ParseBody("mov.b32 %r1, " + name + ";"));
  EXPECT_THAT(failure, HasSubstr("an operand of mov.b32, is not declared"));
  EXPECT_LT(failure.size(), 300U);
}

}  // namespace
}  // namespace assay::gpu::ptx
