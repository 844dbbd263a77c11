// SPDX-License-Identifier: Apache-2.0
// What the server makes of messages that no honest link sends, and of hosts that want too much.
#include "gpu/server/device_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "gpu/server/loopback_for_test.h"

namespace assay::gpu::remote {
namespace {

using testing::IsEmpty;

class DeviceServerTest : public testing::Test {
 protected:
  struct Message {
    explicit Message(Call call) { writer.Number(static_cast<std::uint32_t>(call)); }
    std::vector<std::byte> bytes;
    Writer writer{&bytes};
  };
  /// What the server says is malformed; empty: nothing is, and `reply_` has the answer.
  std::string FaultOf(const Message& message) {
    reply_.clear();
    const auto served = server_.Serve(message.bytes, &reply_);
    return served ? "" : served.error();
  }
  /// The error code of the reply.
  int CodeOf(const Message& message) {
    EXPECT_EQ(FaultOf(message), "");
    return Reader(reply_).Number<std::int32_t>();
  }
  Message ModuleText(std::uint64_t offset, std::string_view text) {
    Message message(Call::kModuleText);
    message.writer.Number(offset).Text(text);
    return message;
  }
  Message LoadModule(std::uint64_t text_bytes) {
    Message message(Call::kLoadModule);
    message.writer.Number(text_bytes).Number(std::uint32_t{0});
    return message;
  }

