// SPDX-License-Identifier: Apache-2.0
// Right, all functions, and as plain as can be: shows that the suite asks for nothing but the
// contract. One block a row, and up to eleven passes over it.

#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "plain_softmax_topk.cuh"

namespace plain {

struct Half {
  std::uint16_t bits;
};

struct Bfloat16 {
  std::uint16_t bits;
};

__device__ inline float ToFloat(Half logit) { return __half2float(__ushort_as_half(logit.bits)); }

__device__ inline float ToFloat(Bfloat16 logit) {
  return __uint_as_float(std::uint32_t{logit.bits} << 16);
}

template <class T>
int RunBits(const CallOf<std::uint16_t>& c) {
  return Run(CallOf<T>{c.rows, c.vocabulary, c.k, reinterpret_cast<const T*>(c.logits),
                       c.row_stride, c.probabilities, c.indices, c.workspace, c.workspace_bytes,
                       c.stream});
}

bool Before(const float* row, std::int32_t a, std::int32_t b) {
  if (std::isnan(row[a]) || std::isnan(row[b])) {
    return std::isnan(row[a]) == std::isnan(row[b]) ? a < b : std::isnan(row[b]);
  }
  return row[a] == row[b] ? a < b : row[a] > row[b];
}

void RunRow(const float* row, std::size_t vocabulary, std::size_t k, float* probabilities,
            std::int32_t* indices) {
  std::vector<std::int32_t> order(vocabulary);
  std::iota(order.begin(), order.end(), 0);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k), order.end(),
                    [row](std::int32_t a, std::int32_t b) { return Before(row, a, b); });
  float largest = -INFINITY;
  for (std::size_t i = 0; i < vocabulary; ++i) largest = std::fmax(largest, row[i]);
  double sum = 0;
  for (std::size_t i = 0; i < vocabulary; ++i) sum += std::exp(double{row[i]} - largest);
  for (std::size_t i = 0; i < k; ++i) {
    const double power = std::exp(double{row[order[i]]} - largest);
    probabilities[i] = static_cast<float>(power / sum);
    indices[i] = order[i];
  }
}

}  // namespace plain

PLAIN_EXPORT(plain::Run);

extern "C" {

int softmax_topk_alternative_f32(std::size_t rows, std::size_t vocabulary, std::size_t k,
                                 const float* logits, std::size_t row_stride, float* probabilities,
                                 std::int32_t* indices, void* workspace,
                                 std::size_t workspace_bytes, softmax_topk_stream stream) {
  return plain::Run(plain::Call{rows, vocabulary, k, logits, row_stride, probabilities, indices,
                                workspace, workspace_bytes, stream});
}

int softmax_topk_f16(std::size_t rows, std::size_t vocabulary, std::size_t k,
                     const std::uint16_t* logits, std::size_t row_stride, float* probabilities,
                     std::int32_t* indices, void* workspace, std::size_t workspace_bytes,
                     softmax_topk_stream stream) {
  return plain::RunBits<plain::Half>({rows, vocabulary, k, logits, row_stride, probabilities,
                                      indices, workspace, workspace_bytes, stream});
}

int softmax_topk_bf16(std::size_t rows, std::size_t vocabulary, std::size_t k,
                      const std::uint16_t* logits, std::size_t row_stride, float* probabilities,
                      std::int32_t* indices, void* workspace, std::size_t workspace_bytes,
                      softmax_topk_stream stream) {
  return plain::RunBits<plain::Bfloat16>({rows, vocabulary, k, logits, row_stride, probabilities,
                                          indices, workspace, workspace_bytes, stream});
}

int softmax_topk_cpu_f32(std::size_t rows, std::size_t vocabulary, std::size_t k,
                         const float* logits, std::size_t row_stride, float* probabilities,
                         std::int32_t* indices) {
  if (rows == 0 || k == 0) return SOFTMAX_TOPK_OK;
  if (k > vocabulary || row_stride < vocabulary) return SOFTMAX_TOPK_INVALID_ARGUMENT;
  if (vocabulary > INT32_MAX) return SOFTMAX_TOPK_UNSUPPORTED;
  for (std::size_t row = 0; row < rows; ++row) {
    plain::RunRow(logits + row * row_stride, vocabulary, k, probabilities + row * k,
                  indices + row * k);
  }
  return SOFTMAX_TOPK_OK;
}

}  // extern "C"
