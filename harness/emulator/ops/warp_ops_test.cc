// SPDX-License-Identifier: Apache-2.0
// vote, match, redux, activemask, elect, bar.warp.sync, nanosleep, against definitions
// written lane by lane.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "emulator/ops/warp_ops_for_test.h"

namespace assay::gpu {
namespace {

class WarpOpsTest : public WarpOpsFixture {};

ASSAY_IN_EVERY_VARIANT(WarpOpsTest);

// ----------------------------------------------------------------------------------- membermasks

TEST_P(WarpOpsTest, EveryInstructionWaitsForTheLanesOfItsMask) {
  const std::uint32_t mask = rig_.PutAll(0x0000ffffU);
  const std::uint32_t d = rig_.PutAll(kOld);
  const std::uint32_t p = rig_.PutPredicate(0x5a);
  const std::uint32_t x = rig_.PutAll(3U);
  const std::vector<WarpRig::Assembled> steps = {
      rig_.Assemble("shfl.sync.bfly.b32", {R32(d), R32(x), R32(x), R32(x), R32(mask)}),
      rig_.Assemble("vote.sync.ballot.b32", {R32(d), Pred(p), R32(mask)}),
      rig_.Assemble("match.any.sync.b32", {R32(d), R32(x), R32(mask)}),
      rig_.Assemble("redux.sync.add.u32", {R32(d), R32(x), R32(mask)}),
      rig_.Assemble("elect.sync", {R32(d), Pred(p), R32(mask)}, SecondDestination::kYes),
      rig_.Assemble("bar.warp.sync", {R32(mask)})};
  for (const auto& step : steps) {
    rig_.warp.active = 0x000000ff;
    rig_.warp.stop = Stop::kNone;
    rig_.waits_for = 0;
    EXPECT_FALSE(rig_.Run(step));
    EXPECT_EQ(rig_.warp.stop, Stop::kLanes);
    EXPECT_EQ(rig_.waits_for, 0x0000ffffU);
    EXPECT_EQ(rig_.warp.resume, step.masked);
    EXPECT_EQ(rig_.Get<std::uint32_t>(d)[0], kOld) << "nothing may change before all are there";
    EXPECT_EQ(rig_.GetPredicate(p), 0x5aU);
    EXPECT_EQ(rig_.warp.sync_epoch, 0U);
    EXPECT_TRUE(rig_.reports.empty());
  }
  for (const auto& step : steps) {
    rig_.warp.stop = Stop::kNone;
    rig_.warp.active = 0x0000ffff;
    EXPECT_TRUE(rig_.Run(step)) << "all there";
    rig_.warp.stop = Stop::kLanes;
    rig_.warp.active = 0x000000ff;
    EXPECT_TRUE(rig_.Run(step)) << "given up";
    EXPECT_EQ(rig_.warp.stop, Stop::kNone);
    rig_.warp.exited = 0x0000ff00;
    EXPECT_TRUE(rig_.Run(step)) << "the rest exited";
    rig_.warp.exited = 0;
    rig_.warp.existing = 0x000000ff;
    EXPECT_TRUE(rig_.Run(step)) << "the rest never was";
    rig_.warp.existing = kAllLanes;
  }
  EXPECT_EQ(rig_.warp.sync_epoch, 4U) << "of bar.warp.sync alone";
}

TEST_P(WarpOpsTest, MembersAreChecked) {
  const std::uint32_t d = rig_.New();
  const auto ballot = [&](LaneMask mask) {
    return rig_.Assemble("vote.sync.ballot.b32",
                         {R32(d), Pred(rig_.PutPredicate(kAllLanes)), R32(rig_.PutAll(mask))});
  };
  rig_.Run(ballot(0xfffffff0));
  ASSERT_EQ(rig_.reports.size(), 1U) << "lanes 0 to 3 are not in their own mask";
  EXPECT_EQ(rig_.reports[0].kind, FindingKind::kInvalidMask);
  EXPECT_EQ(rig_.reports[0].severity, Severity::kError);
  EXPECT_EQ(rig_.reports[0].lane, 0U);
  rig_.reports.clear();

  rig_.Run(ballot(kAllLanes), Form::kMasked, 0xfffffffe);
  ASSERT_EQ(rig_.reports.size(), 1U) << "lane 0 is named, but its guard is false";
  EXPECT_EQ(rig_.reports[0].lane, 0U);
  rig_.reports.clear();

  rig_.warp.active = 0x7fffffff;
  rig_.warp.exited = 0x80000000;
  rig_.Run(ballot(kAllLanes));
  ASSERT_EQ(rig_.reports.size(), 1U) << "lane 31 exited";
  EXPECT_EQ(rig_.reports[0].severity, Severity::kWarning);
  rig_.reports.clear();

  rig_.warp.exited = 0;
  rig_.warp.existing = 0x7fffffff;
  rig_.Run(ballot(kAllLanes));
  EXPECT_TRUE(rig_.reports.empty()) << "a warp of 31 threads, and all of them take part";

  rig_.worker.checker = nullptr;
  rig_.Run(ballot(0xfffffff0));
  EXPECT_TRUE(rig_.reports.empty()) << "checks are off";
}

TEST_P(WarpOpsTest, NobodyExecutesWhenTheGuardIsFalse) {
  const std::uint32_t d = rig_.PutAll(kOld);
  const auto step = rig_.Assemble("redux.sync.add.u32",
                                  {R32(d), R32(rig_.PutAll(1U)), R32(rig_.PutAll(kAllLanes))});
  EXPECT_TRUE(rig_.Run(step, Form::kMasked, 0));
  EXPECT_EQ(rig_.Get<std::uint32_t>(d)[7], kOld);
  EXPECT_TRUE(rig_.Run(rig_.Assemble("nanosleep.u32", {R32(d)}), Form::kMasked, 0));
  EXPECT_TRUE(
      rig_.Run(rig_.Assemble("bar.warp.sync", {R32(rig_.PutAll(kAllLanes))}), Form::kMasked, 0));
  EXPECT_EQ(rig_.warp.sync_epoch, 0U);
}

// ---------------------------------------------------------------------------------------- vote

TEST_P(WarpOpsTest, VotesCountTheMembers) {
  const std::uint32_t d = rig_.New();
  const std::uint32_t p = rig_.New();
  const std::uint32_t q = rig_.New();
  const std::uint32_t mask = rig_.New();
  for (int round = 0; round < 200; ++round) {
    const LaneMask members = round % 3 == 0 ? kAllLanes : (Random() | 1U);
    LaneMask votes = Random();
    if (round % 5 == 1) {
      votes |= members;
    }
    if (round % 5 == 2) {
      votes &= ~members;
    }
    rig_.warp.active = members;
    rig_.warp.exited = ~members;
    PerLane<std::uint32_t> masks;
    masks.fill(members);
    rig_.Set(mask, masks);
    rig_.SetPredicate(p, votes);
    for (const bool negated : {false, true}) {
      const LaneMask yes = (negated ? ~votes : votes) & members;
      const Argument source = negated ? NotPred(p) : Pred(p);
      const auto vote = [&](const char* spelling) {
        rig_.SetPredicate(q, 0xa5a5a5a5);
        EXPECT_TRUE(rig_.Do(spelling, {Pred(q), source, R32(mask)}));
        const LaneMask got = rig_.GetPredicate(q);
        EXPECT_EQ(got & ~members, 0xa5a5a5a5U & ~members);
        EXPECT_TRUE((got & members) == members || (got & members) == 0);
        return (got & members) != 0;
      };
      EXPECT_EQ(vote("vote.sync.all.pred"), yes == members);
      EXPECT_EQ(vote("vote.sync.any.pred"), yes != 0);
      EXPECT_EQ(vote("vote.sync.uni.pred"), yes == members || yes == 0);
      rig_.Set(d, PerLane<std::uint32_t>{});
      EXPECT_TRUE(rig_.Do("vote.sync.ballot.b32", {R32(d), source, R32(mask)}));
      for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
        EXPECT_EQ(rig_.Get<std::uint32_t>(d)[lane], Has(members, lane) ? yes : 0);
      }
    }
  }
  EXPECT_TRUE(rig_.reports.empty());
}

// --------------------------------------------------------------------------------------- match

template <class T>
void CheckMatch(WarpRig& rig, const PerLane<T>& values, const PerLane<std::uint32_t>& masks,
                LaneMask active, const std::string& type) {
  rig.warp.active = active;
  rig.warp.exited = ~active;
  const std::uint32_t d = rig.PutAll(kOld);
  const std::uint32_t p = rig.PutPredicate(0);
  const std::uint32_t v = rig.Put(values);
  const std::uint32_t m = rig.Put(masks);
  const Argument value = sizeof(T) == 8 ? R64(v) : R32(v);
  ASSERT_TRUE(rig.Do("match.any.sync." + type, {R32(d), value, R32(m)}));
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    LaneMask equal = 0;
    for (std::uint32_t other = 0; other < kWarpSize; ++other) {
      const bool counts = Has(masks[lane] & active, other) && values[other] == values[lane];
      equal |= LaneMask{counts} << other;
    }
    EXPECT_EQ(rig.Get<std::uint32_t>(d)[lane], Has(active, lane) ? equal : kOld);
  }
  rig.Set(d, PerLane<std::uint32_t>{});
  ASSERT_TRUE(
      rig.Do("match.all.sync." + type, {R32(d), Pred(p), value, R32(m)}, SecondDestination::kYes));
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    if (!Has(active, lane)) {
      continue;
    }
    bool same = true;
    for (std::uint32_t other = 0; other < kWarpSize; ++other) {
      same = same && (!Has(masks[lane] & active, other) || values[other] == values[lane]);
    }
    EXPECT_EQ(rig.Get<std::uint32_t>(d)[lane], same ? masks[lane] & active : 0);
    EXPECT_EQ(Has(rig.GetPredicate(p), lane), same);
  }
}

