// SPDX-License-Identifier: Apache-2.0
// One call of the baseline on standard normal logits, for `assay cuda run` to count: README.md.
//
//     traffic_figures ROWS VOCABULARY K [unfused]

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string_view>
#include <vector>

#include "interface.h"

extern "C" decltype(softmax_topk_f32) softmax_topk_unfused_f32;

namespace {

template <typename T>
T* Allocate(std::size_t count) {
  void* memory = nullptr;
  if (count > 0 && cudaMalloc(&memory, count * sizeof(T)) != cudaSuccess) {
    std::fprintf(stderr, "no device memory for %zu elements\n", count);
    std::exit(1);
  }
  return static_cast<T*>(memory);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: traffic_figures ROWS VOCABULARY K [unfused]\n");
    return 2;
  }
  const std::size_t rows = std::strtoul(argv[1], nullptr, 10);
  const std::size_t vocabulary = std::strtoul(argv[2], nullptr, 10);
  const std::size_t k = std::strtoul(argv[3], nullptr, 10);
  const bool unfused = argc > 4 && std::string_view(argv[4]) == "unfused";
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> values(rows * vocabulary);
  for (float& value : values) {
    value = normal(random);
  }
  float* logits = Allocate<float>(values.size());
  cudaMemcpy(logits, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice);
  float* probabilities = Allocate<float>(rows * k);
  auto* indices = Allocate<std::int32_t>(rows * k);
  const std::size_t workspace_bytes = softmax_topk_workspace_bytes(rows, vocabulary, k);
  auto* workspace = Allocate<std::byte>(workspace_bytes);
  auto* const function = unfused ? softmax_topk_unfused_f32 : softmax_topk_f32;
  const int status = function(rows, vocabulary, k, logits, vocabulary, probabilities, indices,
                              workspace, workspace_bytes, nullptr);
  const bool done = cudaDeviceSynchronize() == cudaSuccess;
  std::printf("status %d\n", status);
  cudaFree(logits);
  cudaFree(probabilities);
  cudaFree(indices);
  cudaFree(workspace);
  return done ? status : 1;
}
