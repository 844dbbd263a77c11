// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_ON_DEVICE_H_
#define ASSAY_REFERENCE_ON_DEVICE_H_

#include <cuda_runtime_api.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace assay {

/// Elements in device memory: for tests that call the CUDA form of a baseline in their own process,
/// on the emulated GPU. What fails throws.
template <class T>
class OnDevice {
 public:
  /// Uninitialised.
  explicit OnDevice(std::size_t count) : count_(count) {
    if (count > 0) {
      Require(cudaMalloc(&memory_, count * sizeof(T)), "cudaMalloc");
    }
  }
  explicit OnDevice(const std::vector<T>& values) : OnDevice(values.size()) {
    Require(cudaMemcpy(memory_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice),
            "cudaMemcpy");
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() { cudaFree(memory_); }

  T* get() { return static_cast<T*>(memory_); }
  [[nodiscard]] std::size_t size_bytes() const { return count_ * sizeof(T); }

  /// What is there when all work has ended.
  [[nodiscard]] std::vector<T> Read() const {
    std::vector<T> values(count_);
    Require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    Require(cudaMemcpy(values.data(), memory_, count_ * sizeof(T), cudaMemcpyDeviceToHost),
            "cudaMemcpy");
    return values;
  }

 private:
  static void Require(cudaError_t status, const char* call) {
    if (status != cudaSuccess) {
      throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(status));
    }
  }

  void* memory_ = nullptr;
  std::size_t count_;
};

}  // namespace assay

#endif  // ASSAY_REFERENCE_ON_DEVICE_H_
