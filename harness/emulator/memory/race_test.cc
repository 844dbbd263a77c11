// SPDX-License-Identifier: Apache-2.0
// Shared memory: races of each kind with their clean twins.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "emulator/memory/launch_rig.h"

namespace assay::gpu {
namespace {

using ptx::Opcode;
using ptx::Space;
using ptx::Type;

struct Access {
  std::uint32_t warp = 0;
  ptx::Instruction instruction;
  std::function<std::uint64_t(std::uint32_t)> at;
  LaneMask lanes = kAllLanes;
};

// Two accesses, with a barrier of the block or of the warp between them or none.
enum class Between : std::uint8_t { kNothing, kBlockBarrier, kWarpBarrier };
std::vector<FindingRecord> RunPair(const Access& first, const Access& second, Between between) {
  LaunchRig rig({.warps = 2, .shared_bytes = 4096});
  rig.Begin();
  FillShared(rig, 4096);
  FillSlot(rig.warp(0, 0), 0, 1, 1);
  FillSlot(rig.warp(0, 1), 0, 1000, 3);
  rig.Run(rig.warp(0, first.warp), first.instruction, 1, first.lanes, first.at);
  if (between == Between::kBlockBarrier) {
    ++rig.block().barrier_epoch;
  }
  if (between == Between::kWarpBarrier) {
    ++rig.warp(0, first.warp).sync_epoch;
  }
  FillSlot(rig.warp(0, second.warp), 0, 5000, 7);
  rig.Run(rig.warp(0, second.warp), second.instruction, 2, second.lanes, second.at);
  rig.Finish();
  return rig.findings.records();
}

TEST(SharedRacecheck, FindsHazardsBetweenWarpsAndWithinOne) {
  const auto lane = [](std::uint32_t l) -> std::uint64_t { return 4 * l; };
  const auto next = [](std::uint32_t l) -> std::uint64_t { return 4 * ((l + 1) % 32); };
  const auto same = [](std::uint32_t) -> std::uint64_t { return 64; };
  const auto column = [](std::uint32_t l) -> std::uint64_t { return 128 * l; };
  const auto load = Load(Space::kShared);
  const auto store = Store(Space::kShared);
  const auto poke = LaunchRig::Make(Opcode::kSt, Space::kShared, Type::kU32, 1,
                                    [](auto& i) { i.order = ptx::Order::kVolatile; });
  struct Case {
    const char* name;
    Access first, second;
    FindingKind kind;
    Severity severity;
    bool warp_barrier_helps;
  };
  const std::vector<Case> cases = {
      {"RAW",
       {0, store, lane},
       {1, load, lane},
       FindingKind::kReadAfterWrite,
       Severity::kError,
       false},
      {"RAW, broadcast",
       {0, store, lane},
       {1, load, same},
       FindingKind::kReadAfterWrite,
       Severity::kError,
       false},
      {"RAW, column",
       {0, store, lane},
       {1, load, column},
       FindingKind::kReadAfterWrite,
       Severity::kError,
       false},
      {"WAR",
       {0, load, lane},
       {1, store, lane},
       FindingKind::kWriteAfterRead,
       Severity::kError,
       false},
      {"WAR, broadcast",
       {0, load, same},
       {1, store, lane},
       FindingKind::kWriteAfterRead,
       Severity::kError,
       false},
      {"WAW",
       {0, store, lane},
       {1, store, lane},
       FindingKind::kWriteAfterWrite,
       Severity::kError,
       false},
      {"RAW in a warp",
       {0, store, lane},
       {0, load, next},
       FindingKind::kReadAfterWrite,
       Severity::kWarning,
       true},
      {"WAR in a warp",
       {0, load, lane},
       {0, store, next},
       FindingKind::kWriteAfterRead,
       Severity::kWarning,
       true},
      {"WAR in a warp, broadcast",
       {0, load, same},
       {0, store, lane},
       FindingKind::kWriteAfterRead,
       Severity::kWarning,
       true},
      {"atomic then plain",
       {0, Atomic(Space::kShared), lane},
       {1, load, lane},
       FindingKind::kAtomicMix,
       Severity::kWarning,
       false},
      {"atomic then plain write",
       {0, Atomic(Space::kShared), lane},
       {1, store, lane},
       FindingKind::kAtomicMix,
       Severity::kError,
       false},
      {"plain read then atomic",
       {0, load, same},
       {1, Atomic(Space::kShared), lane},
       FindingKind::kAtomicMix,
       Severity::kWarning,
       false},
      {"volatile store then plain read",
       {0, poke, lane},
       {1, load, lane},
       FindingKind::kAtomicMix,
       Severity::kError,
       false},
      {"plain then atomic",
       {0, store, lane},
       {1, Atomic(Space::kShared), lane},
       FindingKind::kAtomicMix,
       Severity::kError,
       false},
  };
  for (const Case& c : cases) {
    const auto found = RunPair(c.first, c.second, Between::kNothing);
    ASSERT_EQ(found.size(), 1U) << c.name;
    EXPECT_EQ(found[0].kind, c.kind) << c.name;
    EXPECT_EQ(found[0].severity, c.severity) << c.name;
    EXPECT_EQ(found[0].site.instruction, 2U) << c.name;
    EXPECT_EQ(found[0].other.instruction, 1U) << c.name;
    EXPECT_EQ(found[0].other.thread / 32, c.first.warp) << c.name;
    EXPECT_THAT(RunPair(c.first, c.second, Between::kBlockBarrier), testing::IsEmpty()) << c.name;
    const auto synced = RunPair(c.first, c.second, Between::kWarpBarrier);
    EXPECT_EQ(synced.empty(), c.warp_barrier_helps) << c.name;
  }
  // What is no race without any barrier.
  const auto clean = [&](const Access& first, const Access& second) {
    return RunPair(first, second, Between::kNothing).empty();
  };
  EXPECT_TRUE(clean({0, load, lane}, {1, load, lane}));
  EXPECT_TRUE(clean({0, store, lane}, {0, load, lane}));
  EXPECT_TRUE(clean({0, Atomic(Space::kShared), same}, {1, Atomic(Space::kShared), same}));
  EXPECT_TRUE(clean({0, store, lane, 0xffffU}, {1, store, lane, 0xffff0000U}));
}

TEST(SharedRacecheck, NamesTwoThreadsOfOneWarp) {
  const auto load = Load(Space::kShared);
  const auto store = Store(Space::kShared);
  const auto add = Atomic(Space::kShared);
  const auto same = [](std::uint32_t) -> std::uint64_t { return 64; };
  // Pairs of neighbours, so that each place is read by two lanes; by the quick ways for
  // consecutive, broadcast and gathered lanes, and by the thorough one.
  const auto pairs = [](std::uint32_t l) -> std::uint64_t { return 8 * (l / 2); };
  const auto all = RunPair({0, load, same}, {0, add, same}, Between::kNothing);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].site.thread, 0U);
  EXPECT_NE(all[0].other.thread, 0U);
  const auto last = RunPair({0, load, same}, {0, store, same, 1U << 31}, Between::kNothing);
  ASSERT_EQ(last.size(), 1U);
  EXPECT_EQ(last[0].site.thread, 31U);
  EXPECT_NE(last[0].other.thread, 31U);
  for (const std::uint32_t writer : {8U, 9U}) {
    LaunchRig rig({.warps = 2, .shared_bytes = 4096});
    rig.Begin();
    FillShared(rig, 4096);
    // One lane after the other reads, so that readers are joined.
    rig.Run(rig.warp(), load, 1, 0x55555555U, pairs);
    rig.Run(rig.warp(), load, 1, 0xaaaaaaaaU, pairs);
    rig.Run(rig.warp(), store, 2, LaneMask{1} << writer, pairs);
    rig.Finish();
    ASSERT_EQ(rig.findings.records().size(), 1U);
    EXPECT_EQ(rig.findings.records()[0].other.thread, writer == 8 ? 9U : 8U);
  }
  // Of another warp, an atomic's lane.
  const auto atomic = RunPair({0, add, same, 1U << 7}, {1, store, same, 1U}, Between::kNothing);
  ASSERT_EQ(atomic.size(), 1U);
  EXPECT_EQ(atomic[0].other.thread, 7U);
}

