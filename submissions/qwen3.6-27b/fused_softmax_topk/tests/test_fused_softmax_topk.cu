// Tests of both versions against a CPU reference in double. Exit status 0 means that every check
// passed.

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "interface.h"

// Version 2 may be missing from what this is linked with.
extern "C" int softmax_topk_alternative_f32(size_t, size_t, size_t, const float*, size_t, float*,
                                            int32_t*, void*, size_t, softmax_topk_stream)
    __attribute__((weak));

namespace {

using Kernel = int (*)(size_t, size_t, size_t, const float*, size_t, float*, int32_t*, void*,
                       size_t, softmax_topk_stream);

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr int32_t kUntouched = 0x5a5a5a5a;

int checks = 0;
int failures = 0;

void check(bool condition, const std::string& what) {
  ++checks;
  if (!condition) {
    ++failures;
    std::printf("FAIL %s\n", what.c_str());
  }
}

template <typename T>
class DeviceBuffer {
 public:
  explicit DeviceBuffer(size_t count) : count_(count) {
    if (count > 0) cudaMalloc(&data_, count * sizeof(T));
  }
  ~DeviceBuffer() { cudaFree(data_); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  T* get() const { return data_; }
  void fill(int byte) { cudaMemset(data_, byte, count_ * sizeof(T)); }
  std::vector<T> download() const {
    std::vector<T> values(count_);
    cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost);
    return values;
  }

 private:
  T* data_ = nullptr;
  size_t count_;
};

struct Case {
  std::string name;
  size_t rows, vocabulary, k;
  size_t stride = 0;  // 0: dense
  size_t offset = 0;  // elements between a 256-byte boundary and the first row
  bool own_stream = false;
};

// ---- CPU reference ------------------------------------------------------------------------------

bool ranks_before(const float* x, int32_t a, int32_t b) {
  const bool a_is_nan = std::isnan(x[a]);
  const bool b_is_nan = std::isnan(x[b]);
  if (a_is_nan || b_is_nan) return a_is_nan == b_is_nan ? a < b : b_is_nan;
  return x[a] == x[b] ? a < b : x[a] > x[b];
}

void reference_row(const float* x, size_t vocabulary, size_t k, double* probabilities,
                   int32_t* indices) {
  std::vector<int32_t> order(vocabulary);
  std::iota(order.begin(), order.end(), 0);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k), order.end(),
                    [x](int32_t a, int32_t b) { return ranks_before(x, a, b); });
  double row_max = -std::numeric_limits<double>::infinity();
  for (size_t j = 0; j < vocabulary; ++j) row_max = std::fmax(row_max, x[j]);
  double row_sum = 0.0;
  for (size_t j = 0; j < vocabulary; ++j) row_sum += std::exp(x[j] - row_max);
  for (size_t i = 0; i < k; ++i) {
    probabilities[i] = std::isnan(row_sum) ? NAN : std::exp(x[order[i]] - row_max) / row_sum;
    indices[i] = order[i];
  }
}

// Float arithmetic with the maximum subtracted: a few roundings, and x - max times one more.
bool close(double expected, float actual) {
  if (std::isnan(expected)) return std::isnan(actual);
  return std::fabs(actual - expected) <= 1e-5 * expected + 1e-37;
}

// ---- one call -----------------------------------------------------------------------------------

void run_case(Kernel kernel, const char* version, const Case& c, const std::vector<float>& logits) {
  const size_t stride = c.stride == 0 ? c.vocabulary : c.stride;
  const std::string name = std::string(version) + " " + c.name + " " + std::to_string(c.rows) +
                           "x" + std::to_string(c.vocabulary) + " K=" + std::to_string(c.k);
  DeviceBuffer<float> device_logits(c.offset + (c.rows - 1) * stride + c.vocabulary);
  for (size_t row = 0; row < c.rows; ++row) {  // what lies between rows stays uninitialised
    cudaMemcpy(device_logits.get() + c.offset + row * stride, &logits[row * c.vocabulary],
               c.vocabulary * sizeof(float), cudaMemcpyHostToDevice);
  }
  DeviceBuffer<float> device_probabilities(c.rows * c.k);
  DeviceBuffer<int32_t> device_indices(c.rows * c.k);
  device_probabilities.fill(0x5a);
  device_indices.fill(0x5a);
  const size_t workspace_bytes = softmax_topk_workspace_bytes(c.rows, c.vocabulary, c.k);
  DeviceBuffer<char> workspace(workspace_bytes);

  cudaStream_t stream = nullptr;
  if (c.own_stream) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  const int status = kernel(c.rows, c.vocabulary, c.k, device_logits.get() + c.offset, stride,
                            device_probabilities.get(), device_indices.get(), workspace.get(),
                            workspace_bytes, stream);
  check(cudaStreamSynchronize(stream) == cudaSuccess, name + ": the stream synchronises");
  check(status == SOFTMAX_TOPK_OK, name + ": status " + std::to_string(status));

  const std::vector<float> probabilities = device_probabilities.download();
  const std::vector<int32_t> indices = device_indices.download();
  std::vector<double> expected(c.k);
  std::vector<int32_t> expected_indices(c.k);
  size_t wrong_indices = 0;
  size_t wrong_probabilities = 0;
  for (size_t row = 0; row < c.rows; ++row) {
    reference_row(&logits[row * c.vocabulary], c.vocabulary, c.k, expected.data(),
                  expected_indices.data());
    for (size_t i = 0; i < c.k; ++i) {
      wrong_indices += indices[row * c.k + i] != expected_indices[i] ? 1 : 0;
      wrong_probabilities += close(expected[i], probabilities[row * c.k + i]) ? 0 : 1;
    }
  }
  check(wrong_indices == 0, name + ": " + std::to_string(wrong_indices) + " wrong indices");
  check(wrong_probabilities == 0,
        name + ": " + std::to_string(wrong_probabilities) + " wrong probabilities");
  if (c.own_stream) cudaStreamDestroy(stream);
}

