// SPDX-License-Identifier: Apache-2.0
// Logic, shifts, permutations, comparisons, selections and moves.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>

#include "emulator/ops/arithmetic_rig.h"

namespace assay::gpu::testing {
namespace {

using S16 = std::int16_t;
using S32 = std::int32_t;
using S64 = std::int64_t;
using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;

TEST(LogicOps, Bitwise) {
  Check("and.b32 %r0, %r1, %r2;", [](U32 a, U32 b) { return a & b; });
  Check("or.b64 %d0, %d1, %d2;", [](U64 a, U64 b) { return a | b; });
  Check("xor.b16 %h0, %h1, %h2;", [](U16 a, U16 b) { return static_cast<U16>(a ^ b); });
  Check("not.b32 %r0, %r1;", [](U32 a) { return ~a; });
  Check("cnot.b64 %d0, %d1;", [](U64 a) { return U64{a == 0}; });
  Check("and.pred %p0, %p1, %p2;", [](bool a, bool b) { return a && b; });
  Check("or.pred %p0, %p1, %p2;", [](bool a, bool b) { return a || b; });
  Check("xor.pred %p0, %p1, %p2;", [](bool a, bool b) { return a != b; });
  Check("not.pred %p0, %p1;", [](bool a) { return !a; });
}

TEST(LogicOps, Lop3HasEveryTable) {
  const auto operands = OperandsOf<U32, U32, U32>();
  const std::vector<LaneBits> some(operands.begin() + 3000, operands.begin() + 3200);
  for (U32 table = 0; table < 256; ++table) {
    CheckLanes("lop3.b32 %r0, %r1, %r2, %r3, " + std::to_string(table) + ";", 1, some,
               [table](const LaneBits& s) {
                 U64 result = 0;
                 for (int i = 0; i < 32; ++i) {
                   const U64 row =
                       ((s[0] >> i) & 1U) << 2U | ((s[1] >> i) & 1U) << 1U | ((s[2] >> i) & 1U);
                   result |= U64{(table >> row) & 1U} << i;
                 }
                 return LaneBits{result};
               });
  }
}

TEST(LogicOps, Shifts) {
  Check("shl.b16 %h0, %h1, %r2;",
        [](U16 a, Count n) { return static_cast<U16>(n.value > 15 ? 0 : U32{a} << n.value); });
  Check("shl.b32 %r0, %r1, %r2;", [](U32 a, Count n) { return n.value > 31 ? 0 : a << n.value; });
  Check("shl.b64 %d0, %d1, %r2;", [](U64 a, Count n) { return n.value > 63 ? 0 : a << n.value; });
  Check("shr.u16 %h0, %h1, %r2;",
        [](U16 a, Count n) { return static_cast<U16>(n.value > 15 ? 0 : a >> n.value); });
  Check("shr.s16 %h0, %h1, %r2;",
        [](S16 a, Count n) { return static_cast<S16>(a >> (n.value > 15 ? 15 : n.value)); });
  Check("shr.u32 %r0, %r1, %r2;", [](U32 a, Count n) { return n.value > 31 ? 0 : a >> n.value; });
  Check("shr.b32 %r0, %r1, %r2;", [](U32 a, Count n) { return n.value > 31 ? 0 : a >> n.value; });
  Check("shr.s32 %r0, %r1, %r2;",
        [](S32 a, Count n) { return a >> (n.value > 31 ? 31 : n.value); });
  Check("shr.u64 %d0, %d1, %r2;", [](U64 a, Count n) { return n.value > 63 ? 0 : a >> n.value; });
  Check("shr.s64 %d0, %d1, %r2;",
        [](S64 a, Count n) { return a >> (n.value > 63 ? 63 : n.value); });
  Check("shf.l.clamp.b32 %r0, %r1, %r2, %r3;", [](U32 a, U32 b, Count n) {
    const U32 by = n.value > 32 ? 32 : n.value;
    return by == 0 ? b : (by == 32 ? a : b << by | a >> (32 - by));
  });
  Check("shf.l.wrap.b32 %r0, %r1, %r2, %r3;", [](U32 a, U32 b, Count n) {
    const U32 by = n.value & 31U;
    return by == 0 ? b : b << by | a >> (32 - by);
  });
  Check("shf.r.clamp.b32 %r0, %r1, %r2, %r3;", [](U32 a, U32 b, Count n) {
    const U32 by = n.value > 32 ? 32 : n.value;
    return by == 0 ? a : (by == 32 ? b : b << (32 - by) | a >> by);
  });
  Check("shf.r.wrap.b32 %r0, %r1, %r2, %r3;", [](U32 a, U32 b, Count n) {
    const U32 by = n.value & 31U;
    return by == 0 ? a : b << (32 - by) | a >> by;
  });
}

U32 ByteOf(U32 a, U32 b, U32 index) {
  return (index < 4 ? a >> (8 * index) : b >> (8 * (index - 4))) & 0xffU;
}
/// The manual's tables, each result's bytes from the highest.
template <const char* kTable>
U32 ByTable(U32 a, U32 b, Count c) {
  U32 result = 0;
  for (U32 i = 0; i < 4; ++i) {
    result = result << 8U | ByteOf(a, b, static_cast<U32>(kTable[4 * (c.value & 3U) + i] - '0'));
  }
  return result;
}
constexpr char kF4e[] = "3210432154326543";
constexpr char kB4e[] = "5670670170120123";
constexpr char kRc8[] = "0000111122223333";
constexpr char kEcl[] = "3210321132223333";
constexpr char kEcr[] = "0000111022103210";
constexpr char kRc16[] = "1010323210103232";

TEST(LogicOps, Permutations) {
  Check("prmt.b32 %r0, %r1, %r2, %r3;", [](U32 a, U32 b, U32 c) {
    U32 result = 0;
    for (U32 i = 0; i < 4; ++i) {
      const U32 digit = c >> (4 * i);
      const U32 byte = ByteOf(a, b, digit & 7U);
      result |= ((digit & 8U) == 0 ? byte : ((byte & 0x80U) != 0 ? 0xffU : 0)) << (8 * i);
    }
    return result;
  });
  Check("prmt.b32.f4e %r0, %r1, %r2, %r3;", ByTable<kF4e>);
  Check("prmt.b32.b4e %r0, %r1, %r2, %r3;", ByTable<kB4e>);
  Check("prmt.b32.rc8 %r0, %r1, %r2, %r3;", ByTable<kRc8>);
  Check("prmt.b32.ecl %r0, %r1, %r2, %r3;", ByTable<kEcl>);
  Check("prmt.b32.ecr %r0, %r1, %r2, %r3;", ByTable<kEcr>);
  Check("prmt.b32.rc16 %r0, %r1, %r2, %r3;", ByTable<kRc16>);
}

template <class T>
bool Holds(const std::string& compare, T a, T b) {
  const bool unordered = a != a || b != b;
  if (compare == "num" || compare == "nan") {
    return unordered == (compare == "nan");
  }
  const std::string op = compare.substr(0, 2);
  if (unordered) {
    return compare.size() == 3;
  }
  return op == "eq"                 ? a == b
         : op == "ne"               ? a != b
         : op == "lt" || op == "lo" ? a < b
         : op == "le" || op == "ls" ? a <= b
         : op == "gt" || op == "hi" ? a > b
                                    : a >= b;
}
template <class T>
void CheckCompare(const std::string& type, const std::string& registers,
                  std::initializer_list<const char*> compares) {
  for (const char* compare : compares) {
    CheckLanes("setp." + std::string(compare) + "." + type + " %p0, " + registers + ";", 1,
               OperandsOf<T, T>(), [compare](const LaneBits& s) {
                 return LaneBits{Holds(compare, FromLaneBits<T>(s[0]), FromLaneBits<T>(s[1]))};
               });
  }
}

TEST(CompareOps, SetPredicate) {
  const auto kSigned = {"eq", "ne", "lt", "le", "gt", "ge"};
  const auto kUnsigned = {"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"};
  const auto kFloat = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                       "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
  CheckCompare<U16>("u16", "%h1, %h2", kUnsigned);
  CheckCompare<S16>("s16", "%h1, %h2", kSigned);
  CheckCompare<U32>("u32", "%r1, %r2", kUnsigned);
  CheckCompare<S32>("s32", "%r1, %r2", kSigned);
  CheckCompare<U64>("u64", "%d1, %d2", kUnsigned);
  CheckCompare<S64>("s64", "%d1, %d2", kSigned);
  CheckCompare<float>("f32", "%r1, %r2", kFloat);
  CheckCompare<double>("f64", "%d1, %d2", kFloat);
  CheckLanes("setp.lt.ftz.f32 %p0, %r1, %r2;", 1, OperandsOf<float, float>(),
             [](const LaneBits& s) {
               const auto flushed = [](U64 bits) {
                 const float value = FromLaneBits<float>(bits);
                 return std::fpclassify(value) == FP_SUBNORMAL ? 0.0F : value;
               };
               return LaneBits{flushed(s[0]) < flushed(s[1])};
             });
}

TEST(CompareOps, CombinesPredicates) {
  CheckLanes("setp.lt.and.s32 %p0|%p3, %r1, %r2, !%p4;", 2, OperandsOf<S32, S32, bool>(),
             [](const LaneBits& s) {
               const bool less = FromLaneBits<S32>(s[0]) < FromLaneBits<S32>(s[1]);
               const bool c = s[2] == 0;
               return LaneBits{less && c, !less && c};
             });
  CheckLanes("setp.ge.or.f32 %p0, %r1, %r2, %p4;", 1, OperandsOf<float, float, bool>(),
             [](const LaneBits& s) {
               return LaneBits{FromLaneBits<float>(s[0]) >= FromLaneBits<float>(s[1]) || s[2] != 0};
             });
  CheckLanes("setp.eq.xor.u64 %p0, %d1, %d2, %p4;", 1, OperandsOf<U64, U64, bool>(),
             [](const LaneBits& s) { return LaneBits{(s[0] == s[1]) != (s[2] != 0)}; });
  CheckLanes("setp.eq.u32 %p0|%p3, %r1, %r2;", 2, OperandsOf<U32, U32>(),
             [](const LaneBits& s) { return LaneBits{s[0] == s[1], s[0] != s[1]}; });
  Check("set.lt.u32.s32 %r0, %r1, %r2;", [](S32 a, S32 b) { return a < b ? ~U32{0} : 0; });
  Check("set.gtu.f32.f64 %r0, %d1, %d2;", [](double a, double b) { return a <= b ? 0.0F : 1.0F; });
  CheckLanes("set.ne.or.s32.f32 %r0, %r1, %r2, !%p4;", 1, OperandsOf<float, float, bool>(),
             [](const LaneBits& s) {
               const float a = FromLaneBits<float>(s[0]);
               const float b = FromLaneBits<float>(s[1]);
               return LaneBits{a < b || a > b || s[2] == 0 ? 0xffffffffU : 0U};
             });
}

TEST(CompareOps, Selections) {
  Check("selp.b16 %h0, %h1, %h2, %p3;", [](U16 a, U16 b, bool p) { return p ? a : b; });
  Check("selp.b32 %r0, %r1, %r2, %p3;", [](U32 a, U32 b, bool p) { return p ? a : b; });
  Check("selp.f64 %d0, %d1, %d2, %p3;", [](U64 a, U64 b, bool p) { return p ? a : b; });
  Check("slct.u32.s32 %r0, %r1, %r2, %r3;", [](U32 a, U32 b, S32 c) { return c >= 0 ? a : b; });
  Check("slct.b64.f32 %d0, %d1, %d2, %r3;", [](U64 a, U64 b, float c) { return c >= 0 ? a : b; });
  Check("slct.ftz.b16.f32 %h0, %h1, %h2, %r3;",
        [](U16 a, U16 b, float c) { return c >= 0 || std::fpclassify(c) == FP_SUBNORMAL ? a : b; });
}

TEST(MoveOps, MovesPacksAndUnpacks) {
  Check("mov.u16 %h0, %h1;", [](U16 a) { return a; });
  Check("mov.b32 %r0, %r1;", [](U32 a) { return a; });
  Check("mov.f32 %r0, %r1;", [](U32 a) { return a; });
  Check("mov.f64 %d0, %d1;", [](U64 a) { return a; });
  Check("mov.pred %p0, %p1;", [](bool a) { return a; });
  Check("mov.b32 %r0, {%h1, %h2};", [](U16 a, U16 b) { return U32{b} << 16U | a; });
  Check("mov.b64 %d0, {%r1, %r2};", [](U32 a, U32 b) { return U64{b} << 32U | a; });
  Check("mov.b64 %d0, {%h1, %h2, %h3, %h4};", [](U16 a, U16 b, U16 c, U16 d) {
    return U64{d} << 48U | U64{c} << 32U | U64{b} << 16U | a;
  });
  CheckLanes("mov.b32 {%h0, %h1}, %r2;", 2, OperandsOf<U32>(),
             [](const LaneBits& s) { return LaneBits{s[0] & 0xffffU, s[0] >> 16U}; });
  CheckLanes("mov.b64 {%r0, %r1}, %d2;", 2, OperandsOf<U64>(),
             [](const LaneBits& s) { return LaneBits{s[0] & 0xffffffffU, s[0] >> 32U}; });
  CheckLanes("mov.b64 {%h0, %h1, %h2, %h3}, %d2;", 4, OperandsOf<U64>(), [](const LaneBits& s) {
    return LaneBits{s[0] & 0xffffU, (s[0] >> 16U) & 0xffffU, (s[0] >> 32U) & 0xffffU, s[0] >> 48U};
  });
}

}  // namespace
}  // namespace assay::gpu::testing
