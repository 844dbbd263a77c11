// SPDX-License-Identifier: Apache-2.0
// Hosts with a device: what it is asked comes through whole, and whatever a host does with it, a
// call ends with a verdict.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "client/host.h"
#include "client/test_hosts.h"

namespace assay {
namespace {

using std::chrono::milliseconds;
using testing::AnyOf;
using testing::HasSubstr;
using testing::StartsWith;

/// Answers by the first byte of a message: `e` sends it back, `s` does so 50 ms later, since the
/// time of a device is what is tested, `w` when what the test gave it has ended, `b` is malformed,
/// `t` throws, `r` is answered with more than fits.
class FakeDevice : public DeviceService {
 public:
  explicit FakeDevice(int* served, std::function<void()>* work = nullptr)
      : served_(served), work_(work) {}

  std::expected<void, std::string> Serve(std::span<const std::byte> request,
                                         std::vector<std::byte>* reply) override {
    ++*served_;
    switch (request.empty() ? 'e' : static_cast<char>(request.front())) {
      case 's':
        std::this_thread::sleep_for(milliseconds(50));
        break;
      case 'w':
        if (work_ != nullptr) {
          (*work_)();
        }
        break;
      case 'b':
        return std::unexpected(std::string("no such word"));
      case 't':
        throw std::runtime_error("out of luck");
      case 'r':
        reply->resize(wire::kDeviceMessageBytes + 1);
        return {};
      default:
        break;
    }
    reply->assign(request.begin(), request.end());
    return {};
  }