using Generator = std::function<float(size_t row, size_t column)>;

void run(Kernel kernel, const char* version, const Case& c, const Generator& value) {
  std::vector<float> logits(c.rows * c.vocabulary);
  for (size_t row = 0; row < c.rows; ++row) {
    for (size_t j = 0; j < c.vocabulary; ++j) logits[row * c.vocabulary + j] = value(row, j);
  }
  run_case(kernel, version, c, logits);
}

Generator normal(float spread, unsigned seed) {
  auto generator = std::make_shared<std::mt19937>(seed);
  return [generator, spread](size_t, size_t) {
    return std::normal_distribution<float>(0.0f, spread)(*generator);
  };
}

// ---- tests --------------------------------------------------------------------------------------

void test_shapes(Kernel kernel, const char* version) {
  run(kernel, version, {"one element", 1, 1, 1}, normal(1, 1));
  run(kernel, version, {"whole row", 3, 5, 5}, normal(1, 2));
  for (const size_t vocabulary : {31, 32, 33, 255, 256, 257, 1023, 1025}) {
    run(kernel, version, {"around a warp or block", 2, vocabulary, 7}, normal(2, 3));
  }
  run(kernel, version, {"many rows", 67, 130, 9}, normal(2, 4));
  run(kernel, version, {"LLaMA", 2, 32000, 50}, normal(2, 5));
  run(kernel, version, {"GPT-2", 1, 50257, 256}, normal(2, 6));
  run(kernel, version, {"one long row", 1, 131072, 8}, normal(2, 16));
}

void test_every_k(Kernel kernel, const char* version) {
  for (const size_t k : {1, 2, 8, 15, 16, 17, 32, 33, 64, 65, 128, 129, 255, 256}) {
    run(kernel, version, {"K", 2, 1500, k}, normal(3, 7));
  }
}

void test_alignment(Kernel kernel, const char* version) {
  for (const size_t offset : {0, 1, 2, 3}) {
    run(kernel, version, {"offset", 3, 1021, 12, 0, offset}, normal(2, 8));
    run(kernel, version, {"odd stride", 5, 510, 4, 513, offset}, normal(2, 9));
    run(kernel, version, {"shorter than the head", 2, 2, 2, 7, offset}, normal(2, 10));
  }
}

void test_order(Kernel kernel, const char* version) {
  run(kernel, version, {"all equal", 2, 3000, 40}, [](size_t, size_t) { return 1.5f; });
  run(kernel, version, {"many ties", 4, 2000, 64},
      [](size_t row, size_t j) { return static_cast<float>((j * 7 + row) % 5); });
  run(kernel, version, {"ties across the vocabulary", 2, 4096, 100},
      [](size_t, size_t j) { return j % 41 == 3 ? 4.0f : 0.0f; });
  run(kernel, version, {"both zeros", 2, 700, 90},
      [](size_t, size_t j) { return j % 2 == 0 ? -0.0f : 0.0f; });
  run(kernel, version, {"ascending", 2, 5000, 33},
      [](size_t, size_t j) { return 1e-3f * static_cast<float>(j); });
  run(kernel, version, {"descending", 2, 5000, 33},
      [](size_t, size_t j) { return -1e-3f * static_cast<float>(j); });
  run(kernel, version, {"winners in one stride class", 2, 9000, 30},
      [](size_t, size_t j) { return j % 256 == 7 ? static_cast<float>(j) * 1e-3f : -5.0f; });
  run(kernel, version, {"winners in the last tile", 2, 3333, 20},
      [](size_t, size_t j) { return j >= 3310 ? 2.0f + static_cast<float>(j % 7) : 0.0f; });
  run(kernel, version, {"last bits differ", 1, 4096, 128}, [](size_t, size_t j) {
    return 1.0f + static_cast<float>((j * 2654435761u) % 4096) * 0x1p-23f;
  });
}

