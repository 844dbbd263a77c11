// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <fstream>
#include <set>

#include "cudart/runtime/runtime_for_test.h"

namespace assay::gpu::runtime {
namespace {

TEST(Exports, HasAllThatLibcudartHas) {
  std::ifstream file(ASSAY_TEST_EXPORTS);
  std::size_t count = 0;
  for (std::string name; std::getline(file, name);) {
    if (name.empty() || name.front() == '#') {
      continue;
    }
    ++count;
    EXPECT_NE(dlsym(RTLD_DEFAULT, name.c_str()), nullptr) << name;
  }
  EXPECT_EQ(count, 466U);
}

TEST(Exports, SupportsWhatProgramsUse) {
  // Functions that a list of lacking ones must never come to hold.
  std::set<std::string> lacking;
#define X(name) lacking.insert(#name);
#include "cudart/runtime/unsupported.inc"
#undef X
  for (const char* const name :
       {"cudaMalloc", "cudaMemcpy2D", "cudaLaunchKernelExC", "cudaGraphLaunch", "cudaMallocAsync",
        "cudaStreamAddCallback", "cudaMemcpyFromSymbol", "cudaFuncGetAttributes",
        "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", "cudaGetDeviceProperties"}) {
    EXPECT_FALSE(lacking.contains(name)) << name;
  }
}

}  // namespace
}  // namespace assay::gpu::runtime