TEST(SharedRacecheck, TheFirstOfSeveralWarpsIsNamedWithItsInstruction) {
  LaunchRig rig({.warps = 3, .shared_bytes = 4096});
  rig.Begin();
  FillShared(rig, 4096);
  const auto lane = [](std::uint32_t l) -> std::uint64_t { return 4 * l; };
  const auto column = [](std::uint32_t l) -> std::uint64_t { return 4 * (31 - l); };
  const auto same = [](std::uint32_t) -> std::uint64_t { return 64; };
  for (const auto& at :
       std::vector<std::function<std::uint64_t(std::uint32_t)>>{lane, column, same}) {
    rig.workers[0].findings.Clear();
    rig.Run(rig.warp(0, 0), Load(Space::kShared), 1, kAllLanes, lane);
    rig.Run(rig.warp(0, 1), Load(Space::kShared), 2, kAllLanes, at);
    rig.Run(rig.warp(0, 2), Store(Space::kShared), 3, 1U << 16, lane);
    ASSERT_EQ(rig.workers[0].findings.records().size(), 1U);
    EXPECT_EQ(rig.workers[0].findings.records()[0].other.instruction, 1U);
    EXPECT_EQ(rig.workers[0].findings.records()[0].other.thread, 16U);
    ++rig.block().barrier_epoch;
  }
}

