// SPDX-License-Identifier: Apache-2.0
#include "base/unique_fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

bool IsOpen(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

TEST(UniqueFdTest, ClosesOnDestruction) {
  int raw = -1;
  {
    const UniqueFd fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    raw = fd.get();
    ASSERT_TRUE(IsOpen(raw));
  }
  EXPECT_FALSE(IsOpen(raw));
}

TEST(UniqueFdTest, MoveLeavesTheSourceEmpty) {
  UniqueFd first(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const int raw = first.get();
  UniqueFd second(std::move(first));
  EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): what a moved-from one holds is the test.
  EXPECT_EQ(second.get(), raw);
  UniqueFd& alias = second;
  second = std::move(alias);
  EXPECT_TRUE(IsOpen(raw));
}

TEST(UniqueFdTest, ResetClosesTheOldOne) {
  UniqueFd fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const int raw = fd.get();
  fd.Reset();
  EXPECT_FALSE(IsOpen(raw));
}

}  // namespace
}  // namespace assay
