// SPDX-License-Identifier: Apache-2.0
#include "gpu/suite/placed_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

#include "emulator/device/device_rig.h"

namespace assay::gpu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// The emulated GPU with guards, as hardware needs them.
class GuardedMemory final : public DeviceMemory {
 public:
  explicit GuardedMemory(Device* device) : memory_(device) {}
  std::expected<std::optional<std::uint64_t>, HostFailure> Allocate(std::uint64_t size) override {
    return memory_.Allocate(size);
  }
  bool AllocateAt(std::uint64_t address, std::uint64_t size) override {
    return memory_.AllocateAt(address, size);
  }
  std::expected<void, HostFailure> Free(std::uint64_t address) override {
    return memory_.Free(address);
  }
  std::expected<void, HostFailure> Write(std::uint64_t to,
                                         std::span<const std::byte> from) override {
    return memory_.Write(to, from);
  }
  std::expected<void, HostFailure> WriteAsUninitialized(std::uint64_t to,
                                                        std::span<const std::byte> from) override {
    return memory_.WriteAsUninitialized(to, from);
  }
  std::expected<void, HostFailure> Read(std::span<std::byte> to, std::uint64_t from) override {
    return memory_.Read(to, from);
  }
  [[nodiscard]] std::uint64_t guard_bytes() const override { return 100; }

 private:
  EmulatedMemory memory_;
};

class PlacedCallTest : public testing::Test {
 protected:
  PlacedCallTest() : x_(12), y_(5, 0.5F), z_{7, 8} {
    std::iota(x_.begin(), x_.end(), 1.0F);
    call_.Scalar(std::uint64_t{9})
        .Rows(x_, 4, 6, 4)
        .Output(y_, 8)
        .InOut(z_)
        .Scratch(64)
        .Scratch(0)
        .Scalar(-1);
  }

  void Place(DeviceMemory& memory) {
    placed_ = std::make_unique<PlacedCall>(&memory, &call_);
    const auto poison = [](std::span<std::byte> output) {
      std::ranges::fill(output, std::byte{0x5A});
    };
    const auto done = placed_->Place(poison, 1);
    ASSERT_TRUE(done.has_value()) << done.error().detail;
    const Invocation invocation = placed_->ToInvocation();
    for (const Invocation::Argument& argument : invocation.arguments()) {
      bits_.push_back(argument.bits);
    }
  }
  template <class T>
  T At(std::uint64_t address) {
    T value{};
    EXPECT_TRUE(device_->CopyFromDevice(std::as_writable_bytes(std::span(&value, 1)), address));
    return value;
  }
  template <class T>
  void Put(std::uint64_t address, T value) {
    EXPECT_TRUE(device_->CopyToDevice(address, std::as_bytes(std::span(&value, 1))));
  }
  std::string Change() {
    const auto change = placed_->Collect();
    if (!change) {
      return change.error().detail;
    }
    return change->value_or("");
  }

  std::vector<float> x_;
  std::vector<float> y_;
  std::vector<std::int32_t> z_;
  std::unique_ptr<Device> device_ =
      MustCreateDevice({.seed = 3, .workers = 1, .memory_limit_bytes = 1 << 20});
  DeviceInvocation call_{"op"};
  std::unique_ptr<PlacedCall> placed_;
  std::vector<std::uint64_t> bits_;
};

