// SPDX-License-Identifier: Apache-2.0
// Mathematical functions in f64 and f32 against the host's, within CUDA's documented errors; the
// fast f32 intrinsics within theirs; rounding modes, fused multiply-add, conversions,
// classification.
#include "../common/check.h"

constexpr int kSize = 256;

// clang-format off: a table.
// Function, arguments (v of either sign, p positive), error in units of the last place.
#define DOUBLES(V)                                                                              \
  V(exp, (v), 1) V(exp2, (v), 1) V(expm1, (v), 1) V(sin, (v), 2) V(cos, (v), 2) V(tan, (v), 2)  \
  V(atan, (v), 2) V(sinh, (v), 2) V(cosh, (v), 1) V(tanh, (v), 1) V(cbrt, (v), 1)               \
  V(erf, (v), 2) V(erfc, (v), 5) V(asinh, (v), 3) V(rint, (v), 0) V(floor, (v), 0)              \
  V(ceil, (v), 0) V(trunc, (v), 0) V(fabs, (v), 0) V(log, (p), 1) V(log2, (p), 1)               \
  V(log10, (p), 1) V(log1p, (p), 1) V(sqrt, (p), 0) V(tgamma, (p), 10) V(pow, (p, v), 2)        \
  V(atan2, (v, p), 2) V(hypot, (v, p), 2) V(fmod, (v, p), 0) V(fma, (v, p, v), 0)               \
  V(asin, (v / 10), 2) V(acos, (v / 10), 2) V(fmax, (v, p), 0) V(fdim, (p, v), 0)

// The host computes the second, in double.
#define FLOATS(V)                                                                               \
  V(expf, exp, (v), 2) V(exp2f, exp2, (v), 2) V(expm1f, expm1, (v), 1) V(sinf, sin, (v), 2)     \
  V(cosf, cos, (v), 2) V(tanf, tan, (v), 4) V(atanf, atan, (v), 2) V(sinhf, sinh, (v), 3)       \
  V(coshf, cosh, (v), 2) V(tanhf, tanh, (v), 2) V(cbrtf, cbrt, (v), 1) V(erff, erf, (v), 2)     \
  V(erfcf, erfc, (v), 4) V(rintf, rint, (v), 0) V(floorf, floor, (v), 0)                        \
  V(roundf, round, (v), 0) V(logf, log, (p), 1) V(log2f, log2, (p), 1) V(log10f, log10, (p), 2) \
  V(log1pf, log1p, (p), 1) V(sqrtf, sqrt, (p), 0.5) V(powf, pow, (p, v), 4)                     \
  V(atan2f, atan2, (v, p), 3) V(hypotf, hypot, (v, p), 3) V(fmodf, fmod, (v, p), 0)             \
  V(fmaf, fma, (v, p, v), 0.5)
// clang-format on

#define STORE(name, arguments, ulp) *o++ = name arguments;
#define STORE_FLOAT(name, wide, arguments, ulp) *o++ = name arguments;
#define PUSH(name, arguments, ulp) values.push_back(std::name arguments);
#define PUSH_WIDE(name, wide, arguments, ulp) values.push_back(std::wide arguments);
#define DESCRIBE(name, arguments, ulp) {#name, ulp},
#define DESCRIBE_FLOAT(name, wide, arguments, ulp) {#name, ulp},

struct Function {
  const char* name;
  double ulp;
};
const Function kDoubles[] = {DOUBLES(DESCRIBE)};
const Function kFloats[] = {FLOATS(DESCRIBE_FLOAT)};
constexpr int kDoubleCount = sizeof(kDoubles) / sizeof(Function);
constexpr int kFloatCount = sizeof(kFloats) / sizeof(Function);

__global__ void Doubles(const double* x, const double* positive, double* y) {
  const double v = x[threadIdx.x];
  const double p = positive[threadIdx.x];
  double* o = y + threadIdx.x * kDoubleCount;
  DOUBLES(STORE)
}

__global__ void Floats(const float* x, const float* positive, float* y) {
  const float v = x[threadIdx.x];
  const float p = positive[threadIdx.x];
  float* o = y + threadIdx.x * kFloatCount;
  FLOATS(STORE_FLOAT)
}

constexpr int kFastCount = 8;
__global__ void Fast(const float* x, const float* positive, float* y) {
  const float v = x[threadIdx.x];
  const float p = positive[threadIdx.x];
  float* o = y + kFastCount * threadIdx.x;
  o[0] = __expf(v);
  o[1] = __logf(p + 2);
  o[2] = __sinf(v / 4);
  o[3] = __fdividef(v, 3);
  o[4] = rsqrtf(p);
  o[5] = __powf(p, 1.5F);
  o[6] = __cosf(v / 4);
  o[7] = __exp10f(v / 4);
}

