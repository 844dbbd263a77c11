// SPDX-License-Identifier: Apache-2.0
// shfl against definitions written lane by lane.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "emulator/ops/warp_ops_for_test.h"

namespace assay::gpu {
namespace {

class ShuffleOpsTest : public WarpOpsFixture {};

ASSAY_IN_EVERY_VARIANT(ShuffleOpsTest);

struct ShuffleResult {
  std::uint32_t source = 0;
  bool in_range = false;
};

// The pseudocode of "PTX ISA", shfl.sync.
ShuffleResult ShuffleSource(std::string_view mode, int lane, std::uint32_t b, std::uint32_t c) {
  const int bval = static_cast<int>(b & 31U);
  const int cval = static_cast<int>(c & 31U);
  const int mask = static_cast<int>((c >> 8U) & 31U);
  const int max_lane = (lane & mask) | (cval & ~mask);
  const int min_lane = lane & mask;
  int j = 0;
  bool p = false;
  if (mode == "up") {
    j = lane - bval;
    p = j >= max_lane;
  } else if (mode == "down") {
    j = lane + bval;
    p = j <= max_lane;
  } else if (mode == "bfly") {
    j = lane ^ bval;
    p = j <= max_lane;
  } else {
    j = min_lane | (bval & ~mask);
    p = j <= max_lane;
  }
  return {static_cast<std::uint32_t>(p ? j : lane), p};
}

TEST_P(ShuffleOpsTest, ShuffleFollowsItsDefinitionInEveryModeClampAndSegment) {
  const PerLane<std::uint32_t> a = RandomLanes();
  const std::uint32_t value = rig_.Put(a);
  const std::uint32_t b = rig_.New();
  const std::uint32_t c = rig_.New();
  const std::uint32_t d = rig_.New();
  const std::uint32_t p = rig_.New();
  const std::uint32_t mask = rig_.PutAll(kAllLanes);
  for (const std::string_view mode : {"up", "down", "bfly", "idx"}) {
    const std::string spelling = "shfl.sync." + std::string(mode) + ".b32";
    const auto step =
        rig_.Assemble(spelling, {R32(d), Pred(p), R32(value), R32(b), R32(c), R32(mask)},
                      SecondDestination::kYes);
    const auto plain = rig_.Assemble(spelling, {R32(d), R32(value), R32(b), R32(c), R32(mask)});
    for (const std::uint32_t segment : {0U, 16U, 24U, 28U, 30U, 31U}) {
      for (const std::uint32_t clamp : {0U, 7U, 19U, 31U}) {
        for (std::uint32_t offset = 0; offset < 36; ++offset) {
          rig_.Set(b, RandomLanes());
          if (offset < 34) {  // else each lane has its own
            PerLane<std::uint32_t> same;
            same.fill(offset);
            rig_.Set(b, same);
          }
          const auto offsets = rig_.Get<std::uint32_t>(b);
          PerLane<std::uint32_t> bounds;
          bounds.fill(clamp | segment << 8U | 0xffffe0e0U);
          rig_.Set(c, bounds);
          for (const Form form : {Form::kFullIfAll, Form::kMasked}) {
            ASSERT_TRUE(rig_.Run(step, form));
            const auto got = rig_.Get<std::uint32_t>(d);
            ASSERT_TRUE(rig_.Run(plain, form));
            ASSERT_EQ(rig_.Get<std::uint32_t>(d), got);
            for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
              const ShuffleResult expected =
                  ShuffleSource(mode, static_cast<int>(lane), offsets[lane], bounds[lane]);
              ASSERT_EQ(got[lane], a[expected.source]) << mode << " lane " << lane;
              ASSERT_EQ(Has(rig_.GetPredicate(p), lane), expected.in_range);
            }
          }
        }
      }
    }
  }
  EXPECT_TRUE(rig_.reports.empty());
}

TEST_P(ShuffleOpsTest, ShuffleMayWriteItsOwnSource) {
  const PerLane<std::uint32_t> a = RandomLanes();
  const std::uint32_t value = rig_.Put(a);
  rig_.Do("shfl.sync.idx.b32", {R32(value), R32(value), R32(rig_.PutAll(5U)), R32(rig_.PutAll(31U)),
                                R32(rig_.PutAll(kAllLanes))});
  for (const std::uint32_t each : rig_.Get<std::uint32_t>(value)) {
    EXPECT_EQ(each, a[5]);
  }
}

TEST_P(ShuffleOpsTest, ShuffleFromLanesThatTakeNoPartIsUndefinedAndReported) {
  const PerLane<std::uint32_t> a = RandomLanes();
  const std::uint32_t value = rig_.Put(a);
  const std::uint32_t d = rig_.PutAll(kOld);
  rig_.warp.exited = 0x00f00000;
  rig_.warp.active = 0x0000ffff;
  EXPECT_TRUE(rig_.Do("shfl.sync.down.b32",
                      {R32(d), R32(value), R32(rig_.PutAll(12U)), R32(rig_.PutAll(31U)),
                       R32(rig_.PutAll(0x00ffffffU & ~0x000f0000U))}));
  const auto got = rig_.Get<std::uint32_t>(d);
  for (std::uint32_t lane = 0; lane < 16; ++lane) {
    if (lane < 4) {
      EXPECT_EQ(got[lane], a[lane + 12]);
    } else {
      EXPECT_EQ(got[lane], got[4]) << "one fixed value";
      EXPECT_EQ(got[lane] % 2, 1U);
      EXPECT_NE(got[lane], a[lane + 12]);
    }
  }
  std::size_t sources = 0;
  std::size_t masks = 0;
  for (const Reported& report : rig_.reports) {
    sources += report.kind == FindingKind::kInactiveSource ? 1 : 0;
    masks += report.kind == FindingKind::kInvalidMask ? 1 : 0;
    if (report.kind == FindingKind::kInvalidMask) {
      EXPECT_EQ(report.severity, Severity::kWarning) << report.note;
    }
  }
  EXPECT_EQ(sources, 12U);
  EXPECT_EQ(masks, 1U);
}

TEST_P(ShuffleOpsTest, ShuffleReadsLanesOfTheReadersMaskOnly) {
  PerLane<std::uint32_t> masks;
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    masks[lane] = 0xffU << (lane / 8 * 8);
  }
  const PerLane<std::uint32_t> a = RandomLanes();
  const std::uint32_t d = rig_.New();
  EXPECT_TRUE(rig_.Do("shfl.sync.down.b32", {R32(d), R32(rig_.Put(a)), R32(rig_.PutAll(4U)),
                                             R32(rig_.PutAll(31U)), R32(rig_.Put(masks))}));
  const auto got = rig_.Get<std::uint32_t>(d);
  EXPECT_EQ(got[1], a[5]);
  EXPECT_EQ(got[30], a[30]) << "out of range: its own";
  EXPECT_NE(got[4], a[8]) << "lane 8 is in another tile";
  EXPECT_EQ(rig_.reports.size(), 12U);
}

}  // namespace
}  // namespace assay::gpu
