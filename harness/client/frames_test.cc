// SPDX-License-Identifier: Apache-2.0
#include "client/frames.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <span>
#include <vector>

namespace assay {
namespace {

using testing::HasSubstr;

template <class Frame>
std::span<const std::byte> Bytes(const Frame& frame) {
  return std::as_bytes(std::span(&frame, 1)).first(frame.header.length_bytes);
}

wire::HelloFrame Hello() {
  wire::HelloFrame hello{};
  hello.header = {wire::FrameType::kHello, ASSAY_WIRE_FRAME_BYTES(wire::HelloFrame, operations, 2)};
  hello.version = wire::kVersion;
  hello.count = 2;
  std::strcpy(hello.operations[0].name, wire::kNopName);
  std::strcpy(hello.operations[1].name, "f");
  hello.operations[1].parameter_count = 1;
  hello.operations[1].parameters[0] = {wire::ParameterKind::kInput, wire::ElementType::kF32};
  return hello;
}

wire::ReturnFrame Return(std::initializer_list<wire::Tensor> tensors) {
  wire::ReturnFrame frame{};
  frame.saved_count = static_cast<std::uint32_t>(tensors.size());
  frame.header = {wire::FrameType::kReturn, static_cast<std::uint32_t>(ASSAY_WIRE_FRAME_BYTES(
                                                wire::ReturnFrame, saved, tensors.size()))};
  std::ranges::copy(tensors, frame.saved);
  return frame;
}

TEST(ParseHello, TableIsRead) {
  const auto operations = ParseHello(Bytes(Hello()));
  ASSERT_TRUE(operations.has_value()) << operations.error();
  ASSERT_EQ(operations->size(), 2u);
  EXPECT_EQ((*operations)[1].name, "f");
  EXPECT_EQ(Describe((*operations)[1].parameters), "(f32 const*)");
}

TEST(ParseHello, EveryShorterFrameIsRefused) {
  const wire::HelloFrame hello = Hello();
  for (std::uint32_t length = 0; length < hello.header.length_bytes; ++length) {
    EXPECT_FALSE(ParseHello(Bytes(hello).first(length)).has_value()) << length;
  }
}

TEST(ParseReturn, TensorsMayTouchButNotOverlap) {
  EXPECT_TRUE(ParseReturn(Bytes(Return({{"a", 0, 64}, {"b", 64, 64}})), {}, 128).has_value());
  EXPECT_FALSE(ParseReturn(Bytes(Return({{"a", 0, 65}, {"b", 64, 64}})), {}, 128).has_value());
  EXPECT_FALSE(ParseReturn(Bytes(Return({{"b", 64, 64}, {"a", 0, 65}})), {}, 128).has_value());
}

TEST(ParseReturn, EmptyTensorsMayLieAnywhereInside) {
  EXPECT_TRUE(
      ParseReturn(Bytes(Return({{"a", 0, 64}, {"b", 32, 0}, {"c", 128, 0}})), {}, 128).has_value());
}

TEST(ParseReturn, SizesThatWrapAroundAreRefused) {
  for (const std::uint64_t size : {~std::uint64_t{0}, ~std::uint64_t{0} - 63}) {
    const auto info = ParseReturn(Bytes(Return({{"a", 64, size}})), {}, 128);
    ASSERT_FALSE(info.has_value());
    EXPECT_THAT(info.error(), HasSubstr("lies outside"));
  }
}

TEST(ParseUpcall, BuffersAreSplitIntoInputsAndOutputs) {
  wire::UpcallFrame frame{};
  frame.header = {wire::FrameType::kUpcall, ASSAY_WIRE_FRAME_BYTES(wire::UpcallFrame, buffers, 3)};
  frame.id = 9;
  frame.input_count = 2;
  frame.output_count = 1;
  frame.buffers[2] = {64, 8};
  const auto info = ParseUpcall(Bytes(frame), 128);
  ASSERT_TRUE(info.has_value()) << info.error();
  EXPECT_EQ(info->id, 9u);
  EXPECT_EQ(info->inputs.size(), 2u);
  ASSERT_EQ(info->outputs.size(), 1u);
  EXPECT_EQ(info->outputs[0].offset_bytes, 64u);
}

TEST(ParseUpcall, BuffersThatAddUpToMoreThanTheAreaAreRefused) {
  wire::UpcallFrame frame{};
  frame.header = {wire::FrameType::kUpcall, ASSAY_WIRE_FRAME_BYTES(wire::UpcallFrame, buffers, 16)};
  frame.input_count = 16;
  for (wire::UpcallBuffer& buffer : frame.buffers) {
    buffer = {0, 128};
  }
  EXPECT_FALSE(ParseUpcall(Bytes(frame), 128).has_value());
}

TEST(ParseDeviceCall, LengthOfTheFrameFollowsFromTheMessage) {
  wire::DeviceFrame frame{};
  const auto size_of = [&](std::uint64_t size_bytes, std::size_t frame_bytes) {
    frame.size_bytes = size_bytes;
    return ParseDeviceCall(std::as_bytes(std::span(&frame, 1)).first(frame_bytes));
  };
  EXPECT_EQ(size_of(0, 16), 0u);
  EXPECT_EQ(size_of(5, 21), 5u);
  EXPECT_EQ(size_of(wire::DeviceFrame::kInlineBytes, sizeof frame), 16'368u);
  EXPECT_EQ(size_of(wire::DeviceFrame::kInlineBytes + 1, 16), 16'369u);
  EXPECT_EQ(size_of(wire::kDeviceMessageBytes, 16), wire::kDeviceMessageBytes);
  EXPECT_FALSE(size_of(0, 15).has_value());
  EXPECT_FALSE(size_of(0, 17).has_value());
  EXPECT_FALSE(size_of(5, 20).has_value());
  EXPECT_FALSE(size_of(wire::DeviceFrame::kInlineBytes + 1, sizeof frame).has_value());
  EXPECT_FALSE(size_of(wire::kDeviceMessageBytes + 1, 16).has_value());
}

/// Whatever the bytes, a parser answers; run under the sanitizers this finds what it reads beyond.
TEST(Parsers, SurviveRandomDamage) {
  std::mt19937_64 random(7);
  const wire::HelloFrame hello = Hello();
  const wire::ReturnFrame reply = Return({{"a", 0, 64}, {"b", 64, 64}});
  for (int i = 0; i < 20'000; ++i) {
    for (const auto source : {Bytes(hello), Bytes(reply)}) {
      std::vector<std::byte> frame(source.begin(), source.end());
      for (std::uint64_t n = random() % 8; n > 0; --n) {
        frame[random() % std::min<std::size_t>(frame.size(), 120)] =
            static_cast<std::byte>(random());
      }
      frame.resize(random() % 4 == 0 ? random() % (frame.size() + 1) : frame.size());
      if (const auto operations = ParseHello(frame)) {
        ASSERT_LE(operations->size(), wire::kMaxOperations);
      }
      if (const auto upcall = ParseUpcall(frame, 4096)) {
        ASSERT_LE(upcall->inputs.size() + upcall->outputs.size(), wire::kMaxUpcallBuffers);
      }
      if (const auto size_bytes = ParseDeviceCall(frame)) {
        ASSERT_LE(*size_bytes, wire::kDeviceMessageBytes);
      }
      if (const auto info = ParseReturn(frame, {.tensors = 2, .bytes = 100}, 128)) {
        for (const SavedRange& range : info->saved) {
          ASSERT_LE(range.offset_bytes + range.size_bytes, 128u);
        }
      }
    }
  }
}

}  // namespace
}  // namespace assay
