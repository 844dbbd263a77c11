// SPDX-License-Identifier: Apache-2.0
#include "cudart/runtime/lacking_libraries.h"

#include <gtest/gtest.h>

namespace assay::gpu::runtime {
namespace {

TEST(LackingLibraries, AreKnownByTheirFiles) {
  for (const auto& [file, name] : {std::pair{"libcuda.so.1", "driver API"},
                                   {"/usr/lib/x86_64-linux-gnu/libcuda.so", "driver API"},
                                   {"libcublas.so.13", "cuBLAS"},
                                   {"libcublasLt.so", "cuBLAS"},
                                   {"libcurand.so.10", "cuRAND host API"},
                                   {"libcusparse.so.12", "cuSPARSE"},
                                   {"libcufft.so.12", "cuFFT"},
                                   {"libcusolver.so.12", "cuSOLVER"},
                                   {"libnvrtc.so.12", "nvrtc"},
                                   {"libnccl.so.2", "NCCL"}}) {
    const LackingLibrary* const found = FindLackingLibrary(file);
    ASSERT_NE(found, nullptr) << file;
    EXPECT_EQ(found->name, name);
  }
  for (const char* const file : {"libcudart.so.13", "libcudadevrt.a", "libc.so.6", "libcu", "",
                                 "/libcuda.so/plugin.so", "libmycuda.so.1"}) {
    EXPECT_EQ(FindLackingLibrary(file), nullptr) << file;
  }
}

TEST(LackingLibraries, AreUsedByTheNamesOfTheirFunctions) {
  const LackingLibrary& driver = *FindLackingLibrary("libcuda.so.1");
  EXPECT_TRUE(IsFunctionOf(driver, "cuInit"));
  EXPECT_TRUE(IsFunctionOf(driver, "cuMemAlloc_v2"));
  EXPECT_FALSE(IsFunctionOf(driver, "cudaMalloc"));
  EXPECT_FALSE(IsFunctionOf(driver, "cu"));
  EXPECT_TRUE(IsFunctionOf(*FindLackingLibrary("libcublas.so.13"), "cublasCreate_v2"));
  EXPECT_FALSE(IsFunctionOf(*FindLackingLibrary("libcublas.so.13"), "cublaCreate"));
}

}  // namespace
}  // namespace assay::gpu::runtime
