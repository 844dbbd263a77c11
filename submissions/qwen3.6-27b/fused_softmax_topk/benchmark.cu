// Times both versions, and the naive way that writes all probabilities, over 6 configurations.

#include <cuda_runtime.h>

#include <cfloat>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "interface.h"

// Version 2 may be missing from what this is linked with.
extern "C" int softmax_topk_alternative_f32(size_t, size_t, size_t, const float*, size_t, float*,
                                            int32_t*, void*, size_t, softmax_topk_stream)
    __attribute__((weak));

namespace {

constexpr int kThreads = 256;
constexpr int kRepeats = 3;

// The value and, for the maximum, where it is; the lower index wins a tie.
__device__ void block_argmax(float& value, int& index) {
  __shared__ float values[kThreads];
  __shared__ int indices[kThreads];
  const int thread = threadIdx.x;
  values[thread] = value;
  indices[thread] = index;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (thread < half) {
      const float other = values[thread + half];
      if (other > values[thread] ||
          (other == values[thread] && indices[thread + half] < indices[thread])) {
        values[thread] = other;
        indices[thread] = indices[thread + half];
      }
    }
    __syncthreads();
  }
  value = values[0];
  index = indices[0];
  __syncthreads();
}

__device__ float block_sum(float value) {
  __shared__ float sums[kThreads];
  sums[threadIdx.x] = value;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  return sums[0];
}

__global__ void naive_softmax(int vocabulary, const float* logits, float* all) {
  const float* x = logits + static_cast<size_t>(blockIdx.x) * vocabulary;
  float* p = all + static_cast<size_t>(blockIdx.x) * vocabulary;
  float row_max = -FLT_MAX;
  int unused = 0;
  for (int i = threadIdx.x; i < vocabulary; i += kThreads) row_max = fmaxf(row_max, x[i]);
  block_argmax(row_max, unused);
  float sum = 0.0f;
  for (int i = threadIdx.x; i < vocabulary; i += kThreads) sum += expf(x[i] - row_max);
  sum = block_sum(sum);
  for (int i = threadIdx.x; i < vocabulary; i += kThreads) p[i] = expf(x[i] - row_max) / sum;
}

// K times: find the largest probability and strike it out.
__global__ void naive_topk(int vocabulary, int k, float* all, float* probabilities,
                           int32_t* indices) {
  float* p = all + static_cast<size_t>(blockIdx.x) * vocabulary;
  for (int round = 0; round < k; ++round) {
    float best = -1.0f;
    int best_index = vocabulary;
    for (int i = threadIdx.x; i < vocabulary; i += kThreads) {
      if (p[i] > best) {
        best = p[i];
        best_index = i;
      }
    }
    block_argmax(best, best_index);
    if (threadIdx.x == 0) {
      probabilities[blockIdx.x * k + round] = best;
      indices[blockIdx.x * k + round] = best_index;
      p[best_index] = -1.0f;
    }
    __syncthreads();
  }
}

struct Buffers {
  float* logits;
  float* all;
  float* probabilities;
  int32_t* indices;
  void* workspace;
  size_t workspace_bytes;
};

template <typename Call>
float milliseconds(const Call& call) {
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  bool good = call();  // warm-up
  cudaEventRecord(start);
  for (int i = 0; i < kRepeats; ++i) good = call() && good;
  cudaEventRecord(stop);
  good = cudaEventSynchronize(stop) == cudaSuccess && good;
  float elapsed = 0.0f;
  cudaEventElapsedTime(&elapsed, start, stop);
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  return good ? elapsed / kRepeats : -1.0f;
}

bool run(size_t rows, size_t vocabulary, size_t k) {
  Buffers b = {};
  b.workspace_bytes = softmax_topk_workspace_bytes(rows, vocabulary, k);
  const size_t count = rows * vocabulary;
  cudaMalloc(&b.logits, count * sizeof(float));
  cudaMalloc(&b.all, count * sizeof(float));
  cudaMalloc(&b.probabilities, rows * k * sizeof(float));
  cudaMalloc(&b.indices, rows * k * sizeof(int32_t));
  if (b.workspace_bytes > 0) cudaMalloc(&b.workspace, b.workspace_bytes);

  std::mt19937 generator(static_cast<unsigned>(count));
  std::normal_distribution<float> normal(0.0f, 2.0f);
  std::vector<float> logits(count);
  for (float& value : logits) value = normal(generator);
  cudaMemcpy(b.logits, logits.data(), count * sizeof(float), cudaMemcpyHostToDevice);

  const auto fused = [&](auto* function) {
    return milliseconds([&] {
      return function(rows, vocabulary, k, b.logits, vocabulary, b.probabilities, b.indices,
                      b.workspace, b.workspace_bytes, nullptr) == SOFTMAX_TOPK_OK;
    });
  };
  const float v1 = fused(softmax_topk_f32);
  const float v2 = softmax_topk_alternative_f32 != nullptr ? fused(softmax_topk_alternative_f32)
                                                           : 0.0f;
  const unsigned blocks = static_cast<unsigned>(rows);
  const float naive = milliseconds([&] {
    naive_softmax<<<blocks, kThreads>>>(static_cast<int>(vocabulary), b.logits, b.all);
    naive_topk<<<blocks, kThreads>>>(static_cast<int>(vocabulary), static_cast<int>(k), b.all,
                                     b.probabilities, b.indices);
    return cudaGetLastError() == cudaSuccess;
  });
  std::printf("%5zu x %6zu  K=%-3zu  naive %8.4f ms  v1 %8.4f ms  v2 %8.4f ms\n", rows, vocabulary,
              k, naive, v1, v2);

  cudaFree(b.logits);
  cudaFree(b.all);
  cudaFree(b.probabilities);
  cudaFree(b.indices);
  cudaFree(b.workspace);
  return naive >= 0.0f && v1 >= 0.0f && v2 >= 0.0f;
}

}  // namespace

int main() {
  const size_t shapes[6][3] = {{1, 32000, 8},   {16, 32000, 8},   {16, 32000, 50},
                               {4, 50257, 256}, {64, 8192, 16}, {1, 131072, 8}};
  for (const auto& shape : shapes) {
    if (!run(shape[0], shape[1], shape[2])) {
      return 1;
    }
  }
  return 0;
}
