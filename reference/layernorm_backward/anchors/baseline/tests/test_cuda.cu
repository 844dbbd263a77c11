// SPDX-License-Identifier: Apache-2.0
// Both passes in CUDA against sums in double: tails of vector loads, rows of one block and of many,
// more rows than 65,536, buffers that begin apart. Exit status 0: all
// passed.

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "interface.h"

namespace {

int failures = 0;

// One line each, as TAP has it, so that one check that fails does not void the others.
void Check(bool holds, const char* name) {
  std::printf("%s %s\n", holds ? "ok" : "not ok", name);
  failures += holds ? 0 : 1;
}

// Device memory that begins `offset` floats behind an allocation.
struct OnDevice {
  float* base = nullptr;
  size_t offset;
  size_t count;

  OnDevice(size_t n, size_t floats) : offset(floats), count(n) {
    cudaMalloc(reinterpret_cast<void**>(&base), (n + floats + 1) * sizeof(float));
  }
  OnDevice(const std::vector<float>& values, size_t floats = 0) : OnDevice(values.size(), floats) {
    cudaMemcpy(data(), values.data(), count * sizeof(float), cudaMemcpyHostToDevice);
  }
  OnDevice(const OnDevice&) = delete;
  ~OnDevice() { cudaFree(base); }

  float* data() const { return base + offset; }
  std::vector<float> Read() const {
    std::vector<float> values(count);
    cudaMemcpy(values.data(), data(), count * sizeof(float), cudaMemcpyDeviceToHost);
    return values;
  }
};

std::vector<float> Draw(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& value : values) {
    value = normal(random);
  }
  return values;
}

bool IsClose(const std::vector<float>& got, const std::vector<double>& want) {
  double largest = 1e-30;
  for (const double value : want) {
    largest = std::max(largest, std::abs(value));
  }
  for (size_t i = 0; i < want.size(); ++i) {
    if (!(std::abs(got[i] - want[i]) <= 2e-5 * largest)) {
      return false;
    }
  }
  return true;
}

// Forward and backward of one layer; `apart` buffers begin one float behind what is aligned.
bool IsRight(size_t rows, size_t features, bool dx_apart, bool x_apart) {
  constexpr float kEps = 1e-5f;
  const std::vector<float> x = Draw(rows * features, 1);
  const std::vector<float> dy = Draw(rows * features, 2);
  const std::vector<float> gamma = Draw(features, 3);
  const std::vector<float> beta = Draw(features, 4);
  std::vector<double> want_y(x.size());
  std::vector<double> want_dx(x.size());
  std::vector<double> want_dgamma(features, 0);
  std::vector<double> want_dbeta(features, 0);
  for (size_t r = 0; r < rows; ++r) {
    const float* row = &x[r * features];
    double mean = 0;
    double variance = 0;
    for (size_t i = 0; i < features; ++i) {
      mean += row[i] / static_cast<double>(features);
    }
    for (size_t i = 0; i < features; ++i) {
      variance += (row[i] - mean) * (row[i] - mean) / static_cast<double>(features);
    }
    const double rstd = 1 / std::sqrt(variance + kEps);
    double sum_g = 0;
    double sum_gx = 0;
    for (size_t i = 0; i < features; ++i) {
      const double xhat = (row[i] - mean) * rstd;
      const double g = static_cast<double>(dy[r * features + i]) * gamma[i];
      want_y[r * features + i] = xhat * gamma[i] + beta[i];
      want_dgamma[i] += dy[r * features + i] * xhat;
      want_dbeta[i] += dy[r * features + i];
      sum_g += g / static_cast<double>(features);
      sum_gx += g * xhat / static_cast<double>(features);
    }
    for (size_t i = 0; i < features; ++i) {
      const double xhat = (row[i] - mean) * rstd;
      const double g = static_cast<double>(dy[r * features + i]) * gamma[i];
      want_dx[r * features + i] = rstd * (g - sum_g - xhat * sum_gx);
    }
  }
  const OnDevice at_x(x, x_apart ? 1 : 0);
  const OnDevice at_dy(dy);
  const OnDevice at_gamma(gamma);
  const OnDevice at_beta(beta);
  const OnDevice y(x.size(), x_apart ? 1 : 0);
  const OnDevice dx(x.size(), dx_apart ? 1 : 0);
  const OnDevice mean(rows, 0);
  const OnDevice rstd(rows, 0);
  const OnDevice dgamma(features, 0);
  const OnDevice dbeta(features, 0);
  const size_t bytes = ln_backward_cuda_workspace_bytes(rows, features);
  void* workspace = nullptr;
  if (bytes > 0) {
    cudaMalloc(&workspace, bytes);
  }
  const int forward =
      ln_forward_cuda_f32(rows, features, at_x.data(), at_gamma.data(), at_beta.data(), kEps,
                          y.data(), mean.data(), rstd.data(), nullptr);
  const int backward = ln_backward_cuda_f32(rows, features, at_dy.data(), at_x.data(),
                                            at_gamma.data(), mean.data(), rstd.data(), dx.data(),
                                            dgamma.data(), dbeta.data(), workspace, bytes, nullptr);
  const bool ran = cudaDeviceSynchronize() == cudaSuccess && forward == LN_OK && backward == LN_OK;
  cudaFree(workspace);
  return ran && IsClose(y.Read(), want_y) && IsClose(dx.Read(), want_dx) &&
         IsClose(dgamma.Read(), want_dgamma) && IsClose(dbeta.Read(), want_dbeta);
}

}  // namespace

int main() {
  Check(IsRight(4, 64, false, false), "whole vectors");
  Check(IsRight(5, 131, false, false), "tails");
  Check(IsRight(3, 9001, false, false), "tails of wide rows");
  Check(IsRight(70001, 3, false, false), "more rows than sixteen bits count");
  Check(IsRight(6, 64, true, false), "dx begins apart");
  Check(IsRight(6, 64, false, true), "x begins apart");
  Check(IsRight(300, 8200, false, false), "more wide rows than blocks run at once");
  return failures == 0 ? 0 : 1;
}
