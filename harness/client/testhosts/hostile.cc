// SPDX-License-Identifier: Apache-2.0
// A submission that attacks, one operation an attack. It has the honest runtime around it, and goes
// behind its back where the attack needs that.
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>
#include <stdexcept>
#include <thread>

#include "host/adapter.h"
#include "testhosts/control.h"

namespace wire = assay::wire;

namespace {

// ---- Malformed messages -------------------------------------------------------------------------

void WrongLength(std::uint32_t length_bytes) {
  const wire::FrameHeader header{wire::FrameType::kReturn, length_bytes};
  RawPut(&header, sizeof header);
  SleepForever();
}

void WrongType(std::uint32_t type) {
  const wire::FrameHeader header{static_cast<wire::FrameType>(type), sizeof header};
  RawPut(&header, sizeof header);
  SleepForever();
}

void WrongSequence(std::uint32_t steps) {
  RawPublish(steps);
  SleepForever();
}

/// Lets a second reply follow the runtime's own.
void ReplyTwice() {
  std::thread([go = GoAhead()] {
    go.Wait();
    RawPublish();
    Say("published\n");
  }).detach();
}

void Saved(std::uint32_t claimed, const wire::Tensor* tensors, std::uint32_t count) {
  wire::ReturnFrame frame{};
  frame.header = {wire::FrameType::kReturn,
                  static_cast<std::uint32_t>(16 + count * sizeof(wire::Tensor))};
  frame.saved_count = claimed;
  std::memcpy(frame.saved, tensors, count * sizeof(wire::Tensor));
  RawPut(&frame, frame.header.length_bytes);
  SleepForever();
}

void SaveTooMany(std::uint32_t claimed, assay_save_fn, void*) {
  const wire::Tensor none[wire::kMaxTensors] = {};
  Saved(claimed, none, wire::kMaxTensors);
}
void SaveOverlapping(assay_save_fn, void*) {
  const wire::Tensor tensors[] = {{"a", 0, 100}, {"b", 64, 8}};
  Saved(2, tensors, 2);
}
void SaveOutside(std::uint64_t offset, std::uint64_t size, assay_save_fn, void*) {
  const wire::Tensor tensors[] = {{"a", offset, size}};
  Saved(1, tensors, 1);
}
void SaveTwins(assay_save_fn, void*) {
  const wire::Tensor tensors[] = {{"a", 0, 8}, {"a", 64, 8}};
  Saved(2, tensors, 2);
}
void SaveUnprintable(assay_save_fn, void*) {
  const wire::Tensor tensors[] = {{"a\x1b[31m", 0, 8}};
  Saved(1, tensors, 1);
}
void SaveEndlessName(assay_save_fn, void*) {
  wire::Tensor tensor{};
  std::memset(tensor.name, 'x', sizeof tensor.name);
  Saved(1, &tensor, 1);
}

void UpcallOutside(std::uint64_t offset, std::uint64_t size) {
  wire::UpcallFrame frame{};
  frame.header = {wire::FrameType::kUpcall, 24 + sizeof(wire::UpcallBuffer)};
  frame.input_count = 1;
  frame.buffers[0] = {offset, size};
  RawPut(&frame, frame.header.length_bytes);
  SleepForever();
}
void UpcallCounts(std::uint32_t inputs, std::uint32_t outputs) {
  wire::UpcallFrame frame{};
  frame.header = {wire::FrameType::kUpcall, sizeof frame};
  frame.input_count = inputs;
  frame.output_count = outputs;
  RawPut(&frame, sizeof frame);
  SleepForever();
}
void UpcallFlood() {
  while (true) {
    assay::host::Upcall(1, {}, {});
  }
}

/// Replies, and keeps changing the reply while it is read.
void ChangeReply(std::uint32_t milliseconds) {
  static std::atomic<bool> stop = false;
  stop = false;
  static std::thread changer;
  changer = std::thread([] {
    volatile auto* words = reinterpret_cast<volatile std::uint32_t*>(RawControl().to_client.frame);
    for (std::uint32_t i = 0; !stop; ++i) {
      words[1] = i % 2 == 0 ? 16 : 0xffff'fff0u;
      words[3] = i % 3 == 0 ? 0 : 0x4000'0000u;
    }
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  stop = true;
  changer.join();
  std::thread([] {
    volatile auto* words = reinterpret_cast<volatile std::uint32_t*>(RawControl().to_client.frame);
    for (std::uint32_t i = 0; i < 20'000; ++i) {
      words[1] = i % 2 == 0 ? 16 : 0xffff'fff0u;
      words[3] = i % 3 == 0 ? 0 : 0x4000'0000u;
    }
  }).detach();
}

// ---- Ways to die --------------------------------------------------------------------------------

void Abort() { std::abort(); }
void ExitWith(std::int32_t status) { ::_exit(status); }
void Throw() { throw std::runtime_error("thrown"); }
void StackOverflow(std::uint64_t* out) {
  volatile unsigned char frame[4096];
  frame[0] = static_cast<unsigned char>(*out);
  if (*out != 1) {  // The poison is never 1, but the compiler does not know.
    StackOverflow(out);
  }
  *out = frame[0];
}
void DieLater() {
  std::thread([go = GoAhead()] {
    go.Wait();
    ::_exit(3);
  }).detach();
}
void LoopForever() {
  std::atomic<bool> never = false;
  while (!never) {
  }
}
void Sleep() { SleepForever(); }
void Allocate() {
  constexpr std::size_t kBlock = std::size_t{16} << 20;
  while (true) {
    std::memset(::operator new(kBlock), 1, kBlock);
  }
}
void Print() {
  while (true) {
    std::puts("all tests passed");
    std::fflush(stdout);
  }
}
void OpenSocket() { ::socket(AF_INET, SOCK_STREAM, 0); }
void Fork() { ::fork(); }
/// Fills pages of the outputs arena that belong to no buffer.
void FillOutputs() {
  auto* arena = static_cast<std::byte*>(
      ::mmap(nullptr, wire::kArenaBytes, PROT_READ | PROT_WRITE, MAP_SHARED, wire::kOutputsFd, 0));
  for (std::size_t i = wire::kArenaBytes / 2; i < wire::kArenaBytes; i += wire::kPageBytes) {
    arena[i] = std::byte{1};
  }
  SleepForever();
}

void PutIntoStash(std::uint64_t bytes) { std::memset(RawStash(), 1, bytes); }
/// How many bytes of what was put there are still there.
void CountStash(std::uint64_t bytes, std::uint64_t* left) {
  *left = static_cast<std::uint64_t>(std::count(RawStash(), RawStash() + bytes, std::byte{1}));
}

// ---- Memory that it may not touch ---------------------------------------------------------------

void WriteInput(const float* in) { *const_cast<volatile float*>(in) = 1.0f; }
/// 0 when none of the ways to make inputs writable works, else which.
int UnlockInputs(const float* in) {
  const auto within = reinterpret_cast<std::uintptr_t>(in) % wire::kPageBytes;
  auto* page = const_cast<std::byte*>(reinterpret_cast<const std::byte*>(in)) - within;
  if (::mprotect(page, wire::kPageBytes, PROT_READ | PROT_WRITE) == 0) {
    return 1;
  }
  if (::mmap(nullptr, wire::kPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, wire::kInputsFd, 0) !=
      MAP_FAILED) {
    return 2;
  }
  if (::pwrite(wire::kInputsFd, "x", 1, 0) > 0) {
    return 3;
  }
  for (const int fd : {wire::kControlFd, wire::kInputsFd, wire::kOutputsFd}) {
    if (::ftruncate(fd, 0) == 0) {
      return 4;
    }
    if (::fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE) == 0) {
      return 5;
    }
  }
  return 0;
}
int ReadAt(std::int64_t offset, const std::uint8_t* in) {
  return *static_cast<const volatile std::uint8_t*>(in + offset) * 0;
}
void WriteAt(std::int64_t offset, std::uint8_t* out) {
  volatile std::uint8_t* at = out + offset;
  *at = static_cast<std::uint8_t>(*at ^ 0xff);
}
void WriteBesideSaved(std::int64_t offset, assay_save_fn save, void* context) {
  auto* first = static_cast<std::uint8_t*>(save(context, "first", 10));
  auto* second = static_cast<std::uint8_t*>(save(context, "second", 10));
  std::memset(first, 0, 10);
  std::memset(second, 0, 10);
  volatile std::uint8_t* at = second + offset;
  *at = static_cast<std::uint8_t>(*at ^ 0xff);
}

// ---- Work after the reply -----------------------------------------------------------------------

void WriteLate(double* out) {
  std::thread([out, go = GoAhead()] {
    go.Wait();
    *static_cast<volatile double*>(out) = 42.0;
    Say("written\n");
  }).detach();
}
/// Replies, and writes the second half of its output a little later.
void WriteBehindReply(std::size_t count, std::uint8_t* out) {
  const std::uint32_t replied = RawControl().to_client.sequence;
  std::thread([count, out, replied] {
    while (RawControl().to_client.sequence == replied) {
      ::sched_yield();
    }
    ::usleep(1'000);
    std::memset(out + count / 2, 42, count - count / 2);
  }).detach();
}
/// So much of this thread's processor time.
void Burn(std::uint32_t milliseconds) {
  const auto burnt_ms = [] {
    timespec now = {};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1'000 + now.tv_nsec / 1'000'000;
  };
  const auto end_ms = burnt_ms() + milliseconds;
  while (burnt_ms() < end_ms) {
  }
}
/// Burns so much so often, and says each time that it has.
void BurnLate(std::uint32_t milliseconds, std::uint32_t times) {
  std::thread([milliseconds, times] {
    for (std::uint32_t i = 0; i < times; ++i) {
      Burn(milliseconds);
      Say("burnt\n");
    }
  }).detach();
}

}  // namespace

ASSAY_OPERATION("wrong_length", WrongLength);
ASSAY_OPERATION("wrong_type", WrongType);
ASSAY_OPERATION("wrong_sequence", WrongSequence);
ASSAY_OPERATION("reply_twice", ReplyTwice);
ASSAY_OPERATION("save_too_many", SaveTooMany);
ASSAY_OPERATION("save_overlapping", SaveOverlapping);
ASSAY_OPERATION("save_outside", SaveOutside);
ASSAY_OPERATION("save_twins", SaveTwins);
ASSAY_OPERATION("save_unprintable", SaveUnprintable);
ASSAY_OPERATION("save_endless_name", SaveEndlessName);
ASSAY_OPERATION("upcall_outside", UpcallOutside);
ASSAY_OPERATION("upcall_counts", UpcallCounts);
ASSAY_OPERATION("upcall_flood", UpcallFlood);
ASSAY_OPERATION("change_reply", ChangeReply);
ASSAY_OPERATION("abort", Abort);
ASSAY_OPERATION("exit_with", ExitWith);
ASSAY_OPERATION("throw", Throw);
ASSAY_OPERATION("stack_overflow", StackOverflow);
ASSAY_OPERATION("die_later", DieLater);
ASSAY_OPERATION("loop_forever", LoopForever);
ASSAY_OPERATION("sleep_forever", Sleep);
ASSAY_OPERATION("allocate", Allocate);
ASSAY_OPERATION("print", Print);
ASSAY_OPERATION("open_socket", OpenSocket);
ASSAY_OPERATION("fork", Fork);
ASSAY_OPERATION("fill_outputs", FillOutputs);
ASSAY_OPERATION("put_into_stash", PutIntoStash);
ASSAY_OPERATION("count_stash", CountStash);
ASSAY_OPERATION("write_input", WriteInput);
ASSAY_OPERATION("unlock_inputs", UnlockInputs);
ASSAY_OPERATION("read_at", ReadAt);
ASSAY_OPERATION("write_at", WriteAt);
ASSAY_OPERATION("write_beside_saved", WriteBesideSaved);
ASSAY_OPERATION("write_late", WriteLate);
ASSAY_OPERATION("write_behind_reply", WriteBehindReply);
ASSAY_OPERATION("burn", Burn);
ASSAY_OPERATION("burn_late", BurnLate);
