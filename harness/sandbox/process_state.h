// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SANDBOX_PROCESS_STATE_H_
#define ASSAY_SANDBOX_PROCESS_STATE_H_

#include <optional>

#include "process/subprocess.h"
#include "sandbox/capture.h"
#include "sandbox/cgroup.h"
#include "sandbox/launch_plan.h"
#include "sandbox/sandboxed_process.h"

namespace assay {

// Private to the layer: what spawn.cc makes and sandboxed_process.cc watches.

/// A message from the launcher and who, as the kernel says, sent it.
struct ReceivedMessage {
  LaunchMessage message;
  pid_t sender = 0;
};
/// The next message, or nothing at the end of the conversation (or, with MSG_DONTWAIT, for now).
[[nodiscard]] std::optional<ReceivedMessage> ReceiveMessage(int fd, int flags);

struct SandboxedProcess::State {
  SandboxLevel level = SandboxLevel::kNone;
  SyscallPolicy policy = SyscallPolicy::kHost;
  std::int64_t memory_limit_bytes = 0;
  std::chrono::steady_clock::time_point deadline;
  Capture capture;
  // Order matters: the process must be gone before its control group can be removed.
  std::optional<Cgroup> cgroup;
  UniqueFd status;  ///< Our end of the launcher's conversation.
  Subprocess root;  ///< Our child: bubblewrap, or the launcher itself.
  pid_t init = 0;   ///< The launcher, as seen from here.
  UniqueFd init_pidfd;
  pid_t program = 0;
  UniqueFd program_pidfd;  ///< None where it ended before we looked.
  std::optional<ExitStatus::Kind> reason_killed;
  std::optional<ExitStatus> exit;

  /// Follows the launcher until the program runs, or says why it does not.
  [[nodiscard]] Status AwaitStart(const SandboxRequest& request);
  /// Kills everything inside and waits until it is gone.
  void KillFor(ExitStatus::Kind reason);
  /// The verdict, once `root` has ended.
  [[nodiscard]] ExitStatus Conclude(const ProcessExit& root_exit);
};

}  // namespace assay

#endif  // ASSAY_SANDBOX_PROCESS_STATE_H_
