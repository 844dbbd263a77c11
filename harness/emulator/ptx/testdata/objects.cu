// SPDX-License-Identifier: Apache-2.0
// Virtual calls, function pointers, initialisers with addresses, printf, assert, new, recursion.
#include <cassert>
#include <cstdio>

struct Shape {
  __device__ virtual float Area(float x) const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  __device__ float Area(float x) const override { return x * x; }
};
struct Scaled : Shape {
  float k;
  __device__ explicit Scaled(float factor) : k(factor) {}
  __device__ float Area(float x) const override { return x * k; }
};

__device__ float Twice(float x) { return x * 2; }
__device__ float Next(float x) { return x + 1; }
using Function = float (*)(float);
__device__ Function table[2] = {Twice, Next};
struct Packed {
  char tag;
  Function function;
  int number;
};
__device__ Packed packed = {1, Twice, 3};
__device__ int counter = 7;
__device__ int* to_counter = &counter;
__constant__ float coefficients[4] = {1.f, 2.f, 3.f, -4.5f};
__managed__ int managed = 5;

__global__ void __launch_bounds__(256, 2) Sum(const float* __restrict__ x, float* y, int n) {
  extern __shared__ float dynamic[];
  __shared__ float partial[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) partial[threadIdx.x] = x[i];
  __syncthreads();
  float v = partial[threadIdx.x ^ 1];
  for (int offset = 16; offset > 0; offset /= 2) v += __shfl_xor_sync(~0u, v, offset);
  if (i < n) y[i] = expf(v) * coefficients[i & 3] + dynamic[threadIdx.x];
  if (i == 0) printf("sum %d %f\n", i, v);
  assert(v == v);
}

__global__ void Calls(float* y, int which) {
  Shape* shape = which != 0 ? static_cast<Shape*>(new Scaled(3)) : new Square;
  y[0] = shape->Area(y[1]);
  delete shape;
  y[2] = table[which](y[3]) + packed.function(y[4]) + *to_counter + managed;
}

__device__ int Fibonacci(int n) { return n < 2 ? n : Fibonacci(n - 1) + Fibonacci(n - 2); }

__global__ void Switch(int* p, int which, long long a, long long b) {
  switch (which) {
    case 0:
      p[0] = Fibonacci(p[1]);
      break;
    case 1:
      p[1] = 5;
      break;
    case 2:
      p[3] = p[4];
      break;
    case 3:
      p[9] *= 3;
      break;
    case 4:
      p[2] ^= 1;
      break;
    case 5:
      p[8] = static_cast<int>(a / b);
      break;
    case 6:
      p[7] = __popc(p[1]);
      break;
    case 7:
      p[1] = __ffs(p[2]);
      break;
    default:
      __trap();
  }
}
