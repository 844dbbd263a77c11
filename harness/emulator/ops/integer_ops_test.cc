// SPDX-License-Identifier: Apache-2.0
// Integer, extended-precision and bit instructions against their formulas in the PTX manual.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "emulator/ops/arithmetic_rig.h"

namespace assay::gpu::testing {
namespace {

using S16 = std::int16_t;
using S32 = std::int32_t;
using S64 = std::int64_t;
using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;
__extension__ using S128 = __int128;
__extension__ using U128 = unsigned __int128;

TEST(IntegerOps, AddSubtract) {
  Check("add.u16 %h0, %h1, %h2;", [](U16 a, U16 b) { return static_cast<U16>(a + b); });
  Check("add.s32 %r0, %r1, %r2;", [](U32 a, U32 b) { return a + b; });
  Check("add.u64 %d0, %d1, %d2;", [](U64 a, U64 b) { return a + b; });
  Check("sub.s16 %h0, %h1, %h2;", [](U16 a, U16 b) { return static_cast<U16>(a - b); });
  Check("sub.u32 %r0, %r1, %r2;", [](U32 a, U32 b) { return a - b; });
  Check("sub.s64 %d0, %d1, %d2;", [](U64 a, U64 b) { return a - b; });
  Check("add.sat.s32 %r0, %r1, %r2;", [](S32 a, S32 b) {
    const S64 sum = S64{a} + b;
    return static_cast<S32>(sum > INT32_MAX ? INT32_MAX : (sum < INT32_MIN ? INT32_MIN : sum));
  });
  Check("sub.sat.s32 %r0, %r1, %r2;", [](S32 a, S32 b) {
    const S64 sum = S64{a} - b;
    return static_cast<S32>(sum > INT32_MAX ? INT32_MAX : (sum < INT32_MIN ? INT32_MIN : sum));
  });
}

TEST(IntegerOps, Multiply) {
  Check("mul.lo.s16 %h0, %h1, %h2;", [](U16 a, U16 b) { return static_cast<U16>(U32{a} * b); });
  Check("mul.lo.s32 %r0, %r1, %r2;", [](U32 a, U32 b) { return a * b; });
  Check("mul.lo.u64 %d0, %d1, %d2;", [](U64 a, U64 b) { return a * b; });
  Check("mul.hi.u16 %h0, %h1, %h2;",
        [](U16 a, U16 b) { return static_cast<U16>((U32{a} * b) >> 16); });
  Check("mul.hi.s16 %h0, %h1, %h2;",
        [](S16 a, S16 b) { return static_cast<S16>((S32{a} * b) >> 16); });
  Check("mul.hi.u32 %r0, %r1, %r2;",
        [](U32 a, U32 b) { return static_cast<U32>((U64{a} * b) >> 32); });
  Check("mul.hi.s32 %r0, %r1, %r2;",
        [](S32 a, S32 b) { return static_cast<S32>((S64{a} * b) >> 32); });
  Check("mul.hi.u64 %d0, %d1, %d2;",
        [](U64 a, U64 b) { return static_cast<U64>((U128{a} * b) >> 64); });
  Check("mul.hi.s64 %d0, %d1, %d2;",
        [](S64 a, S64 b) { return static_cast<S64>((S128{a} * b) >> 64); });
  Check("mul.wide.u16 %r0, %h1, %h2;", [](U16 a, U16 b) { return U32{a} * U32{b}; });
  Check("mul.wide.s16 %r0, %h1, %h2;", [](S16 a, S16 b) { return S32{a} * S32{b}; });
  Check("mul.wide.u32 %d0, %r1, %r2;", [](U32 a, U32 b) { return U64{a} * b; });
  Check("mul.wide.s32 %d0, %r1, %r2;", [](S32 a, S32 b) { return S64{a} * b; });
}

TEST(IntegerOps, MultiplyAdd) {
  Check("mad.lo.u16 %h0, %h1, %h2, %h3;",
        [](U16 a, U16 b, U16 c) { return static_cast<U16>(U32{a} * b + c); });
  Check("mad.lo.s32 %r0, %r1, %r2, %r3;", [](U32 a, U32 b, U32 c) { return a * b + c; });
  Check("mad.lo.s64 %d0, %d1, %d2, %d3;", [](U64 a, U64 b, U64 c) { return a * b + c; });
  Check("mad.hi.s32 %r0, %r1, %r2, %r3;",
        [](S32 a, S32 b, U32 c) { return static_cast<U32>((S64{a} * b) >> 32) + c; });
  Check("mad.hi.u32 %r0, %r1, %r2, %r3;",
        [](U32 a, U32 b, U32 c) { return static_cast<U32>((U64{a} * b) >> 32) + c; });
  Check("mad.hi.u64 %d0, %d1, %d2, %d3;",
        [](U64 a, U64 b, U64 c) { return static_cast<U64>((U128{a} * b) >> 64) + c; });
  Check("mad.hi.sat.s32 %r0, %r1, %r2, %r3;", [](S32 a, S32 b, S32 c) {
    const S64 sum = ((S64{a} * b) >> 32) + c;
    return static_cast<S32>(sum > INT32_MAX ? INT32_MAX : (sum < INT32_MIN ? INT32_MIN : sum));
  });
  Check("mad.wide.u16 %r0, %h1, %h2, %r3;",
        [](U16 a, U16 b, U32 c) { return U32{a} * U32{b} + c; });
  Check("mad.wide.s32 %d0, %r1, %r2, %d3;",
        [](S32 a, S32 b, U64 c) { return static_cast<U64>(S64{a} * b) + c; });
  Check("mad.wide.u32 %d0, %r1, %r2, %d3;", [](U32 a, U32 b, U64 c) { return U64{a} * b + c; });
}

S64 Signed24(U32 a) {
  return (a & 0x800000U) != 0 ? S64{a & 0xffffffU} - 0x1000000 : a & 0xffffffU;
}

TEST(IntegerOps, TwentyFourBits) {
  Check("mul24.lo.u32 %r0, %r1, %r2;",
        [](U32 a, U32 b) { return static_cast<U32>(U64{a & 0xffffffU} * (b & 0xffffffU)); });
  Check("mul24.hi.u32 %r0, %r1, %r2;", [](U32 a, U32 b) {
    return static_cast<U32>((U64{a & 0xffffffU} * (b & 0xffffffU)) >> 16);
  });
  Check("mul24.lo.s32 %r0, %r1, %r2;",
        [](U32 a, U32 b) { return static_cast<U32>(Signed24(a) * Signed24(b)); });
  Check("mul24.hi.s32 %r0, %r1, %r2;",
        [](U32 a, U32 b) { return static_cast<U32>((Signed24(a) * Signed24(b)) >> 16); });
  Check("mad24.lo.s32 %r0, %r1, %r2, %r3;",
        [](U32 a, U32 b, U32 c) { return static_cast<U32>(Signed24(a) * Signed24(b)) + c; });
  Check("mad24.hi.u32 %r0, %r1, %r2, %r3;", [](U32 a, U32 b, U32 c) {
    return static_cast<U32>((U64{a & 0xffffffU} * (b & 0xffffffU)) >> 16) + c;
  });
  Check("mad24.hi.sat.s32 %r0, %r1, %r2, %r3;", [](U32 a, U32 b, S32 c) {
    const S64 sum = S64{static_cast<S32>((Signed24(a) * Signed24(b)) >> 16)} + c;
    return static_cast<S32>(sum > INT32_MAX ? INT32_MAX : (sum < INT32_MIN ? INT32_MIN : sum));
  });
}

TEST(IntegerOps, DivideRemainder) {
  Check("div.u16 %h0, %h1, %h2;",
        [](U16 a, U16 b) { return static_cast<U16>(b == 0 ? 0xffff : a / b); });
  Check("div.s16 %h0, %h1, %h2;",
        [](S16 a, S16 b) { return static_cast<S16>(b == 0 ? -1 : a / b); });
  Check("div.u32 %r0, %r1, %r2;", [](U32 a, U32 b) { return b == 0 ? ~U32{0} : a / b; });
  Check("div.s32 %r0, %r1, %r2;",
        [](S32 a, S32 b) { return static_cast<S32>(b == 0 ? -1 : S64{a} / b); });
  Check("div.u64 %d0, %d1, %d2;", [](U64 a, U64 b) { return b == 0 ? ~U64{0} : a / b; });
  Check("div.s64 %d0, %d1, %d2;",
        [](S64 a, S64 b) { return static_cast<S64>(b == 0 ? S128{-1} : S128{a} / b); });
  Check("rem.u16 %h0, %h1, %h2;",
        [](U16 a, U16 b) { return static_cast<U16>(b == 0 ? 0xffff : a % b); });
  Check("rem.s16 %h0, %h1, %h2;",
        [](S16 a, S16 b) { return static_cast<S16>(b == 0 ? -1 : a % b); });
  Check("rem.u32 %r0, %r1, %r2;", [](U32 a, U32 b) { return b == 0 ? ~U32{0} : a % b; });
  Check("rem.s32 %r0, %r1, %r2;",
        [](S32 a, S32 b) { return static_cast<S32>(b == 0 ? -1 : S64{a} % b); });
  Check("rem.u64 %d0, %d1, %d2;", [](U64 a, U64 b) { return b == 0 ? ~U64{0} : a % b; });
  Check("rem.s64 %d0, %d1, %d2;",
        [](S64 a, S64 b) { return static_cast<S64>(b == 0 ? S128{-1} : S128{a} % b); });
}

TEST(IntegerOps, MinimumMaximum) {
  Check("min.u16 %h0, %h1, %h2;", [](U16 a, U16 b) { return a < b ? a : b; });
  Check("max.s16 %h0, %h1, %h2;", [](S16 a, S16 b) { return a > b ? a : b; });
  Check("min.s32 %r0, %r1, %r2;", [](S32 a, S32 b) { return a < b ? a : b; });
  Check("max.u32 %r0, %r1, %r2;", [](U32 a, U32 b) { return a > b ? a : b; });
  Check("min.u64 %d0, %d1, %d2;", [](U64 a, U64 b) { return a < b ? a : b; });
  Check("max.s64 %d0, %d1, %d2;", [](S64 a, S64 b) { return a > b ? a : b; });
  Check("max.relu.s32 %r0, %r1, %r2;", [](S32 a, S32 b) {
    const S32 most = a > b ? a : b;
    return most > 0 ? most : 0;
  });
  Check("min.s16x2 %r0, %r1, %r2;", [](U32 a, U32 b) {
    const auto least = [](U32 x, U32 y) {
      return U32{static_cast<U16>(static_cast<S16>(x) < static_cast<S16>(y) ? x : y)};
    };
    return least(a, b) | least(a >> 16, b >> 16) << 16;
  });
  Check("add.u16x2 %r0, %r1, %r2;",
        [](U32 a, U32 b) { return U32{static_cast<U16>(a + b)} | ((a >> 16) + (b >> 16)) << 16; });
}

TEST(IntegerOps, Signs) {
  Check("abs.s16 %h0, %h1;", [](S16 a) { return static_cast<S16>(a < 0 ? -a : a); });
  Check("abs.s32 %r0, %r1;", [](S32 a) { return static_cast<S32>(a < 0 ? -S64{a} : a); });
  Check("abs.s64 %d0, %d1;", [](S64 a) { return static_cast<S64>(a < 0 ? -S128{a} : a); });
  Check("neg.s16 %h0, %h1;", [](S16 a) { return static_cast<S16>(-a); });
  Check("neg.s32 %r0, %r1;", [](U32 a) { return 0 - a; });
  Check("neg.s64 %d0, %d1;", [](U64 a) { return 0 - a; });
  Check("sad.s32 %r0, %r1, %r2, %r3;",
        [](S32 a, S32 b, U32 c) { return c + static_cast<U32>(a < b ? S64{b} - a : S64{a} - b); });
  Check("sad.u64 %d0, %d1, %d2, %d3;",
        [](U64 a, U64 b, U64 c) { return c + (a < b ? b - a : a - b); });
  Check("sad.u16 %h0, %h1, %h2, %h3;",
        [](U16 a, U16 b, U16 c) { return static_cast<U16>(c + (a < b ? b - a : a - b)); });
}

template <class A, class B>
U32 Dot4(U32 a, U32 b, U32 c) {
  for (int i = 0; i < 4; ++i) {
    c += static_cast<U32>(S32{static_cast<A>(a >> (8 * i))} * S32{static_cast<B>(b >> (8 * i))});
  }
  return c;
}
template <class A, class B, int kFirst>
U32 Dot2(U32 a, U32 b, U32 c) {
  for (int i = 0; i < 2; ++i) {
    c += static_cast<U32>(S32{static_cast<A>(a >> (16 * i))} *
                          S32{static_cast<B>(b >> (8 * (kFirst + i)))});
  }
  return c;
}

TEST(IntegerOps, DotProducts) {
  using S8 = std::int8_t;
  using U8 = std::uint8_t;
  Check("dp4a.u32.u32 %r0, %r1, %r2, %r3;", Dot4<U8, U8>);
  Check("dp4a.s32.s32 %r0, %r1, %r2, %r3;", Dot4<S8, S8>);
  Check("dp4a.u32.s32 %r0, %r1, %r2, %r3;", Dot4<U8, S8>);
  Check("dp4a.s32.u32 %r0, %r1, %r2, %r3;", Dot4<S8, U8>);
  Check("dp2a.lo.s32.u32 %r0, %r1, %r2, %r3;", Dot2<S16, U8, 0>);
  Check("dp2a.hi.u32.s32 %r0, %r1, %r2, %r3;", Dot2<U16, S8, 2>);
}

template <class Byte>
U32 DifferenceAt(U32 a, U32 b, int i) {
  const int difference = static_cast<Byte>(a >> (8 * i)) - static_cast<Byte>(b >> (8 * i));
  return static_cast<U32>(difference < 0 ? -difference : difference);
}
template <class Byte>
U32 Differences4(U32 a, U32 b, U32 /*c*/) {
  return DifferenceAt<Byte>(a, b, 0) | DifferenceAt<Byte>(a, b, 1) << 8 |
         DifferenceAt<Byte>(a, b, 2) << 16 | DifferenceAt<Byte>(a, b, 3) << 24;
}
template <class Byte>
U32 SumOfDifferences4(U32 a, U32 b, U32 c) {
  for (int i = 0; i < 4; ++i) {
    c += DifferenceAt<Byte>(a, b, i);
  }
  return c;
}

// What CUDA's __vabsdiffu4, __vabsdiffs4, __vsadu4 and __vsads4 are compiled to.
TEST(IntegerOps, DifferencesOfBytes) {
  using S8 = std::int8_t;
  using U8 = std::uint8_t;
  Check("vabsdiff4.u32.u32.u32 %r0, %r1, %r2, %r3;", Differences4<U8>);
  Check("vabsdiff4.u32.s32.s32 %r0, %r1, %r2, %r3;", Differences4<S8>);
  Check("vabsdiff4.s32.s32.s32 %r0, %r1, %r2, %r3;", Differences4<S8>);
  Check("vabsdiff4.u32.u32.u32.add %r0, %r1, %r2, %r3;", SumOfDifferences4<U8>);
  Check("vabsdiff4.u32.s32.s32.add %r0, %r1, %r2, %r3;", SumOfDifferences4<S8>);
}

/// Operands with the carry flag set and clear.
template <class... A>
std::vector<LaneBits> WithCarry() {
  std::vector<LaneBits> operands = OperandsOf<A...>();
  const std::size_t count = operands.size();
  for (std::size_t i = 0; i < count; ++i) {
    LaneBits set = operands[i];
    set[kCarry] = 1;
    operands.push_back(set);
  }
  return operands;
}
/// Results and carry of a sum of more bits than T has.
template <class T>
LaneBits Split(U128 sum) {
  LaneBits bits{static_cast<T>(sum)};
  bits[kCarry] = static_cast<U64>(sum >> (8 * sizeof(T))) & 1U;
  return bits;
}

TEST(IntegerOps, CarryOfSums) {
  const auto sum32 = [](const LaneBits& s) { return Split<U32>(U128{s[0]} + s[1]); };
  const auto sum32_with = [](const LaneBits& s) {
    return Split<U32>(U128{s[0]} + s[1] + s[kCarry]);
  };
  const auto sum64_with = [](const LaneBits& s) {
    return Split<U64>(U128{s[0]} + s[1] + s[kCarry]);
  };
  CheckLanes("add.cc.u32 %r0, %r1, %r2;", 1, WithCarry<U32, U32>(), sum32);
  CheckLanes("addc.cc.s32 %r0, %r1, %r2;", 1, WithCarry<U32, U32>(), sum32_with);
  CheckLanes("addc.u32 %r0, %r1, %r2;", 1, WithCarry<U32, U32>(), sum32_with);
  CheckLanes("addc.cc.u64 %d0, %d1, %d2;", 1, WithCarry<U64, U64>(), sum64_with);
}

// A difference is a sum with what the other has not set: its carry is 1 where nothing is borrowed.
// nvcc's division of 128 bits reads the carry of subc by addc, and was wrong with a borrow there.
TEST(IntegerOps, CarryOfDifferences) {
  const auto difference = [](const LaneBits& s) {
    return Split<U32>(U128{s[0]} + static_cast<U32>(~s[1]) + 1);
  };
  const auto difference_with = [](const LaneBits& s) {
    return Split<U32>(U128{s[0]} + static_cast<U32>(~s[1]) + s[kCarry]);
  };
  const auto difference64_with = [](const LaneBits& s) {
    return Split<U64>(U128{s[0]} + ~s[1] + s[kCarry]);
  };
  CheckLanes("sub.cc.u32 %r0, %r1, %r2;", 1, WithCarry<U32, U32>(), difference);
  CheckLanes("subc.cc.u32 %r0, %r1, %r2;", 1, WithCarry<U32, U32>(), difference_with);
  CheckLanes("subc.s32 %r0, %r1, %r2;", 1, WithCarry<U32, U32>(), difference_with);
  CheckLanes("subc.cc.s64 %d0, %d1, %d2;", 1, WithCarry<U64, U64>(), difference64_with);
}

TEST(IntegerOps, CarryOfProducts) {
  CheckLanes(
      "mad.lo.cc.u32 %r0, %r1, %r2, %r3;", 1, WithCarry<U32, U32, U32>(),
      [](const LaneBits& s) { return Split<U32>(U128{static_cast<U32>(s[0] * s[1])} + s[2]); });
  CheckLanes("mad.hi.cc.u32 %r0, %r1, %r2, %r3;", 1, WithCarry<U32, U32, U32>(),
             [](const LaneBits& s) { return Split<U32>(U128{(s[0] * s[1]) >> 32} + s[2]); });
  CheckLanes("madc.lo.cc.u32 %r0, %r1, %r2, %r3;", 1, WithCarry<U32, U32, U32>(),
             [](const LaneBits& s) {
               return Split<U32>(U128{static_cast<U32>(s[0] * s[1])} + s[2] + s[kCarry]);
             });
  CheckLanes("madc.hi.s32 %r0, %r1, %r2, %r3;", 1, WithCarry<U32, U32, U32>(),
             [](const LaneBits& s) {
               const S64 product = S64{static_cast<S32>(s[0])} * static_cast<S32>(s[1]);
               return Split<U32>(U128{static_cast<U32>(product >> 32)} + s[2] + s[kCarry]);
             });
  CheckLanes(
      "madc.hi.cc.u64 %d0, %d1, %d2, %d3;", 1, WithCarry<U64, U64, U64>(),
      [](const LaneBits& s) { return Split<U64>(((U128{s[0]} * s[1]) >> 64) + s[2] + s[kCarry]); });
}

template <class T>
T ExtractField(T a, U32 b, U32 c) {
  constexpr int kTop = 8 * sizeof(T) - 1;
  const int position = static_cast<int>(b & 0xffU);
  const int length = static_cast<int>(c & 0xffU);
  using U = std::make_unsigned_t<T>;
  const U bits = static_cast<U>(a);
  bool sign = false;
  if (std::is_signed_v<T> && length != 0) {
    sign = ((bits >> std::min(position + length - 1, kTop)) & 1U) != 0;
  }
  U result = 0;
  for (int i = 0; i <= kTop; ++i) {
    const bool bit =
        i < length && position + i <= kTop ? ((bits >> (position + i)) & 1U) != 0 : sign;
    result |= static_cast<U>(bit) << i;
  }
  return static_cast<T>(result);
}
template <class T>
T InsertField(T a, T b, U32 c, U32 d) {
  constexpr U32 kTop = 8 * sizeof(T) - 1;
  const U32 position = c & 0xffU;
  const U32 length = d & 0xffU;
  for (U32 i = 0; i < length && position + i <= kTop; ++i) {
    b = (b & ~(T{1} << (position + i))) | ((a >> i) & 1U) << (position + i);
  }
  return b;
}

TEST(IntegerOps, BitFields) {
  Check("bfe.u32 %r0, %r1, %r2, %r3;",
        [](U32 a, Count b, Count c) { return ExtractField<U32>(a, b.value, c.value); });
  Check("bfe.s32 %r0, %r1, %r2, %r3;",
        [](S32 a, Count b, Count c) { return ExtractField<S32>(a, b.value, c.value); });
  Check("bfe.u64 %d0, %d1, %r2, %r3;",
        [](U64 a, Count b, Count c) { return ExtractField<U64>(a, b.value, c.value); });
  Check("bfe.s64 %d0, %d1, %r2, %r3;",
        [](S64 a, Count b, Count c) { return ExtractField<S64>(a, b.value, c.value); });
  Check("bfi.b32 %r0, %r1, %r2, %r3, %r4;",
        [](U32 a, U32 b, Count c, Count d) { return InsertField<U32>(a, b, c.value, d.value); });
  Check("bfi.b64 %d0, %d1, %d2, %r3, %r4;",
        [](U64 a, U64 b, Count c, Count d) { return InsertField<U64>(a, b, c.value, d.value); });
}

U32 Highest(U64 bits, bool negative, U64 all) {
  const U64 searched = negative ? ~bits & all : bits;
  U32 found = ~U32{0};
  for (U32 i = 0; i < 64; ++i) {
    found = ((searched >> i) & 1U) != 0 ? i : found;
  }
  return found;
}

TEST(IntegerOps, BitSearch) {
  Check("bfind.u32 %r0, %r1;", [](U32 a) { return Highest(a, false, 0); });
  Check("bfind.s32 %r0, %r1;",
        [](S32 a) { return Highest(static_cast<U32>(a), a < 0, 0xffffffff); });
  Check("bfind.u64 %r0, %d1;", [](U64 a) { return Highest(a, false, 0); });
  Check("bfind.s64 %r0, %d1;", [](S64 a) { return Highest(static_cast<U64>(a), a < 0, ~U64{0}); });
  Check("bfind.shiftamt.u32 %r0, %r1;", [](U32 a) {
    const U32 at = Highest(a, false, 0);
    return at == ~U32{0} ? at : 31 - at;
  });
  Check("bfind.shiftamt.s64 %r0, %d1;", [](S64 a) {
    const U32 at = Highest(static_cast<U64>(a), a < 0, ~U64{0});
    return at == ~U32{0} ? at : 63 - at;
  });
  Check("clz.b32 %r0, %r1;", [](U32 a) { return static_cast<U32>(std::countl_zero(a)); });
  Check("clz.b64 %r0, %d1;", [](U64 a) { return static_cast<U32>(std::countl_zero(a)); });
  Check("popc.b32 %r0, %r1;", [](U32 a) { return static_cast<U32>(std::popcount(a)); });
  Check("popc.b64 %r0, %d1;", [](U64 a) { return static_cast<U32>(std::popcount(a)); });
  Check("brev.b32 %r0, %r1;", [](U32 a) {
    U32 result = 0;
    for (int i = 0; i < 32; ++i) {
      result |= ((a >> i) & 1U) << (31 - i);
    }
    return result;
  });
  Check("brev.b64 %d0, %d1;", [](U64 a) {
    U64 result = 0;
    for (int i = 0; i < 64; ++i) {
      result |= ((a >> i) & 1U) << (63 - i);
    }
    return result;
  });
}

U32 FindNth(U32 mask, U32 base, S32 offset) {
  if (base > 31) {
    return ~U32{0};  // undefined; this is ours
  }
  if (offset == 0) {
    return ((mask >> base) & 1U) != 0 ? base : ~U32{0};
  }
  S64 count = (offset > 0 ? S64{offset} : -S64{offset}) - 1;
  for (int at = static_cast<int>(base); at >= 0 && at < 32; at += offset > 0 ? 1 : -1) {
    if (((mask >> at) & 1U) != 0 && count-- == 0) {
      return static_cast<U32>(at);
    }
  }
  return ~U32{0};
}

TEST(IntegerOps, Masks) {
  Check("fns.b32 %r0, %r1, %r2, %r3;",
        [](U32 mask, Count base, S32 offset) { return FindNth(mask, base.value, offset); });
  Check("bmsk.wrap.b32 %r0, %r1, %r2;", [](Count a, Count b) {
    U32 result = 0;
    for (U32 i = 0; i < (b.value & 31U) && (a.value & 31U) + i < 32; ++i) {
      result |= U32{1} << ((a.value & 31U) + i);
    }
    return result;
  });
  Check("bmsk.clamp.b32 %r0, %r1, %r2;", [](Count a, Count b) {
    U32 result = 0;
    for (U64 i = 0; i < (b.value < 32 ? b.value : 32) && a.value + i < 32; ++i) {
      result |= U32{1} << (a.value + i);
    }
    return result;
  });
  Check("szext.clamp.s32 %r0, %r1, %r2;", [](S32 a, Count b) {
    return b.value >= 32 ? a : (b.value == 0 ? 0 : ExtractField<S32>(a, 0, b.value));
  });
  Check("szext.wrap.u32 %r0, %r1, %r2;",
        [](U32 a, Count b) { return ExtractField<U32>(a, 0, b.value & 31U); });
  Check("szext.wrap.s32 %r0, %r1, %r2;",
        [](S32 a, Count b) { return ExtractField<S32>(a, 0, b.value & 31U); });
}

}  // namespace
}  // namespace assay::gpu::testing
