// SPDX-License-Identifier: Apache-2.0
#include "emulator/report/kernel_name.h"

#include <gtest/gtest.h>

namespace assay::gpu {
namespace {

TEST(KernelName, IsCutUnlessAllOfItIsAskedFor) {
  const std::string limit(kMostOfName, 'k');
  EXPECT_EQ(ShownKernel(limit, KernelNames::kShort), limit);
  const std::string cut = ShownKernel(limit + "k", KernelNames::kShort);
  EXPECT_EQ(cut.size(), kMostOfName);
  EXPECT_TRUE(cut.ends_with("k..."));
  EXPECT_EQ(ShownKernel(limit + "k", KernelNames::kFull), limit + "k");
  EXPECT_EQ(ShownKernel("a\033[2Jb", KernelNames::kFull), "a?[2Jb");
}

}  // namespace
}  // namespace assay::gpu
