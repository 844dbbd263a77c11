// SPDX-License-Identifier: Apache-2.0
#include "emulator/report/demangled_kernel.h"

#include <gtest/gtest.h>

namespace assay::gpu {
namespace {

TEST(DemangledKernel, IsAsAPersonWroteIt) {
  EXPECT_EQ(DemangledKernel("_Z4FillPi"), "Fill(int*)");
  EXPECT_EQ(DemangledKernel("__nv_static_46__8c9e5d_5_a_cu_1b2c3d__Z4FillPi"), "Fill(int*)");
  EXPECT_EQ(DemangledKernel("plain_c"), "plain_c");
  EXPECT_EQ(DemangledKernel(""), "");
}

}  // namespace
}  // namespace assay::gpu
