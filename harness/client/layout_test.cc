// SPDX-License-Identifier: Apache-2.0
#include "client/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace assay {
namespace {

constexpr std::uint64_t kPage = wire::kPageBytes;

TEST(Layout, GuardedBufferEndsAtTheEndOfAPage) {
  Layout layout(Layout::Faults::kWhenTouched);
  const Slot slot = layout.Add(Arena::kInputs, 12, Placement::kAgainstGuard, 4);
  EXPECT_EQ(slot.offset_bytes + 12, 2 * kPage);
  EXPECT_EQ(slot.region_offset_bytes, kPage);
  EXPECT_EQ(slot.region_bytes, kPage);
}

TEST(Layout, GuardedBufferKeepsItsAlignment) {
  Layout layout(Layout::Faults::kWhenTouched);
  const Slot slot = layout.Add(Arena::kInputs, 12, Placement::kAgainstGuard, 64);
  EXPECT_EQ(slot.offset_bytes, 2 * kPage - 64);
}

TEST(Layout, AlignedBufferStartsAtAPage) {
  Layout layout(Layout::Faults::kWhenTouched);
  const Slot slot = layout.Add(Arena::kOutputs, 12, Placement::kAligned, 4);
  EXPECT_EQ(slot.offset_bytes, kPage);
}

TEST(Layout, EmptyBufferHasAnAddressAndNoRegion) {
  Layout layout(Layout::Faults::kWhenTouched);
  const Slot slot = layout.Add(Arena::kInputs, 0, Placement::kAgainstGuard, 4);
  EXPECT_EQ(slot.offset_bytes, kPage);
  EXPECT_TRUE(layout.regions().empty());
}

TEST(Layout, RegionsAreKeptApartByAPage) {
  Layout layout(Layout::Faults::kBeforehand);
  for (const std::uint64_t size : {1u, 4096u, 0u, 4097u, 8192u}) {
    (void)layout.Add(Arena::kOutputs, size, Placement::kAgainstGuard, 1);
  }
  (void)layout.Add(Arena::kInputs, 1, Placement::kAgainstGuard, 1);
  std::uint64_t end = 0;
  for (const wire::Region& region : layout.regions()) {
    if (region.writable != 0) {
      EXPECT_GE(region.offset_bytes, end + kPage);
      end = region.offset_bytes + region.size_bytes;
    }
    EXPECT_EQ(region.populate_bytes, region.size_bytes);
  }
  EXPECT_EQ(layout.RegionBytes(Arena::kOutputs), (1 + 1 + 2 + 2) * kPage);
  EXPECT_EQ(layout.RegionBytes(Arena::kInputs), kPage);
}

// Faulting in all of a limit of gigabytes took longer than the timed calls together.
TEST(Layout, OfALimitOnlyWhatIsExpectedIsFaultedIn) {
  Layout beforehand(Layout::Faults::kBeforehand);
  (void)beforehand.AddLimit(Arena::kOutputs, 100 * kPage, 2 * kPage);
  (void)beforehand.AddLimit(Arena::kOutputs, kPage, 2 * kPage);
  EXPECT_EQ(beforehand.regions()[0].size_bytes, 100 * kPage);
  EXPECT_EQ(beforehand.regions()[0].populate_bytes, 2 * kPage);
  EXPECT_EQ(beforehand.regions()[1].populate_bytes, kPage);
  Layout touched(Layout::Faults::kWhenTouched);
  (void)touched.AddLimit(Arena::kOutputs, 100 * kPage, 2 * kPage);
  EXPECT_EQ(touched.regions()[0].populate_bytes, 0);
}

TEST(Layout, MoreThanTheArenaDoesNotFit) {
  Layout layout(Layout::Faults::kWhenTouched);
  (void)layout.Add(Arena::kInputs, wire::kArenaBytes - 2 * kPage, Placement::kAgainstGuard, 1);
  EXPECT_TRUE(layout.Fits());
  (void)layout.Add(Arena::kInputs, 1, Placement::kAgainstGuard, 1);
  EXPECT_FALSE(layout.Fits());
}

TEST(Layout, MoreRegionsThanAMessageHoldsDoNotFit) {
  Layout layout(Layout::Faults::kWhenTouched);
  for (std::size_t i = 0; i < wire::kMaxRegions; ++i) {
    (void)layout.Add(Arena::kInputs, 1, Placement::kAgainstGuard, 1);
  }
  EXPECT_TRUE(layout.Fits());
  (void)layout.Add(Arena::kInputs, 1, Placement::kAgainstGuard, 1);
  EXPECT_FALSE(layout.Fits());
}

TEST(PlanCall, SaveAreaHoldsAllTensorsThatAreAllowed) {
  SavedTensors saved;
  Invocation call("f");
  call.Save(&saved, {.tensors = 3, .bytes = 1'000});
  Layout layout(Layout::Faults::kWhenTouched);
  const CallPlan plan = PlanCall(call, &layout);
  EXPECT_GE(plan.save_area.size_bytes, 1'000u + 6u * wire::kAlignmentBytes);
  EXPECT_EQ(plan.save_area.offset_bytes % wire::kAlignmentBytes, 0u);
}

TEST(FillCallFrame, DescribesEveryArgument) {
  const std::vector<float> in(3);
  const SavedTensors loads = {{"t", std::vector<std::byte>(10)}};
  Invocation call("f");
  call.Scalar(7u).Input(in).Load(loads);
  Layout layout(Layout::Faults::kWhenTouched);
  const CallPlan plan = PlanCall(call, &layout);
  wire::CallFrame frame;
  FillCallFrame(call, plan, 5, &frame);
  EXPECT_EQ(frame.operation, 5u);
  EXPECT_EQ(frame.argument_count, 3u);
  EXPECT_EQ(frame.arguments[0].value, 7u);
  EXPECT_EQ(frame.arguments[1].value, 2 * kPage - 12);
  EXPECT_EQ(frame.load_count, 1u);
  EXPECT_STREQ(frame.loads[0].name, "t");
  EXPECT_EQ(frame.loads[0].size_bytes, 10u);
  EXPECT_EQ(frame.header.length_bytes, ASSAY_WIRE_FRAME_BYTES(wire::CallFrame, loads, 1));
}

}  // namespace
}  // namespace assay
