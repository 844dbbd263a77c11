// SPDX-License-Identifier: Apache-2.0
// Hosts that attack. Each attack has its verdict, each verdict its words, and after each the
// harness goes on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "client/host.h"
#include "client/test_hosts.h"
#include "process/processors.h"

namespace assay {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class HostileHost : public testing::Test {
 protected:
  HostileHost() {
    options_.call_limit = seconds(30);
    options_.memory_limit_bytes = std::int64_t{256} << 20;
    host_.emplace(StartHost(options_));
  }

  void ExpectFailure(const Invocation& call, Verdict verdict,
                     const testing::Matcher<std::string>& detail) {
    const auto reply = host_->Call(call);
    ASSERT_FALSE(reply.has_value()) << "status " << reply->status;
    EXPECT_EQ(ToString(reply.error().verdict), ToString(verdict)) << reply.error().detail;
    EXPECT_THAT(reply.error().detail, detail);
    // It is dead, and says the same again.
    EXPECT_FALSE(host_->alive());
    const auto again = host_->Call(call);
    ASSERT_FALSE(again.has_value());
    EXPECT_EQ(again.error().detail, reply.error().detail);
  }
  void ExpectStatus(const Invocation& call, int status) {
    const auto reply = host_->Call(call);
    ASSERT_TRUE(reply.has_value()) << reply.error().detail;
    EXPECT_EQ(reply->status, status);
  }
  /// Calls; then how many pieces of processor time are more than all of its processors can have
  /// spent on that, however long it took on this machine: so many were spent after it.
  int PiecesBeyond(const Invocation& call, int piece_milliseconds) {
    const auto start = std::chrono::steady_clock::now();
    ExpectStatus(call, 0);
    const auto taken = std::chrono::steady_clock::now() - start;
    const auto processors = static_cast<std::int64_t>(UsableProcessors().size());
    return static_cast<int>(processors * taken / milliseconds(piece_milliseconds)) + 2;
  }
  /// For attacks that any number of upcalls may be part of.
  static Invocation& Answered(Invocation& call) {
    return call.OnUpcall([](const UpcallRequest&) { return 0; }, {.calls = 1'000, .bytes = 4096});
  }

  HostOptions options_ = OptionsFor("hostile");
  std::optional<Host> host_;
};

// ---- Malformed messages -------------------------------------------------------------------------

TEST_F(HostileHost, FrameShorterThanAHeaderIsRejected) {
  Invocation call("wrong_length");
  ExpectFailure(call.Scalar(3u), Verdict::kRejected,
                "a message of impossible length in wrong_length");
}
TEST_F(HostileHost, FrameLongerThanTheMailboxIsRejected) {
  Invocation call("wrong_length");
  ExpectFailure(call.Scalar(0xffff'ffffu), Verdict::kRejected,
                "a message of impossible length in wrong_length");
}
TEST_F(HostileHost, ReturnWithoutABodyIsRejected) {
  Invocation call("wrong_length");
  ExpectFailure(call.Scalar(8u), Verdict::kRejected,
                "malformed reply in wrong_length: a return does not have the length that it says");
}
TEST_F(HostileHost, UnknownTypeIsRejected) {
  for (const std::uint32_t type : {0u, 1u, 5u, 6u, 9u, 0xffff'ffffu}) {
    host_.emplace(StartHost(options_));
    Invocation call("wrong_type");
    ExpectFailure(call.Scalar(type), Verdict::kRejected,
                  "a message of the wrong type in wrong_type");
  }
}
TEST_F(HostileHost, WrongSequenceIsRejected) {
  for (const std::uint32_t steps : {2u, 1'000u, 0xffff'ffffu}) {
    host_.emplace(StartHost(options_));
    Invocation call("wrong_sequence");
    ExpectFailure(call.Scalar(steps), Verdict::kRejected,
                  "a message out of sequence in wrong_sequence");
  }
}
TEST_F(HostileHost, MessageThatNobodyAskedForIsRejected) {
  Invocation call("reply_twice");
  ExpectStatus(call, 0);
  LetGo(*host_);
  WaitForOutput(*host_, "published");
  ExpectFailure(call, Verdict::kRejected, "spoke out of turn after its reply to reply_twice");
}
TEST_F(HostileHost, ReplyThatChangesWhileItIsReadIsHarmless) {
  for (int i = 0; i < 20; ++i) {
    Invocation call("change_reply");
    if (const auto reply = host_->Call(call.Scalar(1u)); !reply) {
      EXPECT_EQ(reply.error().verdict, Verdict::kRejected) << reply.error().detail;
      host_.emplace(StartHost(options_));
    }
  }
}

// ---- Saved tensors ------------------------------------------------------------------------------

TEST_F(HostileHost, MoreTensorsThanAFrameHoldsIsRejected) {
  for (const std::uint32_t claimed : {65u, 0xffff'ffffu}) {
    host_.emplace(StartHost(options_));
    SavedTensors saved;
    Invocation call("save_too_many");
    ExpectFailure(call.Scalar(claimed).Save(&saved), Verdict::kRejected,
                  HasSubstr("does not have the length that it says"));
  }
}
TEST_F(HostileHost, MoreTensorsThanAllowedIsRejected) {
  SavedTensors saved;
  Invocation call("save_too_many");
  ExpectFailure(call.Scalar(64u).Save(&saved, {.tensors = 10}), Verdict::kRejected,
                HasSubstr("it saved more tensors than it may"));
}
TEST_F(HostileHost, SaveWhereNothingMayBeSavedIsRejected) {
  Invocation call("save_overlapping");
  ExpectFailure(call.Save(nullptr), Verdict::kRejected,
                HasSubstr("it saved more tensors than it may"));
}
TEST_F(HostileHost, OverlappingTensorsAreRejected) {
  SavedTensors saved;
  Invocation call("save_overlapping");
  ExpectFailure(call.Save(&saved), Verdict::kRejected, HasSubstr("saved tensors a and b overlap"));
}
TEST_F(HostileHost, TensorOutsideItsAreaIsRejected) {
  constexpr std::uint64_t kEnd = std::numeric_limits<std::uint64_t>::max();
  struct Range {
    std::uint64_t offset, size;
  };
  for (const auto [offset, size] :
       {Range{0, kEnd}, Range{kEnd, 1}, Range{kEnd - 7, 8}, Range{std::uint64_t{1} << 32, 8}}) {
    host_.emplace(StartHost(options_));
    SavedTensors saved;
    Invocation call("save_outside");
    ExpectFailure(call.Scalar(offset).Scalar(size).Save(&saved), Verdict::kRejected,
                  HasSubstr("saved tensor a lies outside the memory for it"));
  }
}
TEST_F(HostileHost, TensorsOverTheLimitOfBytesAreRejected) {
  SavedTensors saved;
  Invocation call("save_outside");
  ExpectFailure(
      call.Scalar(std::uint64_t{0}).Scalar(std::uint64_t{101}).Save(&saved, {.bytes = 100}),
      Verdict::kRejected, HasSubstr("it saved more bytes than it may"));
}
TEST_F(HostileHost, TensorsWithOneNameAreRejected) {
  SavedTensors saved;
  Invocation call("save_twins");
  ExpectFailure(call.Save(&saved), Verdict::kRejected, HasSubstr("two saved tensors are called a"));
}
TEST_F(HostileHost, UnprintableOrEndlessNamesAreRejected) {
  for (const char* operation : {"save_unprintable", "save_endless_name"}) {
    host_.emplace(StartHost(options_));
    SavedTensors saved;
    Invocation call(operation);
    ExpectFailure(call.Save(&saved), Verdict::kRejected,
                  HasSubstr("a saved tensor's name is not 1 to 63 printable characters"));
  }
}
TEST_F(HostileHost, WriteBesideASavedTensorIsFound) {
  for (const std::int64_t offset : {-1, 10, 70}) {
    host_.emplace(StartHost(options_));
    SavedTensors saved;
    Invocation call("write_beside_saved");
    ExpectFailure(call.Scalar(offset).Save(&saved), Verdict::kRuntimeError,
                  HasSubstr("wrote outside the memory of saved tensor"));
  }
}

// ---- Upcalls ------------------------------------------------------------------------------------

TEST_F(HostileHost, UpcallThatNobodyAskedForIsRejected) {
  Invocation call("upcall_flood");
  ExpectFailure(call, Verdict::kRejected, "an upcall that nobody asked for in upcall_flood");
}
TEST_F(HostileHost, FloodOfUpcallsIsRejected) {
  Invocation call("upcall_flood");
  ExpectFailure(Answered(call), Verdict::kRejected, "more than 1000 upcalls in upcall_flood");
}
TEST_F(HostileHost, UpcallBufferOutsideItsAreaIsRejected) {
  Invocation call("upcall_outside");
  call.Scalar(std::uint64_t{4096}).Scalar(std::numeric_limits<std::uint64_t>::max() - 4095);
  ExpectFailure(Answered(call), Verdict::kRejected,
                HasSubstr("a buffer of an upcall lies outside the memory for it"));
}
TEST_F(HostileHost, UpcallWithImpossibleCountsIsRejected) {
  Invocation call("upcall_counts");
  call.Scalar(17u).Scalar(0xffff'ffffu);
  ExpectFailure(Answered(call), Verdict::kRejected,
                HasSubstr("an upcall does not have the length that it says"));
}

// ---- Ways to die --------------------------------------------------------------------------------

TEST_F(HostileHost, AbortIsARuntimeError) {
  ExpectFailure(Invocation("abort"), Verdict::kRuntimeError,
                "killed by SIGABRT (Aborted) in abort");
}
TEST_F(HostileHost, ExitIsARuntimeErrorWhateverItsStatus) {
  for (const int status : {0, 3}) {
    host_.emplace(StartHost(options_));
    Invocation call("exit_with");
    ExpectFailure(call.Scalar(status), Verdict::kRuntimeError,
                  "exited with status " + std::to_string(status) + " in exit_with");
  }
}
TEST_F(HostileHost, ExceptionIsARuntimeError) {
  ExpectFailure(Invocation("throw"), Verdict::kRuntimeError,
                "killed by SIGABRT (Aborted) in throw");
  EXPECT_THAT(host_->Output(), HasSubstr("what():  thrown"));
}
TEST_F(HostileHost, StackOverflowIsARuntimeError) {
  std::vector<std::uint64_t> out(1);
  Invocation call("stack_overflow");
  ExpectFailure(call.Output(out), Verdict::kRuntimeError,
                "killed by SIGSEGV (Segmentation fault) in stack_overflow");
}
TEST_F(HostileHost, DeathBetweenCallsIsARuntimeError) {
  Invocation call("die_later");
  ExpectStatus(call, 0);
  LetGo(*host_);
  WaitForDeath(*host_);
  ExpectFailure(call, Verdict::kRuntimeError, "exited with status 3 after its reply to die_later");
}
TEST_F(HostileHost, LoopRunsIntoTheTimeLimit) {
  options_.call_limit = milliseconds(1'000);
  host_.emplace(StartHost(options_));
  ExpectFailure(Invocation("loop_forever"), Verdict::kTimeLimit,
                "no answer within 1000 ms in loop_forever");
}
TEST_F(HostileHost, SleepRunsIntoTheTimeLimit) {
  options_.call_limit = milliseconds(1'000);
  host_.emplace(StartHost(options_));
  ExpectFailure(Invocation("sleep_forever"), Verdict::kTimeLimit,
                "no answer within 1000 ms in sleep_forever");
}
TEST_F(HostileHost, AllocationRunsIntoTheMemoryLimit) {
  ExpectFailure(Invocation("allocate"), Verdict::kMemoryLimit,
                "took more memory than it may in allocate");
}
TEST_F(HostileHost, FillingTheArenaRunsIntoTheMemoryLimit) {
  ExpectFailure(Invocation("fill_outputs"), Verdict::kMemoryLimit, HasSubstr("in fill_outputs"));
}
TEST_F(HostileHost, NothingIsKeptAmongTheBuffersWhenItsMemoryIsMeasured) {
  constexpr std::uint64_t kStashed_bytes = 16 << 20;
  Invocation put("put_into_stash");
  ASSERT_TRUE(host_->Call(put.Scalar(kStashed_bytes)));
  std::array<std::uint64_t, 1> left{};
  Invocation count("count_stash");
  count.Scalar(kStashed_bytes).Output(left);
  ASSERT_TRUE(host_->Call(count));
  ASSERT_EQ(left[0], kStashed_bytes) << "the stash lies where a call clears it: choose another";
  EXPECT_GT(host_->PrivateBytes(), 0);
  ASSERT_TRUE(host_->Call(count));
  EXPECT_EQ(left[0], 0U);
}
TEST_F(HostileHost, PrintingRunsIntoTheOutputLimit) {
  ExpectFailure(Invocation("print"), Verdict::kOutputLimit, "wrote more text than it may in print");
}
TEST_F(HostileHost, ForbiddenSystemCallsAreRejected) {
  if (options_.level == SandboxLevel::kNone) {
    GTEST_SKIP() << "no system call filter at level none";
  }
  for (const char* operation : {"open_socket", "fork"}) {
    host_.emplace(StartHost(options_));
    ExpectFailure(Invocation(operation), Verdict::kRejected,
                  std::string("forbidden system call (SIGSYS) in ") + operation);
  }
}

// ---- Memory that it may not touch ---------------------------------------------------------------

TEST_F(HostileHost, WriteToAnInputIsASegmentationFault) {
  const std::vector<float> in(8);
  Invocation call("write_input");
  ExpectFailure(call.Input(in), Verdict::kRuntimeError,
                "killed by SIGSEGV (Segmentation fault) in write_input");
}
TEST_F(HostileHost, InputsCannotBeMadeWritable) {
  const std::vector<float> in(8);
  Invocation call("unlock_inputs");
  ExpectStatus(call.Input(in), 0);
}
TEST_F(HostileHost, ReadPastAnInputIsASegmentationFault) {
  for (const std::size_t count : {1u, 100u, 4096u}) {
    host_.emplace(StartHost(options_));
    const std::vector<std::uint8_t> in(count);
    Invocation last("read_at");
    ExpectStatus(last.Scalar(static_cast<std::int64_t>(count) - 1).Input(in), 0);
    Invocation past("read_at");
    ExpectFailure(past.Scalar(static_cast<std::int64_t>(count)).Input(in), Verdict::kRuntimeError,
                  "killed by SIGSEGV (Segmentation fault) in read_at");
  }
}
TEST_F(HostileHost, ReadOfAnEmptyInputIsASegmentationFault) {
  const std::vector<std::uint8_t> in;
  Invocation call("read_at");
  ExpectFailure(call.Scalar(std::int64_t{0}).Input(in), Verdict::kRuntimeError,
                "killed by SIGSEGV (Segmentation fault) in read_at");
}
TEST_F(HostileHost, WritePastAGuardedOutputIsASegmentationFault) {
  std::vector<std::uint8_t> out(100);
  Invocation call("write_at");
  ExpectFailure(call.Scalar(std::int64_t{100}).Output(out), Verdict::kRuntimeError,
                "killed by SIGSEGV (Segmentation fault) in write_at");
}
TEST_F(HostileHost, WriteBeforeAGuardedOutputIsFound) {
  std::vector<std::uint8_t> out(100);
  Invocation call("write_at");
  ExpectFailure(call.Scalar(std::int64_t{-1}).Output(out), Verdict::kRuntimeError,
                "wrote 1 bytes before the start of argument 2 (of 100 bytes) in write_at");
}
TEST_F(HostileHost, WritePastAnAlignedOutputIsFound) {
  std::vector<std::uint8_t> out(100);
  Invocation call("write_at");
  call.Scalar(std::int64_t{102}).Output(out).Place(Placement::kAligned);
  ExpectFailure(call, Verdict::kRuntimeError,
                "wrote 3 bytes past the end of argument 2 (of 100 bytes) in write_at");
}
TEST_F(HostileHost, WriteBeforeAnAlignedOutputIsASegmentationFault) {
  std::vector<std::uint8_t> out(100);
  Invocation call("write_at");
  call.Scalar(std::int64_t{-1}).Output(out).Place(Placement::kAligned);
  ExpectFailure(call, Verdict::kRuntimeError, "killed by SIGSEGV (Segmentation fault) in write_at");
}
TEST_F(HostileHost, StrayWriteIsFoundInPreparedCallsToo) {
  std::vector<std::uint8_t> out(100);
  Invocation call("write_at");
  call.Scalar(std::int64_t{100}).Output(out).Place(Placement::kAligned);
  auto prepared = host_->Prepare(call, 3);
  ASSERT_TRUE(prepared.has_value());
  ASSERT_TRUE(prepared->Fill().has_value());
  const auto reply = prepared->Run();
  ASSERT_FALSE(reply.has_value());
  EXPECT_THAT(reply.error().detail, StartsWith("wrote 1 bytes past the end of argument 2"));
}

// ---- Work after the reply -----------------------------------------------------------------------

TEST_F(HostileHost, OutputThatIsWrittenLateDoesNotCount) {
  std::vector<double> out(1);
  Invocation call("write_late");
  ExpectStatus(call.Output(out), 0);
  LetGo(*host_);
  WaitForOutput(*host_, "written");
  EXPECT_NE(out[0], 42.0);
}
// A timed call replied after two thirds of its work, and a thread wrote the rest while the first
// part was being copied.
TEST_F(HostileHost, TimedOutputThatIsWrittenWhileItIsCopiedDoesNotCount) {
  std::vector<std::uint8_t> out(64 << 20);  // Takes ten times as long to copy as the thread waits.
  Invocation call("write_behind_reply");
  call.Scalar(out.size()).Output(out).Place(Placement::kAligned);
  constexpr std::ptrdiff_t kByChance = 1 << 20;  // Of random bytes one in 256 is 42.
  std::ptrdiff_t written = kByChance;
  // Where others use the machine, we may be late to stop it.
  for (int tries = 0; tries < 5 && written >= kByChance; ++tries) {
    host_.emplace(StartHost(options_));
    auto prepared = host_->Prepare(call, 1);
    ASSERT_TRUE(prepared.has_value());
    ASSERT_TRUE(prepared->Fill().has_value());
    ASSERT_TRUE(prepared->Run().has_value());
    written = std::ranges::count(out, 42);
  }
  EXPECT_LT(written, kByChance);
}
TEST_F(HostileHost, ThreadThatKeepsWorkingIsRejectedAtTheNextCall) {
  Invocation call("burn_late");
  WaitForOutput(*host_, "burnt", PiecesBeyond(call.Scalar(50u).Scalar(1'000u), 50));
  ExpectFailure(call, Verdict::kRejected,
                AllOf(StartsWith("work left running after its reply"), HasSubstr("burn_late")));
}
TEST_F(HostileHost, ThreadThatKeepsWorkingIsRejectedByTheIdleCheck) {
  Invocation call("burn_late");
  ExpectStatus(call.Scalar(50u).Scalar(1'000u), 0);
  const auto idle = host_->CheckIdle();
  ASSERT_FALSE(idle.has_value());
  EXPECT_EQ(idle.error().verdict, Verdict::kRejected);
  EXPECT_THAT(idle.error().detail,
              AllOf(StartsWith("work left running after its reply to burn_late: "),
                    HasSubstr("and not yet done")));
  EXPECT_FALSE(host_->alive());
}
TEST_F(HostileHost, LittleWorkLeftAfterEachCallIsRejectedInTheEnd) {
  options_.processors = {UsableProcessors().back()};
  std::optional<HostFailure> failure;
  // Where others use the machine, a call may take so long that the little may be of the call.
  for (int tries = 0; tries < 20 && !failure; ++tries) {
    host_.emplace(StartHost(options_));
    for (int calls = 1; calls <= 50 && !failure; ++calls) {
      Invocation call("burn_late");
      if (const auto reply = host_->Call(call.Scalar(10u).Scalar(1u)); !reply) {
        failure = reply.error();
      } else {
        WaitForOutput(*host_, "burnt", calls);
      }
    }
  }
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->verdict, Verdict::kRejected);
  EXPECT_THAT(failure->detail, StartsWith("work left running after its reply"));
}
TEST_F(HostileHost, BudgetThatTheHostGivesItselfDoesNotCount) {
  host_.emplace(StartHost(OptionsFor("spins_long")));
  Invocation call("nothing");
  WaitForOutput(*host_, "burnt", PiecesBeyond(call, 100));
  ExpectFailure(call, Verdict::kRejected, StartsWith("work left running after its reply"));
}
TEST_F(HostileHost, WorkInsideACallIsFine) {
  for (int i = 0; i < 20; ++i) {
    Invocation call("burn");
    ExpectStatus(call.Scalar(3u), 0);
  }
  EXPECT_TRUE(host_->CheckIdle().has_value());
}

}  // namespace
}  // namespace assay
