// SPDX-License-Identifier: Apache-2.0
// Two kernels whose registers, shared memory and stack `ptxas -v` says.
extern "C" __global__ void Scale(float* x, float a, int n) {
  __shared__ float s[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  if (i < n) x[i] = a * s[threadIdx.x ^ 1];
}
extern "C" __global__ void Pick(float* x, int n) {
  float a[25];
#pragma unroll 1
  for (int i = 0; i < 25; ++i) a[i] = x[i * n];
  x[0] = a[n];
}