constexpr int kRoundedCount = 12;
__global__ void Rounded(const float* x, const float* positive, float* y) {
  const float a = x[threadIdx.x];
  const float b = positive[threadIdx.x];
  float* o = y + kRoundedCount * threadIdx.x;
  o[0] = __fadd_rd(a, b);
  o[1] = __fmul_rd(a, b);
  o[2] = __fmul_ru(a, b);
  o[3] = __fmaf_ru(a, b, a);
  o[4] = __double2float_rd(static_cast<double>(a) / 3);
  o[5] = __fdiv_rn(a, b);
  o[6] = __fsqrt_rn(b);
  o[7] = static_cast<float>(__float2int_rd(a) + 1000 * __float2int_rz(b));
  o[8] = fmaxf(a, __int_as_float(0x7FC00000)) + fminf(b, a) + copysignf(b, a);
  o[9] = (isnan(a * INFINITY * 0.0F) ? 1 : 0) + (isinf(a * INFINITY) ? 2 : 0) + ldexpf(a, 3);
  o[10] = __saturatef(a);
  o[11] = __frcp_rn(b);
}

float Narrow(double value, int direction) {
  const auto nearest = static_cast<float>(value);
  if (direction < 0 && nearest > value) {
    return std::nextafter(nearest, -INFINITY);
  }
  if (direction > 0 && nearest < value) {
    return std::nextafter(nearest, INFINITY);
  }
  return nearest;
}

/// Every `count`-th of the values from `first` on.
template <class T>
std::vector<T> Column(const std::vector<T>& values, int first, int count) {
  std::vector<T> column;
  for (std::size_t i = first; i < values.size(); i += count) {
    column.push_back(values[i]);
  }
  return column;
}

int main() {
  check::Random random(21);
  std::vector<float> x = random.Floats(kSize, -9, 9);
  for (float& value : x) {
    value = value == 0 ? 0.5F : value;
  }
  const std::vector<float> positive = random.Floats(kSize, 0.01F, 30);
  const std::vector<double> x64(x.begin(), x.end());
  const std::vector<double> positive64(positive.begin(), positive.end());
  const check::DeviceArray<float> device_x(x), device_positive(positive);
  const check::DeviceArray<double> device_x64(x64), device_positive64(positive64);
  const check::DeviceArray<double> doubles(kSize * kDoubleCount);
  const check::DeviceArray<float> floats(kSize * kFloatCount), fast(kSize * kFastCount),
      rounded(kSize * kRoundedCount);
  Doubles<<<1, kSize>>>(device_x64.get(), device_positive64.get(), doubles.get());
  Floats<<<1, kSize>>>(device_x.get(), device_positive.get(), floats.get());
  Fast<<<1, kSize>>>(device_x.get(), device_positive.get(), fast.get());
  Rounded<<<1, kSize>>>(device_x.get(), device_positive.get(), rounded.get());
  SYNCHRONIZE();

  std::vector<double> values;
  for (int i = 0; i < kSize; ++i) {
    const double v = x64[i];
    const double p = positive64[i];
    DOUBLES(PUSH)
  }
  for (int f = 0; f < kDoubleCount; ++f) {
    // The host's own functions are within an ulp where they are not exact.
    const double ulp = kDoubles[f].ulp == 0 ? 0 : kDoubles[f].ulp + 1;
    check::ExpectNear(kDoubles[f].name, Column(doubles.Download(), f, kDoubleCount),
                      Column(values, f, kDoubleCount), 0, ulp * 0x1p-52);
  }
  values.clear();
  for (int i = 0; i < kSize; ++i) {
    const double v = x64[i];
    const double p = positive64[i];
    FLOATS(PUSH_WIDE)
  }
  for (int f = 0; f < kFloatCount; ++f) {
    check::ExpectNear(kFloats[f].name, Column(floats.Download(), f, kFloatCount),
                      Column(values, f, kFloatCount), 0, (kFloats[f].ulp + 0.01) * 0x1p-23);
  }
  values.clear();
  for (int i = 0; i < kSize; ++i) {
    const double v = x64[i];
    const double p = positive64[i];
    values.insert(values.end(), {std::exp(v), std::log(static_cast<double>(positive[i] + 2)),
                                 std::sin(v / 4), v / 3, 1 / std::sqrt(p), std::pow(p, 1.5),
                                 std::cos(v / 4), std::pow(10.0, static_cast<double>(x[i] / 4))});
  }
  // Documented as a few ulp of the result plus a share of the argument, or absolutely.
  check::ExpectNear("fast functions", fast.Download(), values, 0x1p-20, 0x1p-17);

  std::vector<float> want;
  for (int i = 0; i < kSize; ++i) {
    const double a = x64[i];
    const double b = positive64[i];
    want.insert(want.end(),
                {Narrow(a + b, -1), Narrow(a * b, -1), Narrow(a * b, 1), Narrow(a * b + a, 1),
                 Narrow(a / 3, -1), x[i] / positive[i], std::sqrt(positive[i]),
                 static_cast<float>(std::floor(a) + 1000 * std::trunc(b)),
                 x[i] + std::fmin(positive[i], x[i]) + std::copysign(positive[i], x[i]),
                 3 + std::ldexp(x[i], 3), std::fmin(std::fmax(x[i], 0.0F), 1.0F), 1 / positive[i]});
  }
  check::ExpectEqual("rounded as asked", rounded.Download(), want);
  return check::Finish();
}
