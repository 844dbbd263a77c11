// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_PROCESS_INTERRUPT_H_
#define ASSAY_PROCESS_INTERRUPT_H_

#include <csignal>

#include "base/error.h"

namespace assay {

/// While one lives, SIGINT, SIGTERM and SIGHUP ask the process to stop instead of killing it:
/// waits in process and sandbox end early, and callers unwind, so that temporary folders, children
/// and control groups are removed. A second signal of the same kind kills at once. At most one at a
/// time, made in main before any thread.
class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

 private:
  struct sigaction before_interrupt_ = {};
  struct sigaction before_terminate_ = {};
  struct sigaction before_hangup_ = {};
};

/// The signal that asked this process to stop, or 0. Any thread.
[[nodiscard]] int InterruptSignal();
/// A descriptor that is readable (poll) once the process was asked to stop; -1 outside any
/// InterruptScope (poll ignores it).
[[nodiscard]] int InterruptEventFd();
/// An error (kind kConfiguration) once the process was asked to stop.
[[nodiscard]] Status CheckInterrupt();

}  // namespace assay

#endif  // ASSAY_PROCESS_INTERRUPT_H_
