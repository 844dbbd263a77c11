// SPDX-License-Identifier: Apache-2.0
#include "score/on_all_cores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace assay {
namespace {

TEST(OnAllCoresTest, EachNumberHasItsCallAndNoOther) {
  std::vector<int> calls(1000);
  OnAllCores(calls.size(), [&](std::size_t i) { ++calls[i]; });
  EXPECT_THAT(calls, ::testing::Each(1));
  OnAllCores(0, [](std::size_t) { FAIL() << "there is nothing to do"; });
}

TEST(OnAllCoresTest, WhatACallThrowsIsThrownWhenNoneRunsAnyMore) {
  std::atomic<int> running = 0;
  const auto work = [&](std::size_t i) {
    ++running;
    if (i == 3) {
      --running;
      throw std::runtime_error("the third");
    }
    --running;
  };
  EXPECT_THROW(OnAllCores(100, work), std::runtime_error);
  EXPECT_EQ(running, 0);
}

}  // namespace
}  // namespace assay
