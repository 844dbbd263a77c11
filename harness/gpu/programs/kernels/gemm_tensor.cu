// SPDX-License-Identifier: Apache-2.0
// C = A B on tensor cores: f16 by inline ldmatrix and mma.sync, f16 and bf16 by nvcuda::wmma, and
// s8 and tf32 by wmma's other shapes.
// HARDWARE: it loads and stores a wmma fragment by registers, with more requests than the emulator
#include <cuda_bf16.h>
#include <mma.h>

#include "../common/check.h"
#include "../common/gemm_mma.cuh"

using namespace nvcuda;

/// One warp a 16 x 16 tile of C; rows of A and B are of Stored, fragments of Element.
template <class Element, class Stored, class Sum, int kDepth>
__global__ void MultiplyWmma(const Stored* a, const Stored* b, Sum* c, int n, int k) {
  wmma::fragment<wmma::matrix_a, 16, 16, kDepth, Element, wmma::row_major> fragment_a;
  wmma::fragment<wmma::matrix_b, 16, 16, kDepth, Element, wmma::row_major> fragment_b;
  wmma::fragment<wmma::accumulator, 16, 16, kDepth, Sum> sum;
  wmma::fill_fragment(sum, Sum{0});
  for (int i = 0; i < k; i += kDepth) {
    wmma::load_matrix_sync(fragment_a, a + blockIdx.y * 16 * k + i, k);
    wmma::load_matrix_sync(fragment_b, b + i * n + blockIdx.x * 16, n);
    wmma::mma_sync(sum, fragment_a, fragment_b, sum);
  }
  for (int i = 0; i < sum.num_elements; ++i) {
    sum.x[i] *= 2;
  }
  wmma::store_matrix_sync(c + blockIdx.y * 16 * n + blockIdx.x * 16, sum, n, wmma::mem_row_major);
}

constexpr int kM = 64;
constexpr int kN = 128;
constexpr int kK = 96;

template <class T>
std::vector<double> Multiply(const std::vector<T>& a, const std::vector<T>& b, double factor) {
  std::vector<double> c(kM * kN);
  for (int row = 0; row < kM; ++row) {
    for (int column = 0; column < kN; ++column) {
      double sum = 0;
      for (int i = 0; i < kK; ++i) {
        sum += static_cast<double>(static_cast<float>(a[row * kK + i])) *
               static_cast<double>(static_cast<float>(b[i * kN + column]));
      }
      c[row * kN + column] = factor * sum;
    }
  }
  return c;
}

template <class Element, class Stored, class Sum, int kDepth>
void CheckWmma(const char* name, const std::vector<Stored>& a, const std::vector<Stored>& b,
               double bound) {
  const check::DeviceArray<Stored> device_a(a), device_b(b);
  const check::DeviceArray<Sum> c(kM * kN);
  MultiplyWmma<Element, Stored, Sum, kDepth>
      <<<dim3(kN / 16, kM / 16), 32>>>(device_a.get(), device_b.get(), c.get(), kN, kK);
  SYNCHRONIZE();
  check::ExpectNear(name, c.Download(), Multiply(a, b, 2), bound);
}

template <class T>
std::vector<T> Convert(const std::vector<float>& values) {
  std::vector<T> result;
  for (const float value : values) {
    result.push_back(static_cast<T>(value));
  }
  return result;
}

int main() {
  check::Random random(11);
  // Multiples of 1/8 have few enough bits for every type here, tf32's 11 and bf16's 8 among them.
  std::vector<float> a(kM * kK);
  std::vector<float> b(kK * kN);
  for (float& value : a) {
    value = (static_cast<float>(random.Below(33)) - 16) / 8;
  }
  for (float& value : b) {
    value = (static_cast<float>(random.Below(33)) - 16) / 8;
  }
  const std::vector<__half> half_a = Convert<__half>(a);
  const std::vector<__half> half_b = Convert<__half>(b);
  const check::DeviceArray<__half> device_a(half_a), device_b(half_b);
  const check::DeviceArray<float> c(kM * kN);
  gemm_mma::Multiply<<<dim3(kN / gemm_mma::kTile, kM / gemm_mma::kTile), gemm_mma::kThreads>>>(
      device_a.get(), device_b.get(), c.get(), kM, kN, kK);
  SYNCHRONIZE();
  check::ExpectNear("mma f16", c.Download(), Multiply(half_a, half_b, 1), 1e-5);

  CheckWmma<__half, __half, float, 16>("wmma f16", half_a, half_b, 1e-5);
  CheckWmma<__nv_bfloat16, __nv_bfloat16, float, 16>("wmma bf16", Convert<__nv_bfloat16>(a),
                                                     Convert<__nv_bfloat16>(b), 1e-5);
  CheckWmma<wmma::precision::tf32, float, float, 8>("wmma tf32", a, b, 1e-5);
  std::vector<signed char> byte_a;
  std::vector<signed char> byte_b;
  for (const float value : a) {
    byte_a.push_back(static_cast<signed char>(value * 56));
  }
  for (const float value : b) {
    byte_b.push_back(static_cast<signed char>(value * 60));
  }
  CheckWmma<signed char, signed char, int, 16>("wmma s8", byte_a, byte_b, 0);
  return check::Finish();
}