TEST_P(WarpOpsTest, MatchFindsTheMembersOfEqualValue) {
  for (const std::uint32_t distinct : {1U, 2U, 5U, 32U}) {
    for (const LaneMask active : {kAllLanes, LaneMask{0x0f0ff0f1}, LaneMask{0x80000000}}) {
      for (const bool tiles : {false, true}) {
        PerLane<std::uint32_t> values;
        PerLane<std::uint64_t> wide;
        PerLane<std::uint32_t> masks;
        for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
          values[lane] = distinct == 32 ? lane : Random() % distinct * 7;
          wide[lane] = (std::uint64_t{values[lane]} << 40U) | 5U;
          masks[lane] = tiles ? 0xfU << (lane / 4 * 4) : kAllLanes;
        }
        CheckMatch(rig_, values, masks, active, "b32");
        CheckMatch(rig_, wide, masks, active, "b64");
      }
    }
  }
}

// --------------------------------------------------------------------------------------- redux

std::uint32_t Reduce(const std::string& op, std::uint32_t a, std::uint32_t b) {
  const auto x = static_cast<std::int32_t>(a);
  const auto y = static_cast<std::int32_t>(b);
  if (op == "add.u32" || op == "add.s32") {
    return a + b;
  }
  if (op == "min.u32") {
    return std::min(a, b);
  }
  if (op == "max.u32") {
    return std::max(a, b);
  }
  if (op == "min.s32") {
    return static_cast<std::uint32_t>(std::min(x, y));
  }
  if (op == "max.s32") {
    return static_cast<std::uint32_t>(std::max(x, y));
  }
  if (op == "and.b32") {
    return a & b;
  }
  return op == "or.b32" ? a | b : a ^ b;
}