TEST(SharedRacecheck, LanesOfOneStore) {
  LaunchRig rig({.shared_bytes = 4096});
  rig.Begin();
  Warp& warp = rig.warp();
  FillSlot(warp, 0, 7, 0);
  rig.Run(warp, Store(Space::kShared), 1, kAllLanes, [](auto) { return 0; });
  ASSERT_EQ(rig.workers[0].findings.records().size(), 1U);
  EXPECT_EQ(rig.workers[0].findings.records()[0].severity, Severity::kInfo);
  FillSlot(warp, 0, 7, 1);
  rig.Run(warp, Store(Space::kShared), 2, kAllLanes, [](auto l) { return 1024 + l / 2 * 4; });
  ASSERT_EQ(rig.workers[0].findings.records().size(), 2U);
  EXPECT_EQ(rig.workers[0].findings.records()[1].severity, Severity::kWarning);
  EXPECT_EQ(rig.workers[0].findings.records()[1].count, 16U);
}

TEST(SharedRacecheck, BytesOfOneWordAreApart) {
  LaunchRig rig({.warps = 2, .shared_bytes = 128, .spellings = {"st.shared.u8"}});
  rig.Begin();
  for (std::uint32_t w = 0; w < 2; ++w) {
    rig.Run(rig.warp(0, w), Store(Space::kShared, Type::kU8), 1, kAllLanes,
            [&](auto l) { return 2 * l + w; });
  }
  EXPECT_THAT(rig.workers[0].findings.records(), testing::IsEmpty());
  rig.Run(rig.warp(0, 1), Load(Space::kShared, Type::kU16), 2, kAllLanes,
          [](auto l) { return 2 * l; });
  EXPECT_THAT(Kinds(rig.workers[0].findings), testing::ElementsAre(FindingKind::kReadAfterWrite));
}

