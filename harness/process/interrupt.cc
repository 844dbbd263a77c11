// SPDX-License-Identifier: Apache-2.0
#include "process/interrupt.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <string>

namespace assay {
namespace {

// The only mutable globals of the harness: a signal handler can reach nothing else.
std::atomic<int> interrupt_signal = 0;
std::atomic<int> interrupt_event_fd = -1;
static_assert(std::atomic<int>::is_always_lock_free);

void HandleInterrupt(int signal) {
  const int error_number = errno;
  interrupt_signal.store(signal);
  const std::uint64_t one = 1;
  (void)!::write(interrupt_event_fd.load(), &one, sizeof one);
  errno = error_number;
}

}  // namespace

InterruptScope::InterruptScope() {
  interrupt_signal.store(0);
  interrupt_event_fd.store(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  struct sigaction action = {};
  action.sa_handler = HandleInterrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // The second signal kills.
  ::sigaction(SIGINT, &action, &before_interrupt_);
  ::sigaction(SIGTERM, &action, &before_terminate_);
  ::sigaction(SIGHUP, &action, &before_hangup_);
}

InterruptScope::~InterruptScope() {
  ::sigaction(SIGINT, &before_interrupt_, nullptr);
  ::sigaction(SIGTERM, &before_terminate_, nullptr);
  ::sigaction(SIGHUP, &before_hangup_, nullptr);
  ::close(interrupt_event_fd.exchange(-1));
  interrupt_signal.store(0);
}

int InterruptSignal() { return interrupt_signal.load(); }
int InterruptEventFd() { return interrupt_event_fd.load(); }

Status CheckInterrupt() {
  const int signal = InterruptSignal();
  if (signal == 0) {
    return {};
  }
  return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                               .where = {},
                               .cause = "interrupted by signal " + std::to_string(signal),
                               .remedy = "run the same command again: what was finished is kept"});
}

}  // namespace assay
