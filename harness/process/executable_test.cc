// SPDX-License-Identifier: Apache-2.0
#include "process/executable.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(FindExecutableTest, ProgramIsFoundOnThePath) {
  const auto shell = FindExecutable("sh");
  ASSERT_TRUE(shell);
  EXPECT_TRUE(shell->is_absolute());
  EXPECT_EQ(shell->filename(), "sh");
}

TEST(FindExecutableTest, PathIsItself) { EXPECT_EQ(FindExecutable("/bin/sh"), "/bin/sh"); }

TEST(FindExecutableTest, WhatIsNotAnExecutableFileIsNotFound) {
  EXPECT_EQ(FindExecutable("no-such-program-anywhere"), std::nullopt);
  EXPECT_EQ(FindExecutable("/usr"), std::nullopt);
  EXPECT_EQ(FindExecutable("/etc/ld.so.cache"), std::nullopt);
  EXPECT_EQ(FindExecutable(""), std::nullopt);
}

}  // namespace
}  // namespace assay
