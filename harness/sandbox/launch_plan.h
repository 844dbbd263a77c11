// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SANDBOX_LAUNCH_PLAN_H_
#define ASSAY_SANDBOX_LAUNCH_PLAN_H_

#include <cstdint>

namespace assay {

/// What Spawn tells sandbox_init: this header, then `filter_length` sock_filter instructions, in a
/// memory file. Both ends come from one build, so the layout is the compiler's.
struct LaunchPlan {
  std::int32_t status_fd = -1;    ///< SOCK_SEQPACKET for LaunchMessage.
  std::int32_t landlock_fd = -1;  ///< Ruleset to enter, or -1.
  std::uint32_t filter_length = 0;
  std::uint32_t is_namespace_init = 0;   ///< 1: process 1 of its own process namespace.
  std::uint32_t drops_capabilities = 0;  ///< 1: gives up what root has.
  std::uint32_t sees_own_proc = 0;       ///< 1: adds the program's own /proc/<pid> to the ruleset.
  std::uint32_t is_of_submission = 0;    ///< 1: a file that is no program is its own failure.
  std::int64_t file_size_bytes = 0;
  std::int64_t processes = 0;  ///< Of this user, in this user namespace; 0: not limited this way.
  std::int64_t open_files = 0;
};

/// Immediate values in the filter that the launcher replaces once it knows them. Far from any
/// system call number, flag or address part that the policies use.
inline constexpr std::uint32_t kOwnProcessPlaceholder = 0x5A5A0001;
inline constexpr std::uint32_t kExecAddressLowPlaceholder = 0x5A5A0002;
inline constexpr std::uint32_t kExecAddressHighPlaceholder = 0x5A5A0003;

/// What sandbox_init tells Spawn. The kernel adds the sender's process number (SCM_CREDENTIALS) as
/// seen from outside the namespace.
struct LaunchMessage {
  enum Kind : std::uint32_t {
    kInit,     ///< sandbox_init runs; the sender is it.
    kProgram,  ///< The program is about to be executed; the sender is it.
    kStarted,  ///< execve succeeded, or a submission's file is no program and ended.
    kFailed,   ///< A step failed before execve: `value` is errno, `step` which.
    kEnded,    ///< The program ended: `value` is the wait status.
  };
  enum Step : std::uint32_t {
    kNoStep,
    kPlan,
    kLimits,
    kCapabilities,
    kLandlock,
    kFilter,
    kExecute
  };
  Kind kind = kInit;
  Step step = kNoStep;
  std::int32_t value = 0;
  std::int32_t reserved = 0;
  std::int64_t cpu_time_ns = 0;  ///< Of the program and all it waited for.
  std::int64_t peak_bytes = 0;   ///< Largest resident set of one process.
};

}  // namespace assay

#endif  // ASSAY_SANDBOX_LAUNCH_PLAN_H_
