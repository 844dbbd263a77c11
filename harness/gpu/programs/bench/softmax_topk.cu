// SPDX-License-Identifier: Apache-2.0
// Online softmax and the eight largest of 128 x 50257 logits: one pass, divergent insertions.
#include "../common/check.h"
#include "../common/softmax.cuh"

int main() {
  constexpr int kRows = 128;
  constexpr int kWidth = 50257;
  const check::DeviceArray<float> logits(
      check::Random(2).Floats(std::size_t{kRows} * kWidth, -8, 8));
  const check::DeviceArray<float> probabilities(kRows * softmax::kTop);
  const check::DeviceArray<int> indices(kRows * softmax::kTop);
  for (int launch = 0; launch < check::kBenchLaunches; ++launch) {
    softmax::TopProbabilities<256>
        <<<kRows, 256>>>(logits.get(), kWidth, probabilities.get(), indices.get());
    SYNCHRONIZE();
  }
  return 0;
}
