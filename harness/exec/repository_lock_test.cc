// SPDX-License-Identifier: Apache-2.0
#include "exec/repository_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "spec/temporary_repository.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

TEST(RepositoryLock, SecondHolderIsToldWhoWorksThere) {
  const TemporaryRepository files;
  const auto first = RepositoryLock::Acquire(files.root());
  ASSERT_TRUE(first.has_value());
  const auto second = RepositoryLock::Acquire(files.root());
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().kind, ErrorKind::kConfiguration);
  EXPECT_THAT(second.error().cause, HasSubstr("process " + std::to_string(::getpid())));
}

TEST(RepositoryLock, IsFreeAgainWhenItsHolderEnds) {
  const TemporaryRepository files;
  {
    ASSERT_TRUE(RepositoryLock::Acquire(files.root()).has_value());
  }
  EXPECT_TRUE(RepositoryLock::Acquire(files.root()).has_value());
}

TEST(RepositoryLock, RunningCellsOfOthersAreNotSweptAway) {
  const TemporaryRepository files;
  const auto running = TemporaryDirectory::Create(TemporaryRoot(files.root()), "cell");
  ASSERT_TRUE(running.has_value());
  ASSERT_TRUE(RepositoryLock::Acquire(files.root()).has_value());
  EXPECT_TRUE(std::filesystem::exists(running->path()));
}

}  // namespace
}  // namespace assay
