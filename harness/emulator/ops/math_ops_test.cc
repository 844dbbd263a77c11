// SPDX-License-Identifier: Apache-2.0
// Approximate functions: within a rounding of long double's, the same in every instruction set,
// special values as documented; and perturbed within the documented error.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

#include "emulator/ops/arithmetic_rig.h"
#include "emulator/ops/variants.h"

namespace assay::gpu::testing {
namespace {

using U32 = std::uint32_t;
using Function = long double (*)(long double);

std::vector<LaneBits> Inputs(float low, float high) {
  std::vector<LaneBits> inputs = OperandsOf<float>();
  for (int i = 0; i <= 20'000; ++i) {
    const float x = low + (high - low) * static_cast<float>(i) / 20'000;
    inputs.push_back(LaneBits{std::bit_cast<U32>(x)});
  }
  return inputs;
}

/// Units in the last place of an f32 between `got` and the exact `wanted`.
long double UlpError(float got, long double wanted) {
  int exponent = 0;
  std::frexp(wanted, &exponent);
  const long double ulp = std::ldexp(1.0L, std::max(exponent, -125) - 24);
  return std::fabs((static_cast<long double>(got) - wanted) / ulp);
}

struct Tolerance {
  long double ulps;
  long double absolute = 0;
};

void CheckFunction(const std::string& ptx, Function exact, float low, float high,
                   Tolerance tolerance, const DeviceOptions& options = {}) {
  const std::vector<LaneBits> inputs = Inputs(low, high);
  for (std::size_t variant = 0; variant < ArithmeticVariants().size(); ++variant) {
    const std::vector<LaneBits> results = RunLanes(ptx, 1, inputs, variant, options);
    ASSERT_EQ(results.size(), inputs.size());
    int mistakes = 0;
    for (std::size_t i = 0; i < inputs.size() && mistakes < 4; ++i) {
      const float x = FromLaneBits<float>(inputs[i][0]);
      const float got = FromLaneBits<float>(results[i][0]);
      const long double wanted = exact(x);
      const auto rounded = static_cast<float>(wanted);
      bool right = false;
      if (std::isnan(wanted)) {
        right = results[i][0] == 0x7fffffffU;
      } else if (std::isinf(rounded) || wanted == 0) {
        right = std::bit_cast<U32>(rounded) == results[i][0];
      } else {
        right = UlpError(got, wanted) <= tolerance.ulps ||
                std::fabs(static_cast<long double>(got) - wanted) <= tolerance.absolute;
      }
      if (!right) {
        ++mistakes;
        ADD_FAILURE() << ptx << " in " << ArithmeticVariants()[variant].name << " of " << x << ": "
                      << got << ", not " << rounded;
      }
    }
  }
}

long double Exp2(long double x) { return std::exp2(x); }
long double Log2(long double x) { return std::log2(x); }
long double Sin(long double x) { return std::sin(x); }
long double Cos(long double x) { return std::cos(x); }
long double Tanh(long double x) { return std::tanh(x); }
long double Rsqrt(long double x) { return 1 / std::sqrt(x); }
long double Rcp(long double x) { return 1 / x; }
long double Sqrt(long double x) { return std::sqrt(x); }

// A hair over half a unit: rounded from a result with an error of 1e-11 and less.
constexpr Tolerance kRounded{0.5001L};

TEST(MathOps, IsNearlyCorrectlyRounded) {
  CheckFunction("ex2.approx.f32 %r0, %r1;", Exp2, -150, 130, kRounded);
  CheckFunction("ex2.approx.f32 %r0, %r1;", Exp2, -1, 1, kRounded);
  CheckFunction("lg2.approx.f32 %r0, %r1;", Log2, 0.25F, 4, kRounded);
  CheckFunction("lg2.approx.f32 %r0, %r1;", Log2, 0, 1e30F, kRounded);
  CheckFunction("sin.approx.f32 %r0, %r1;", Sin, -400, 400, {0.5001L, 1e-14L});
  CheckFunction("cos.approx.f32 %r0, %r1;", Cos, -400, 400, {0.5001L, 1e-14L});
  CheckFunction("sin.approx.f32 %r0, %r1;", Sin, -1e8F, 1e8F, {0.51L, 1e-9L});
  CheckFunction("tanh.approx.f32 %r0, %r1;", Tanh, -12, 12, kRounded);
  CheckFunction("tanh.approx.f32 %r0, %r1;", Tanh, -0.3F, 0.3F, kRounded);
  CheckFunction("rsqrt.approx.f32 %r0, %r1;", Rsqrt, 0.25F, 4, kRounded);
  CheckFunction("rcp.approx.f32 %r0, %r1;", Rcp, 0.5F, 4, kRounded);
  CheckFunction("sqrt.approx.f32 %r0, %r1;", Sqrt, 0, 4, kRounded);
}

TEST(MathOps, FlushesSubnormals) {
  const std::vector<LaneBits> inputs{LaneBits{0xc2fe0000},   // -127: 2^-127 is subnormal
                                     LaneBits{0xc2fc0000}};  // -126
  for (std::size_t variant = 0; variant < ArithmeticVariants().size(); ++variant) {
    const auto flushed = RunLanes("ex2.approx.ftz.f32 %r0, %r1;", 1, inputs, variant);
    EXPECT_EQ(flushed[0][0], 0U);
    EXPECT_EQ(flushed[1][0], 0x00800000U);
    const auto kept = RunLanes("ex2.approx.f32 %r0, %r1;", 1, inputs, variant);
    EXPECT_EQ(kept[0][0], 0x00400000U);
    const std::vector<LaneBits> least{LaneBits{0x80000001}};
    EXPECT_EQ(RunLanes("rcp.approx.ftz.f32 %r0, %r1;", 1, least, variant)[0][0], 0xff800000U);
    EXPECT_EQ(RunLanes("lg2.approx.ftz.f32 %r0, %r1;", 1, least, variant)[0][0], 0xff800000U);
  }
}

TEST(MathOps, Divides) {
  Check("div.full.f32 %r0, %r1, %r2;", [](float a, float b) {
    const float quotient = a / b;
    return std::isnan(quotient) ? std::bit_cast<float>(0x7fffffffU) : quotient;
  });
  Check("div.approx.f32 %r0, %r1, %r2;", [](float a, float b) {
    const bool huge = std::fabs(b) > 0x1p126F && std::isfinite(b);
    const float quotient = huge ? a * std::copysign(0.0F, b) : a / b;
    return std::isnan(quotient) ? std::bit_cast<float>(0x7fffffffU) : quotient;
  });
}

TEST(MathOps, PerturbsWithinTheDocumentedError) {
  DeviceOptions options;
  options.approximation = Approximation::kPerturbed;
  options.seed = 11;
  CheckFunction("rcp.approx.f32 %r0, %r1;", Rcp, 0.5F, 4, {1}, options);
  CheckFunction("sqrt.approx.f32 %r0, %r1;", Sqrt, 0, 4, {2}, options);
  CheckFunction("ex2.approx.f32 %r0, %r1;", Exp2, -1, 1, {4}, options);
  CheckFunction("sin.approx.f32 %r0, %r1;", Sin, -6, 6, {0.5001L, 6.75e-7L}, options);
  const std::vector<LaneBits> inputs = Inputs(1, 2);
  for (const char* ptx : {"ex2.approx.f32 %r0, %r1;", "rsqrt.approx.f32 %r0, %r1;"}) {
    const auto first = RunLanes(ptx, 1, inputs, 0, options);
    EXPECT_EQ(first, RunLanes(ptx, 1, inputs, ArithmeticVariants().size() - 1, options)) << ptx;
    EXPECT_NE(first, RunLanes(ptx, 1, inputs, 0)) << ptx;
    DeviceOptions other = options;
    other.seed = 12;
    EXPECT_NE(first, RunLanes(ptx, 1, inputs, 0, other)) << ptx;
  }
}

TEST(MathOps, PerturbsNoPowerOfZero) {
  DeviceOptions options;
  options.approximation = Approximation::kPerturbed;
  const std::vector<LaneBits> zeros = {LaneBits{std::bit_cast<U32>(0.0F)},
                                       LaneBits{std::bit_cast<U32>(-0.0F)}};
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    options.seed = seed;
    for (const char* ptx : {"ex2.approx.f32 %r0, %r1;", "ex2.approx.ftz.f32 %r0, %r1;"}) {
      for (const LaneBits result : RunLanes(ptx, 1, zeros, 0, options)) {
        EXPECT_EQ(result, LaneBits{std::bit_cast<U32>(1.0F)}) << ptx << " seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace assay::gpu::testing
