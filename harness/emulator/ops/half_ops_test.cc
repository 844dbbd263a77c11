// SPDX-License-Identifier: Apache-2.0
// f16 and bf16: each result against the exact one, in long double, rounded once.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "emulator/ops/arithmetic_rig.h"
#include "emulator/ops/rounding_reference.h"

namespace assay::gpu::testing {
namespace {

using U16 = std::uint16_t;
using U32 = std::uint32_t;

F16Bits To16(long double value) {
  return {static_cast<U16>(RoundTo(kF16, value, Direction::kNearest))};
}
Bf16Bits ToB16(long double value) {
  return {static_cast<U16>(RoundTo(kBf16, value, Direction::kNearest))};
}
long double Of(F16Bits a) { return ValueOf(kF16, a.bits); }
long double Of(Bf16Bits a) { return ValueOf(kBf16, a.bits); }

/// long double has 64 bits: enough for sums and products of f16. Sums of bf16 may have more; there
/// the smaller one counts only by its sign.
long double Sum(long double a, long double b) {
  const long double sum = a + b;
  const long double error = std::fabs(a) > std::fabs(b) ? b - (sum - a) : a - (sum - b);
  if (!std::isfinite(sum) || error == 0) {
    return sum;
  }
  return std::nextafterl(sum, error > 0 ? INFINITY : -INFINITY);
}

TEST(HalfOps, Arithmetic) {
  Check("add.f16 %h0, %h1, %h2;", [](F16Bits a, F16Bits b) { return To16(Of(a) + Of(b)); });
  Check("sub.rn.f16 %h0, %h1, %h2;", [](F16Bits a, F16Bits b) { return To16(Of(a) - Of(b)); });
  Check("mul.f16 %h0, %h1, %h2;", [](F16Bits a, F16Bits b) { return To16(Of(a) * Of(b)); });
  Check("fma.rn.f16 %h0, %h1, %h2, %h3;",
        [](F16Bits a, F16Bits b, F16Bits c) { return To16(Sum(Of(a) * Of(b), Of(c))); });
  Check("add.rn.bf16 %h0, %h1, %h2;",
        [](Bf16Bits a, Bf16Bits b) { return ToB16(Sum(Of(a), Of(b))); });
  Check("sub.rn.bf16 %h0, %h1, %h2;",
        [](Bf16Bits a, Bf16Bits b) { return ToB16(Sum(Of(a), -Of(b))); });
  Check("mul.rn.bf16 %h0, %h1, %h2;", [](Bf16Bits a, Bf16Bits b) { return ToB16(Of(a) * Of(b)); });
  Check("fma.rn.bf16 %h0, %h1, %h2, %h3;",
        [](Bf16Bits a, Bf16Bits b, Bf16Bits c) { return ToB16(Sum(Of(a) * Of(b), Of(c))); });
}

template <class Half, class F>
U32 OnPair(U32 a, U32 b, U32 c, F f) {
  const auto low = [](U32 x) { return Half{static_cast<U16>(x)}; };
  const auto high = [](U32 x) { return Half{static_cast<U16>(x >> 16U)}; };
  return U32{f(high(a), high(b), high(c)).bits} << 16U | f(low(a), low(b), low(c)).bits;
}

TEST(HalfOps, Pairs) {
  Check("add.f16x2 %r0, %r1, %r2;", [](F16Pair a, F16Pair b) {
    return OnPair<F16Bits>(a.bits, b.bits, 0,
                           [](F16Bits x, F16Bits y, F16Bits) { return To16(Of(x) + Of(y)); });
  });
  Check("fma.rn.f16x2 %r0, %r1, %r2, %r3;", [](F16Pair a, F16Pair b, F16Pair c) {
    return OnPair<F16Bits>(a.bits, b.bits, c.bits, [](F16Bits x, F16Bits y, F16Bits z) {
      return To16(Sum(Of(x) * Of(y), Of(z)));
    });
  });
  Check("fma.rn.relu.bf16x2 %r0, %r1, %r2, %r3;", [](Bf16Pair a, Bf16Pair b, Bf16Pair c) {
    return OnPair<Bf16Bits>(a.bits, b.bits, c.bits, [](Bf16Bits x, Bf16Bits y, Bf16Bits z) {
      const long double sum = Sum(Of(x) * Of(y), Of(z));
      return ToB16(sum <= 0 ? 0 : sum);
    });
  });
  Check("mul.sat.f16x2 %r0, %r1, %r2;", [](F16Pair a, F16Pair b) {
    return OnPair<F16Bits>(a.bits, b.bits, 0, [](F16Bits x, F16Bits y, F16Bits) {
      const long double product = Of(x) * Of(y);
      return To16(std::isnan(product) || product <= 0 ? 0 : (product > 1 ? 1 : product));
    });
  });
  Check("max.f16x2 %r0, %r1, %r2;", [](F16Pair a, F16Pair b) {
    return OnPair<F16Bits>(a.bits, b.bits, 0, [](F16Bits x, F16Bits y, F16Bits) {
      if (std::isnan(Of(x)) || std::isnan(Of(y))) {
        return To16(std::isnan(Of(x)) ? Of(y) : Of(x));
      }
      return Of(x) > Of(y) || (Of(x) == Of(y) && (x.bits & 0x8000U) == 0) ? x : y;
    });
  });
  Check("neg.bf16x2 %r0, %r1;", [](Bf16Pair a) { return a.bits ^ 0x80008000U; });
  Check("abs.f16 %h0, %h1;", [](F16Bits a) { return static_cast<U16>(a.bits & 0x7fffU); });
  Check("set.eq.f16x2.f16x2 %r0, %r1, %r2;", [](F16Pair a, F16Pair b) {
    return OnPair<F16Bits>(a.bits, b.bits, 0, [](F16Bits x, F16Bits y, F16Bits) {
      return To16(Of(x) == Of(y) ? 1 : 0);
    });
  });
  Check("setp.lt.f16 %p0, %h1, %h2;", [](F16Bits a, F16Bits b) { return Of(a) < Of(b); });
  Check("setp.geu.bf16 %p0, %h1, %h2;", [](Bf16Bits a, Bf16Bits b) { return !(Of(a) < Of(b)); });
  CheckLanes("setp.gt.f16x2 %p0|%p3, %r1, %r2;", 2, OperandsOf<F16Pair, F16Pair>(),
             [](const LaneBits& s) {
               const auto above = [&](int shift) {
                 return Of(F16Bits{static_cast<U16>(s[0] >> shift)}) >
                        Of(F16Bits{static_cast<U16>(s[1] >> shift)});
               };
               return LaneBits{above(0), above(16)};
             });
}

/// Of numbers; -0 is less than +0.
template <class Half>
Half Lesser(Half a, Half b) {
  return Of(a) < Of(b) || (Of(a) == Of(b) && (a.bits & 0x8000U) != 0) ? a : b;
}

TEST(HalfOps, MinimumMaximum) {
  Check("min.bf16 %h0, %h1, %h2;", [](Bf16Bits a, Bf16Bits b) {
    if (std::isnan(Of(a)) || std::isnan(Of(b))) {
      return ToB16(std::isnan(Of(a)) ? Of(b) : Of(a));
    }
    return Lesser(a, b);
  });
  Check("min.NaN.f16 %h0, %h1, %h2;", [](F16Bits a, F16Bits b) {
    return std::isnan(Of(a)) || std::isnan(Of(b)) ? To16(NAN) : Lesser(a, b);
  });
  Check("min.NaN.xorsign.abs.bf16 %h0, %h1, %h2;", [](Bf16Bits a, Bf16Bits b) {
    if (std::isnan(Of(a)) || std::isnan(Of(b))) {
      return ToB16(NAN);
    }
    const U32 sign = (a.bits ^ b.bits) & 0x8000U;
    a.bits &= 0x7fffU;
    b.bits &= 0x7fffU;
    return Bf16Bits{static_cast<U16>(Lesser(a, b).bits | sign)};
  });
}

}  // namespace
}  // namespace assay::gpu::testing
