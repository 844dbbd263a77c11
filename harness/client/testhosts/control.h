// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLIENT_TESTHOSTS_CONTROL_H_
#define ASSAY_CLIENT_TESTHOSTS_CONTROL_H_

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "wire/protocol.h"

// How a hostile host gets at the wire behind the runtime's back: straight through the descriptor.

inline assay::wire::Control& RawControl() {
  static auto* control = static_cast<assay::wire::Control*>(
      ::mmap(nullptr, sizeof(assay::wire::Control), PROT_READ | PROT_WRITE, MAP_SHARED,
             assay::wire::kControlFd, 0));
  return *control;
}

/// Publishes whatever lies in the mailbox, `steps` numbers ahead of the last message.
inline void RawPublish(std::uint32_t steps = 1) {
  assay::wire::Mailbox& mailbox = RawControl().to_client;
  mailbox.sequence.fetch_add(steps);
  ::syscall(SYS_futex, &mailbox.sequence, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

inline void RawPut(const void* frame, std::size_t bytes) {
  std::memcpy(RawControl().to_client.frame, frame, bytes);
  RawPublish();
}

/// The middle of the outputs arena, far from every buffer of a small call. What is put there stays
/// until the grader measures the host's memory (Host::PrivateBytes): then it is 0.
inline std::byte* RawStash() {
  static auto* arena =
      static_cast<std::byte*>(::mmap(nullptr, assay::wire::kArenaBytes, PROT_READ | PROT_WRITE,
                                     MAP_SHARED, assay::wire::kOutputsFd, 0));
  return arena + assay::wire::kArenaBytes / 2;
}

/// For what a host does after its reply: made within the call, and waited for on the thread that
/// outlives it, until the test says so (LetGo in client/test_hosts.h). No time is long enough to be
/// sure of that.
class GoAhead {
 public:
  GoAhead() { *flag_ = 1; }
  void Wait() const {
    while (*flag_ != 0) {
      ::usleep(100);
    }
  }

 private:
  volatile unsigned char* flag_ = reinterpret_cast<volatile unsigned char*>(RawStash());
};

/// Writes a line that the test waits for (WaitForOutput).
inline void Say(const char* line) {
  [[maybe_unused]] const ssize_t written = ::write(STDOUT_FILENO, line, std::strlen(line));
}

[[noreturn]] inline void SleepForever() {
  while (true) {
    ::usleep(1'000'000);
  }
}

#endif  // ASSAY_CLIENT_TESTHOSTS_CONTROL_H_
