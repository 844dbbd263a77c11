// SPDX-License-Identifier: Apache-2.0
// cp.async: when it copies, and what. mbarrier: phases, tokens, copies that arrive.
#include <gtest/gtest.h>

#include <cstring>

#include "emulator/ops/mbarrier.h"
#include "emulator/ops/pending_copies.h"
#include "emulator/ops/warp_ops_for_test.h"

namespace assay::gpu {
namespace {

class AsyncOpsTest : public WarpOpsFixture {
 protected:
  AsyncOpsTest() {
    rig_.global.resize(4096);
    for (std::size_t i = 0; i < rig_.global.size(); ++i) {
      rig_.global[i] = static_cast<std::byte>(i * 7 + 1);
    }
    std::memset(rig_.block.shared, 0xee, 4096);
    PerLane<std::uint32_t> to;
    PerLane<std::uint64_t> from;
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      to[lane] = lane * 16;
      from[lane] = WarpRig::kGlobalBase + lane * 32;
    }
    to_ = rig_.Put(to);
    from_ = rig_.Put(from);
  }

  WarpRig::Assembled Copy(unsigned size, std::int64_t to_offset = 0, std::int64_t from_offset = 0) {
    return rig_.Assemble(size == 16 ? "cp.async.cg.shared.global" : "cp.async.ca.shared.global",
                         {At32(to_, to_offset), At64(from_, from_offset), Imm(rig_, size)});
  }
  bool Commit() { return rig_.Do("cp.async.commit_group", {}); }
  bool Wait(unsigned left) { return rig_.Do("cp.async.wait_group", {Imm(rig_, left)}); }

  // Whether lane's `size` bytes at `to_offset` came from `from_offset`.
  [[nodiscard]] bool Came(std::uint32_t lane, unsigned size, std::size_t to_offset = 0,
                          std::size_t from_offset = 0) const {
    return std::memcmp(rig_.block.shared + lane * 16 + to_offset,
                       rig_.global.data() + lane * 32 + from_offset, size) == 0;
  }
  [[nodiscard]] bool Untouched(std::uint32_t lane, std::size_t to_offset = 0) const {
    return rig_.block.shared[lane * 16 + to_offset] == std::byte{0xee};
  }

  std::uint32_t to_ = 0;
  std::uint32_t from_ = 0;
};

ASSAY_IN_EVERY_VARIANT(AsyncOpsTest);

TEST_P(AsyncOpsTest, CopiesAtTheWaitAndNotBefore) {
  for (const unsigned size : {4U, 8U, 16U}) {
    const std::int64_t offset = 512 * static_cast<std::int64_t>(size);
    std::memset(rig_.block.shared, 0xee, 16384);
    ASSERT_TRUE(rig_.Run(Copy(size, offset, 4)));
    EXPECT_TRUE(Untouched(5, static_cast<std::size_t>(offset)));
    ASSERT_TRUE(Commit());
    EXPECT_TRUE(Untouched(5, static_cast<std::size_t>(offset)));
    rig_.global[5 * 32 + 4] = std::byte{0x99};  // the source is read late too
    ASSERT_TRUE(Wait(0));
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      EXPECT_TRUE(Came(lane, size, static_cast<std::size_t>(offset), 4));
    }
    EXPECT_EQ(Untouched(5, static_cast<std::size_t>(offset) + size), size < 16);
  }
}

TEST_P(AsyncOpsTest, WaitLeavesTheYoungestGroups) {
  for (std::int64_t group = 0; group < 4; ++group) {
    ASSERT_TRUE(rig_.Run(Copy(4, 1024 * group, 4 * group)));
    ASSERT_TRUE(Commit());
  }
  ASSERT_TRUE(rig_.Run(Copy(4, 4096, 0)));  // not committed
  ASSERT_TRUE(Wait(4));
  EXPECT_TRUE(Untouched(1)) << "all four may be under way";
  ASSERT_TRUE(Wait(2));
  EXPECT_TRUE(Came(1, 4, 0, 0));
  EXPECT_TRUE(Came(1, 4, 1024, 4));
  EXPECT_TRUE(Untouched(1, 2048));
  ASSERT_TRUE(Wait(0));
  EXPECT_TRUE(Came(1, 4, 3072, 12));
  EXPECT_FALSE(Came(1, 4, 4096, 0)) << "wait_group 0 covers committed groups only";
  ASSERT_TRUE(rig_.Do("cp.async.wait_all", {}));
  EXPECT_TRUE(Came(1, 4, 4096, 0));
}

