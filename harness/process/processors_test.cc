// SPDX-License-Identifier: Apache-2.0
#include "process/processors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "process/pinned_for_test.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

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