void test_stability(Kernel kernel, const char* version) {
  run(kernel, version, {"around +-80", 3, 1000, 16},
      [](size_t, size_t j) { return (j % 2 == 0 ? 80.0f : -80.0f) + 0.01f * (j % 100); });
  run(kernel, version, {"huge logits", 3, 1000, 16}, normal(1e4f, 11));
  run(kernel, version, {"one huge", 2, 1000, 4},
      [](size_t, size_t j) { return j == 600 ? 1e30f : 1.0f; });
  run(kernel, version, {"all very negative", 2, 1000, 4}, [](size_t, size_t) { return -3e38f; });
  run(kernel, version, {"all negative", 2, 1000, 4},
      [](size_t, size_t j) { return -100.0f - static_cast<float>(j % 10); });
}

void test_special_values(Kernel kernel, const char* version) {
  run(kernel, version, {"masked", 3, 1000, 20},
      [](size_t row, size_t j) { return (j + row) % 3 == 0 ? -kInf : 0.01f * (j % 50); });
  run(kernel, version, {"more masked than K", 2, 100, 20},
      [](size_t, size_t j) { return j < 4 ? static_cast<float>(j) : -kInf; });
  run(kernel, version, {"nothing but -infinity between rows", 3, 300, 6},
      [](size_t row, size_t j) { return row == 1 ? -kInf : 0.1f * (j % 9); });
  run(kernel, version, {"a NaN in one row", 4, 600, 8},
      [](size_t row, size_t j) { return row == 2 && j == 17 ? kNaN : 0.1f * (j % 13); });
  run(kernel, version, {"a +infinity in one row", 4, 600, 8},
      [](size_t row, size_t j) { return row == 1 && j == 433 ? kInf : 0.1f * (j % 13); });
  run(kernel, version, {"NaN behind -infinity", 2, 64, 60}, [](size_t, size_t j) {
    return j % 3 == 0 ? (j % 2 == 0 ? kNaN : -kNaN) : j % 3 == 1 ? -kInf : 1.0f;
  });
  run(kernel, version, {"nothing but NaN", 2, 300, 5}, [](size_t, size_t) { return kNaN; });
}

void test_streams(Kernel kernel, const char* version) {
  Case c = {"non-blocking stream", 5, 2000, 10};
  c.own_stream = true;
  run(kernel, version, c, normal(1, 12));
  run(kernel, version, {"a shorter call after it", 5, 20, 10}, normal(1, 13));
}

void test_arguments(Kernel kernel, const char* version) {
  const std::string name = version;
  DeviceBuffer<float> logits(64);
  logits.fill(0);
  DeviceBuffer<float> probabilities(64);
  DeviceBuffer<int32_t> indices(64);
  indices.fill(0x5a);
  const auto call = [&](size_t rows, size_t vocabulary, size_t k, size_t stride) {
    const size_t workspace_bytes = softmax_topk_workspace_bytes(rows, vocabulary, k);
    DeviceBuffer<char> workspace(workspace_bytes);
    const int status = kernel(rows, vocabulary, k, logits.get(), stride, probabilities.get(),
                              indices.get(), workspace.get(), workspace_bytes, nullptr);
    cudaDeviceSynchronize();
    return status;
  };
  check(call(0, 10, 2, 10) == SOFTMAX_TOPK_OK, name + " no rows");
  check(call(2, 10, 0, 10) == SOFTMAX_TOPK_OK, name + " K = 0");
  check(call(2, 10, 11, 10) == SOFTMAX_TOPK_INVALID_ARGUMENT, name + " K > V");
  check(call(2, 0, 1, 10) == SOFTMAX_TOPK_INVALID_ARGUMENT, name + " V = 0");
  check(call(2, 10, 2, 9) == SOFTMAX_TOPK_INVALID_ARGUMENT, name + " stride < V");
  const std::vector<int32_t> left = indices.download();
  check(std::count(left.begin(), left.end(), kUntouched) == 64, name + " nothing is written");
}

void test_version(Kernel kernel, const char* version) {
  test_shapes(kernel, version);
  test_every_k(kernel, version);
  test_alignment(kernel, version);
  test_order(kernel, version);
  test_stability(kernel, version);
  test_special_values(kernel, version);
  test_streams(kernel, version);
  test_arguments(kernel, version);
}

}  // namespace

int main() {
  test_version(softmax_topk_f32, "v1");
  if (softmax_topk_alternative_f32 != nullptr) {
    test_version(softmax_topk_alternative_f32, "v2");
  }
  std::printf("%d checks, %d failures\n", checks, failures);
  return failures == 0 ? 0 : 1;
}