TEST_P(AsyncOpsTest, EmptyGroupsCount) {
  ASSERT_TRUE(rig_.Run(Copy(4)));
  ASSERT_TRUE(Commit());
  ASSERT_TRUE(Commit());
  ASSERT_TRUE(Wait(1));
  EXPECT_TRUE(Came(3, 4));
}

TEST_P(AsyncOpsTest, EachLaneHasItsOwnGroups) {
  const auto copy = Copy(4);
  ASSERT_TRUE(rig_.Run(copy, Form::kMasked, 0x0000ffff));
  ASSERT_TRUE(rig_.Run(rig_.Assemble("cp.async.commit_group", {}), Form::kMasked, 0x000000ff));
  ASSERT_TRUE(Wait(0));
  EXPECT_TRUE(Came(7, 4));
  EXPECT_TRUE(Untouched(8)) << "copied, but not committed";
  EXPECT_TRUE(Untouched(16)) << "never copied";
  ASSERT_TRUE(Commit());
  rig_.warp.active = 0x0000f000;
  ASSERT_TRUE(Wait(0));
  EXPECT_TRUE(Untouched(8)) << "others waited";
  EXPECT_TRUE(Came(12, 4));
}

TEST_P(AsyncOpsTest, SourceSizeFillsWithZeros) {
  PerLane<std::uint32_t> sizes;
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    sizes[lane] = lane;  // past 16: whole
  }
  ASSERT_TRUE(rig_.Do("cp.async.cg.shared.global",
                      {At32(to_), At64(from_), Imm(rig_, 16), R32(rig_.Put(sizes))}));
  ASSERT_TRUE(rig_.Do("cp.async.wait_all", {}));
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    for (std::uint32_t byte = 0; byte < 16; ++byte) {
      EXPECT_EQ(rig_.block.shared[lane * 16 + byte],
                byte < lane ? rig_.global[lane * 32 + byte] : std::byte{0});
    }
  }
}

TEST_P(AsyncOpsTest, IgnoredSourcesAreNotRead) {
  // The sources of the ignored lanes are nowhere.
  PerLane<std::uint64_t> from = rig_.Get<std::uint64_t>(from_);
  for (std::uint32_t lane = 1; lane < kWarpSize; lane += 2) {
    from[lane] = 16;
  }
  const std::uint32_t odd = rig_.PutPredicate(0xaaaaaaaa);
  for (const bool negated : {false, true}) {
    rig_.Set(from_, from);
    const std::uint32_t place = negated ? rig_.PutPredicate(0x55555555) : odd;
    std::memset(rig_.block.shared, 0xee, 512);
    ASSERT_TRUE(rig_.Do("cp.async.ca.shared.global", {At32(to_), At64(from_), Imm(rig_, 8),
                                                      negated ? NotPred(place) : Pred(place)}));
    ASSERT_TRUE(rig_.Do("cp.async.wait_all", {}));
    EXPECT_TRUE(Came(2, 8));
    EXPECT_EQ(rig_.block.shared[16], std::byte{0});
    EXPECT_EQ(rig_.block.shared[16 + 7], std::byte{0});
  }
}

TEST_P(AsyncOpsTest, BadAddressesEndTheLaunchAtTheWait) {
  ASSERT_TRUE(rig_.Run(Copy(16, 0, 1 << 20)));
  EXPECT_FALSE(rig_.Do("cp.async.wait_all", {}));
  EXPECT_EQ(rig_.worker.fault.error, 700);
}

TEST_P(AsyncOpsTest, ExitingThreadsComplete) {
  ASSERT_TRUE(rig_.Run(Copy(4)));
  ASSERT_TRUE(CompleteAsyncCopies(rig_.warp, 0x0000000f));
  EXPECT_TRUE(Came(3, 4));
  EXPECT_TRUE(Untouched(4));
  DestroyPendingCopies(rig_.warp);
  ASSERT_TRUE(CompleteAsyncCopies(rig_.warp, kAllLanes));
  EXPECT_TRUE(Untouched(4)) << "forgotten";
}

TEST_P(AsyncOpsTest, CopiesWithoutAWaitDoNotPileUp) {
  const auto first = Copy(4);
  const auto more = Copy(4, 4096);
  ASSERT_TRUE(rig_.Run(first));
  for (int i = 0; i < 100000; ++i) {
    ASSERT_TRUE(rig_.Run(more));
  }
  EXPECT_TRUE(Came(9, 4)) << "the oldest were performed";
}

// ------------------------------------------------------------------------------------- mbarrier

