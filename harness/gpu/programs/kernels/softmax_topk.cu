// SPDX-License-Identifier: Apache-2.0
// The eight largest softmax probabilities of rows of logits in one pass: a running maximum and sum,
// sorted lists in registers, merged in shared memory by fewer and fewer threads.
#include <algorithm>
#include <numeric>

#include "../common/check.h"
#include "../common/softmax.cuh"

int main() {
  constexpr int kRows = 6;
  constexpr int kWidth = 3001;
  check::Random random(3);
  std::vector<float> logits = random.Floats(kRows * kWidth, -8, 8);
  logits[kWidth + 7] = logits[kWidth + 2000] = 9;  // A tie: the lower index comes first.
  const std::vector<double> probabilities = softmax::Compute(logits, kRows, kWidth);
  std::vector<double> want;
  std::vector<int> want_indices;
  for (int row = 0; row < kRows; ++row) {
    std::vector<int> order(kWidth);
    std::iota(order.begin(), order.end(), 0);
    const float* values = logits.data() + row * kWidth;
    std::stable_sort(order.begin(), order.end(),
                     [values](int a, int b) { return values[a] > values[b]; });
    for (int k = 0; k < softmax::kTop; ++k) {
      want.push_back(probabilities[row * kWidth + order[k]]);
      want_indices.push_back(order[k]);
    }
  }

  const check::DeviceArray<float> device_logits(logits), top(kRows * softmax::kTop);
  const check::DeviceArray<int> indices(kRows * softmax::kTop);
  softmax::TopProbabilities<128>
      <<<kRows, 128>>>(device_logits.get(), kWidth, top.get(), indices.get());
  SYNCHRONIZE();
  check::ExpectEqual("indices", indices.Download(), want_indices);
  check::ExpectNear("probabilities", top.Download(), want, 0, 4e-6);
  return check::Finish();
}
