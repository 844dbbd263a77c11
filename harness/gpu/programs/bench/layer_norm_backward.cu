// SPDX-License-Identifier: Apache-2.0
// Layer norm backward of 8192 x 768: shuffles, shared memory, atomics.
#include "../common/check.h"
#include "../common/layer_norm.cuh"

int main() {
  constexpr int kRows = 8192;
  constexpr int kWidth = 768;
  check::Random random(1);
  const check::DeviceArray<float> x(random.Floats(std::size_t{kRows} * kWidth, -1, 1));
  const check::DeviceArray<float> dy(random.Floats(std::size_t{kRows} * kWidth, -1, 1));
  const check::DeviceArray<float> gamma(random.Floats(kWidth, 0.5F, 1.5F));
  const check::DeviceArray<float> mean(kRows, 0), rstd(random.Floats(kRows, 0.5F, 2));
  const check::DeviceArray<float> dx(std::size_t{kRows} * kWidth), dgamma(kWidth, 0),
      dbeta(kWidth, 0);
  for (int launch = 0; launch < check::kBenchLaunches; ++launch) {
    layer_norm::Backward<<<256, 256, 2 * kWidth * sizeof(float)>>>(
        dy.get(), x.get(), gamma.get(), mean.get(), rstd.get(), dx.get(), dgamma.get(), dbeta.get(),
        kRows, kWidth);
    SYNCHRONIZE();
  }
  return 0;
}