TEST_P(WarpOpsTest, ReduxCombinesTheMembers) {
  for (const std::string op : {"add.u32", "add.s32", "min.u32", "max.u32", "min.s32", "max.s32",
                               "and.b32", "or.b32", "xor.b32"}) {
    for (const std::uint32_t tile : {32U, 16U, 4U, 1U}) {
      for (const LaneMask active : {kAllLanes, LaneMask{0x12345679}}) {
        PerLane<std::uint32_t> values = RandomLanes();
        if (op == "and.b32") {
          for (auto& each : values) {
            each |= 0xfff0ff0fU;
          }
        }
        PerLane<std::uint32_t> masks;
        for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
          masks[lane] = (tile == 32 ? kAllLanes : (1U << tile) - 1) << (lane / tile * tile);
        }
        rig_.warp.active = active;
        rig_.warp.exited = ~active;
        const std::uint32_t d = rig_.PutAll(kOld);
        ASSERT_TRUE(
            rig_.Do("redux.sync." + op, {R32(d), R32(rig_.Put(values)), R32(rig_.Put(masks))}));
        for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
          if (!Has(active, lane)) {
            EXPECT_EQ(rig_.Get<std::uint32_t>(d)[lane], kOld);
            continue;
          }
          std::optional<std::uint32_t> expected;
          for (std::uint32_t other = 0; other < kWarpSize; ++other) {
            if (!Has(masks[lane] & active, other)) {
              continue;
            }
            expected = expected ? Reduce(op, *expected, values[other]) : values[other];
          }
          EXPECT_EQ(rig_.Get<std::uint32_t>(d)[lane], *expected) << op << " lane " << lane;
        }
      }
    }
  }
}

