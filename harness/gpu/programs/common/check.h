// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GPU_PROGRAMS_COMMON_CHECK_H_
#define ASSAY_GPU_PROGRAMS_COMMON_CHECK_H_

#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

/// What the test programs share: they compute on the device, compare with the host, and print one
/// line a comparison. A line never holds a value that may differ from one GPU to the next.
namespace check {

/// Launches of a benchmark: the first also pays for memory that is touched for the first time, so
/// the fastest counts.
constexpr int kBenchLaunches = 4;

inline int& Failures() {
  static int failures = 0;
  return failures;
}

/// Ends the program when a CUDA call that must succeed did not.
inline void Require(cudaError_t error, const char* call, int line) {
  if (error == cudaSuccess) {
    return;
  }
  std::printf("FAILED %s in line %d: %s (%s)\n", call, line, cudaGetErrorName(error),
              cudaGetErrorString(error));
  std::exit(1);
}
#define CUDA_OK(call) ::check::Require((call), #call, __LINE__)

inline void Expect(const char* name, bool holds) {
  std::printf("%s %s\n", holds ? "ok" : "FAILED", name);
  Failures() += holds ? 0 : 1;
}

/// The call fails with `want`; a sticky or pending error is left as CUDA leaves it.
inline void ExpectError(const char* name, cudaError_t got, cudaError_t want) {
  std::printf("%s %s: %s\n", got == want ? "ok" : "FAILED", name, cudaGetErrorName(got));
  Failures() += got == want ? 0 : 1;
}

template <class Got, class Want>
void ExpectEqual(const char* name, const std::vector<Got>& got, const std::vector<Want>& want) {
  for (std::size_t i = 0; i < want.size() || i < got.size(); ++i) {
    if (i >= got.size() || i >= want.size() || !(got[i] == want[i])) {
      std::printf("FAILED %s: differs at %zu of %zu\n", name, i, want.size());
      ++Failures();
      return;
    }
  }
  std::printf("ok %s\n", name);
}

/// |got - want| <= absolute + relative |want| for each element; NaN is never near.
template <class Got, class Want>
void ExpectNear(const char* name, const std::vector<Got>& got, const std::vector<Want>& want,
                double absolute, double relative = 0) {
  for (std::size_t i = 0; i < want.size(); ++i) {
    const double g = static_cast<double>(got[i]);
    const double w = static_cast<double>(want[i]);
    if (!(std::fabs(g - w) <= absolute + relative * std::fabs(w))) {
      std::printf("FAILED %s: element %zu is %.9g, not %.9g\n", name, i, g, w);
      ++Failures();
      return;
    }
  }
  std::printf("ok %s\n", name);
}

/// What main returns.
inline int Finish() { return Failures() == 0 ? 0 : 1; }

/// Ends the program unless the launches before it were accepted and ran.
inline void Synchronize(int line) {
  Require(cudaGetLastError(), "launch", line);
  Require(cudaDeviceSynchronize(), "cudaDeviceSynchronize", line);
}
#define SYNCHRONIZE() ::check::Synchronize(__LINE__)

/// Device memory of `size` elements, freed with the object.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t size) : size_(size) {
    CUDA_OK(cudaMalloc(reinterpret_cast<void**>(&data_), size * sizeof(T)));
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    CUDA_OK(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  DeviceArray(std::size_t size, int byte) : DeviceArray(size) { Fill(byte); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(data_); }

  void Fill(int byte) { CUDA_OK(cudaMemset(data_, byte, size_ * sizeof(T))); }
  T* get() const { return data_; }
  std::vector<T> Download() const {
    std::vector<T> values(size_);
    CUDA_OK(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

/// splitmix64: the same numbers on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t Next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  float Uniform(float low, float high) {
    return low + (high - low) * (static_cast<float>(Next() >> 40) * 0x1p-24F);
  }
  std::uint32_t Below(std::uint32_t limit) { return static_cast<std::uint32_t>(Next() % limit); }
  std::vector<float> Floats(std::size_t size, float low, float high) {
    std::vector<float> values(size);
    for (float& value : values) {
      value = Uniform(low, high);
    }
    return values;
  }
  std::vector<std::uint32_t> Integers(std::size_t size, std::uint32_t limit) {
    std::vector<std::uint32_t> values(size);
    for (std::uint32_t& value : values) {
      value = Below(limit);
    }
    return values;
  }

 private:
  std::uint64_t state_;
};

}  // namespace check

#endif  // ASSAY_GPU_PROGRAMS_COMMON_CHECK_H_
