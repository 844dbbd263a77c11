// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SANDBOX_SYSCALL_POLICY_H_
#define ASSAY_SANDBOX_SYSCALL_POLICY_H_

#include <linux/filter.h>

#include <vector>

#include "base/error.h"

namespace assay {

/// Which system calls a sandboxed program may make. README.md has the table.
enum class SyscallPolicy {
  kHost,  ///< One process with threads: memory, time, reading. Nothing else.
  kTool,  ///< Compilers and linters: also processes and writing files.
};

/// Who keeps a tool's signals inside the sandbox.
enum class SignalGuard {
  kKernel,  ///< A process namespace, or Landlock's scope.
  kFilter,  ///< Nothing else does: a tool may signal its own first process only.
};

/// The filter of `policy` as a BPF program for seccomp(2): an allow list. Calls that only an attack
/// makes kill the process with SIGSYS; whatever else is not listed fails with ENOSYS, or EPERM
/// where the call is allowed with other arguments. Any ABI but x86-64 kills.
///
/// The program holds the placeholders of launch_plan.h (own process number; address of the one
/// execve that is allowed to a host), which the launcher fills in.
[[nodiscard]] Result<std::vector<sock_filter>> BuildSyscallFilter(SyscallPolicy policy,
                                                                  SignalGuard guard);

}  // namespace assay

#endif  // ASSAY_SANDBOX_SYSCALL_POLICY_H_
