// SPDX-License-Identifier: Apache-2.0
// f32 and f64 arithmetic against the C library's, with its rounding mode set, or in long double.
#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>

#include "emulator/ops/arithmetic_rig.h"

namespace assay::gpu::testing {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

float Canonical(float value) {
  return std::isnan(value) ? std::bit_cast<float>(0x7fffffffU) : value;
}
float Flushed(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0F, value) : value;
}
float Saturated(float value) {
  return std::isnan(value) || value <= 0 ? 0.0F : (value > 1 ? 1.0F : value);
}
/// The first NaN among operands, quiet; or the one that an invalid operation makes.
double Nan64(double a, double b = 0, double c = 0) {
  for (const double x : {a, b, c}) {
    if (std::isnan(x)) {
      return std::bit_cast<double>(std::bit_cast<U64>(x) | 0x0008000000000000U);
    }
  }
  return std::bit_cast<double>(0xfff8000000000000U);
}

/// Evaluates in a rounding mode; noinline and volatile keep a compiler from doing it beforehand.
template <class T, class F>
__attribute__((noinline)) T In(int mode, F f) {
  const int saved = std::fegetround();
  std::fesetround(mode);
  const volatile T result = f();
  std::fesetround(saved);
  return result;
}

template <int kMode>
float Add(float a, float b) {
  const volatile float x = a, y = b;
  return Canonical(In<float>(kMode, [&] { return x + y; }));
}
template <int kMode>
float Multiply(float a, float b) {
  const volatile float x = a, y = b;
  return Canonical(In<float>(kMode, [&] { return x * y; }));
}
template <int kMode>
float Divide(float a, float b) {
  const volatile float x = a, y = b;
  return Canonical(In<float>(kMode, [&] { return x / y; }));
}
template <int kMode>
float Fma(float a, float b, float c) {
  const volatile float x = a, y = b, z = c;
  return Canonical(In<float>(kMode, [&] { return std::fma(x, y, z); }));
}
template <int kMode>
float Root(float a) {
  const volatile float x = a;
  return Canonical(In<float>(kMode, [&] { return std::sqrt(x); }));
}
template <int kMode>
double Add64(double a, double b) {
  const volatile double x = a, y = b;
  const double sum = In<double>(kMode, [&] { return x + y; });
  return std::isnan(sum) ? Nan64(a, b) : sum;
}
template <int kMode>
double Multiply64(double a, double b) {
  const volatile double x = a, y = b;
  const double product = In<double>(kMode, [&] { return x * y; });
  return std::isnan(product) ? Nan64(a, b) : product;
}
template <int kMode>
double Divide64(double a, double b) {
  const volatile double x = a, y = b;
  const double quotient = In<double>(kMode, [&] { return x / y; });
  return std::isnan(quotient) ? Nan64(a, b) : quotient;
}
template <int kMode>
double Fma64(double a, double b, double c) {
  const volatile double x = a, y = b, z = c;
  const double sum = In<double>(kMode, [&] { return std::fma(x, y, z); });
  return std::isnan(sum) ? Nan64(a, b, c) : sum;
}
template <int kMode>
double Root64(double a) {
  const volatile double x = a;
  const double root = In<double>(kMode, [&] { return std::sqrt(x); });
  return std::isnan(root) ? Nan64(a) : root;
}

TEST(FloatOps, RoundsSums) {
  Check("add.f32 %r0, %r1, %r2;", Add<FE_TONEAREST>);
  Check("add.rn.f32 %r0, %r1, %r2;", Add<FE_TONEAREST>);
  Check("add.rz.f32 %r0, %r1, %r2;", Add<FE_TOWARDZERO>);
  Check("add.rm.f32 %r0, %r1, %r2;", Add<FE_DOWNWARD>);
  Check("add.rp.f32 %r0, %r1, %r2;", Add<FE_UPWARD>);
  Check("sub.f32 %r0, %r1, %r2;",
        [](float a, float b) { return std::isnan(b) ? Canonical(b) : Add<FE_TONEAREST>(a, -b); });
  Check("sub.rm.f32 %r0, %r1, %r2;",
        [](float a, float b) { return std::isnan(b) ? Canonical(b) : Add<FE_DOWNWARD>(a, -b); });
  Check("add.f64 %d0, %d1, %d2;", Add64<FE_TONEAREST>);
  Check("add.rz.f64 %d0, %d1, %d2;", Add64<FE_TOWARDZERO>);
  Check("add.rm.f64 %d0, %d1, %d2;", Add64<FE_DOWNWARD>);
  Check("add.rp.f64 %d0, %d1, %d2;", Add64<FE_UPWARD>);
}

