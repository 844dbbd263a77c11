// SPDX-License-Identifier: Apache-2.0
#include "process/processors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

/// What this thread was pinned to before, again.
class Pinned {
 public:
  explicit Pinned(int processor) {
    ::sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(processor), &one);
    ::sched_setaffinity(0, sizeof one, &one);
  }
  ~Pinned() { ::sched_setaffinity(0, sizeof before_, &before_); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

 private:
  cpu_set_t before_{};
};

TEST(Processors, AreThoseThatThisThreadMayUse) {
  const std::vector<int> all = UsableProcessors();
  ASSERT_THAT(all, Not(IsEmpty()));
  {
    const Pinned pinned(all.back());
    EXPECT_THAT(UsableProcessors(), ElementsAre(all.back()));
  }
  EXPECT_EQ(UsableProcessors(), all);
}

}  // namespace
}  // namespace assay
