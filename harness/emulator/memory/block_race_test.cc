// SPDX-License-Identifier: Apache-2.0
// Device memory: races between blocks, what orders them, traffic over several blocks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/memory/launch_rig.h"
#include "emulator/memory/order_sensitive.h"

namespace assay::gpu {
namespace {

using ptx::Opcode;
using ptx::Space;
using ptx::Type;

struct BlockStep {
  std::uint32_t block;
  std::uint32_t number;
  ptx::Instruction instruction;
  std::function<std::uint64_t(std::uint32_t)> at;  // Offsets in one array.
  LaneMask lanes = kAllLanes;
};

struct Outcome {
  std::vector<FindingRecord> findings;
  LaunchCounters counters;
};

Outcome RunBlocks(const std::vector<BlockStep>& steps, std::uint32_t workers,
                  BlockOrder order = BlockOrder::kIndependent, std::uint64_t l2_bytes = 50 << 20) {
  LaunchRig rig({.blocks = 4, .workers = workers, .order = order, .l2_bytes = l2_bytes});
  const std::uint64_t base = *rig.memory->Allocate(1 << 20);
  EXPECT_TRUE(rig.memory->Fill(base, std::vector<std::byte>(1), 1 << 20).has_value());
  rig.Begin();
  for (const BlockStep& step : steps) {
    rig.Run(rig.warp(step.block), step.instruction, step.number, step.lanes,
            [&](auto l) { return base + step.at(l); });
  }
  Outcome outcome;
  outcome.counters = rig.Finish();
  outcome.findings = rig.findings.records();
  for (FindingRecord& record : outcome.findings) {
    record.address -= base;
  }
  return outcome;
}

TEST(GlobalRacecheck, FindsRacesBetweenBlocksOnAnyNumberOfWorkers) {
  const auto load = Load(Space::kGlobal);
  const auto store = Store(Space::kGlobal);
  const auto add = Atomic(Space::kGlobal);
  const auto lane = [](std::uint32_t l) -> std::uint64_t { return 4 * l; };
  const auto off = [](std::uint32_t l) -> std::uint64_t { return 8 + 4 * l; };
  const auto far = [](std::uint32_t l) -> std::uint64_t { return 4096 + 4 * l; };
  struct Case {
    const char* name;
    std::vector<BlockStep> steps;
    std::vector<FindingKind> kinds;
  };
  const std::vector<Case> cases = {
      {"RAW", {{0, 1, store, lane}, {1, 2, load, lane}}, {FindingKind::kReadAfterWrite}},
      {"WAR", {{0, 1, load, lane}, {1, 2, store, lane}}, {FindingKind::kWriteAfterRead}},
      {"WAW", {{0, 1, store, lane}, {1, 2, store, lane}}, {FindingKind::kWriteAfterWrite}},
      {"one word",
       {{0, 1, store, lane}, {3, 2, load, [](auto) { return 124; }, 1U}},
       {FindingKind::kReadAfterWrite}},
      {"many readers, then a write",
       {{0, 1, load, lane}, {1, 1, load, lane}, {2, 1, load, lane}, {3, 2, store, lane}},
       {FindingKind::kWriteAfterRead}},
      {"atomic and plain", {{0, 1, add, lane}, {1, 2, load, lane}}, {FindingKind::kAtomicMix}},
      {"an owner that reads first, a writer, and a third that reads more",
       {{0, 1, load, lane, 0xfU}, {1, 1, load, lane}, {2, 1, load, lane}, {3, 2, store, lane}},
       {FindingKind::kWriteAfterRead}},
      {"plain and atomic", {{0, 1, store, lane}, {1, 2, add, lane}}, {FindingKind::kAtomicMix}},
      {"read and written by one block, and an atomic of another that ran elsewhere before",
       {{1, 2, add, far}, {0, 1, load, lane}, {0, 1, store, lane}, {1, 2, add, lane}},
       {FindingKind::kAtomicMix}},
      {"two bytes of a sector overlap",
       {{0, 1, store, lane}, {1, 2, store, off}},
       {FindingKind::kWriteAfterWrite}},
      {"readers only", {{0, 1, load, lane}, {1, 1, load, off}, {2, 1, load, lane}}, {}},
      {"atomics only", {{0, 1, add, lane}, {1, 1, add, lane}, {2, 1, add, off}}, {}},
      {"own bytes of a shared sector",
       {{0, 1, load, [](auto) { return 0; }, 1U},
        {1, 1, load, [](auto) { return 4; }, 1U},
        {0, 2, store, [](auto) { return 0; }, 1U},
        {1, 2, store, [](auto) { return 4; }, 1U}},
       {}},
      {"read, then written by itself", {{0, 1, load, lane}, {0, 2, store, lane}}, {}},
  };
  for (const Case& c : cases) {
    std::vector<Outcome> outcomes;
    for (const std::uint32_t workers : {1U, 2U, 4U}) {
      outcomes.push_back(RunBlocks(c.steps, workers));
      const Outcome& outcome = outcomes.back();
      std::vector<FindingKind> kinds;
      for (const FindingRecord& record : outcome.findings) {
        kinds.push_back(record.kind);
      }
      EXPECT_EQ(kinds, c.kinds) << c.name << " " << workers;
      EXPECT_EQ(outcome.counters, outcomes[0].counters) << c.name << " " << workers;
      ASSERT_EQ(outcome.findings.size(), outcomes[0].findings.size());
      for (std::size_t i = 0; i < outcome.findings.size(); ++i) {
        const FindingRecord& record = outcome.findings[i];
        EXPECT_EQ(record.site, outcomes[0].findings[i].site) << c.name << " " << workers;
        EXPECT_EQ(record.other, outcomes[0].findings[i].other) << c.name << " " << workers;
        EXPECT_EQ(record.address, outcomes[0].findings[i].address) << c.name;
        EXPECT_EQ(record.count, outcomes[0].findings[i].count) << c.name;
        EXPECT_EQ(record.other.instruction, 1U) << c.name;
        EXPECT_EQ(record.site.instruction, 2U) << c.name;
      }
    }
  }
}

TEST(GlobalRacecheck, ChainsOfReleasesOrderBlocks) {
  const auto load = Load(Space::kGlobal);
  const auto store = Store(Space::kGlobal);
  const auto count = Atomic(Space::kGlobal, ptx::AtomicOp::kInc);
  const auto poll = LaunchRig::Make(Opcode::kLd, Space::kGlobal, Type::kU32, 1,
                                    [](auto& i) { i.order = ptx::Order::kVolatile; });
  ptx::Instruction fence;
  fence.opcode = Opcode::kMembar;
  fence.scope = ptx::Scope::kGpu;
  const auto lane = [](std::uint32_t l) -> std::uint64_t { return 4 * l; };
  const auto flag = [](std::uint32_t) -> std::uint64_t { return 4096; };
  const auto none = [](std::uint32_t) -> std::uint64_t { return 0; };
  const std::vector<BlockStep> last_block = {{0, 1, store, lane},
                                             {0, 2, fence, none},
                                             {0, 3, count, flag, 1U},
                                             {1, 3, count, flag, 1U},
                                             {1, 4, load, lane}};
  EXPECT_THAT(RunBlocks(last_block, 1, BlockOrder::kSequential).findings, testing::IsEmpty());
  std::vector<BlockStep> unfenced = last_block;
  unfenced.erase(unfenced.begin() + 1);
  const Outcome raced = RunBlocks(unfenced, 1, BlockOrder::kSequential);
  ASSERT_EQ(raced.findings.size(), 1U);
  EXPECT_EQ(raced.findings[0].kind, FindingKind::kReadAfterWrite);
  EXPECT_EQ(raced.findings[0].site.instruction, 4U);
  EXPECT_EQ(raced.findings[0].other.instruction, 1U);
  // A flag that is polled; and one more block that hears of it from the second.
  const std::vector<BlockStep> chain = {{0, 1, store, lane},
                                        {0, 2, fence, none},
                                        {0, 3, store, flag, 1U},
                                        {1, 4, poll, flag, 1U},
                                        {1, 2, fence, none},
                                        {1, 5, count, [](auto) { return 8192; }, 1U},
                                        {2, 5, count, [](auto) { return 8192; }, 1U},
                                        {2, 6, load, lane}};
  EXPECT_THAT(RunBlocks(chain, 1, BlockOrder::kSequential).findings, testing::IsEmpty());
}

TEST(GlobalRacecheck, AFlagAfterABarrierOrdersReads) {
  const auto load = Load(Space::kGlobal);
  const auto store = Store(Space::kGlobal);
  const auto relaxed = [](auto& i) { i.order = ptx::Order::kRelaxed; };
  const auto tell = LaunchRig::Make(Opcode::kSt, Space::kGlobal, Type::kU32, 1, relaxed);
  const auto poll = LaunchRig::Make(Opcode::kLd, Space::kGlobal, Type::kU32, 1, relaxed);
  const auto lane = [](std::uint32_t l) -> std::uint64_t { return 4 * l; };
  const auto flag = [](std::uint32_t) -> std::uint64_t { return 4096; };
  enum class After : std::uint8_t { kNothing, kBarrier };
  const auto kinds = [&](const ptx::Instruction& first, const ptx::Instruction& last, After after) {
    LaunchRig rig({.blocks = 2, .order = BlockOrder::kSequential});
    const std::uint64_t base = *rig.memory->Allocate(1 << 20);
    EXPECT_TRUE(rig.memory->Fill(base, std::vector<std::byte>(1), 1 << 20).has_value());
    rig.Begin();
    const auto run = [&](std::uint32_t block, const ptx::Instruction& what, std::uint32_t number,
                         LaneMask lanes, const auto& at) {
      rig.Run(rig.warp(block), what, number, lanes, [&](auto l) { return base + at(l); });
    };
    run(0, first, 1, kAllLanes, lane);
    rig.block().barrier_epoch += after == After::kBarrier ? 1 : 0;
    run(0, tell, 2, 1U, flag);
    run(1, poll, 3, 1U, flag);
    run(1, last, 4, kAllLanes, lane);
    return Kinds(rig.workers[0].findings);
  };
  EXPECT_THAT(kinds(load, store, After::kBarrier), testing::IsEmpty());
  EXPECT_THAT(kinds(load, store, After::kNothing),
              testing::ElementsAre(FindingKind::kWriteAfterRead));
  // What it wrote may still be on its way.
  EXPECT_THAT(kinds(store, load, After::kBarrier),
              testing::ElementsAre(FindingKind::kReadAfterWrite));
  EXPECT_THAT(kinds(store, store, After::kBarrier),
              testing::ElementsAre(FindingKind::kWriteAfterWrite));
}

TEST(Traffic, CountsDistinctSectorsOverWorkers) {
  const auto load = Load(Space::kGlobal);
  const auto store = Store(Space::kGlobal);
  const auto row = [](std::uint32_t r) {
    return [r](std::uint32_t l) -> std::uint64_t { return r * 128 + 4 * l; };
  };
  const std::vector<BlockStep> steps = {
      {0, 1, load, row(0)},  {1, 1, load, row(0)},  {2, 1, load, row(1)},
      {0, 2, store, row(4)}, {0, 3, load, row(4)},  {1, 2, store, row(5)},
      {3, 4, load, row(6)},  {3, 5, store, row(6)}, {3, 4, load, row(6)}};
  for (const std::uint32_t workers : {1U, 2U}) {
    const LaunchCounters counters = RunBlocks(steps, workers).counters;
    EXPECT_EQ(counters.compulsory_read_bytes, 3 * 128U);
    EXPECT_EQ(counters.compulsory_write_bytes, 3 * 128U);
    EXPECT_EQ(counters.dram_read_bytes, 3 * 128U);
  }
}

TEST(Traffic, GoesThroughAnL2ThatIsTooSmall) {
  // One set of 16 lines: row 0 is gone after 16 others.
  const auto load = Load(Space::kGlobal);
  const auto store = Store(Space::kGlobal);
  std::vector<BlockStep> steps;
  const auto row = [](std::uint32_t r) {
    return [r](std::uint32_t l) -> std::uint64_t { return r * 128 + 4 * l; };
  };
  steps.push_back({0, 2, store, row(0)});
  for (std::uint32_t r = 1; r <= 16; ++r) {
    steps.push_back({1, 1, load, row(r)});
  }
  steps.push_back({2, 1, load, row(16)});
  steps.push_back({3, 1, load, row(1)});
  steps.push_back({3, 1, load, row(2)});
  for (const std::uint32_t workers : {1U, 2U, 4U}) {
    const LaunchCounters counters =
        RunBlocks(steps, workers, BlockOrder::kIndependent, 16 * 128).counters;
    EXPECT_EQ(counters.compulsory_read_bytes, 16 * 128U);
    EXPECT_EQ(counters.dram_read_bytes, 16 * 128U);
    EXPECT_EQ(counters.dram_write_bytes, 128U);
  }
  steps.push_back({3, 1, load, row(17)});
  steps.push_back({3, 1, load, row(3)});
  const LaunchCounters counters = RunBlocks(steps, 2, BlockOrder::kIndependent, 16 * 128).counters;
  EXPECT_EQ(counters.dram_read_bytes, 18 * 128U);
}

TEST(OrderSensitive, KnowsWhatCommutes) {
  EXPECT_TRUE(OrderSensitive(Atomic(Space::kGlobal)));
  EXPECT_FALSE(OrderSensitive(Atomic(Space::kShared)));
  ptx::Instruction reduction = Atomic(Space::kGlobal);
  reduction.opcode = Opcode::kRed;
  EXPECT_FALSE(OrderSensitive(reduction));
  reduction.type = Type::kF32;
  EXPECT_TRUE(OrderSensitive(reduction));
  EXPECT_FALSE(OrderSensitive(Load(Space::kGlobal)));
  ptx::Instruction poll = Load(Space::kGlobal);
  poll.order = ptx::Order::kAcquire;
  EXPECT_TRUE(OrderSensitive(poll));
}

}  // namespace
}  // namespace assay::gpu
