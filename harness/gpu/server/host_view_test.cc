// SPDX-License-Identifier: Apache-2.0
#include "gpu/server/host_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "emulator/device/device_rig.h"
#include "emulator/report/cuda_error.h"

namespace assay::gpu::remote {
namespace {

class HostViewTest : public testing::Test {
 protected:
  std::unique_ptr<Device> device_ = MustCreateDevice({.workers = 1, .memory_limit_bytes = 1 << 20});
  std::unique_ptr<HostView> view_ = std::make_unique<HostView>(device_.get(), 1000);
};

TEST_F(HostViewTest, HostTakesUpToItsLimit) {
  const auto first = view_->Allocate(600);
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(view_->Allocate(401).error().code, cuda_error::kMemoryAllocation);
  EXPECT_TRUE(view_->Allocate(400).has_value());
  EXPECT_EQ(view_->Memory().free_bytes, 0U);
  EXPECT_EQ(view_->Memory().total_bytes, 1000U);
  EXPECT_TRUE(view_->Free(*first));
  EXPECT_EQ(view_->Memory().free_bytes, 600U);
  EXPECT_TRUE(view_->Allocate(600).has_value());
}

TEST_F(HostViewTest, WhatIsLentDoesNotCount) {
  const auto lent = device_->Allocate(100'000);
  ASSERT_TRUE(lent.has_value());
  EXPECT_EQ(view_->Memory().free_bytes, 1000U);
  EXPECT_TRUE(view_->AllocationOf(*lent).has_value());
  EXPECT_TRUE(view_->Free(*lent));
  EXPECT_EQ(view_->Memory().free_bytes, 1000U);
}

TEST_F(HostViewTest, CopiesOfTheHostCountAndNoOthers) {
  const std::uint64_t lent = device_->Allocate(500).value();
  std::vector<std::byte> bytes(100);
  ASSERT_TRUE(device_->CopyToDevice(lent, bytes));
  EXPECT_EQ(view_->TakeCopied(), CopiedBytes{});
  ASSERT_TRUE(view_->CopyToDevice(lent, bytes));
  ASSERT_TRUE(view_->Fill(lent + 100, std::span(bytes).first(4), 10));
  ASSERT_TRUE(view_->CopyOnDevice(lent + 200, lent, 30));
  ASSERT_TRUE(view_->CopyFromDevice(std::span(bytes).first(7), lent));
  EXPECT_FALSE(view_->CopyFromDevice(bytes, lent + 450));
  const CopiedBytes copied = view_->TakeCopied();
  EXPECT_EQ(copied, (CopiedBytes{.on_device = 30, .to_host = 7, .from_host = 140}));
  EXPECT_EQ(copied.Read(), 37U);
  EXPECT_EQ(copied.Written(), 170U);
  EXPECT_EQ(view_->TakeCopied(), CopiedBytes{});
}

TEST_F(HostViewTest, AllocationOfNothingAndFreeOfNothingChangeNothing) {
  EXPECT_EQ(view_->Allocate(0).value(), 0U);
  EXPECT_TRUE(view_->Free(0));
  EXPECT_FALSE(view_->Free(12345));
  EXPECT_EQ(view_->Memory().free_bytes, 1000U);
}

}  // namespace
}  // namespace assay::gpu::remote
