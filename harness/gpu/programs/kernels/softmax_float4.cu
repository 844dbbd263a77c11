// SPDX-License-Identifier: Apache-2.0
// Softmax with 16-byte loads and stores: a row's values stay in registers between the passes.
#include "../common/check.h"
#include "../common/softmax.cuh"

int main() {
  constexpr int kRows = 9;
  constexpr int kWidth = 2048;
  check::Random random(4);
  const std::vector<float> x = random.Floats(kRows * kWidth, -6, 6);
  const check::DeviceArray<float> device_x(x), y(x.size());
  softmax::Vectorised<kWidth><<<kRows, kWidth / 16>>>(device_x.get(), y.get());
  SYNCHRONIZE();
  check::ExpectNear("softmax", y.Download(), softmax::Compute(x, kRows, kWidth), 0, 4e-6);
  return check::Finish();
}
