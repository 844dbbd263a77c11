// SPDX-License-Identifier: Apache-2.0
// Softmax of 1024 x 4096 with 16-byte loads and stores.
#include "../common/check.h"
#include "../common/softmax.cuh"

int main() {
  constexpr int kRows = 1024;
  constexpr int kWidth = 4096;
  const check::DeviceArray<float> x(check::Random(4).Floats(std::size_t{kRows} * kWidth, -6, 6));
  const check::DeviceArray<float> y(std::size_t{kRows} * kWidth);
  for (int launch = 0; launch < check::kBenchLaunches; ++launch) {
    softmax::Vectorised<kWidth><<<kRows, kWidth / 16>>>(x.get(), y.get());
    SYNCHRONIZE();
  }
  return 0;
}
