// SPDX-License-Identifier: Apache-2.0
// Three small simulations: an FFT in shared memory with sincospif, N-body with tiles of positions,
// and Mandelbrot, whose threads leave their loop at different times.
#include <complex>

#include "../common/check.h"

constexpr int kPoints = 256;

__global__ void Fft(const float2* in, float2* out) {
  __shared__ float2 a[kPoints];
  float2 first = in[blockIdx.x * kPoints + threadIdx.x];
  float2 second = in[blockIdx.x * kPoints + threadIdx.x + kPoints / 2];
  a[__brev(threadIdx.x) >> 24] = first;
  a[__brev(threadIdx.x + kPoints / 2) >> 24] = second;
  for (int half = 1; half < kPoints; half *= 2) {
    __syncthreads();
    const int k = threadIdx.x % half;
    const int i = 2 * (threadIdx.x - k) + k;
    float sine = 0;
    float cosine = 0;
    sincospif(-static_cast<float>(k) / static_cast<float>(half), &sine, &cosine);
    const float2 x = a[i];
    const float2 y = a[i + half];
    const float2 turned = {y.x * cosine - y.y * sine, y.x * sine + y.y * cosine};
    a[i] = {x.x + turned.x, x.y + turned.y};
    a[i + half] = {x.x - turned.x, x.y - turned.y};
  }
  __syncthreads();
  out[blockIdx.x * kPoints + threadIdx.x] = a[threadIdx.x];
  out[blockIdx.x * kPoints + threadIdx.x + kPoints / 2] = a[threadIdx.x + kPoints / 2];
}

constexpr int kBodies = 256;
constexpr float kSoftening = 0.01F;

__global__ void Accelerations(const float4* bodies, float4* out) {
  __shared__ float4 tile[64];
  const float4 mine = bodies[blockIdx.x * 64 + threadIdx.x];
  float3 sum = {};
  for (int start = 0; start < kBodies; start += 64) {
    tile[threadIdx.x] = bodies[start + threadIdx.x];
    __syncthreads();
#pragma unroll 4
    for (int j = 0; j < 64; ++j) {
      const float3 d = {tile[j].x - mine.x, tile[j].y - mine.y, tile[j].z - mine.z};
      const float inverse = rsqrtf(d.x * d.x + d.y * d.y + d.z * d.z + kSoftening);
      const float scale = tile[j].w * inverse * inverse * inverse;
      sum.x += d.x * scale;
      sum.y += d.y * scale;
      sum.z += d.z * scale;
    }
    __syncthreads();
  }
  out[blockIdx.x * 64 + threadIdx.x] = {sum.x, sum.y, sum.z, 0};
}

constexpr int kWidth = 64;
constexpr int kHeight = 48;

/// Fixed point, 4.28 bits, so that host and device agree in every bit.
__host__ __device__ int Escape(int pixel) {
  const std::int64_t x0 =
      (static_cast<std::int64_t>(pixel % kWidth) * 3 << 28) / kWidth - (std::int64_t{9} << 26);
  const std::int64_t y0 =
      (static_cast<std::int64_t>(pixel / kWidth) * 2 << 28) / kHeight - (std::int64_t{1} << 28);
  std::int64_t x = 0;
  std::int64_t y = 0;
  int count = 0;
  while (count < 60 && x * x + y * y < (std::int64_t{4} << 56)) {
    const std::int64_t next = ((x * x - y * y) >> 28) + x0;
    y = ((x * y) >> 27) + y0;
    x = next;
    ++count;
  }
  return count;
}

__global__ void Mandelbrot(int* counts) {
  const int pixel = blockIdx.x * blockDim.x + threadIdx.x;
  counts[pixel] = Escape(pixel);
}

int main() {
  check::Random random(18);
  std::vector<float2> signal(2 * kPoints);
  for (float2& value : signal) {
    value = {random.Uniform(-1, 1), random.Uniform(-1, 1)};
  }
  const check::DeviceArray<float2> device_signal(signal), spectrum(signal.size());
  Fft<<<2, kPoints / 2>>>(device_signal.get(), spectrum.get());
  SYNCHRONIZE();
  std::vector<double> want;
  std::vector<float> got;
  for (int k = 0; k < 2 * kPoints; ++k) {
    std::complex<double> sum = 0;
    for (int i = 0; i < kPoints; ++i) {
      const float2 value = signal[k / kPoints * kPoints + i];
      sum += std::complex<double>(value.x, value.y) *
             std::polar(1.0, -2 * 3.14159265358979323846 * (k % kPoints * i % kPoints) / kPoints);
    }
    want.insert(want.end(), {sum.real(), sum.imag()});
  }
  for (const float2 value : spectrum.Download()) {
    got.insert(got.end(), {value.x, value.y});
  }
  check::ExpectNear("FFT", got, want, 2e-5);

  std::vector<float4> bodies(kBodies);
  for (float4& body : bodies) {
    body = {random.Uniform(-1, 1), random.Uniform(-1, 1), random.Uniform(-1, 1),
            random.Uniform(0.5F, 1)};
  }
  const check::DeviceArray<float4> device_bodies(bodies), accelerations(kBodies);
  Accelerations<<<kBodies / 64, 64>>>(device_bodies.get(), accelerations.get());
  SYNCHRONIZE();
  want.clear();
  got.clear();
  for (const float4 mine : bodies) {
    double sums[3] = {};
    for (const float4 other : bodies) {
      const double d[3] = {double{other.x} - mine.x, double{other.y} - mine.y,
                           double{other.z} - mine.z};
      const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + kSoftening;
      for (int axis = 0; axis < 3; ++axis) {
        sums[axis] += d[axis] * other.w / (r2 * std::sqrt(r2));
      }
    }
    want.insert(want.end(), {sums[0], sums[1], sums[2]});
  }
  for (const float4 value : accelerations.Download()) {
    got.insert(got.end(), {value.x, value.y, value.z});
  }
  check::ExpectNear("N-body", got, want, 5e-3, 1e-4);

  const check::DeviceArray<int> counts(kWidth * kHeight);
  Mandelbrot<<<kWidth * kHeight / 128, 128>>>(counts.get());
  SYNCHRONIZE();
  std::vector<int> escapes(kWidth * kHeight);
  for (int pixel = 0; pixel < kWidth * kHeight; ++pixel) {
    escapes[pixel] = Escape(pixel);
  }
  check::ExpectEqual("Mandelbrot", counts.Download(), escapes);
  return check::Finish();
}