// --------------------------------------------------------------- activemask, elect, bar, sleep

TEST_P(WarpOpsTest, ActivemaskIsWhoExecutes) {
  const std::uint32_t d = rig_.PutAll(kOld);
  EXPECT_TRUE(rig_.Do("activemask.b32", {R32(d)}));
  EXPECT_EQ(rig_.Get<std::uint32_t>(d)[9], kAllLanes);
  rig_.warp.active = 0x00ff00ff;
  EXPECT_TRUE(rig_.Run(rig_.Assemble("activemask.b32", {R32(d)}), Form::kMasked, 0x0f0f0f0f));
  EXPECT_EQ(rig_.Get<std::uint32_t>(d)[0], 0x000f000fU);
  EXPECT_EQ(rig_.Get<std::uint32_t>(d)[4], kAllLanes) << "did not execute";
}

TEST_P(WarpOpsTest, ElectPicksTheLowestLaneOfTheMask) {
  const std::uint32_t d = rig_.New();
  const std::uint32_t p = rig_.PutPredicate(kAllLanes);
  rig_.warp.active = 0xffffff00;
  EXPECT_TRUE(rig_.Do("elect.sync", {R32(d), Pred(p), R32(rig_.PutAll(0xfffff000U))},
                      SecondDestination::kYes));
  EXPECT_EQ(rig_.Get<std::uint32_t>(d)[20], 12U);
  EXPECT_EQ(rig_.GetPredicate(p), (1U << 12U) | 0xffU);
}

TEST_P(WarpOpsTest, SleepingGivesOthersTheirTurn) {
  for (const Form form : {Form::kFullIfAll, Form::kMasked}) {
    const auto step = rig_.Assemble("nanosleep.u32", {R32(rig_.PutAll(100U))});
    rig_.warp.stop = Stop::kNone;
    EXPECT_FALSE(rig_.Run(step, form));
    EXPECT_EQ(rig_.warp.stop, Stop::kYield);
    EXPECT_EQ(rig_.warp.resume, (form == Form::kMasked ? step.masked : step.full) + 1);
  }
}

TEST_P(WarpOpsTest, WhatIsNotSupportedHasNoHandlers) {
  const std::uint32_t x = rig_.PutAll(1U);
  EXPECT_EQ(rig_.Assemble("redux.sync.min.f32", {R32(x), R32(x), R32(x)}).handlers.full, nullptr);
  EXPECT_EQ(rig_.Assemble("shfl.sync.up.b32", {R32(x), R32(x)}).handlers.full, nullptr);
  EXPECT_EQ(rig_.Assemble("vote.sync.all.pred", {Pred(x), Pred(x)}).handlers.full, nullptr);
}

}  // namespace
}  // namespace assay::gpu