  ServedDevice fake_;
  DeviceServer server_{&fake_, {.modules = 3, .module_text_bytes = 100, .allocations = 5}};
  std::vector<std::byte> reply_;
};

TEST_F(DeviceServerTest, UnknownCallsAreMalformed) {
  for (const std::uint32_t call : {0u, 17u, 0xffff'ffffu}) {
    EXPECT_EQ(FaultOf(Message(static_cast<Call>(call))),
              "it asks for " + std::to_string(call) + ", which is no call");
  }
  std::vector<std::byte> reply;
  EXPECT_FALSE(server_.Serve({}, &reply).has_value());
}

TEST_F(DeviceServerTest, EveryCallMustHaveItsLength) {
  for (std::uint32_t call = 1; call <= 16; ++call) {
    Message longer(static_cast<Call>(call));
    longer.writer.Bytes(std::vector<std::byte>(1000));
    EXPECT_EQ(FaultOf(longer), "it does not have the length that its kind has") << call;
    if (call != static_cast<std::uint32_t>(Call::kModel) &&
        call != static_cast<std::uint32_t>(Call::kMemory)) {
      EXPECT_EQ(FaultOf(Message(static_cast<Call>(call))),
                "it does not have the length that its kind has")
          << call;
    }
  }
  EXPECT_THAT(fake_.launches, IsEmpty());
}

TEST_F(DeviceServerTest, LackIsAnErrorInTheReply) {
  Message lack(Call::kLacks);
  lack.writer.Text("cudaCreateTextureObject");
  EXPECT_EQ(CodeOf(lack), 801);
  Reader reader(reply_);
  reader.Number<std::int32_t>();
  EXPECT_EQ(reader.Text(kMaxDetailBytes), "cudaCreateTextureObject");
  Message odd(Call::kLacks);
  odd.writer.Text("line\nline");
  EXPECT_EQ(FaultOf(odd), "it says that something lacks, in characters that no runtime uses");
  Message longer(Call::kLacks);
  longer.writer.Text(std::string(kMaxLackBytes + 1, 'x'));
  EXPECT_EQ(FaultOf(longer), "it does not have the length that its kind has");
}

TEST_F(DeviceServerTest, LengthsThatLieAreMalformed) {
  for (const std::uint32_t length : {5u, 0x7fff'ffffu, 0xffff'ffffu}) {
    Message text(Call::kModuleText);
    text.writer.Number(std::uint64_t{0}).Number(length).Number(std::uint32_t{0});
    EXPECT_NE(FaultOf(text), "");
    Message load(Call::kLoadModule);
    load.writer.Number(std::uint64_t{0}).Number(length);
    EXPECT_NE(FaultOf(load), "");
    Message kernel(Call::kFindKernel);
    kernel.writer.Number(ModuleId{1}).Number(length).Number(std::uint32_t{0});
    EXPECT_NE(FaultOf(kernel), "");
    Message copy(Call::kCopyToDevice);
    copy.writer.Number(std::uint64_t{0}).Number(length).Number(std::uint32_t{0});
    EXPECT_NE(FaultOf(copy), "");
  }
}

TEST_F(DeviceServerTest, CopiesInOneMessageAreBounded) {
  for (const std::uint64_t size : {std::uint64_t{kChunkBytes} + 1, ~std::uint64_t{0}}) {
    Message copy(Call::kCopyFromDevice);
    copy.writer.Number(std::uint64_t{0}).Number(size);
    EXPECT_EQ(FaultOf(copy), "a copy of " + std::to_string(size) + " bytes in one message");
  }
}

TEST_F(DeviceServerTest, PatternsHaveOneTwoOrFourBytes) {
  for (const std::string_view pattern : {"", "abc", "abcde"}) {
    Message fill(Call::kFill);
    fill.writer.Number(std::uint64_t{0}).Number(std::uint64_t{1}).Text(pattern);
    EXPECT_NE(FaultOf(fill), "") << pattern;
  }
  Message fill(Call::kFill);
  fill.writer.Number(std::uint64_t{0}).Number(~std::uint64_t{0}).Text("abcd");
  EXPECT_EQ(CodeOf(fill), 1);
}

TEST_F(DeviceServerTest, TextMustComeInOrderAndAddUp) {
  EXPECT_EQ(FaultOf(ModuleText(5, "abc")), "a module's text leaves something out");
  EXPECT_EQ(CodeOf(ModuleText(0, "abc")), 0);
  EXPECT_EQ(FaultOf(ModuleText(2, "abc")), "a module's text leaves something out");
  EXPECT_EQ(CodeOf(ModuleText(3, "def")), 0);
  EXPECT_EQ(FaultOf(LoadModule(7)), "a module's text does not have the length that it says");
  EXPECT_EQ(CodeOf(LoadModule(6)), 0);
  EXPECT_EQ(fake_.modules.back(), "abcdef");
  EXPECT_NE(FaultOf(LoadModule(6)), "");
}

TEST_F(DeviceServerTest, TextThatWasBegunAnewCountsOnce) {
  EXPECT_EQ(CodeOf(ModuleText(0, "abc")), 0);
  EXPECT_EQ(CodeOf(ModuleText(0, "xy")), 0);
  EXPECT_EQ(CodeOf(LoadModule(2)), 0);
  EXPECT_EQ(fake_.modules.back(), "xy");
}

TEST_F(DeviceServerTest, EndlessTextIsMalformed) {
  const std::string chunk(kChunkBytes, ' ');
  std::uint64_t offset = 0;
  for (; offset < kMaxModuleBytes; offset += chunk.size()) {
    ASSERT_EQ(CodeOf(ModuleText(offset, chunk)), 0);
  }
  EXPECT_EQ(FaultOf(ModuleText(offset, " ")), "a module's text is longer than 33554432 bytes");
}

TEST_F(DeviceServerTest, ModulesAreLimitedInNumberAndTextAndUnloadingMakesRoom) {
  EXPECT_EQ(CodeOf(ModuleText(0, std::string(60, 'a'))), 0);
  EXPECT_EQ(CodeOf(LoadModule(60)), 0);
  EXPECT_EQ(CodeOf(ModuleText(0, std::string(41, 'a'))), 0);
  EXPECT_EQ(CodeOf(LoadModule(41)), 2);
  EXPECT_EQ(CodeOf(LoadModule(0)), 0);
  EXPECT_EQ(CodeOf(LoadModule(0)), 0);
  EXPECT_EQ(CodeOf(LoadModule(0)), 2);
  EXPECT_EQ(fake_.modules.size(), 3u);
  Message unload(Call::kUnloadModule);
  unload.writer.Number(ModuleId{1});
  EXPECT_EQ(CodeOf(unload), 0);
  EXPECT_EQ(CodeOf(unload), 400);
  EXPECT_EQ(CodeOf(ModuleText(0, std::string(100, 'a'))), 0);
  EXPECT_EQ(CodeOf(LoadModule(100)), 0);
}

TEST_F(DeviceServerTest, ModulesThatAreNotLoadedHaveNothing) {
  for (const Call call : {Call::kFindKernel, Call::kFindVariable}) {
    Message find(call);
    find.writer.Number(ModuleId{77}).Text("f");
    EXPECT_EQ(CodeOf(find), 400);
  }
}

TEST_F(DeviceServerTest, KernelsWithEndlessParametersAreRefused) {
  EXPECT_EQ(CodeOf(LoadModule(0)), 0);
  fake_.any_kernel->parameter_offsets.resize(1'000'000);
  Message find(Call::kFindKernel);
  find.writer.Number(ModuleId{1}).Text("f");
  EXPECT_EQ(CodeOf(find), 1);
  EXPECT_LT(reply_.size(), kMaxDetailBytes);
}

TEST_F(DeviceServerTest, AllocationsAreLimitedInNumberAndFreeingMakesRoom) {
  Message allocate(Call::kAllocate);
  allocate.writer.Number(std::uint64_t{1});
  std::uint64_t last = 0;
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(CodeOf(allocate), 0);
    Reader reader(reply_);
    (void)reader.Number<std::int32_t>();
    last = reader.Number<std::uint64_t>();
  }
  EXPECT_EQ(CodeOf(allocate), 2);
  Message free(Call::kFree);
  free.writer.Number(last);
  EXPECT_EQ(CodeOf(free), 0);
  EXPECT_EQ(CodeOf(free), 1);
  EXPECT_EQ(CodeOf(allocate), 0);
  EXPECT_EQ(CodeOf(allocate), 2);
}

}  // namespace
}  // namespace assay::gpu::remote