class MbarrierTest : public AsyncOpsTest {
 protected:
  static constexpr std::uint32_t kObject = 2048;
  MbarrierTest() {
    object_ = rig_.PutAll(kObject);
    token_ = rig_.New(8);
    answer_ = rig_.New();
  }
  void Init(std::uint32_t count) {
    rig_.warp.active = 1;
    ASSERT_TRUE(rig_.Do("mbarrier.init.shared.b64", {At32(object_), R32(rig_.PutAll(count))}));
    rig_.warp.active = kAllLanes;
  }
  bool Arrive(LaneMask lanes, const char* spelling = "mbarrier.arrive.shared.b64") {
    return rig_.Run(rig_.Assemble(spelling, {R64(token_), At32(object_)}), Form::kMasked, lanes);
  }
  // The lanes that are told that the phase of their token is over.
  LaneMask Over(LaneMask lanes = kAllLanes) {
    rig_.SetPredicate(answer_, 0);
    rig_.warp.stop = Stop::kNone;
    const auto step =
        rig_.Assemble("mbarrier.test_wait.shared.b64", {Pred(answer_), At32(object_), R64(token_)});
    const bool went_on = rig_.Run(step, Form::kMasked, lanes);
    const LaneMask answer = rig_.GetPredicate(answer_);
    EXPECT_EQ(went_on, answer == lanes);
    if (!went_on) {
      EXPECT_EQ(rig_.warp.stop, Stop::kYield);
      EXPECT_EQ(rig_.warp.resume, step.masked + 1);
    }
    return answer;
  }
  bool ParityOver(std::uint32_t parity,
                  const char* spelling = "mbarrier.try_wait.parity.shared.b64") {
    rig_.Do(spelling, {Pred(answer_), At32(object_), R32(rig_.PutAll(parity))});
    return rig_.GetPredicate(answer_) == kAllLanes;
  }

  std::uint32_t object_ = 0;
  std::uint32_t token_ = 0;
  std::uint32_t answer_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Variants, MbarrierTest, testing::ValuesIn(WarpVariants()),
                         [](const auto& variant) { return std::string(variant.param.name); });

TEST_P(MbarrierTest, PhaseCompletesWithItsLastArrival) {
  Init(32);
  for (int phase = 0; phase < 20; ++phase) {
    EXPECT_TRUE(Arrive(0x0000ffff));
    EXPECT_EQ(Over(0x0000ffff), 0U);
    EXPECT_TRUE(ParityOver(static_cast<std::uint32_t>(phase + 1))) << "the phase before";
    EXPECT_FALSE(ParityOver(static_cast<std::uint32_t>(phase)));
    EXPECT_TRUE(Arrive(0xffff0000));
    EXPECT_EQ(Over(), kAllLanes);
    EXPECT_TRUE(ParityOver(static_cast<std::uint32_t>(phase)));
    EXPECT_EQ(rig_.block.barrier_epoch, static_cast<std::uint32_t>(phase + 1));
  }
  EXPECT_TRUE(rig_.reports.empty());
}

TEST_P(MbarrierTest, TokensCountWhatIsPending) {
  Init(40);
  EXPECT_TRUE(Arrive(kAllLanes));
  const std::uint32_t count = rig_.New();
  ASSERT_TRUE(rig_.Do("mbarrier.pending_count.b64", {R32(count), R64(token_)}));
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    EXPECT_EQ(rig_.Get<std::uint32_t>(count)[lane], 40 - lane) << "before its own arrival";
  }
}

TEST_P(MbarrierTest, ArriveCountsAndDrops) {
  Init(64);
  EXPECT_TRUE(
      rig_.Do("mbarrier.arrive.shared.b64", {R64(token_), At32(object_), R32(rig_.PutAll(2U))}));
  EXPECT_EQ(Over(), kAllLanes);
  Init(32);
  EXPECT_TRUE(Arrive(0x0000ffff, "mbarrier.arrive_drop.shared.b64"));
  EXPECT_TRUE(Arrive(0xffff0000));
  EXPECT_EQ(Over(), kAllLanes);
  EXPECT_TRUE(Arrive(0xffff0000));
  EXPECT_EQ(Over(0xffff0000), 0xffff0000U) << "the next phase expects 16";
}

TEST_P(MbarrierTest, TransactionsHoldThePhase) {
  Init(1);
  rig_.warp.active = 1;
  const auto bytes = [&](const char* spelling) {
    EXPECT_TRUE(rig_.Do(spelling, {At32(object_), R32(rig_.PutAll(512U))})) << spelling;
  };
  bytes("mbarrier.expect_tx.relaxed.cta.shared::cta.b64");
  EXPECT_TRUE(Arrive(1));
  EXPECT_EQ(Over(1), 0U);
  bytes("mbarrier.complete_tx.relaxed.cta.shared::cta.b64");
  EXPECT_EQ(Over(1), 1U);
  EXPECT_TRUE(rig_.Do("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64",
                      {R64(token_), At32(object_), R32(rig_.PutAll(512U))}));
  EXPECT_EQ(Over(1), 0U);
  bytes("mbarrier.complete_tx.relaxed.cta.shared::cta.b64");
  EXPECT_EQ(Over(1), 1U);
}

