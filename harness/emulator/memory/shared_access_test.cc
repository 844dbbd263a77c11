// SPDX-License-Identifier: Apache-2.0
// Shared memory: what accesses move and count, bank conflicts, bytes that nobody wrote.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#include "emulator/memory/launch_rig.h"

namespace assay::gpu {
namespace {

using ptx::Space;
using ptx::Type;

TEST(SharedAccess, CountsWavefrontsAsComputedByHand) {
  struct Case {
    const char* name;
    Type type;
    std::uint32_t vector;
    LaneMask lanes;
    std::function<std::uint64_t(std::uint32_t)> offset;
    std::uint64_t wavefronts;
    std::uint64_t ideal;
  };
  const std::vector<Case> cases = {
      {"consecutive 4", Type::kU32, 1, kAllLanes, [](auto l) { return 4 * l; }, 1, 1},
      {"consecutive 8", Type::kU64, 1, kAllLanes, [](auto l) { return 8 * l; }, 2, 2},
      {"consecutive 16", Type::kU32, 4, kAllLanes, [](auto l) { return 16 * l; }, 4, 4},
      {"broadcast", Type::kU32, 1, kAllLanes, [](auto) { return 4; }, 1, 1},
      {"2-way", Type::kU32, 1, kAllLanes, [](auto l) { return 8 * l; }, 2, 1},
      {"4-way", Type::kU32, 1, kAllLanes, [](auto l) { return 16 * l; }, 4, 1},
      {"8-way", Type::kU32, 1, kAllLanes, [](auto l) { return 32 * l; }, 8, 1},
      {"16-way", Type::kU32, 1, kAllLanes, [](auto l) { return 64 * l; }, 16, 1},
      {"32-way: a column of a tile", Type::kU32, 1, kAllLanes, [](auto l) { return 128 * l; }, 32,
       1},
      {"a column of a padded tile", Type::kU32, 1, kAllLanes, [](auto l) { return 132 * l; }, 1, 1},
      {"odd stride", Type::kU32, 1, kAllLanes, [](auto l) { return 12 * l; }, 1, 1},
      {"same words twice", Type::kU32, 1, kAllLanes, [](auto l) { return 4 * (l / 2); }, 1, 1},
      {"permuted", Type::kU32, 1, kAllLanes, [](auto l) { return 4 * (l * 5 % 32); }, 1, 1},
      {"16 lanes of 16-way", Type::kU32, 1, 0xffffU, [](auto l) { return 128 * l; }, 16, 1},
      {"8-byte stride 2", Type::kU64, 1, kAllLanes, [](auto l) { return 16 * l; }, 4, 2},
      {"half a warp of 8", Type::kU64, 1, 0xffffU, [](auto l) { return 8 * l; }, 1, 1},
      {"a quarter of 16", Type::kU32, 4, 0xff00U, [](auto l) { return 16 * l; }, 1, 1},
  };
  for (const Case& c : cases) {
    for (const Checking checking : {Checking::kOn, Checking::kOff}) {
      LaunchRig rig({.shared_bytes = 8192, .checking = checking});
      rig.Begin();
      FillShared(rig, 8192);
      for (int again = 0; again < 2; ++again) {
        ASSERT_TRUE(rig.Run(rig.warp(), Load(Space::kShared, c.type, c.vector), 0, c.lanes,
                            [&](auto l) { return c.offset(l); }));
      }
      EXPECT_EQ(rig.Counters(0).wavefronts, 2 * c.wavefronts) << c.name;
      EXPECT_EQ(rig.Counters(0).ideal_wavefronts, 2 * c.ideal) << c.name;
      EXPECT_EQ(rig.Counters(0).sectors, 0U) << c.name;
      EXPECT_THAT(rig.workers[0].findings.records(), testing::IsEmpty()) << c.name;
    }
  }
}

TEST(SharedAccess, MovesTheBytes) {
  LaunchRig rig({.shared_bytes = 4096});
  rig.Begin();
  Warp& warp = rig.warp();
  FillSlot(warp, 0, 100, 1);
  ASSERT_TRUE(rig.Run(warp, Store(Space::kShared), 0, kAllLanes,
                      [](auto l) { return 132 * (l % 8) + 4 * (l / 8); }));
  FillSlot(warp, 0, 0, 0);
  ++rig.block().barrier_epoch;
  ASSERT_TRUE(rig.Run(warp, Load(Space::kGeneric), 1, 0x7fffffffU,
                      [](auto l) { return kSharedWindow + 132 * (l % 8) + 4 * (l / 8); }));
  EXPECT_EQ(LaunchRig::Slot<std::uint32_t>(warp, 0)[13], 113U);
  EXPECT_EQ(LaunchRig::Slot<std::uint32_t>(warp, 0)[31], 0U);
  EXPECT_THAT(rig.workers[0].findings.records(), testing::IsEmpty());
}

TEST(SharedAccess, PastTheEndEndsTheLaunch) {
  LaunchRig rig({.shared_bytes = 124});
  rig.Begin();
  EXPECT_FALSE(
      rig.Run(rig.warp(), Store(Space::kShared), 0, kAllLanes, [](auto l) { return 4 * l; }));
  EXPECT_EQ(rig.workers[0].fault.error, 700);
  ASSERT_EQ(rig.workers[0].findings.records().size(), 1U);
  EXPECT_EQ(rig.workers[0].findings.records()[0].site.thread, 31U);
}

TEST(SharedAtomics, AddInOrderOfLanesAndSeeUnwrittenBytes) {
  LaunchRig rig({.warps = 2, .shared_bytes = 512});
  rig.Begin();
  FillSlot(rig.warp(), 0, 0, 0);
  FillShared(rig, 256);
  for (std::uint32_t w = 0; w < 2; ++w) {
    Warp& warp = rig.warp(0, w);
    FillSlot(warp, 1, 1, 1);
    rig.Run(warp, Atomic(Space::kShared), 1, kAllLanes, [](auto l) { return 4 * (l % 3); });
    rig.Run(warp, Atomic(Space::kGeneric), 2, 0xffffU, [](auto) { return kSharedWindow + 8; });
    rig.Run(warp, Atomic(Space::kShared), 3, kAllLanes, [](auto l) { return 128 + 4 * l; });
  }
  // Lanes 0, 3 … 30 add 1, 4 … 31: 176 a warp; lane 27 has seen 1 + 4 + … + 25.
  EXPECT_EQ(LaunchRig::Slot<std::uint32_t>(rig.warp(), 0)[31], 0U);
  std::uint32_t word = 0;
  std::memcpy(&word, rig.block().shared, 4);
  EXPECT_EQ(word, 2 * 176U);
  EXPECT_THAT(rig.workers[0].findings.records(), testing::IsEmpty());
  rig.Run(rig.warp(), Atomic(Space::kShared), 4, kAllLanes, [](auto) { return 300; });
  EXPECT_THAT(Kinds(rig.workers[0].findings), testing::ElementsAre(FindingKind::kUninitialized));
}

TEST(SharedAccess, ActiveLanesMayBeginTheMemory) {
  LaunchRig rig({.shared_bytes = 256});
  rig.Begin();
  const auto at = [](std::uint32_t l) { return 4 * (l - 20); };
  for (const LaneMask lanes : {0xfff00000U, 1U << 20}) {
    rig.Run(rig.warp(), Store(Space::kShared), 1, lanes, at);
    rig.Run(rig.warp(), Load(Space::kShared), 2, lanes, at);
    rig.Run(rig.warp(), Atomic(Space::kShared), 3, lanes, at);
    ++rig.block().barrier_epoch;
  }
  EXPECT_THAT(rig.workers[0].findings.records(), testing::IsEmpty());
  EXPECT_EQ(rig.workers[0].fault.error, 0);
}

TEST(SharedInitcheck, SeesEachBlockAfresh) {
  LaunchRig rig({.shared_bytes = 128});
  rig.Begin();
  Warp& warp = rig.warp();
  const auto at = [](std::uint32_t l) { return 4 * l; };
  rig.Run(warp, Store(Space::kShared), 0, 0x7fffffffU, at);
  ++rig.block().barrier_epoch;
  rig.Run(warp, Load(Space::kShared), 1, 0x7fffffffU, at);
  EXPECT_THAT(rig.workers[0].findings.records(), testing::IsEmpty());
  rig.Run(warp, Load(Space::kShared), 2, kAllLanes, at);
  EXPECT_THAT(Kinds(rig.workers[0].findings), testing::ElementsAre(FindingKind::kUninitialized));
  rig.workers[0].findings.Clear();
  rig.checkers[0]->EndBlock(rig.block());
  rig.checkers[0]->BeginBlock(rig.block());
  rig.Run(warp, Load(Space::kShared), 3, 1U, at);
  EXPECT_THAT(Kinds(rig.workers[0].findings), testing::ElementsAre(FindingKind::kUninitialized));
}

}  // namespace
}  // namespace assay::gpu
