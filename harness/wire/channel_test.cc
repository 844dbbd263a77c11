// SPDX-License-Identifier: Apache-2.0
#include "wire/channel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <thread>
#include <vector>

namespace assay::wire {
namespace {

struct SmallFrame {
  FrameHeader header{FrameType::kDone, sizeof(SmallFrame)};
  std::uint64_t payload = 0;
};

constexpr std::uint64_t kSpin_ns = 20'000;
constexpr std::uint64_t kLong_ns = 10'000'000'000;

/// Both ends over one mapping, so that the thread sanitizer sees what synchronises them.
class ChannelTest : public testing::Test {
 protected:
  Channel ClientEnd(std::uint64_t spin_ns) {
    return {&control_->to_host, &control_->to_client, spin_ns};
  }
  Channel HostEnd(std::uint64_t spin_ns) {
    return {&control_->to_client, &control_->to_host, spin_ns};
  }
  /// Sleeps until a message is there.
  static void Await(Channel& channel) {
    Arrival arrival = channel.Spin();
    while (arrival == Arrival::kNothing) {
      arrival = channel.Sleep(kLong_ns);
    }
    ASSERT_EQ(arrival, Arrival::kMessage);
  }
  static void PutNumber(Channel& channel, std::uint64_t number) {
    SmallFrame frame;
    frame.payload = number;
    channel.Put(&frame, sizeof frame);
  }
  static std::uint64_t TakeNumber(Channel& channel) {
    SmallFrame frame;
    EXPECT_EQ(channel.Take(&frame, sizeof frame), sizeof frame);
    return frame.payload;
  }
  /// A host that answers `count` numbers with their successors.
  void Converse(int count, std::uint64_t client_spin_ns, std::uint64_t host_spin_ns) {
    std::thread host([&] {
      Channel channel = HostEnd(host_spin_ns);
      for (int i = 0; i < count; ++i) {
        Await(channel);
        PutNumber(channel, TakeNumber(channel) + 1);
      }
    });
    Channel channel = ClientEnd(client_spin_ns);
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(count); ++i) {
      PutNumber(channel, 10 * i);
      Await(channel);
      EXPECT_EQ(TakeNumber(channel), 10 * i + 1);
    }
    host.join();
  }

  std::unique_ptr<Control> control_ = std::make_unique<Control>();
};

TEST_F(ChannelTest, EmptyMailboxHasNothing) {
  Channel channel = ClientEnd(kSpin_ns);
  EXPECT_EQ(channel.Poll(), Arrival::kNothing);
  EXPECT_EQ(channel.Spin(), Arrival::kNothing);
  EXPECT_EQ(channel.Sleep(1'000), Arrival::kNothing);
}

TEST_F(ChannelTest, MessagesAlternateWhileBothSidesSpin) { Converse(2'000, kSpin_ns, kSpin_ns); }
TEST_F(ChannelTest, MessagesAlternateWhileBothSidesSleep) { Converse(2'000, 0, 0); }
TEST_F(ChannelTest, MessagesAlternateWhileOneSideSleeps) { Converse(2'000, kSpin_ns, 0); }

TEST_F(ChannelTest, SleeperIsWokenByAMessage) {
  std::thread sleeper([&] {
    Channel channel = HostEnd(0);
    // Without the wake-up this would be asleep when the test's time is over.
    EXPECT_NE(channel.Sleep(kLong_ns), Arrival::kOutOfTurn);
  });
  while (control_->to_host.waiting.load() == 0) {
    std::this_thread::yield();
  }
  Channel channel = ClientEnd(0);
  PutNumber(channel, 1);
  sleeper.join();
  EXPECT_EQ(control_->to_host.waiting.load(), 0u);
}

TEST_F(ChannelTest, SequenceThatSkipsIsOutOfTurn) {
  Channel channel = ClientEnd(kSpin_ns);
  control_->to_client.sequence.store(2);
  EXPECT_EQ(channel.Poll(), Arrival::kOutOfTurn);
  EXPECT_EQ(channel.Spin(), Arrival::kOutOfTurn);
  EXPECT_EQ(channel.Sleep(kLong_ns), Arrival::kOutOfTurn);
}

TEST_F(ChannelTest, SequenceThatRunsBackwardsIsOutOfTurn) {
  Channel channel = ClientEnd(kSpin_ns);
  control_->to_client.sequence.store(0xffff'ffffu);
  EXPECT_EQ(channel.Poll(), Arrival::kOutOfTurn);
}

TEST_F(ChannelTest, StagedFrameIsSeenOnlyWhenPublished) {
  Channel client = ClientEnd(0);
  Channel host = HostEnd(0);
  SmallFrame frame;
  frame.payload = 7;
  client.Stage(&frame, sizeof frame);
  EXPECT_EQ(host.Poll(), Arrival::kNothing);
  client.Publish();
  ASSERT_EQ(host.Poll(), Arrival::kMessage);
  EXPECT_EQ(TakeNumber(host), 7u);
}

class BadLength : public ChannelTest, public testing::WithParamInterface<std::uint32_t> {};

TEST_P(BadLength, FrameIsRefused) {
  Channel host = HostEnd(0);
  Channel client = ClientEnd(0);
  SmallFrame frame;
  frame.header.length_bytes = GetParam();
  host.Put(&frame, sizeof frame);
  ASSERT_EQ(client.Poll(), Arrival::kMessage);
  std::vector<std::byte> room(kFrameBytes);
  EXPECT_EQ(client.Take(room.data(), room.size()), 0u);
}

INSTANTIATE_TEST_SUITE_P(Lengths, BadLength,
                         testing::Values(0u, 1u, 7u, kFrameBytes + 1, 0xffff'ffffu));

TEST_F(ChannelTest, FrameLongerThanTheRoomIsRefused) {
  Channel host = HostEnd(0);
  Channel client = ClientEnd(0);
  PutNumber(host, 1);
  FrameHeader room{};
  EXPECT_EQ(client.Take(&room, sizeof room), 0u);
}

TEST_F(ChannelTest, TakenFrameDoesNotChangeWithTheMailbox) {
  Channel host = HostEnd(0);
  Channel client = ClientEnd(0);
  PutNumber(host, 41);
  SmallFrame frame;
  ASSERT_EQ(client.Take(&frame, sizeof frame), sizeof frame);
  std::memset(control_->to_client.frame, 0xff, sizeof frame);
  EXPECT_EQ(frame.payload, 41u);
}

}  // namespace
}  // namespace assay::wire
