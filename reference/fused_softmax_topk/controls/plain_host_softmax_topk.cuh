// SPDX-License-Identifier: Apache-2.0
// The same answers from the host, for controls that leave kernels' work to it.
#ifndef ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_CONTROLS_PLAIN_HOST_SOFTMAX_TOPK_CUH_
#define ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_CONTROLS_PLAIN_HOST_SOFTMAX_TOPK_CUH_

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "plain_softmax_topk.cuh"

namespace plain {

inline bool Before(const float* row, std::int32_t a, std::int32_t b) {
  if (std::isnan(row[a]) || std::isnan(row[b])) {
    return std::isnan(row[a]) == std::isnan(row[b]) ? a < b : std::isnan(row[b]);
  }
  return row[a] == row[b] ? a < b : row[a] > row[b];
}

inline void AnswerRow(const std::vector<float>& row, std::size_t k, float* probabilities,
                      std::int32_t* indices) {
  std::vector<std::int32_t> order(row.size());
  std::iota(order.begin(), order.end(), 0);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k), order.end(),
                    [&](std::int32_t a, std::int32_t b) { return Before(row.data(), a, b); });
  float largest = -INFINITY;
  for (const float x : row) largest = std::fmax(largest, x);
  double sum = 0;
  for (const float x : row) sum += std::exp(double{x} - largest);
  for (std::size_t i = 0; i < k; ++i) {
    const double power = std::exp(double{row[order[i]]} - largest);
    probabilities[i] = static_cast<float>(power / sum);
    indices[i] = order[i];
  }
}

/// Copies each row of logits to the host, answers it there, and copies the outputs back.
inline int AnswerOnHost(const Call& c) {
  std::vector<float> row(c.vocabulary);
  std::vector<float> probabilities(c.k);
  std::vector<std::int32_t> indices(c.k);
  for (std::size_t r = 0; r < c.rows; ++r) {
    cudaMemcpyAsync(row.data(), c.logits + r * c.row_stride, c.vocabulary * sizeof(float),
                    cudaMemcpyDeviceToHost, c.stream);
    cudaStreamSynchronize(c.stream);
    AnswerRow(row, c.k, probabilities.data(), indices.data());
    cudaMemcpyAsync(c.probabilities + r * c.k, probabilities.data(), c.k * sizeof(float),
                    cudaMemcpyHostToDevice, c.stream);
    cudaMemcpyAsync(c.indices + r * c.k, indices.data(), c.k * sizeof(std::int32_t),
                    cudaMemcpyHostToDevice, c.stream);
    cudaStreamSynchronize(c.stream);
  }
  return SOFTMAX_TOPK_OK;
}

}  // namespace plain

#endif  // ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_CONTROLS_PLAIN_HOST_SOFTMAX_TOPK_CUH_
