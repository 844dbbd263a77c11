// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SANDBOX_REQUEST_H_
#define ASSAY_SANDBOX_REQUEST_H_

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sandbox/limits.h"
#include "sandbox/mount.h"
#include "sandbox/syscall_policy.h"

namespace assay {

/// The program sees our descriptor `outside` under the number `inside` (3 or more).
struct PassedFd {
  int outside = -1;
  int inside = -1;
};

/// Whether the program gets a /proc. At level full it shows only the sandbox's own processes, at
/// level reduced only the first process's own folder can be read.
enum class ProcAccess { kNone, kOwn };

/// One program to run in the sandbox. Standard input is /dev/null; standard output and errors go to
/// one bounded capture (SandboxedProcess::Output). Besides those three the program has exactly
/// `fds`.
struct SandboxRequest {
  /// argv[0] is an absolute path as the program will see it (SeenPath).
  std::vector<std::string> argv;
  std::vector<std::string> environment;  ///< `NAME=value`: all of it, nothing is inherited.
  /// Everything that is visible, besides /dev/null, /dev/zero and /dev/urandom and, for tools at
  /// level full, a private /tmp. At the other levels point TMPDIR at a writable mount.
  std::vector<Mount> mounts;
  std::filesystem::path working_directory = "/";  ///< As the program sees it.
  std::vector<PassedFd> fds;
  SyscallPolicy policy = SyscallPolicy::kHost;
  ProcAccess proc = ProcAccess::kNone;
  Limits limits;
  /// Pins the program, which cannot unpin itself, to these; empty: as we are.
  std::vector<int> processors;
};

}  // namespace assay

#endif  // ASSAY_SANDBOX_REQUEST_H_
