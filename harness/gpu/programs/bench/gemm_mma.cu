// SPDX-License-Identifier: Apache-2.0
// C = A B of 512 x 512 halves on tensor cores: ldmatrix and mma.sync.
#include "../common/check.h"
#include "../common/gemm_mma.cuh"

int main() {
  constexpr int kSize = 512;
  check::Random random(5);
  std::vector<__half> a(kSize * kSize);
  for (__half& value : a) {
    value = __float2half(random.Uniform(-1, 1));
  }
  const check::DeviceArray<__half> device_a(a), device_b(a);
  const check::DeviceArray<float> c(kSize * kSize);
  for (int launch = 0; launch < check::kBenchLaunches; ++launch) {
    gemm_mma::
        Multiply<<<dim3(kSize / gemm_mma::kTile, kSize / gemm_mma::kTile), gemm_mma::kThreads>>>(
            device_a.get(), device_b.get(), c.get(), kSize, kSize, kSize);
    SYNCHRONIZE();
  }
  return 0;
}
