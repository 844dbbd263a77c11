// SPDX-License-Identifier: Apache-2.0
#include "gpu/exec/block_storage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "gpu/exec/exec_rig.h"

namespace assay::gpu {
namespace {

using testing::Each;

// Blocks of two warps, the second of 8 threads, of a kernel that reads its block's place in y.
struct StorageRig {
  StorageRig() {
    launch.program = program.get();
    launch.options = &options;
    launch.grid = {3, 2, 1};
    launch.block = {40, 1, 1};
    launch.threads_per_block = 40;
    launch.warps_per_block = 2;
    launch.shared_bytes = 100;
    launch.local_bytes = program->local_bytes;
  }
  // In all lanes of the program's only special register.
  [[nodiscard]] std::uint32_t SpecialOf(const Warp& warp) const {
    std::uint32_t value = 0;
    std::memcpy(&value, warp.registers + program->specials.at(0).offset_bytes + 4 * 7, 4);
    return value;
  }

  std::unique_ptr<Program> program = Decoded(KernelOf(R"(
  .local .align 4 .b8 stack[16];
  mov.u32 %r1, %ctaid.y;
  st.local.u32 [stack], %r1;
  ret;
)"));
  DeviceOptions options;
  Launch launch;
  Worker worker;
  BlockStorage storage{launch, worker};
};

TEST(BlockStorage, ABlockIsReadyToStart) {
  StorageRig rig;
  const auto resident = rig.storage.Take(5, 4);
  const Block& block = resident->block;
  EXPECT_EQ(block.linear, 4U);
  EXPECT_EQ(block.index, (std::array<std::uint32_t, 3>{1, 1, 0}));
  EXPECT_EQ(block.position, 5U);
  ASSERT_EQ(block.warps.size(), 2U);
  EXPECT_EQ(block.warps[0].existing, kAllLanes);
  EXPECT_EQ(block.warps[1].existing, 0xffU);
  for (const Warp& warp : block.warps) {
    EXPECT_EQ(std::bit_cast<std::uintptr_t>(warp.registers) % 64, 0U);
    EXPECT_EQ(rig.SpecialOf(warp), 1U);
    ASSERT_EQ(warp.groups.size(), 1U);
    EXPECT_EQ(warp.groups[0].at, rig.program->masked.data());
    EXPECT_EQ(warp.groups[0].lanes, warp.existing);
  }
  EXPECT_EQ(std::bit_cast<std::uintptr_t>(block.shared) % 128, 0U);
  EXPECT_GE(block.warps[1].local, block.warps[0].local + 16UL * kWarpSize);
}

TEST(BlockStorage, ABlockThatEndedLeavesItsMemoryAndNothingElse) {
  StorageRig rig;
  auto first = rig.storage.Take(0, 4);
  Block* const block = &first->block;
  block->arrived[3] = 32;
  block->barrier_epoch = 9;
  block->met.emplace_back(1, 2);
  Warp& warp = block->warps[1];
  warp.exited = 0xff;
  warp.carry = 1;
  warp.blocked = true;
  warp.given_up = true;
  warp.yielded = 1;
  warp.blocks_run = 77;
  warp.groups.clear();
  rig.storage.GiveBack(std::move(first));
  const auto second = rig.storage.Take(1, 2);
  ASSERT_EQ(&second->block, block);
  EXPECT_EQ(block->linear, 2U);
  EXPECT_EQ(block->index[1], 0U);
  EXPECT_EQ(rig.SpecialOf(warp), 0U);
  EXPECT_THAT(block->arrived, Each(0U));
  EXPECT_EQ(block->barrier_epoch, 0U);
  EXPECT_TRUE(block->met.empty());
  EXPECT_EQ(warp.exited, 0U);
  EXPECT_EQ(warp.carry, 0U);
  EXPECT_FALSE(warp.blocked);
  EXPECT_FALSE(warp.given_up);
  EXPECT_EQ(warp.yielded, 0U);
  EXPECT_EQ(warp.blocks_run, 0U);
  ASSERT_EQ(warp.groups.size(), 1U);
  EXPECT_EQ(warp.groups[0].lanes, 0xffU);
  // Two that live at once have memory of their own.
  EXPECT_NE(&rig.storage.Take(2, 3)->block, block);
}

TEST(BlockStorage, ABlockTakesRegistersLocalAndSharedMemory) {
  const StorageRig rig;
  EXPECT_EQ(BlockStorage::BytesPerBlock(rig.launch),
            2 * (rig.program->register_bytes + 16U * 32) + 100 + 4096);
}

// ---------------------------------------------------------------- what a thread reads of itself

TEST(BlockStorage, ThreadsAndBlocksHaveTheirPlaceInThreeDimensions) {
  const Ran ran = ExecRig(R"(
  mov.u32 %r10, %tid.x; mov.u32 %r11, %tid.y; mov.u32 %r12, %tid.z;
  mad.lo.u32 %r11, %r11, 10, %r10; mad.lo.u32 %r2, %r12, 100, %r11;
  mov.u32 %r10, %ctaid.x; mov.u32 %r11, %ctaid.y; mov.u32 %r12, %ctaid.z;
  mad.lo.u32 %r11, %r11, 10, %r10; mad.lo.u32 %r3, %r12, 100, %r11;
  mov.u32 %r10, %ntid.x; mov.u32 %r11, %ntid.y; mov.u32 %r12, %ntid.z;
  mad.lo.u32 %r11, %r11, 10, %r10; mad.lo.u32 %r4, %r12, 100, %r11;
  mov.u32 %r10, %nctaid.x; mov.u32 %r11, %nctaid.y; mov.u32 %r12, %nctaid.z;
  mad.lo.u32 %r11, %r11, 10, %r10; mad.lo.u32 %r5, %r12, 100, %r11;
)")
                      .Grid({2, 3, 4})
                      .Block({4, 3, 5})
                      .Words(4)
                      .Run();
  ASSERT_EQ(ran.error, 0) << ran.detail;
  EXPECT_EQ(ran.Word(0), EachThread(24 * 60, [](auto i) {
              const auto thread = i % 60;
              return thread / 12 * 100 + thread / 4 % 3 * 10 + thread % 4;
            }));
  EXPECT_EQ(ran.Word(1), EachThread(24 * 60, [](auto i) {
              const auto block = i / 60;
              return block / 6 * 100 + block / 2 % 3 * 10 + block % 2;
            }));
  EXPECT_THAT(ran.Word(2), Each(534U));
  EXPECT_THAT(ran.Word(3), Each(432U));
}

TEST(BlockStorage, LanesKnowTheirWarpAndTheLanesAroundThem) {
  const Ran warps = ExecRig(R"(
  mov.u32 %r2, %laneid; mov.u32 %r3, %warpid; mov.u32 %r4, %nwarpid; mov.u32 %r5, %lanemask_eq;
)")
                        .Threads(70)
                        .Words(4)
                        .Run();
  EXPECT_EQ(warps.Word(0), EachThread(70, [](auto thread) { return thread % 32; }));
  EXPECT_EQ(warps.Word(1), EachThread(70, [](auto thread) { return thread / 32; }));
  EXPECT_THAT(warps.Word(2), Each(3U));
  EXPECT_EQ(warps.Word(3), EachThread(70, [](auto thread) { return 1U << thread % 32; }));
  const Ran masks = ExecRig(R"(
  mov.u32 %r2, %lanemask_lt; mov.u32 %r3, %lanemask_le; mov.u32 %r4, %lanemask_gt;
  mov.u32 %r5, %lanemask_ge;
)")
                        .Words(4)
                        .Run();
  const auto below = [](auto lane) { return lane == 0 ? 0U : kAllLanes >> (32 - lane); };
  EXPECT_EQ(masks.Word(0), EachThread(32, below));
  EXPECT_EQ(masks.Word(1), EachThread(32, [&](auto lane) { return below(lane) | 1U << lane; }));
  EXPECT_EQ(masks.Word(2), EachThread(32, [&](auto lane) { return ~(below(lane) | 1U << lane); }));
  EXPECT_EQ(masks.Word(3), EachThread(32, [&](auto lane) { return ~below(lane); }));
}

TEST(BlockStorage, BlocksAreDealtToMultiprocessorsInTurn) {
  ExecRig rig("  mov.u32 %r2, %smid; mov.u32 %r3, %nsmid;");
  const Ran ran = rig.Blocks(300).Threads(1).Words(2).Run();
  const std::uint32_t count = H100().multiprocessors;
  EXPECT_EQ(ran.Word(0), EachThread(300, [&](auto block) { return block % count; }));
  EXPECT_THAT(ran.Word(1), Each(count));
}

TEST(BlockStorage, ThreadsReadHowMuchSharedMemoryThereIs) {
  const Ran ran = ExecRig(R"(
  mov.u32 %r10, fixed;
  mov.u32 %r2, %dynamic_smem_size; mov.u32 %r3, %total_smem_size;
)",
                          ".shared .align 4 .b8 fixed[48];")
                      .DynamicShared(1000)
                      .Words(2)
                      .Run();
  EXPECT_THAT(ran.Word(0), Each(1000U));
  EXPECT_THAT(ran.Word(1), Each(1048U));
}

TEST(BlockStorage, RegistersThatNobodyWroteAreTheSameInEveryBlock) {
  // Each block leaves other values behind in the memory that the next one runs in.
  const Ran ran = ExecRig(R"(
  add.u32 %r2, %r20, 0;
  add.u32 %r20, %r0, 5;
  setp.eq.u32 %p1, %r0, 99;
  @%p1 mov.u32 %r2, %r20;
)")
                      .Blocks(4)
                      .Workers(1)
                      .Run();
  EXPECT_THAT(ran.out, Each(0xcdcdcdcdU));
}

}  // namespace
}  // namespace assay::gpu
