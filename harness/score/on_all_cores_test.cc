// SPDX-License-Identifier: Apache-2.0
#include "score/on_all_cores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
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

TEST(OnAllCoresTest, WhatAnotherThreadThrowsIsThrownToTheCaller) {
  if (std::thread::hardware_concurrency() < 2) {
    GTEST_SKIP() << "there is no other thread on one core";
  }
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<bool> another_was_called = false;
  const auto work = [&](std::size_t /*i*/) {
    if (std::this_thread::get_id() != caller) {
      another_was_called = true;
      throw std::runtime_error("not the caller");
    }
    while (!another_was_called) {
      std::this_thread::yield();
    }
  };
  EXPECT_THROW(OnAllCores(2, work), std::runtime_error);
}

}  // namespace
}  // namespace assay