 private:
  int* served_;
  std::function<void()>* work_;
};

class DeviceHost : public testing::Test {
 protected:
  DeviceHost() {
    options_.call_limit = milliseconds(1'000);
    options_.memory_limit_bytes = std::int64_t{256} << 20;
    options_.device = [this]() -> Result<std::unique_ptr<DeviceService>> {
      return std::make_unique<FakeDevice>(&served_, &work_);
    };
    host_.emplace(StartHost(options_));
  }

  static std::vector<std::uint8_t> Message(char first, std::size_t size_bytes) {
    std::vector<std::uint8_t> message(size_bytes);
    for (std::size_t i = 0; i < size_bytes; ++i) {
      message[i] = static_cast<std::uint8_t>(i * 7 + i / 251);
    }
    if (size_bytes > 0) {
      message[0] = static_cast<std::uint8_t>(first);
    }
    return message;
  }
  int Status(const Invocation& call) {
    const auto reply = host_->Call(call);
    if (!reply) {
      ADD_FAILURE() << reply.error().detail;
      return -1000;
    }
    return reply->status;
  }
  void ExpectFailure(const Invocation& call, Verdict verdict,
                     const testing::Matcher<std::string>& detail) {
    const auto reply = host_->Call(call);
    ASSERT_FALSE(reply.has_value()) << "status " << reply->status;
    EXPECT_EQ(ToString(reply.error().verdict), ToString(verdict)) << reply.error().detail;
    EXPECT_THAT(reply.error().detail, detail);
    EXPECT_FALSE(host_->alive());
  }

  int served_ = 0;
  std::function<void()> work_ = [] {};
  HostOptions options_ = OptionsFor("device");
  std::optional<Host> host_;
};

TEST_F(DeviceHost, MessagesOfEverySizeComeBackWhole) {
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, wire::DeviceFrame::kInlineBytes,
        wire::DeviceFrame::kInlineBytes + 1, std::size_t{100'001}, wire::kDeviceMessageBytes}) {
    const std::vector<std::uint8_t> message = Message('e', size);
    std::vector<std::uint8_t> answer(size);
    Invocation call("ask");
    call.Scalar(std::uint64_t{size}).Input(message).Output(answer);
    EXPECT_EQ(Status(call), static_cast<int>(size));
    EXPECT_EQ(answer, message) << size;
  }
  EXPECT_EQ(served_, 6);
}

TEST_F(DeviceHost, MessageThatIsTooLongIsNotSent) {
  const std::vector<std::uint8_t> message = Message('e', wire::kDeviceMessageBytes + 1);
  std::vector<std::uint8_t> answer(message.size());
  Invocation call("ask");
  call.Scalar(std::uint64_t{message.size()}).Input(message).Output(answer);
  EXPECT_EQ(Status(call), -1);
  EXPECT_EQ(served_, 0);
}

TEST_F(DeviceHost, ThreadsOfAnOperationMayAsk) {
  const std::vector<std::uint8_t> message = Message('e', 10);
  Invocation call("ask_from_threads");
  EXPECT_EQ(Status(call.Scalar(20u).Input(message).Scalar(std::uint64_t{10})), 20);
}

TEST_F(DeviceHost, TimeOfTheDeviceIsCountedApart) {
  const std::vector<std::uint8_t> message = Message('s', 10);
  Invocation call("ask_often");
  // Longer than call_limit, which is the host's own.
  const auto reply = host_->Call(call.Scalar(24u).Input(message).Scalar(std::uint64_t{10}));
  ASSERT_TRUE(reply.has_value()) << reply.error().detail;
  EXPECT_EQ(reply->status, 1);
  EXPECT_GE(reply->device_elapsed, milliseconds(24 * 50));
  EXPECT_LT(reply->elapsed, reply->device_elapsed);
  const std::vector<std::uint8_t> fast = Message('e', 10);
  Invocation again("ask_often");
  const auto next = host_->Call(again.Scalar(1u).Input(fast).Scalar(std::uint64_t{10}));
  ASSERT_TRUE(next.has_value());
  EXPECT_LT(next->device_elapsed, reply->device_elapsed);
}

TEST_F(DeviceHost, PreparedCallsMayAsk) {
  const std::vector<std::uint8_t> message = Message('s', 10);
  Invocation call("ask_often");
  call.Scalar(2u).Input(message).Scalar(std::uint64_t{10}).Place(Placement::kAligned);
  auto prepared = host_->Prepare(call, 2);
  ASSERT_TRUE(prepared.has_value());
  ASSERT_TRUE(prepared->Fill().has_value());
  const auto reply = prepared->Run();
  ASSERT_TRUE(reply.has_value()) << reply.error().detail;
  EXPECT_GE(reply->device_elapsed, milliseconds(100));
}

TEST_F(DeviceHost, WorkBesideTheDeviceIsFine) {
  const std::vector<std::uint8_t> message = Message('s', 10);
  for (int i = 0; i < 5; ++i) {
    Invocation call("burn_while_it_works");
    EXPECT_EQ(Status(call.Input(message).Scalar(std::uint64_t{10})), 0);
  }
  EXPECT_TRUE(host_->CheckIdle().has_value());
}

TEST_F(DeviceHost, EveryHostHasADeviceOfItsOwn) {
  int made = 0;
  options_.device = [&]() -> Result<std::unique_ptr<DeviceService>> {
    ++made;
    return std::make_unique<FakeDevice>(&served_);
  };
  Host first = StartHost(options_);
  Host second = StartHost(options_);
  EXPECT_EQ(made, 2);
}

TEST_F(DeviceHost, DeviceThatCannotBeMadeIsOurFault) {
  options_.device = []() -> Result<std::unique_ptr<DeviceService>> {
    return std::unexpected(
        Error{.kind = ErrorKind::kJudge, .where = "device", .cause = "no room", .remedy = ""});
  };
  const auto host = Host::Start(options_);
  ASSERT_FALSE(host.has_value());
  EXPECT_EQ(host.error().verdict, Verdict::kJudgeError);
}

TEST_F(DeviceHost, StaticConstructorsMayAskAndDestructorsAreRefused) {
  options_.executable = OptionsFor("device_at_start").executable;
  host_.emplace(StartHost(options_));
  EXPECT_EQ(served_, 1);
  EXPECT_EQ(Status(Invocation("was_answered")), 1);
  const auto stopped = host_->Stop();
  EXPECT_TRUE(stopped.has_value()) << stopped.error().detail;
  EXPECT_EQ(served_, 1);
}

TEST_F(DeviceHost, ThreadThatAsksAfterTheReplyIsRefusedByItsOwnSide) {
  Invocation call("ask_late");
  EXPECT_EQ(Status(call), 0);
  LetGo(*host_);
  WaitForOutput(*host_, "asked");
  EXPECT_EQ(Status(Invocation("late_answer")), 0);
  EXPECT_EQ(served_, 0);
}

TEST_F(DeviceHost, NothingIsKeptInTheMemoryOfMessagesWhenMemoryIsMeasured) {
  EXPECT_EQ(Status(Invocation("fill_device_memory")), 0);
  std::vector<std::uint64_t> left(1);
  Invocation count("count_device_memory");
  EXPECT_EQ(Status(count.Output(left)), 0);
  EXPECT_EQ(left[0], wire::kDeviceMessageBytes);
  EXPECT_GT(host_->PrivateBytes(), 0);
  EXPECT_EQ(Status(count), 0);
  EXPECT_EQ(left[0], 0u);
}

// ---- Hosts without a device ---------------------------------------------------------------------

TEST_F(DeviceHost, HostWithoutADeviceKnowsIt) {
  EXPECT_EQ(Status(Invocation("has_device")), 1);
  options_.device = nullptr;
  host_.emplace(StartHost(options_));
  EXPECT_EQ(Status(Invocation("has_device")), 0);
  const std::vector<std::uint8_t> message = Message('e', 10);
  Invocation call("ask_often");
  EXPECT_EQ(Status(call.Scalar(1u).Input(message).Scalar(std::uint64_t{10})), 0);
}

TEST_F(DeviceHost, CallOfADeviceThatIsNotThereIsRejected) {
  options_.device = nullptr;
  host_.emplace(StartHost(options_));
  Invocation call("put_frame");
  ExpectFailure(call.Scalar(17u).Scalar(std::uint64_t{1}), Verdict::kRejected,
                "a message to a device, which it does not have, in put_frame");
}

// ---- Attacks ------------------------------------------------------------------------------------

TEST_F(DeviceHost, MalformedFramesAreRejected) {
  struct Case {
    std::uint32_t length;
    std::uint64_t size;
    const char* detail;
  };
  for (const auto& [length, size, detail] :
       {Case{8, 0, "it is shorter than its fixed part"},
        Case{16, 1, "it does not have the length that it says"},
        Case{18, 1, "it does not have the length that it says"},
        Case{64, 100'000, "it does not have the length that it says"},
        Case{16, wire::kDeviceMessageBytes + 1, "a message of 2097153 bytes"},
        Case{16, ~std::uint64_t{0}, "a message of 18446744073709551615 bytes"}}) {
    host_.emplace(StartHost(options_));
    Invocation call("put_frame");
    ExpectFailure(call.Scalar(length).Scalar(size), Verdict::kRejected,
                  std::string("malformed message to the device in put_frame: ") + detail);
  }
  EXPECT_EQ(served_, 0);
}

TEST_F(DeviceHost, MessageThatTheDeviceRefusesIsRejected) {
  const std::vector<std::uint8_t> message = Message('b', 10);
  Invocation call("ask_often");
  ExpectFailure(call.Scalar(1u).Input(message).Scalar(std::uint64_t{10}), Verdict::kRejected,
                "malformed message to the device in ask_often: no such word");
}

TEST_F(DeviceHost, DeviceThatThrowsOrSaysTooMuchIsOurFault) {
  for (const auto& [first, detail] :
       {std::pair{'t', "the device failed in ask_often: out of luck"},
        std::pair{'r', "the device's reply is of 2097153 bytes in ask_often"}}) {
    host_.emplace(StartHost(options_));
    const std::vector<std::uint8_t> message = Message(first, 10);
    Invocation call("ask_often");
    ExpectFailure(call.Scalar(1u).Input(message).Scalar(std::uint64_t{10}), Verdict::kJudgeError,
                  detail);
  }
}

TEST_F(DeviceHost, CallAfterTheReplyIsRejected) {
  Invocation call("put_late");
  EXPECT_EQ(Status(call), 0);
  LetGo(*host_);
  WaitForOutput(*host_, "put");
  ExpectFailure(call, Verdict::kRejected, StartsWith("spoke out of turn"));
  EXPECT_EQ(served_, 0);
}

TEST_F(DeviceHost, CallsFromTwoThreadsAtOnceAreRejected) {
  const auto reply = host_->Call(Invocation("put_from_two_threads"));
  ASSERT_FALSE(reply.has_value());
  EXPECT_EQ(reply.error().verdict, Verdict::kRejected) << reply.error().detail;
  EXPECT_THAT(reply.error().detail, AnyOf(HasSubstr("out of turn"), HasSubstr("out of sequence"),
                                          HasSubstr("malformed message")));
}

TEST_F(DeviceHost, MessageThatIsNeverSentRunsIntoTheTimeLimit) {
  ExpectFailure(Invocation("stop_in_the_middle"), Verdict::kTimeLimit,
                "no answer within 1000 ms in stop_in_the_middle");
}

TEST_F(DeviceHost, MessageThatChangesWhileItIsReadIsHarmless) {
  for (int i = 0; i < 10; ++i) {
    Invocation call("change_while_it_is_read");
    if (const auto reply = host_->Call(call.Scalar(200u)); !reply) {
      EXPECT_THAT(reply.error().verdict, AnyOf(Verdict::kRejected, Verdict::kRuntimeError))
          << reply.error().detail;
      host_.emplace(StartHost(options_));
    }
  }
}

TEST_F(DeviceHost, FloodOfShortCallsRunsIntoTheTimeLimitOfTheHost) {
  const std::vector<std::uint8_t> message = Message('e', 10);
  Invocation call("ask_forever");
  ExpectFailure(call.Input(message).Scalar(std::uint64_t{10}), Verdict::kTimeLimit,
                "no answer within 1000 ms in ask_forever");
  EXPECT_GT(served_, 50);
}

TEST_F(DeviceHost, FloodOfLongCallsRunsIntoTheTimeLimitOfTheDevice) {
  options_.device_limit = milliseconds(400);
  host_.emplace(StartHost(options_));
  const std::vector<std::uint8_t> message = Message('s', 10);
  Invocation call("ask_forever");
  ExpectFailure(call.Input(message).Scalar(std::uint64_t{10}), Verdict::kTimeLimit,
                "its device worked for more than 400 ms in ask_forever");
  EXPECT_LE(served_, 8);
}

TEST_F(DeviceHost, MemoryThatIsTakenWhileTheDeviceWorksCounts) {
  // What it takes if nobody looks.
  constexpr std::int64_t kFarOver_bytes = std::int64_t{1} << 30;
  std::int64_t taken_bytes = 1;
  work_ = [&] {
    while (taken_bytes > 0 && taken_bytes <= options_.memory_limit_bytes) {
      taken_bytes = host_->PrivateBytes();
    }
    // Until it takes no more: it was stopped, or killed.
    for (std::int64_t before = 0; taken_bytes > before && taken_bytes < kFarOver_bytes;) {
      before = taken_bytes;
      std::this_thread::sleep_for(milliseconds(50));
      taken_bytes = host_->PrivateBytes();
    }
  };
  const std::vector<std::uint8_t> message = Message('w', 10);
  Invocation call("allocate_while_it_works");
  ExpectFailure(call.Input(message).Scalar(std::uint64_t{10}), Verdict::kMemoryLimit,
                "took more memory than it may in allocate_while_it_works");
  EXPECT_LT(taken_bytes, kFarOver_bytes);
}

}  // namespace
}  // namespace assay
