// SPDX-License-Identifier: Apache-2.0
// Built with -G: calls that are not inlined, generic addresses, variables in local memory.
// FLAGS: -G
// HARDWARE: the emulator counts generic accesses to local memory as global
#include "../common/check.h"

struct Matrix {
  float m[2][2];
  __device__ Matrix operator*(const Matrix& other) const {
    Matrix result;
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) {
        result.m[i][j] = m[i][0] * other.m[0][j] + m[i][1] * other.m[1][j];
      }
    }
    return result;
  }
};

__device__ float WarpSum(float value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_down_sync(0xFFFFFFFFU, value, offset);
  }
  return value;
}

__device__ int Collatz(int n) {
  int steps = 0;
  while (n != 1) {
    n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    ++steps;
  }
  return steps;
}

__device__ float Select(int which, float x) {
  switch (which) {
    case 0:
      return x + 1;
    case 1:
      return x * x;
    case 2:
      return -x;
    case 3:
      return fabsf(x) / 2;
    case 4:
      return x - 3;
    case 5:
      return fmaxf(x, 2);
    default:
      return 0;
  }
}

__global__ void Run(const float* x, float* out) {
  __shared__ float tile[32];
  const Matrix turn = {{{0, -1}, {1, x[threadIdx.x]}}};
  Matrix power = {{{1, 0}, {0, 1}}};
  for (int i = 0; i < 4; ++i) {
    power = power * turn;
  }
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  const float sum = WarpSum(tile[31 - threadIdx.x]);
  float* o = out + 4 * threadIdx.x;
  o[0] = power.m[0][0] + 2 * power.m[1][1];
  o[1] = static_cast<float>(Collatz(static_cast<int>(threadIdx.x) + 1));
  o[2] = Select(static_cast<int>(threadIdx.x) % 7, x[threadIdx.x]);
  o[3] = threadIdx.x == 0 ? sum : 0;
}

int main() {
  std::vector<float> x(32);
  for (int i = 0; i < 32; ++i) {
    x[i] = static_cast<float>(i % 7 - 3);
  }
  std::vector<float> want;
  float sum = 0;
  for (const float value : x) {
    sum += value;
  }
  for (int i = 0; i < 32; ++i) {
    float a = 1, b = 0, c = 0, d = 1;
    for (int k = 0; k < 4; ++k) {
      const float next_a = b, next_b = -a + b * x[i], next_c = d, next_d = -c + d * x[i];
      a = next_a, b = next_b, c = next_c, d = next_d;
    }
    int steps = 0;
    for (int n = i + 1; n != 1; n = n % 2 == 0 ? n / 2 : 3 * n + 1) {
      ++steps;
    }
    const float v = x[i];
    const float selected[7] = {v + 1, v * v, -v, std::fabs(v) / 2, v - 3, std::fmax(v, 2.0F), 0};
    want.insert(want.end(),
                {a + 2 * d, static_cast<float>(steps), selected[i % 7], i == 0 ? sum : 0.0F});
  }
  const check::DeviceArray<float> device_x(x), out(want.size());
  Run<<<1, 32>>>(device_x.get(), out.get());
  SYNCHRONIZE();
  check::ExpectEqual("calls, loops, switch, locals", out.Download(), want);
  return check::Finish();
}
