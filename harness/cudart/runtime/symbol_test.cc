// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "cudart/runtime/runtime_for_test.h"

namespace assay::gpu::runtime {
namespace {

using SymbolTest = RuntimeTest;

TEST_F(SymbolTest, IsWrittenAndRead) {
  std::array<int, 2> in{3, 4};
  int out = 0;
  EXPECT_EQ(cudaMemcpyToSymbol(variable, in.data(), sizeof in, 8, cudaMemcpyHostToDevice),
            cudaSuccess);
  EXPECT_EQ(cudaMemcpyFromSymbol(&out, variable, sizeof out, 12, cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(out, 4);
}

TEST_F(SymbolTest, HasAnAddressAndASize) {
  void* pointer = nullptr;
  std::size_t size_bytes = 0;
  int in = 9;
  int out = 0;
  EXPECT_EQ(cudaGetSymbolAddress(&pointer, variable), cudaSuccess);
  EXPECT_EQ(cudaGetSymbolSize(&size_bytes, variable), cudaSuccess);
  EXPECT_EQ(size_bytes, 16U);
  EXPECT_EQ(cudaMemcpy(pointer, &in, sizeof in, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpyFromSymbol(&out, variable, sizeof out, 0, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(out, 9);
}

TEST_F(SymbolTest, RefusesWhatIsNone) {
  int value = 0;
  void* pointer = nullptr;
  EXPECT_EQ(cudaMemcpyToSymbol(&value, &value, sizeof value, 0, cudaMemcpyHostToDevice),
            cudaErrorInvalidSymbol);
  EXPECT_EQ(cudaGetSymbolAddress(&pointer, nullptr), cudaErrorInvalidSymbol);
  EXPECT_EQ(cudaMemcpyToSymbol(variable, &value, sizeof value, 13, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(
      cudaMemcpyToSymbol(variable, &value, sizeof value, ~std::size_t{0}, cudaMemcpyHostToDevice),
      cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyToSymbol(variable, &value, sizeof value, 0, cudaMemcpyDeviceToHost),
            cudaErrorInvalidMemcpyDirection);
}

}  // namespace
}  // namespace assay::gpu::runtime
