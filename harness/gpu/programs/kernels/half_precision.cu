// SPDX-License-Identifier: Apache-2.0
// half and bfloat16: conversions with every rounding, scalar and packed arithmetic, comparisons,
// minimum and maximum, fused multiply-add, atomics (by compare-and-swap where the GPU has no
// others).
// COUNTERS: vary
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "../common/check.h"

constexpr int kSize = 256;

__global__ void HalfArithmetic(const float* a, const float* b, float* out) {
  const int i = threadIdx.x;
  const __half x = __float2half(a[i]);
  const __half y = __float2half(b[i]);
  float* o = out + 12 * i;
  o[0] = __half2float(x);
  o[1] = __half2float(__hadd(x, y));
  o[2] = __half2float(__hmul(x, y));
  o[3] = __half2float(__hfma(x, y, x));
  o[4] = __half2float(__hmax(x, y));
  o[5] = __hlt(x, y) ? 1.0F : 0.0F;
  o[6] = __half2float(__float2half_rz(a[i]));
  o[7] = __half2float(__float2half_ru(a[i]));
  const __half2 packed = __hfma2(__halves2half2(x, y), __halves2half2(y, y), __half2half2(x));
  o[8] = __low2float(packed);
  o[9] = __high2float(packed);
  o[10] = __half2float(x / y);
  o[11] = static_cast<float>(__half2int_rn(x));
}

__global__ void BfloatArithmetic(const float* a, const float* b, float* out) {
  const int i = threadIdx.x;
  const __nv_bfloat16 x = __float2bfloat16(a[i]);
  const __nv_bfloat16 y = __float2bfloat16(b[i]);
  float* o = out + 6 * i;
  o[0] = __bfloat162float(x);
  o[1] = __bfloat162float(__hadd(x, y));
  o[2] = __bfloat162float(__hmul(x, y));
  o[3] = __bfloat162float(__hfma(x, y, x));
  const __nv_bfloat162 packed = __hmax2(__halves2bfloat162(x, y), __halves2bfloat162(y, x));
  o[4] = __low2float(packed);
  o[5] = __high2float(packed);
}

__global__ void HalfAtomics(__half* sum, __half2* sums, __nv_bfloat16* bfloat_sum) {
  atomicAdd(sum, __float2half(1));
  atomicAdd(sums, __floats2half2_rn(1, 2));
  atomicAdd(bfloat_sum, __float2bfloat16(1));
}

/// Rounds to `bits` of mantissa (implicit one included), ties to even, above `least` (the exponent
/// of the least normal number). What comes out is exact in double.
double Round(double value, int bits, int least) {
  if (value == 0) {
    return 0;
  }
  int exponent = 0;
  std::frexp(value, &exponent);
  const double unit = std::ldexp(1.0, std::max(exponent - 1, least) - bits + 1);
  return std::nearbyint(value / unit) * unit;
}
double Half(double value) { return Round(value, 11, -14); }
double Bfloat(double value) { return Round(value, 8, -126); }

int main() {
  check::Random random(16);
  const std::vector<float> a = random.Floats(kSize, -30, 30);
  const std::vector<float> b = random.Floats(kSize, 0.001F, 3);
  std::vector<double> half_want;
  std::vector<double> bfloat_want;
  for (int i = 0; i < kSize; ++i) {
    const double x = Half(a[i]);
    const double y = Half(b[i]);
    const double nearest = Half(a[i]);
    const double unit = std::ldexp(1.0, std::max(std::ilogb(a[i]), -14) - 10);
    const double toward_zero = std::trunc(a[i] / unit) * unit;
    const double up = std::ceil(a[i] / unit) * unit;
    for (const double value :
         {nearest, Half(x + y), Half(x * y), Half(x * y + x), std::fmax(x, y), x < y ? 1.0 : 0.0,
          toward_zero, up, Half(x * y + x), Half(y * y + x), Half(x / y), std::nearbyint(x)}) {
      half_want.push_back(value);
    }
    const double p = Bfloat(a[i]);
    const double q = Bfloat(b[i]);
    for (const double value :
         {p, Bfloat(p + q), Bfloat(p * q), Bfloat(p * q + p), std::fmax(p, q), std::fmax(p, q)}) {
      bfloat_want.push_back(value);
    }
  }
  const check::DeviceArray<float> device_a(a), device_b(b), half_out(12 * kSize),
      bfloat_out(6 * kSize);
  HalfArithmetic<<<1, kSize>>>(device_a.get(), device_b.get(), half_out.get());
  BfloatArithmetic<<<1, kSize>>>(device_a.get(), device_b.get(), bfloat_out.get());
  SYNCHRONIZE();
  // A quotient of halves is computed in f32: within one unit of the last place.
  check::ExpectNear("half", half_out.Download(), half_want, 0, 0x1p-10);
  std::vector<float> exact = half_out.Download();
  std::vector<double> exact_want = half_want;
  for (int i = 0; i < kSize; ++i) {
    exact[12 * i + 10] = 0;
    exact_want[12 * i + 10] = 0;
  }
  check::ExpectEqual("half, exact but for division", exact, exact_want);
  check::ExpectEqual("bfloat16", bfloat_out.Download(), bfloat_want);

  const check::DeviceArray<__half> sum(1, 0);
  const check::DeviceArray<__half2> sums(1, 0);
  const check::DeviceArray<__nv_bfloat16> bfloat_sum(1, 0);
  HalfAtomics<<<1, 128>>>(sum.get(), sums.get(), bfloat_sum.get());
  SYNCHRONIZE();
  check::Expect("atomicAdd of half", __half2float(sum.Download()[0]) == 128);
  check::Expect("atomicAdd of half2",
                __low2float(sums.Download()[0]) == 128 && __high2float(sums.Download()[0]) == 256);
  check::Expect("atomicAdd of bfloat16", __bfloat162float(bfloat_sum.Download()[0]) == 128);
  return check::Finish();
}