TEST(FloatOps, RoundsProducts) {
  Check("mul.f32 %r0, %r1, %r2;", Multiply<FE_TONEAREST>);
  Check("mul.rz.f32 %r0, %r1, %r2;", Multiply<FE_TOWARDZERO>);
  Check("mul.rm.f32 %r0, %r1, %r2;", Multiply<FE_DOWNWARD>);
  Check("mul.rp.f32 %r0, %r1, %r2;", Multiply<FE_UPWARD>);
  Check("mul.f64 %d0, %d1, %d2;", Multiply64<FE_TONEAREST>);
  Check("mul.rp.f64 %d0, %d1, %d2;", Multiply64<FE_UPWARD>);
  Check("fma.rn.f32 %r0, %r1, %r2, %r3;", Fma<FE_TONEAREST>);
  Check("fma.rz.f32 %r0, %r1, %r2, %r3;", Fma<FE_TOWARDZERO>);
  Check("fma.rm.f32 %r0, %r1, %r2, %r3;", Fma<FE_DOWNWARD>);
  Check("fma.rp.f32 %r0, %r1, %r2, %r3;", Fma<FE_UPWARD>);
  Check("mad.rn.f32 %r0, %r1, %r2, %r3;", Fma<FE_TONEAREST>);
  Check("fma.rn.f64 %d0, %d1, %d2, %d3;", Fma64<FE_TONEAREST>);
  Check("fma.rz.f64 %d0, %d1, %d2, %d3;", Fma64<FE_TOWARDZERO>);
  Check("fma.rm.f64 %d0, %d1, %d2, %d3;", Fma64<FE_DOWNWARD>);
  Check("fma.rp.f64 %d0, %d1, %d2, %d3;", Fma64<FE_UPWARD>);
}

TEST(FloatOps, RoundsQuotientsAndRoots) {
  Check("div.rn.f32 %r0, %r1, %r2;", Divide<FE_TONEAREST>);
  Check("div.rz.f32 %r0, %r1, %r2;", Divide<FE_TOWARDZERO>);
  Check("div.rm.f32 %r0, %r1, %r2;", Divide<FE_DOWNWARD>);
  Check("div.rp.f32 %r0, %r1, %r2;", Divide<FE_UPWARD>);
  Check("div.rn.f64 %d0, %d1, %d2;", Divide64<FE_TONEAREST>);
  Check("div.rm.f64 %d0, %d1, %d2;", Divide64<FE_DOWNWARD>);
  Check("rcp.rn.f32 %r0, %r1;", [](float a) { return Divide<FE_TONEAREST>(1, a); });
  Check("rcp.rp.f32 %r0, %r1;", [](float a) { return Divide<FE_UPWARD>(1, a); });
  Check("rcp.rz.f64 %d0, %d1;", [](double a) { return Divide64<FE_TOWARDZERO>(1, a); });
  Check("sqrt.rn.f32 %r0, %r1;", Root<FE_TONEAREST>);
  Check("sqrt.rz.f32 %r0, %r1;", Root<FE_TOWARDZERO>);
  Check("sqrt.rp.f32 %r0, %r1;", Root<FE_UPWARD>);
  Check("sqrt.rn.f64 %d0, %d1;", Root64<FE_TONEAREST>);
  Check("sqrt.rm.f64 %d0, %d1;", Root64<FE_DOWNWARD>);
}

