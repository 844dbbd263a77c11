// SPDX-License-Identifier: Apache-2.0
// An honest link and its server: each call arrives as it was made, and comes back as it was
// answered.
#include "cudart/link/remote_link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "gpu/server/loopback_for_test.h"

namespace assay::gpu::remote {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class RemoteLinkTest : public testing::Test {
 protected:
  ~RemoteLinkTest() override {
    EXPECT_THAT(loopback_.faults, IsEmpty());
    EXPECT_LE(loopback_.longest_bytes, kMaxMessageBytes);
  }
  static std::vector<std::byte> Numbers(std::size_t count) {
    std::vector<std::byte> bytes(count);
    for (std::size_t i = 0; i < count; ++i) {
      bytes[i] = static_cast<std::byte>(i * 31 + i / 509);
    }
    return bytes;
  }

  ServedDevice fake_;
  DeviceServer server_{&fake_};
  Loopback loopback_{&server_};
  std::unique_ptr<RemoteLink> link_ = RemoteLink::Connect(&loopback_);
};

TEST_F(RemoteLinkTest, ModelArrivesWhole) {
  const GpuModel& model = link_->model();
  const GpuModel want = Rtx4090();
  EXPECT_EQ(model.id, "rtx4090");
  EXPECT_EQ(model.name, want.name);
  EXPECT_EQ(model.compute_major, want.compute_major);
  EXPECT_EQ(model.memory_bytes, want.memory_bytes);
  EXPECT_EQ(model.dram_bytes_per_s, want.dram_bytes_per_s);
  EXPECT_EQ(model.shared_bytes_per_block_optin, want.shared_bytes_per_block_optin);
  EXPECT_EQ(model.issue_per_clock, want.issue_per_clock);
  // Each number, in case one is missing from the message.
  std::vector<std::byte> there;
  std::vector<std::byte> here;
  Writer there_writer(&there);
  Writer here_writer(&here);
  Write(there_writer, model);
  Write(here_writer, want);
  EXPECT_EQ(there, here);
}

TEST_F(RemoteLinkTest, ModulesArriveWhole) {
  for (const std::size_t size :
       {std::size_t{1}, kChunkBytes, kChunkBytes + 1, 5 * kChunkBytes + 77}) {
    std::string ptx(size, ' ');
    for (std::size_t i = 0; i < size; ++i) {
      ptx[i] = static_cast<char>('a' + i % 23);
    }
    const std::vector<MachineCode> code = {{"f", 40, 0}, {"g", 255, 512}};
    const auto module = link_->LoadModule(ptx, code);
    ASSERT_TRUE(module.has_value()) << module.error().detail;
    EXPECT_TRUE(fake_.modules.back() == ptx) << size;
    EXPECT_EQ(fake_.code, code);
  }
}

TEST_F(RemoteLinkTest, ModuleThatIsTooLongIsNotSent) {
  const std::size_t before = loopback_.messages;
  const auto module = link_->LoadModule(std::string(kMaxModuleBytes + 1, ' '), {});
  ASSERT_FALSE(module.has_value());
  EXPECT_EQ(module.error().code, 1);
  EXPECT_EQ(loopback_.messages, before);
}

TEST_F(RemoteLinkTest, ErrorsComeBackWithTheirWordsCut) {
  fake_.load_error = DeviceError{218, std::string(10'000, 'x')};
  const auto module = link_->LoadModule("bad", {});
  ASSERT_FALSE(module.has_value());
  EXPECT_EQ(module.error().code, 218);
  EXPECT_EQ(module.error().detail, std::string(kMaxDetailBytes, 'x'));
}

TEST_F(RemoteLinkTest, KernelsAndVariablesAreFound) {
  fake_.any_kernel->parameter_offsets = {0, 8, 16};
  fake_.any_kernel->parameter_sizes = {8, 4, 8};
  fake_.any_kernel->parameter_bytes = 24;
  fake_.any_kernel->resources = {.registers_per_thread = 77,
                                 .static_shared_bytes = 1,
                                 .constant_bytes = 2,
                                 .local_bytes = 3,
                                 .max_threads_per_block = 256};
  const auto module = link_->LoadModule("x", {});
  ASSERT_TRUE(module.has_value());
  const auto kernel = link_->FindKernel(*module, "_Z1fv");
  ASSERT_TRUE(kernel.has_value());
  EXPECT_EQ(kernel->id, 100u);
  EXPECT_EQ(kernel->name, "_Z1fv");
  EXPECT_THAT(kernel->parameter_offsets, ElementsAre(0, 8, 16));
  EXPECT_THAT(kernel->parameter_sizes, ElementsAre(8, 4, 8));
  EXPECT_EQ(kernel->parameter_bytes, 24u);
  EXPECT_EQ(kernel->resources.registers_per_thread, 77u);
  EXPECT_EQ(kernel->resources.static_shared_bytes, 1u);
  EXPECT_EQ(kernel->resources.constant_bytes, 2u);
  EXPECT_EQ(kernel->resources.local_bytes, 3u);
  EXPECT_EQ(kernel->resources.max_threads_per_block, 256u);
  fake_.any_kernel->resources.registers_per_thread = std::nullopt;
  EXPECT_EQ(link_->FindKernel(*module, "g")->resources.registers_per_thread, std::nullopt);
  const auto variable = link_->FindVariable(*module, "abc");
  ASSERT_TRUE(variable.has_value());
  EXPECT_EQ(variable->address, 4096u);
  EXPECT_EQ(variable->size_bytes, 3u);
  EXPECT_TRUE(link_->UnloadModule(*module).has_value());
  EXPECT_THAT(fake_.unloaded, ElementsAre(1));
}

TEST_F(RemoteLinkTest, NamesThatAreTooLongAreRefusedHere) {
  const auto module = link_->LoadModule("x", {{{std::string(kMaxNameBytes + 1, 'n'), 1, 0}}});
  ASSERT_TRUE(module.has_value());
  EXPECT_THAT(fake_.code, IsEmpty());
  EXPECT_EQ(link_->FindKernel(*module, std::string(kMaxNameBytes + 1, 'n')).error().code, 1);
  EXPECT_EQ(link_->FindVariable(*module, std::string(kMaxNameBytes + 1, 'n')).error().code, 1);
  EXPECT_TRUE(link_->FindKernel(*module, std::string(kMaxNameBytes, 'n')).has_value());
}

TEST_F(RemoteLinkTest, CopiesOfEverySizeArriveWhole) {
  const auto address = link_->Allocate(4 * kChunkBytes);
  ASSERT_TRUE(address.has_value());
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{20'000}, kChunkBytes,
                                 kChunkBytes + 1, 3 * kChunkBytes + 5}) {
    const std::vector<std::byte> data = Numbers(size);
    ASSERT_TRUE(link_->CopyToDevice(*address + 3, data).has_value());
    std::vector<std::byte> back(size);
    ASSERT_TRUE(link_->CopyFromDevice(back, *address + 3).has_value());
    EXPECT_TRUE(back == data) << size;
  }
}

TEST_F(RemoteLinkTest, CopyPastTheEndFails) {
  const auto address = link_->Allocate(2 * kChunkBytes);
  ASSERT_TRUE(address.has_value());
  std::vector<std::byte> data = Numbers(2 * kChunkBytes + 1);
  EXPECT_EQ(link_->CopyToDevice(*address, data).error().code, 1);
  EXPECT_EQ(link_->CopyFromDevice(data, *address).error().code, 1);
}

TEST_F(RemoteLinkTest, MemoryIsFilledCopiedAndFreed) {
  const auto a = link_->Allocate(64);
  const auto b = link_->Allocate(64);
  ASSERT_TRUE(a.has_value() && b.has_value());
  const std::vector<std::byte> pattern = Numbers(4);
  ASSERT_TRUE(link_->Fill(*a, pattern, 16).has_value());
  ASSERT_TRUE(link_->CopyOnDevice(*b, *a, 64).has_value());
  std::vector<std::byte> back(64);
  ASSERT_TRUE(link_->CopyFromDevice(back, *b).has_value());
  EXPECT_EQ(back[62], pattern[2]);
  EXPECT_EQ(link_->Memory().free_bytes, ServedDevice::kMemoryBytes - 128);
  EXPECT_EQ(link_->Memory().total_bytes, ServedDevice::kMemoryBytes);
  const auto held = link_->AllocationOf(*b + 63);
  ASSERT_TRUE(held.has_value());
  EXPECT_EQ(held->address, *b);
  EXPECT_EQ(held->size_bytes, 64u);
  EXPECT_FALSE(link_->AllocationOf(*b + 64).has_value());
  EXPECT_TRUE(link_->Free(*a).has_value());
  EXPECT_TRUE(link_->Free(0).has_value());
  EXPECT_EQ(link_->Free(*a).error().code, 1);
  EXPECT_EQ(link_->Allocate(std::uint64_t{1} << 40).error().code, 2);
  EXPECT_EQ(fake_.live_allocations(), 1u);
}

TEST_F(RemoteLinkTest, LaunchesArriveWhole) {
  fake_.outcome = {.error = 700, .sticky = true, .detail = "bad address", .modelled_time_ns = 1.5};
  const LaunchRequest request{.kernel = 7,
                              .grid = {1, 2, 3},
                              .block = {4, 5, 6},
                              .dynamic_shared_bytes = 8,
                              .dynamic_shared_limit_bytes = 9,
                              .cooperative = true,
                              .parameters = Numbers(kMaxParameterBytes)};
  const LaunchOutcome outcome = link_->Launch(request);
  EXPECT_EQ(outcome.error, 700);
  EXPECT_TRUE(outcome.sticky);
  EXPECT_EQ(outcome.detail, "bad address");
  EXPECT_EQ(outcome.modelled_time_ns, 1.5);
  ASSERT_EQ(fake_.launches.size(), 1u);
  const LaunchRequest& there = fake_.launches[0];
  EXPECT_EQ(there.kernel, 7u);
  EXPECT_EQ(there.grid, request.grid);
  EXPECT_EQ(there.block, request.block);
  EXPECT_EQ(there.dynamic_shared_bytes, 8u);
  EXPECT_EQ(there.dynamic_shared_limit_bytes, 9u);
  EXPECT_TRUE(there.cooperative);
  EXPECT_TRUE(there.parameters == request.parameters);
  LaunchRequest too_many = request;
  too_many.parameters = Numbers(kMaxParameterBytes + 1);
  EXPECT_EQ(link_->Launch(too_many).error, 1);
}

TEST_F(RemoteLinkTest, CallsFailWhereTheDeviceCannotBeReached) {
  loopback_.reachable = false;
  EXPECT_EQ(RemoteLink::Connect(&loopback_), nullptr);
  EXPECT_EQ(link_->Allocate(1).error().code, 4);
  EXPECT_EQ(link_->Free(1).error().code, 4);
  EXPECT_EQ(link_->Launch({}).error, 4);
  EXPECT_FALSE(link_->AllocationOf(1).has_value());
  EXPECT_EQ(link_->Memory().total_bytes, 0u);
}

}  // namespace
}  // namespace assay::gpu::remote