TEST_F(PlacedCallTest, BuffersAreWhereAndWhatTheyShouldBe) {
  EmulatedMemory memory(device_.get());
  Place(memory);
  EXPECT_EQ(bits_[0], 9U);
  EXPECT_EQ(bits_[1] % 256, 4U);
  EXPECT_EQ(At<float>(bits_[1]), 1.0F);
  EXPECT_EQ(At<float>(bits_[1] + 6 * 4), 5.0F);
  EXPECT_EQ(At<float>(bits_[1] + (2 * 6 + 3) * 4), 12.0F);
  EXPECT_EQ(bits_[2] % 256, 8U);
  EXPECT_EQ(At<std::uint32_t>(bits_[2]), 0x5A5A'5A5AU);
  EXPECT_EQ(At<std::int32_t>(bits_[3] + 4), 8);
  EXPECT_EQ(bits_[4] % 256, 0U);
  EXPECT_NE(bits_[4], 0U);
  EXPECT_EQ(bits_[5], 0U);
  // Each ends where its allocation does.
  EXPECT_EQ(device_->AllocationOf(bits_[1])->size_bytes, 4U + (2 * 6 + 4) * 4);
  EXPECT_EQ(device_->AllocationOf(bits_[2])->size_bytes, 8U + 20);
  EXPECT_EQ(device_->AllocationOf(bits_[4])->size_bytes, 64U);
}

/// An address that leads to nothing, or none where the call asks for that.
TEST_F(PlacedCallTest, EmptyBuffersAreNullWhereAsked) {
  EmulatedMemory memory(device_.get());
  const std::vector<float> no_input;
  std::vector<float> no_output;
  DeviceInvocation call("op");
  call.Input(no_input).Output(no_output).InOut(no_output).Input(x_);
  const auto addresses = [&] {
    PlacedCall placed(&memory, &call);
    EXPECT_TRUE(placed.Place([](std::span<std::byte>) {}, 1));
    EXPECT_TRUE(placed.Collect());
    const Invocation invocation = placed.ToInvocation();
    std::vector<bool> is_null;
    for (const Invocation::Argument& argument : invocation.arguments()) {
      is_null.push_back(argument.bits == 0);
    }
    EXPECT_TRUE(placed.Release());
    return is_null;
  };
  EXPECT_THAT(addresses(), ElementsAre(false, false, false, false));
  call.EmptyIsNull();
  EXPECT_THAT(addresses(), ElementsAre(true, true, true, false));
}

TEST_F(PlacedCallTest, OutputsComeBackAndAllIsFreed) {
  EmulatedMemory memory(device_.get());
  const std::uint64_t free_bytes = device_->Memory().free_bytes;
  Place(memory);
  Put(bits_[2] + 4, 3.5F);
  Put(bits_[3], std::int32_t{70});
  EXPECT_EQ(Change(), "");
  EXPECT_EQ(y_[1], 3.5F);
  EXPECT_THAT(z_, ElementsAre(70, 8));
  EXPECT_TRUE(placed_->Release());
  EXPECT_EQ(device_->Memory().free_bytes, free_bytes);
}

TEST_F(PlacedCallTest, WrittenInputIsFound) {
  EmulatedMemory memory(device_.get());
  Place(memory);
  Put(bits_[1] + (6 + 2) * 4, 100.0F);
  EXPECT_THAT(Change(), HasSubstr("input of op was written: argument 1, row 1, byte "));
}

TEST_F(PlacedCallTest, WritesBetweenRowsAndBeforeTheStartAreFound) {
  EmulatedMemory memory(device_.get());
  Place(memory);
  Put(bits_[1] + 4 * 4, 100.0F);
  EXPECT_EQ(Change(), "wrote beside argument 1 of op: 16 bytes from where it begins");
  ASSERT_TRUE(placed_->Release());
  bits_.clear();
  Place(memory);
  Put(bits_[2] - 8, std::uint8_t(At<std::uint8_t>(bits_[2] - 8) + 1));
  EXPECT_EQ(Change(), "wrote beside argument 2 of op: -8 bytes from where it begins");
}

TEST_F(PlacedCallTest, WithoutACheckerGuardsShowWhatStrays) {
  GuardedMemory memory(device_.get());
  Place(memory);
  EXPECT_EQ(bits_[1] % 256, 4U);
  EXPECT_EQ(bits_[4] % 256, 0U);
  EXPECT_EQ(Change(), "");
  Put(bits_[4] + 64, std::uint8_t(At<std::uint8_t>(bits_[4] + 64) + 1));
  EXPECT_EQ(Change(), "wrote beside argument 4 of op: 64 bytes from where it begins");
}

TEST_F(PlacedCallTest, DeviceWithoutRoomIsAMemoryLimit) {
  EmulatedMemory memory(device_.get());
  DeviceInvocation large("op");
  large.Scratch(2 << 20);
  PlacedCall placed(&memory, &large);
  const auto done = placed.Place([](std::span<std::byte>) {}, 1);
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().verdict, Verdict::kMemoryLimit);
}

TEST_F(PlacedCallTest, FreedBufferIsItsFault) {
  EmulatedMemory memory(device_.get());
  Place(memory);
  ASSERT_TRUE(device_->Free(device_->AllocationOf(bits_[2])->address));
  EXPECT_EQ(Change(), "device memory that it was lent is freed");
  EXPECT_TRUE(placed_->Release());
}

TEST_F(PlacedCallTest, EqualCallsMostlyLieAtEqualAddresses) {
  EmulatedMemory memory(device_.get());
  PlacedCall::Places places;
  std::vector<std::vector<std::uint64_t>> addresses;
  for (const std::uint64_t seed : {1U, 2U, 4U}) {
    PlacedCall placed(&memory, &call_, &places);
    ASSERT_TRUE(placed.Place([](std::span<std::byte>) {}, seed));
    std::vector<std::uint64_t>& of_call = addresses.emplace_back();
    const Invocation invocation = placed.ToInvocation();
    for (const Invocation::Argument& argument : invocation.arguments()) {
      of_call.push_back(argument.bits);
    }
    ASSERT_TRUE(placed.Release());
  }
  EXPECT_EQ(addresses[0], addresses[1]);
  for (const std::size_t buffer : {1U, 2U, 3U, 4U}) {
    EXPECT_NE(addresses[1][buffer], addresses[2][buffer]) << buffer;
  }
}

TEST_F(PlacedCallTest, EmptyBuffersHaveAddressesOfNothing) {
  EmulatedMemory memory(device_.get());
  std::vector<float> none;
  DeviceInvocation empty("op");
  empty.Input(none).Output(none);
  PlacedCall placed(&memory, &empty);
  ASSERT_TRUE(placed.Place([](std::span<std::byte>) {}, 1));
  const Invocation invocation = placed.ToInvocation();
  EXPECT_NE(invocation.arguments()[0].bits, 0U);
  EXPECT_NE(invocation.arguments()[1].bits, 0U);
}

}  // namespace
}  // namespace assay::gpu