TEST(FloatOps, FlushesAndSaturates) {
  Check("add.ftz.f32 %r0, %r1, %r2;",
        [](float a, float b) { return Flushed(Add<FE_TONEAREST>(Flushed(a), Flushed(b))); });
  Check("mul.ftz.f32 %r0, %r1, %r2;",
        [](float a, float b) { return Flushed(Multiply<FE_TONEAREST>(Flushed(a), Flushed(b))); });
  Check("fma.rn.ftz.f32 %r0, %r1, %r2, %r3;", [](float a, float b, float c) {
    return Flushed(Fma<FE_TONEAREST>(Flushed(a), Flushed(b), Flushed(c)));
  });
  Check("fma.rn.sat.f32 %r0, %r1, %r2, %r3;",
        [](float a, float b, float c) { return Saturated(Fma<FE_TONEAREST>(a, b, c)); });
  Check("add.ftz.sat.f32 %r0, %r1, %r2;", [](float a, float b) {
    return Saturated(Flushed(Add<FE_TONEAREST>(Flushed(a), Flushed(b))));
  });
  Check("sub.sat.f32 %r0, %r1, %r2;", [](float a, float b) {
    return std::isnan(b) ? 0.0F : Saturated(Add<FE_TONEAREST>(a, -b));
  });
  Check("div.rn.ftz.f32 %r0, %r1, %r2;",
        [](float a, float b) { return Flushed(Divide<FE_TONEAREST>(Flushed(a), Flushed(b))); });
  Check("sqrt.rn.ftz.f32 %r0, %r1;",
        [](float a) { return Flushed(Root<FE_TONEAREST>(Flushed(a))); });
}

/// -0 is below +0.
template <class T>
bool IsBelow(T a, T b) {
  return a < b || (a == b && std::signbit(a) && !std::signbit(b));
}
template <bool kMaximum>
float Extremum(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) {
    return Canonical(std::isnan(a) ? b : a);
  }
  return IsBelow(a, b) != kMaximum ? a : b;
}

/// .xorsign.abs: the size of one, with the sign of the product of both.
template <bool kMaximum>
float SignedExtremum(float a, float b) {
  const float size = Extremum<kMaximum>(std::fabs(a), std::fabs(b));
  const bool is_negative = std::signbit(a) != std::signbit(b);
  return std::isnan(size) ? size : std::copysign(size, is_negative ? -1.0F : 1.0F);
}

TEST(FloatOps, MinimumMaximum) {
  Check("min.f32 %r0, %r1, %r2;", Extremum<false>);
  Check("max.f32 %r0, %r1, %r2;", Extremum<true>);
  Check("max.ftz.f32 %r0, %r1, %r2;",
        [](float a, float b) { return Extremum<true>(Flushed(a), Flushed(b)); });
  Check("min.NaN.f32 %r0, %r1, %r2;", [](float a, float b) {
    return std::isnan(a) || std::isnan(b) ? Canonical(NAN) : Extremum<false>(a, b);
  });
  Check("min.xorsign.abs.f32 %r0, %r1, %r2;", SignedExtremum<false>);
  Check("max.ftz.xorsign.abs.f32 %r0, %r1, %r2;",
        [](float a, float b) { return SignedExtremum<true>(Flushed(a), Flushed(b)); });
  Check("max.f64 %d0, %d1, %d2;", [](double a, double b) {
    if (std::isnan(a) || std::isnan(b)) {
      return std::isnan(a) && std::isnan(b) ? Nan64(a) : (std::isnan(a) ? b : a);
    }
    return IsBelow(a, b) ? b : a;
  });
}

TEST(FloatOps, SignsAndProperties) {
  Check("neg.f32 %r0, %r1;", [](U32 a) { return a ^ 0x80000000U; });
  Check("abs.f32 %r0, %r1;", [](U32 a) { return a & 0x7fffffffU; });
  Check("neg.ftz.f32 %r0, %r1;", [](float a) { return -Flushed(a); });
  Check("abs.f64 %d0, %d1;", [](U64 a) { return a & ~0x8000000000000000U; });
  Check("copysign.f32 %r0, %r1, %r2;",
        [](U32 a, U32 b) { return (a & 0x80000000U) | (b & 0x7fffffffU); });
  Check("testp.finite.f32 %p0, %r1;", [](float a) { return std::isfinite(a); });
  Check("testp.infinite.f64 %p0, %d1;", [](double a) { return std::isinf(a); });
  Check("testp.number.f32 %p0, %r1;", [](float a) { return !std::isnan(a); });
  Check("testp.notanumber.f64 %p0, %d1;", [](double a) { return std::isnan(a); });
  Check("testp.normal.f32 %p0, %r1;", [](float a) { return std::isnormal(a); });
  Check("testp.subnormal.f32 %p0, %r1;",
        [](float a) { return std::fpclassify(a) == FP_SUBNORMAL; });
}

}  // namespace
}  // namespace assay::gpu::testing
