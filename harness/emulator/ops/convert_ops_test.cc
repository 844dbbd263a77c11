// SPDX-License-Identifier: Apache-2.0
// cvt against exact arithmetic: long double holds every source value.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "emulator/ops/arithmetic_rig.h"
#include "emulator/ops/rounding_reference.h"

namespace assay::gpu::testing {
namespace {

using S8 = std::int8_t;
using S16 = std::int16_t;
using S32 = std::int32_t;
using S64 = std::int64_t;
using U8 = std::uint8_t;
using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;

TEST(ConvertOps, IntegerToInteger) {
  Check("cvt.s64.s32 %d0, %r1;", [](S32 a) { return S64{a}; });
  Check("cvt.u64.u32 %d0, %r1;", [](U32 a) { return U64{a}; });
  Check("cvt.u32.u64 %r0, %d1;", [](U64 a) { return static_cast<U32>(a); });
  Check("cvt.u32.u16 %r0, %h1;", [](U16 a) { return U32{a}; });
  Check("cvt.s32.s16 %r0, %h1;", [](S16 a) { return S32{a}; });
  Check("cvt.u16.u32 %h0, %r1;", [](U32 a) { return static_cast<U16>(a); });
  Check("cvt.s32.s8 %r0, %h1;", [](U16 a) { return S32{static_cast<S8>(a)}; });
  Check("cvt.u32.u8 %r0, %h1;", [](U16 a) { return U32{static_cast<U8>(a)}; });
  Check("cvt.s16.s8 %h0, %r1;", [](U32 a) { return S16{static_cast<S8>(a)}; });
  Check("cvt.u8.u32 %h0, %r1;", [](U32 a) { return U16{static_cast<U8>(a)}; });
  Check("cvt.u8.u32 %r0, %r1;", [](U32 a) { return U32{static_cast<U8>(a)}; });
  Check("cvt.s8.s32 %r0, %r1;", [](U32 a) { return S32{static_cast<S8>(a)}; });
  Check("cvt.s64.s16 %d0, %h1;", [](S16 a) { return S64{a}; });
  Check("cvt.u64.s8 %d0, %r1;", [](U32 a) { return static_cast<U64>(S64{static_cast<S8>(a)}); });
}

template <class D, class S, class Store, class From>
Store Clamped(From a) {
  const auto wide = static_cast<__int128_t>(static_cast<S>(a));
  const __int128_t low = std::numeric_limits<D>::min();
  const __int128_t high = std::numeric_limits<D>::max();
  return static_cast<Store>(static_cast<D>(wide < low ? low : (wide > high ? high : wide)));
}

TEST(ConvertOps, SaturatesIntegers) {
  Check("cvt.sat.u8.s32 %h0, %r1;", Clamped<U8, S32, U16, U32>);
  Check("cvt.sat.s8.s64 %r0, %d1;", Clamped<S8, S64, U32, U64>);
  Check("cvt.sat.u32.s64 %r0, %d1;", Clamped<U32, S64, U32, U64>);
  Check("cvt.sat.s32.u32 %r0, %r1;", Clamped<S32, U32, U32, U32>);
  Check("cvt.sat.s64.u64 %d0, %d1;", Clamped<S64, U64, U64, U64>);
  Check("cvt.sat.u64.s64 %d0, %d1;", Clamped<U64, S64, U64, U64>);
  Check("cvt.sat.u16.u64 %h0, %d1;", Clamped<U16, U64, U16, U64>);
}

template <class S>
void CheckFromInteger(const std::string& source, const std::string& name) {
  struct Target {
    const char* text;
    BinaryFormat format;
  };
  struct Way {
    const char* text;
    Direction direction;
  };
  for (const Target& to : {Target{"f16 %h0", kF16}, Target{"bf16 %h0", kBf16},
                           Target{"f32 %r0", kF32}, Target{"f64 %d0", kF64}}) {
    const std::string type(to.text, std::string(to.text).find(' '));
    for (const Way& way : {Way{"rn", Direction::kNearest}, Way{"rz", Direction::kZero},
                           Way{"rm", Direction::kDown}, Way{"rp", Direction::kUp}}) {
      const BinaryFormat format = to.format;
      const Direction direction = way.direction;
      CheckLanes("cvt." + std::string(way.text) + "." + type + "." + name +
                     std::string(to.text).substr(type.size()) + ", " + source + ";",
                 1, OperandsOf<S>(), [format, direction](const LaneBits& s) {
                   return LaneBits{
                       RoundTo(format, static_cast<long double>(FromLaneBits<S>(s[0])), direction)};
                 });
    }
  }
}

TEST(ConvertOps, IntegerToFloat) {
  CheckFromInteger<S32>("%r1", "s32");
  CheckFromInteger<U32>("%r1", "u32");
  CheckFromInteger<S64>("%d1", "s64");
  CheckFromInteger<U64>("%d1", "u64");
  CheckFromInteger<S16>("%h1", "s16");
  CheckFromInteger<U16>("%h1", "u16");
  Check("cvt.rn.f32.u8 %r0, %r1;", [](U32 a) { return static_cast<float>(static_cast<U8>(a)); });
  Check("cvt.rn.f32.s8 %r0, %h1;", [](U16 a) { return static_cast<float>(static_cast<S8>(a)); });
}

/// `top_bit`: what a NaN becomes is the top bit alone.
template <class D>
U64 ToInteger(long double value, Direction direction, bool top_bit) {
  if (std::isnan(value)) {
    return top_bit ? U64{1} << (8 * sizeof(D) - 1) : 0;
  }
  const long double rounded = std::isinf(value) ? value : RoundInteger(value, direction);
  const auto low = static_cast<long double>(std::numeric_limits<D>::min());
  const auto high = static_cast<long double>(std::numeric_limits<D>::max());
  const D result = rounded <= low    ? std::numeric_limits<D>::min()
                   : rounded >= high ? std::numeric_limits<D>::max()
                                     : static_cast<D>(rounded);
  return static_cast<U64>(result);
}

template <class D, class S>
void CheckToInteger(const std::string& target, const std::string& name, const std::string& source,
                    const std::string& source_name, BinaryFormat format) {
  struct Way {
    const char* text;
    Direction direction;
  };
  const bool top_bit = format.mantissa_bits == 52 || sizeof(D) == 8;
  for (const Way& way : {Way{"rni", Direction::kNearest}, Way{"rzi", Direction::kZero},
                         Way{"rmi", Direction::kDown}, Way{"rpi", Direction::kUp}}) {
    const Direction direction = way.direction;
    CheckLanes("cvt." + std::string(way.text) + "." + name + "." + source_name + " " + target +
                   ", " + source + ";",
               1, OperandsOf<S>(), [=](const LaneBits& s) {
                 return LaneBits{ToInteger<D>(ValueOf(format, s[0]), direction, top_bit)};
               });
  }
}

TEST(ConvertOps, FloatToInteger) {
  CheckToInteger<S32, float>("%r0", "s32", "%r1", "f32", kF32);
  CheckToInteger<U32, float>("%r0", "u32", "%r1", "f32", kF32);
  CheckToInteger<S64, float>("%d0", "s64", "%r1", "f32", kF32);
  CheckToInteger<U64, float>("%d0", "u64", "%r1", "f32", kF32);
  CheckToInteger<S16, float>("%h0", "s16", "%r1", "f32", kF32);
  CheckToInteger<U8, float>("%r0", "u8", "%r1", "f32", kF32);
  CheckToInteger<S8, float>("%r0", "s8", "%r1", "f32", kF32);
  CheckToInteger<S32, double>("%r0", "s32", "%d1", "f64", kF64);
  CheckToInteger<U32, double>("%r0", "u32", "%d1", "f64", kF64);
  CheckToInteger<S64, double>("%d0", "s64", "%d1", "f64", kF64);
  CheckToInteger<U64, double>("%d0", "u64", "%d1", "f64", kF64);
  CheckToInteger<S32, F16Bits>("%r0", "s32", "%h1", "f16", kF16);
  CheckToInteger<U16, F16Bits>("%h0", "u16", "%h1", "f16", kF16);
  CheckToInteger<S64, Bf16Bits>("%d0", "s64", "%h1", "bf16", kBf16);
  Check("cvt.rpi.ftz.s32.f32 %r0, %r1;", [](float a) {
    const float flushed = std::fpclassify(a) == FP_SUBNORMAL ? 0.0F : a;
    return static_cast<U32>(ToInteger<S32>(flushed, Direction::kUp, false));
  });
}

/// Between floats, in one rounding.
template <class S>
void CheckRounding(const std::string& ptx, BinaryFormat to, BinaryFormat from,
                   Direction direction) {
  CheckLanes(ptx, 1, OperandsOf<S>(), [=](const LaneBits& s) {
    return LaneBits{RoundTo(to, ValueOf(from, s[0]), direction)};
  });
}

TEST(ConvertOps, FloatToFloat) {
  CheckRounding<float>("cvt.rn.f16.f32 %h0, %r1;", kF16, kF32, Direction::kNearest);
  CheckRounding<float>("cvt.rz.f16.f32 %h0, %r1;", kF16, kF32, Direction::kZero);
  CheckRounding<float>("cvt.rm.f16.f32 %h0, %r1;", kF16, kF32, Direction::kDown);
  CheckRounding<float>("cvt.rp.f16.f32 %h0, %r1;", kF16, kF32, Direction::kUp);
  CheckRounding<float>("cvt.rn.bf16.f32 %h0, %r1;", kBf16, kF32, Direction::kNearest);
  CheckRounding<float>("cvt.rz.bf16.f32 %h0, %r1;", kBf16, kF32, Direction::kZero);
  CheckRounding<double>("cvt.rn.f16.f64 %h0, %d1;", kF16, kF64, Direction::kNearest);
  CheckRounding<double>("cvt.rm.f16.f64 %h0, %d1;", kF16, kF64, Direction::kDown);
  CheckRounding<double>("cvt.rn.bf16.f64 %h0, %d1;", kBf16, kF64, Direction::kNearest);
  CheckRounding<double>("cvt.rn.f32.f64 %r0, %d1;", kF32, kF64, Direction::kNearest);
  CheckRounding<double>("cvt.rz.f32.f64 %r0, %d1;", kF32, kF64, Direction::kZero);
  CheckRounding<double>("cvt.rm.f32.f64 %r0, %d1;", kF32, kF64, Direction::kDown);
  CheckRounding<double>("cvt.rp.f32.f64 %r0, %d1;", kF32, kF64, Direction::kUp);
  CheckRounding<F16Bits>("cvt.f32.f16 %r0, %h1;", kF32, kF16, Direction::kNearest);
  Check("cvt.f32.bf16 %r0, %h1;", [](U16 a) { return U32{a} << 16U; });
  Check("cvt.f64.f32 %d0, %r1;", [](float a) { return static_cast<double>(a); });
  Check("cvt.sat.f32.f32 %r0, %r1;",
        [](float a) { return std::isnan(a) || a <= 0 ? 0.0F : (a > 1 ? 1.0F : a); });
  Check("cvt.ftz.sat.f32.f32 %r0, %r1;",
        [](float a) { return std::isnan(a) || a < 0x1p-126F ? 0.0F : (a > 1 ? 1.0F : a); });
  Check("cvt.rni.f32.f32 %r0, %r1;", [](float a) {
    return std::isnan(a) ? std::bit_cast<float>(0x7fffffffU) : std::nearbyint(a);
  });
  Check("cvt.rmi.f32.f32 %r0, %r1;",
        [](float a) { return std::isnan(a) ? std::bit_cast<float>(0x7fffffffU) : std::floor(a); });
  Check("cvt.rpi.ftz.f32.f32 %r0, %r1;", [](float a) {
    const float flushed = std::fpclassify(a) == FP_SUBNORMAL ? std::copysign(0.0F, a) : a;
    return std::isnan(a) ? std::bit_cast<float>(0x7fffffffU) : std::ceil(flushed);
  });
  Check("cvt.rzi.f64.f64 %d0, %d1;", [](double a) {
    const auto quiet = std::bit_cast<double>(std::bit_cast<U64>(a) | 0x0008000000000000U);
    return std::isnan(a) ? quiet : std::trunc(a);
  });
}

TEST(ConvertOps, Pairs) {
  CheckLanes("cvt.rn.f16x2.f32 %r0, %r1, %r2;", 1, OperandsOf<float, float>(),
             [](const LaneBits& s) {
               return LaneBits{RoundTo(kF16, ValueOf(kF32, s[0]), Direction::kNearest) << 16U |
                               RoundTo(kF16, ValueOf(kF32, s[1]), Direction::kNearest)};
             });
  CheckLanes("cvt.rz.bf16x2.f32 %r0, %r1, %r2;", 1, OperandsOf<float, float>(),
             [](const LaneBits& s) {
               return LaneBits{RoundTo(kBf16, ValueOf(kF32, s[0]), Direction::kZero) << 16U |
                               RoundTo(kBf16, ValueOf(kF32, s[1]), Direction::kZero)};
             });
  CheckLanes("cvt.rn.relu.bf16x2.f32 %r0, %r1, %r2;", 1, OperandsOf<float, float>(),
             [](const LaneBits& s) {
               const auto relu = [](U64 bits) {
                 const long double value = ValueOf(kF32, bits);
                 return RoundTo(kBf16, value <= 0 ? 0 : value, Direction::kNearest);
               };
               return LaneBits{relu(s[0]) << 16U | relu(s[1])};
             });
}

template <class F>
void CheckBytes(const std::string& ptx, BinaryFormat format, F prepare) {
  CheckLanes(ptx, 1, OperandsOf<float, float>(), [=](const LaneBits& s) {
    const auto byte = [&](U64 bits) {
      return RoundTo(format, prepare(ValueOf(kF32, bits)), Direction::kNearest, true);
    };
    return LaneBits{byte(s[0]) << 8U | byte(s[1])};
  });
}

TEST(ConvertOps, Bytes) {
  const auto same = [](long double value) { return value; };
  const auto relu = [](long double value) { return value <= 0 ? 0 : value; };
  CheckBytes("cvt.rn.satfinite.e4m3x2.f32 %h0, %r1, %r2;", kE4m3, same);
  CheckBytes("cvt.rn.satfinite.e5m2x2.f32 %h0, %r1, %r2;", kE5m2, same);
  CheckBytes("cvt.rn.satfinite.relu.e5m2x2.f32 %h0, %r1, %r2;", kE5m2, relu);
  CheckLanes("cvt.rn.satfinite.e4m3x2.f16x2 %h0, %r1;", 1, OperandsOf<F16Pair>(),
             [](const LaneBits& s) {
               const auto byte = [&](U64 bits) {
                 return RoundTo(kE4m3, ValueOf(kF16, bits & 0xffffU), Direction::kNearest, true);
               };
               return LaneBits{byte(s[0] >> 16U) << 8U | byte(s[0])};
             });
  const auto widen = [](BinaryFormat format) {
    return [format](const LaneBits& s) {
      const auto half = [&](U64 byte) {
        return RoundTo(kF16, ValueOf(format, byte & 0xffU), Direction::kNearest);
      };
      return LaneBits{half(s[0] >> 8U) << 16U | half(s[0])};
    };
  };
  CheckLanes("cvt.rn.f16x2.e4m3x2 %r0, %h1;", 1, OperandsOf<U16>(), widen(kE4m3));
  CheckLanes("cvt.rn.f16x2.e5m2x2 %r0, %h1;", 1, OperandsOf<U16>(), widen(kE5m2));
}

TEST(ConvertOps, Tf32) {
  const auto tf32 = [](Direction direction) {
    return [direction](const LaneBits& s) {
      const long double value = ValueOf(kF32, s[0]);
      return LaneBits{std::isnan(value) ? 0x7fffffffU : RoundTo(kTf32, value, direction) << 13U};
    };
  };
  CheckLanes("cvt.rna.tf32.f32 %r0, %r1;", 1, OperandsOf<float>(), tf32(Direction::kNearestAway));
  CheckLanes("cvt.rn.tf32.f32 %r0, %r1;", 1, OperandsOf<float>(), tf32(Direction::kNearest));
  CheckLanes("cvt.rz.tf32.f32 %r0, %r1;", 1, OperandsOf<float>(), tf32(Direction::kZero));
}

}  // namespace
}  // namespace assay::gpu::testing