TEST(SharedRacecheck, SurvivesManyBarriers) {
  LaunchRig rig({.warps = 2, .shared_bytes = 256});
  rig.Begin();
  const auto at = [](std::uint32_t l) { return 4 * l; };
  rig.Run(rig.warp(), Store(Space::kShared), 0, kAllLanes, [](auto l) { return 128 + 4 * l; });
  for (std::uint32_t i = 0; i < 3000; ++i) {
    ++rig.block().barrier_epoch;
    rig.Run(rig.warp(0, i % 2), Store(Space::kShared), 1, kAllLanes, at);
    ++rig.block().barrier_epoch;
    rig.Run(rig.warp(0, 1 - i % 2), Load(Space::kShared), 2, kAllLanes, at);
  }
  rig.Run(rig.warp(), Load(Space::kShared), 3, kAllLanes, [](auto l) { return 128 + 4 * l; });
  EXPECT_THAT(rig.workers[0].findings.records(), testing::IsEmpty());
  rig.Run(rig.warp(0, 1), Store(Space::kShared), 4, kAllLanes, [](auto l) { return 128 + 4 * l; });
  EXPECT_THAT(Kinds(rig.workers[0].findings), testing::ElementsAre(FindingKind::kWriteAfterRead));
}

// What warps do to one array, with flags in shared memory between them.
struct WarpStep {
  std::uint32_t warp = 0;
  ptx::Instruction instruction;
  std::uint32_t address = 0;  // Of lane 0; those of other lanes follow, but for flags.
};

std::vector<FindingKind> RunWarps(const std::vector<WarpStep>& steps) {
  LaunchRig rig({.warps = 4, .shared_bytes = 4096});
  rig.Begin();
  FillShared(rig, 4096);
  std::uint32_t number = 0;
  for (const WarpStep& step : steps) {
    FillSlot(rig.warp(0, step.warp), 0, 1000 * ++number, 1);
    FillSlot(rig.warp(0, step.warp), 1, 1, 0);
    const bool flag = step.address >= 2048;
    ++rig.warp(0, step.warp).sync_epoch;
    rig.Run(rig.warp(0, step.warp), step.instruction, number, flag ? 1U : kAllLanes,
            [&](auto l) { return step.address + 4 * l; });
  }
  rig.Finish();
  return Kinds(rig.findings);
}

TEST(SharedRacecheck, FlagsOrderTheWarpsThatHeardOfEachOther) {
  const auto load = Load(Space::kShared);
  const auto store = Store(Space::kShared);
  const auto with = [](Opcode opcode, ptx::Order order, ptx::Scope scope) {
    return LaunchRig::Make(opcode, Space::kShared, Type::kU32, 1, [&](auto& i) {
      i.order = order;
      i.scope = scope;
      i.atomic_op = ptx::AtomicOp::kAdd;
    });
  };
  ptx::Instruction fence;
  fence.opcode = Opcode::kMembar;
  fence.scope = ptx::Scope::kCta;
  const auto set = with(Opcode::kSt, ptx::Order::kRelease, ptx::Scope::kCta);
  const auto poke = with(Opcode::kSt, ptx::Order::kVolatile, ptx::Scope::kNone);
  const auto look = with(Opcode::kLd, ptx::Order::kAcquire, ptx::Scope::kCta);
  const auto add = with(Opcode::kAtom, ptx::Order::kRelaxed, ptx::Scope::kCta);
  const auto add_release = with(Opcode::kAtom, ptx::Order::kAcqRel, ptx::Scope::kCta);
  constexpr std::uint32_t kFlag = 2048;
  constexpr std::uint32_t kOther = 3072;
  struct Case {
    const char* name;
    std::vector<WarpStep> steps;
    std::vector<FindingKind> found;
  };
  using enum FindingKind;
  const Case cases[] = {
      {"release and acquire", {{0, store}, {0, set, kFlag}, {1, look, kFlag}, {1, load}}, {}},
      {"a fence and a volatile flag",
       {{0, store}, {0, fence}, {0, poke, kFlag}, {1, look, kFlag}, {1, load}},
       {}},
      {"no fence", {{0, store}, {0, poke, kFlag}, {1, look, kFlag}, {1, load}}, {kReadAfterWrite}},
      {"another flag",
       {{0, store}, {0, set, kFlag}, {1, look, kOther}, {1, load}},
       {kReadAfterWrite}},
      {"heard before it was told",
       {{1, look, kFlag}, {0, store}, {0, set, kFlag}, {1, load}},
       {kReadAfterWrite}},
      {"written again after the flag",
       {{0, store}, {0, set, kFlag}, {0, store}, {1, look, kFlag}, {1, load}},
       {kReadAfterWrite}},
      {"the last to count reads",
       {{0, store}, {0, fence}, {0, add, kFlag}, {1, fence}, {1, add, kFlag}, {1, load}},
       {}},
      {"by way of a third warp",
       {{0, store},
        {0, set, kFlag},
        {1, look, kFlag},
        {1, add_release, kOther},
        {2, look, kOther},
        {2, load}},
       {}},
      {"the reader says that it is done",
       {{0, load}, {0, set, kFlag}, {1, look, kFlag}, {1, store}},
       {}},
      {"the reader says nothing", {{0, load}, {1, look, kFlag}, {1, store}}, {kWriteAfterRead}},
      {"two readers, the first of them tells",
       {{0, load}, {1, load}, {0, set, kFlag}, {2, look, kFlag}, {2, store}},
       {}},
      {"two readers, the second of them tells",
       {{0, load}, {1, load}, {1, set, kFlag}, {2, look, kFlag}, {2, store}},
       {kWriteAfterRead}},
      {"two readers, who writes is the first and has heard of nobody",
       {{0, load}, {1, load}, {1, set, kFlag}, {0, store}},
       {kWriteAfterRead}},
  };
  for (const Case& c : cases) {
    EXPECT_THAT(RunWarps(c.steps), testing::ElementsAreArray(c.found)) << c.name;
  }
}

