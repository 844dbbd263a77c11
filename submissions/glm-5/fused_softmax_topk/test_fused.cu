// Compares softmax_topk_f32 with softmax and a full sort on the CPU, then times it. Exit status 0:
// all pass.

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

#include "interface.h"

namespace {

int failures = 0;

struct Result {
  int status;
  std::vector<float> probabilities;
  std::vector<int32_t> indices;
  float milliseconds;
};

Result run(const std::vector<float>& logits, size_t k) {
  const size_t vocabulary = logits.size();
  const size_t workspace_bytes = softmax_topk_workspace_bytes(1, vocabulary, k);
  float* device_logits = nullptr;
  float* device_probabilities = nullptr;
  int32_t* device_indices = nullptr;
  void* workspace = nullptr;
  cudaMalloc(&device_logits, vocabulary * sizeof(float));
  cudaMalloc(&device_probabilities, k * sizeof(float));
  cudaMalloc(&device_indices, k * sizeof(int32_t));
  if (workspace_bytes > 0) cudaMalloc(&workspace, workspace_bytes);
  cudaMemcpy(device_logits, logits.data(), vocabulary * sizeof(float), cudaMemcpyHostToDevice);

  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  cudaEventRecord(start);
  Result result{-1, std::vector<float>(k), std::vector<int32_t>(k, -1), 0.0f};
  result.status = softmax_topk_f32(1, vocabulary, k, device_logits, vocabulary,
                                   device_probabilities, device_indices, workspace,
                                   workspace_bytes, nullptr);
  cudaEventRecord(stop);
  cudaEventSynchronize(stop);
  cudaEventElapsedTime(&result.milliseconds, start, stop);

  cudaMemcpy(result.probabilities.data(), device_probabilities, k * sizeof(float),
             cudaMemcpyDeviceToHost);
  cudaMemcpy(result.indices.data(), device_indices, k * sizeof(int32_t), cudaMemcpyDeviceToHost);
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  cudaFree(device_logits);
  cudaFree(device_probabilities);
  cudaFree(device_indices);
  cudaFree(workspace);
  return result;
}

void test(const char* name, const std::vector<float>& logits, size_t k) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0.0;
  for (const float x : logits) sum += std::exp(x - largest);
  std::vector<int32_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int32_t a, int32_t b) { return logits[a] > logits[b]; });

  const Result result = run(logits, k);
  bool pass = result.status == SOFTMAX_TOPK_OK;
  double worst = 0.0;
  for (size_t i = 0; i < k; ++i) {
    pass = pass && result.indices[i] == order[i];
    const double expected = std::exp(logits[order[i]] - largest) / sum;
    const double error = std::fabs(result.probabilities[i] - expected);
    pass = pass && error <= 1e-6 + 1e-5 * expected;
    worst = std::max(worst, error);
  }
  std::printf("%s %-20s V=%-6zu K=%-2zu max error %.2e\n", pass ? "PASS" : "FAIL", name,
              logits.size(), k, worst);
  failures += pass ? 0 : 1;
}

std::vector<float> normal(size_t count, float spread, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> distribution(0.0f, spread);
  std::vector<float> values(count);
  for (float& value : values) value = distribution(generator);
  return values;
}

}  // namespace

int main() {
  test("random", normal(1000, 1.0f, 1), 5);
  test("random", normal(1000, 1.0f, 2), 32);
  test("gpt-2 vocabulary", normal(50257, 3.0f, 3), 10);
  test("large logits", normal(4096, 100.0f, 4), 8);

  std::vector<float> ascending(2048);
  std::iota(ascending.begin(), ascending.end(), -1024.0f);
  test("ascending", ascending, 16);
  test("all of the row", normal(32, 1.0f, 5), 32);

  std::printf("\n%8s %4s %10s\n", "V", "K", "time");
  for (const size_t vocabulary : {32000, 50257, 131072}) {
    const Result result = run(normal(vocabulary, 1.0f, 6), 8);
    std::printf("%8zu %4d %7.3f ms\n", vocabulary, 8, result.milliseconds);
  }
  std::printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
