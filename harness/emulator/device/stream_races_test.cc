// SPDX-License-Identifier: Apache-2.0
#include "emulator/device/stream_races.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace assay::gpu {
namespace {

// Numbered as they come: work that writes (or reads) bytes 0 to 100.
class StreamRacesTest : public testing::Test {
 protected:
  std::vector<Finding> Do(std::uint64_t stream, TouchKind kind, const StreamClock& behind = {}) {
    StreamWork work{.stamp = {.stream = stream,
                              .number = ++number_,
                              .behind = behind,
                              .waited = waited_,
                              .waited_for_all = waited_for_all_},
                    .name = "work " + std::to_string(number_)};
    work.footprint.Add(kind, {.begin = 0, .end = 100});
    return races_.Add(std::move(work));
  }

  StreamRaces races_;
  std::uint64_t number_ = 0;
  StreamClock waited_;
  std::uint64_t waited_for_all_ = 0;
};

TEST_F(StreamRacesTest, TwoStreamsWithoutOrderRace) {
  EXPECT_TRUE(Do(2, TouchKind::kWrite).empty());
  const auto findings = Do(3, TouchKind::kRead);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].kind, FindingKind::kReadAfterWrite);
  EXPECT_EQ(findings[0].severity, Severity::kError);
  EXPECT_EQ(findings[0].kernel, "work 2");
  EXPECT_EQ(findings[0].other_kernel, "work 1");
  EXPECT_EQ(findings[0].stream, "stream 3");
  EXPECT_EQ(findings[0].other_stream, "stream 2");
  EXPECT_EQ(findings[0].size_bytes, 100U);
  // Both are still going on for a third.
  EXPECT_EQ(Do(1, TouchKind::kWrite).size(), 2U);
}

TEST_F(StreamRacesTest, AStreamIsOrderedInItself) {
  EXPECT_TRUE(Do(2, TouchKind::kWrite).empty());
  EXPECT_TRUE(Do(2, TouchKind::kWrite).empty());
}

TEST_F(StreamRacesTest, WhatAClockKnowsIsOrdered) {
  EXPECT_TRUE(Do(2, TouchKind::kWrite).empty());
  EXPECT_TRUE(Do(3, TouchKind::kWrite, {{2, 1}}).empty());
  EXPECT_TRUE(Do(2, TouchKind::kRead, {{3, 2}}).empty());
  EXPECT_EQ(Do(3, TouchKind::kWrite, {{2, 1}}).size(), 1U);
}

TEST_F(StreamRacesTest, WhatTheHostWaitedForIsOver) {
  Do(2, TouchKind::kWrite);
  waited_[2] = 1;
  EXPECT_TRUE(Do(3, TouchKind::kWrite).empty());
  waited_for_all_ = 2;
  EXPECT_TRUE(Do(2, TouchKind::kWrite).empty());
}

TEST_F(StreamRacesTest, MemoryThatWasGivenBackIsForgotten) {
  Do(2, TouchKind::kWrite);
  races_.Forget(0, 100);
  EXPECT_TRUE(Do(3, TouchKind::kWrite).empty());
}

}  // namespace
}  // namespace assay::gpu
