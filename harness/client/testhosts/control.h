// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLIENT_TESTHOSTS_CONTROL_H_
#define ASSAY_CLIENT_TESTHOSTS_CONTROL_H_

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

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

[[noreturn]] inline void SleepForever() {
  while (true) {
    ::usleep(1'000'000);
  }
}

#endif  // ASSAY_CLIENT_TESTHOSTS_CONTROL_H_