TEST_P(MbarrierTest, MisuseIsReported) {
  Init(4);
  EXPECT_TRUE(Arrive(0x1f)) << "the fifth begins the next phase";
  EXPECT_TRUE(rig_.reports.empty());
  EXPECT_TRUE(rig_.Do("mbarrier.inval.shared.b64", {At32(object_)}));
  EXPECT_TRUE(Arrive(2));
  ASSERT_EQ(rig_.reports.size(), 1U);
  EXPECT_EQ(rig_.reports[0].kind, FindingKind::kInvalidBarrier);
  EXPECT_EQ(rig_.reports[0].lane, 1U);
  Init(4);
  rig_.warp.active = 1;
  EXPECT_TRUE(
      rig_.Do("mbarrier.arrive.shared.b64", {R64(token_), At32(object_), R32(rig_.PutAll(5U))}));
  EXPECT_EQ(rig_.reports.size(), 2U) << "five arrivals where four are expected";
}

TEST_P(MbarrierTest, ObjectsLieInSharedMemory) {
  for (const std::uint64_t address :
       {std::uint64_t{16380}, std::uint64_t{16384}, std::uint64_t{2052}, ~std::uint64_t{0}}) {
    rig_.worker.fault = {};
    EXPECT_FALSE(rig_.Do("mbarrier.arrive.b64", {R64(token_), At64(rig_.PutAll(address))}));
    EXPECT_EQ(rig_.worker.fault.error, address % 8 != 0 ? 716 : 700);
  }
  rig_.worker.fault = {};
  Init(32);
  EXPECT_TRUE(rig_.Do("mbarrier.arrive.b64",
                      {R64(token_), At64(rig_.PutAll(kSharedWindow + kObject - 8), 8)}))
      << "a generic address";
  EXPECT_EQ(Over(), kAllLanes);
}

TEST_P(MbarrierTest, CopiesArriveWhenSomebodyWaits) {
  for (const bool counted : {false, true}) {
    std::memset(rig_.block.shared, 0xee, 512);
    Init(counted ? 64 : 32);
    ASSERT_TRUE(rig_.Run(Copy(4)));
    ASSERT_TRUE(rig_.Do(counted ? "cp.async.mbarrier.arrive.noinc.shared.b64"
                                : "cp.async.mbarrier.arrive.shared.b64",
                        {At32(object_)}));
    EXPECT_TRUE(Arrive(0x7fffffff));
    EXPECT_TRUE(Untouched(3)) << "nobody has waited";
    EXPECT_EQ(Over(0x7fffffff), 0U);
    EXPECT_TRUE(Came(3, 4)) << "the wait performs what the barrier tracks";
    EXPECT_TRUE(Arrive(0x80000000));
    EXPECT_EQ(Over(), kAllLanes);
  }
}

TEST_P(MbarrierTest, CopiesIssuedAfterTheirArrivalAreNotTracked) {
  Init(32);
  ASSERT_TRUE(rig_.Run(Copy(4)));
  ASSERT_TRUE(rig_.Do("cp.async.mbarrier.arrive.noinc.shared.b64", {At32(object_)}));
  ASSERT_TRUE(rig_.Run(Copy(4, 1024)));
  EXPECT_TRUE(ParityOver(0));
  EXPECT_TRUE(Came(3, 4));
  EXPECT_TRUE(Untouched(3, 1024));
}

TEST(MbarrierStateTest, ArrivalsAreCutToTheirRange) {
  EXPECT_EQ(PendingArrivals(InitialMbarrier(0)), 1U);
  EXPECT_EQ(PendingArrivals(InitialMbarrier(~0U)), kMostArrivals);
}

TEST(MbarrierStateTest, BytesAreCutToTheirRange) {
  Block block;
  std::uint64_t state = InitialMbarrier(1);
  for (int i = 0; i < 5; ++i) {
    ExpectBytes(block, state, 0xffffffff);
  }
  EXPECT_EQ(PendingArrivals(state), 1U) << "no field runs into another";
  EXPECT_FALSE(PhaseIsOver(state, InitialMbarrier(1)));
}

}  // namespace
}  // namespace assay::gpu