TEST(SharedRacecheck, ABarrierIsBehindAllThatFlagsSaid) {
  LaunchRig rig({.warps = 2, .shared_bytes = 4096});
  rig.Begin();
  FillShared(rig, 4096);
  const auto run = [&](std::uint32_t warp, const ptx::Instruction& what, std::uint32_t at) {
    FillSlot(rig.warp(0, warp), 0, at + warp, 3);
    rig.Run(rig.warp(0, warp), what, 1 + warp, at == 2048 ? 1U : kAllLanes,
            [&](auto l) { return at + 4 * l; });
  };
  const auto ordered = [](Opcode opcode, ptx::Order order) {
    return LaunchRig::Make(opcode, Space::kShared, Type::kU32, 1, [&](auto& i) {
      i.order = order;
      i.scope = ptx::Scope::kCta;
    });
  };
  run(0, ordered(Opcode::kSt, ptx::Order::kRelease), 2048);
  ++rig.block().barrier_epoch;
  run(1, ordered(Opcode::kLd, ptx::Order::kAcquire), 2048);
  run(0, Store(Space::kShared), 0);
  run(1, Load(Space::kShared), 0);
  EXPECT_THAT(Kinds(rig.workers[0].findings), testing::ElementsAre(FindingKind::kReadAfterWrite));
}

TEST(SharedRacecheck, TheSystemsPartIsNobodysBusiness) {
  LaunchRig rig({.warps = 2, .shared_bytes = 4096});
  rig.program.uses_reserved_shared = true;
  rig.Begin();
  const auto at = [](std::uint32_t first) {
    return [=](std::uint32_t l) { return first + 4 * l; };
  };
  rig.Run(rig.warp(0, 0), Load(Space::kShared), 1, kAllLanes, at(4096 - 1024));
  FillSlot(rig.warp(0, 1), 0, 5, 1);
  rig.Run(rig.warp(0, 1), Store(Space::kShared), 2, kAllLanes, at(4096 - 1024));
  EXPECT_THAT(rig.workers[0].findings.records(), testing::IsEmpty());
  rig.Run(rig.warp(0, 0), Load(Space::kShared), 3, kAllLanes, at(4096 - 1024 - 128));
  EXPECT_THAT(Kinds(rig.workers[0].findings), testing::ElementsAre(FindingKind::kUninitialized));
}

}  // namespace
}  // namespace assay::gpu
