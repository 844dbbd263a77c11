// SPDX-License-Identifier: Apache-2.0
#include "sandbox/syscall_policy.h"

#include <asm/ioctls.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <string>

#include "base/unique_fd.h"
#include "sandbox/launch_plan.h"

namespace assay {
namespace {

// libseccomp's own macros for these are C only.
constexpr scmp_arg_cmp Is(unsigned argument, std::uint64_t value) {
  return {.arg = argument, .op = SCMP_CMP_EQ, .datum_a = value, .datum_b = 0};
}
constexpr scmp_arg_cmp IsNot(unsigned argument, std::uint64_t value) {
  return {.arg = argument, .op = SCMP_CMP_NE, .datum_a = value, .datum_b = 0};
}
/// Of the bits in `mask` exactly those in `value` are set.
constexpr scmp_arg_cmp HasBits(unsigned argument, std::uint64_t mask, std::uint64_t value) {
  return {.arg = argument, .op = SCMP_CMP_MASKED_EQ, .datum_a = mask, .datum_b = value};
}

constexpr std::uint64_t kExecAddressPlaceholder =
    std::uint64_t{kExecAddressHighPlaceholder} << 32 | kExecAddressLowPlaceholder;

// clang-format off: one call a line would hide the groups.
/// What any program needs: memory, threads, time, reading, ending.
constexpr int kHarmless[] = {
    // memory
    SYS_brk, SYS_munmap, SYS_mprotect, SYS_mremap, SYS_mincore, SYS_membarrier,
    // threads, scheduling, signals of its own
    SYS_futex, SYS_set_robust_list, SYS_get_robust_list, SYS_set_tid_address, SYS_rseq,
    SYS_sched_yield, SYS_sched_getaffinity, SYS_sched_getparam, SYS_sched_getscheduler,
    SYS_sched_get_priority_max, SYS_sched_get_priority_min, SYS_getcpu, SYS_rt_sigaction,
    SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigpending, SYS_rt_sigsuspend,
    SYS_rt_sigtimedwait, SYS_sigaltstack, SYS_pause, SYS_restart_syscall, SYS_arch_prctl,
    // time
    SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday,
    SYS_time, SYS_times, SYS_getrusage,
    // what is open
    SYS_read, SYS_readv, SYS_pread64, SYS_write, SYS_writev, SYS_lseek, SYS_close, SYS_fstat,
    SYS_stat, SYS_lstat, SYS_newfstatat, SYS_statx, SYS_access, SYS_faccessat, SYS_faccessat2,
    SYS_readlink, SYS_readlinkat, SYS_getcwd, SYS_dup, SYS_dup2, SYS_dup3, SYS_poll, SYS_ppoll,
    // who am I
    SYS_getpid, SYS_gettid, SYS_getppid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid,
    SYS_uname, SYS_sysinfo, SYS_getrlimit, SYS_getrandom,
    // the end
    SYS_exit, SYS_exit_group,
};

/// What compilers, linkers, perl and clang-tidy need besides.
constexpr int kToolOnly[] = {
    // processes
    SYS_fork, SYS_vfork, SYS_execve, SYS_wait4, SYS_waitid, SYS_getpgrp, SYS_getpgid, SYS_setpgid,
    SYS_getsid, SYS_setsid, SYS_getgroups, SYS_getresuid, SYS_getresgid, SYS_setrlimit,
    SYS_getpriority, SYS_alarm, SYS_setitimer, SYS_getitimer, SYS_sched_setaffinity, SYS_umask,
    SYS_capget,
    // files
    SYS_open, SYS_openat, SYS_creat, SYS_pwrite64, SYS_pwritev, SYS_preadv, SYS_getdents,
    SYS_getdents64, SYS_chdir, SYS_fchdir, SYS_mkdir, SYS_mkdirat, SYS_rmdir, SYS_unlink,
    SYS_unlinkat, SYS_rename, SYS_renameat, SYS_renameat2, SYS_link, SYS_linkat, SYS_symlink,
    SYS_symlinkat, SYS_chmod, SYS_fchmod, SYS_fchmodat, SYS_truncate, SYS_ftruncate, SYS_fallocate,
    SYS_utimensat, SYS_utime, SYS_utimes, SYS_fsync, SYS_fdatasync, SYS_flock, SYS_fcntl,
    SYS_statfs, SYS_fstatfs, SYS_fadvise64, SYS_copy_file_range, SYS_sendfile, SYS_splice,
    SYS_mmap, SYS_madvise, SYS_msync, SYS_prlimit64,
    // pipes and waiting
    SYS_pipe, SYS_pipe2, SYS_select, SYS_pselect6, SYS_eventfd2, SYS_epoll_create1, SYS_epoll_ctl,
    SYS_epoll_wait, SYS_epoll_pwait,
};

/// What neither kind needs and attacks use: the attempt itself is the verdict.
constexpr int kForbidden[] = {
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_process_madvise, SYS_pidfd_open,
    SYS_pidfd_getfd, SYS_pidfd_send_signal, SYS_kcmp, SYS_io_uring_setup, SYS_io_uring_enter,
    SYS_io_uring_register, SYS_bpf, SYS_keyctl, SYS_add_key, SYS_request_key, SYS_perf_event_open,
    SYS_userfaultfd, SYS_unshare, SYS_setns, SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot,
    SYS_move_mount, SYS_fsopen, SYS_fsmount, SYS_open_tree, SYS_mount_setattr, SYS_execveat,
    SYS_memfd_create, SYS_memfd_secret, SYS_seccomp, SYS_reboot, SYS_swapon, SYS_swapoff,
    SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_kexec_file_load,
    SYS_acct, SYS_settimeofday, SYS_clock_settime, SYS_sethostname, SYS_setdomainname, SYS_syslog,
    SYS_iopl, SYS_ioperm, SYS_open_by_handle_at, SYS_name_to_handle_at, SYS_fanotify_init,
    SYS_tkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_quotactl, SYS_migrate_pages,
    SYS_move_pages,
};

/// … and what is an attack only from a host.
constexpr int kForbiddenToHosts[] = {
    SYS_fork, SYS_vfork,
};

/// … and what the C library of a tool may try in innocence (a user's name, asked of nscd): refused.
constexpr int kNetwork[] = {
    SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4,
    SYS_sendto, SYS_sendmsg, SYS_sendmmsg, SYS_recvfrom, SYS_recvmsg, SYS_recvmmsg, SYS_shutdown,
};
// clang-format on

struct ReleaseContext {
  void operator()(void* context) const { seccomp_release(context); }
};

/// Collects rules; the first failure sticks, so that a list of rules reads as a list.
class Rules {
 public:
  Rules() : context_(seccomp_init(SCMP_ACT_ERRNO(ENOSYS))) {
    Keep(context_ == nullptr ? -ENOMEM : 0);
    Keep(seccomp_attr_set(context_.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS));
    Keep(seccomp_attr_set(context_.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2));  // Binary search.
  }

  template <class... Comparisons>
  void Allow(int call, Comparisons... comparisons) {
    Add(SCMP_ACT_ALLOW, call, comparisons...);
  }
  template <class... Comparisons>
  void Refuse(int call, Comparisons... comparisons) {
    Add(SCMP_ACT_ERRNO(EPERM), call, comparisons...);
  }
  template <class... Comparisons>
  void Kill(int call, Comparisons... comparisons) {
    Add(SCMP_ACT_KILL_PROCESS, call, comparisons...);
  }

  [[nodiscard]] Result<std::vector<sock_filter>> Export() const {
    if (error_ != 0) {
      return std::unexpected(SystemError("build the system call filter", -error_));
    }
    const UniqueFd file(::memfd_create("assay-filter", MFD_CLOEXEC));
    if (!file) {
      return std::unexpected(SystemError("memfd_create", errno));
    }
    if (const int result = seccomp_export_bpf(context_.get(), file.get()); result != 0) {
      return std::unexpected(SystemError("export the system call filter", -result));
    }
    const off_t bytes = ::lseek(file.get(), 0, SEEK_END);
    std::vector<sock_filter> filter(static_cast<std::size_t>(bytes) / sizeof(sock_filter));
    if (::pread(file.get(), filter.data(), static_cast<std::size_t>(bytes), 0) != bytes) {
      return std::unexpected(SystemError("read the system call filter", errno));
    }
    return filter;
  }

 private:
  template <class... Comparisons>
  void Add(std::uint32_t action, int call, Comparisons... comparisons) {
    if (error_ == 0) {
      Keep(seccomp_rule_add(context_.get(), action, call, sizeof...(comparisons), comparisons...));
    }
  }
  void Keep(int result) { error_ = error_ != 0 ? error_ : result; }

  std::unique_ptr<void, ReleaseContext> context_;
  int error_ = 0;
};

/// The calls whose arguments decide, where both policies agree.
void AddCommonArgumentRules(Rules& rules) {
  for (const int option : {PR_SET_NAME, PR_GET_NAME, PR_GET_DUMPABLE, PR_SET_VMA}) {
    rules.Allow(SYS_prctl, Is(0, static_cast<std::uint64_t>(option)));
  }
  // Terminals are asked for their attributes by every isatty(); anything else drives a device.
  rules.Allow(SYS_ioctl, Is(1, TCGETS));
}

void AddHostRules(Rules& rules) {
  for (const int call : kForbiddenToHosts) {
    rules.Kill(call);
  }
  for (const int call : kNetwork) {
    rules.Kill(call);
  }
  // Threads are clones that share everything; a clone that is not a thread is a new process.
  rules.Allow(SYS_clone, HasBits(0, CLONE_THREAD, CLONE_THREAD));
  rules.Kill(SYS_clone, HasBits(0, CLONE_THREAD, 0));
  // The launcher's own execve passes a path at a random address; the address space it guards is
  // gone once it succeeded, and every wrong guess kills.
  rules.Allow(SYS_execve, Is(0, kExecAddressPlaceholder));
  rules.Kill(SYS_execve, IsNot(0, kExecAddressPlaceholder));
  // abort() and pthread_kill() signal the own process.
  for (const int call : {SYS_kill, SYS_tgkill}) {
    rules.Allow(call, Is(0, kOwnProcessPlaceholder));
    rules.Kill(call, IsNot(0, kOwnProcessPlaceholder));
  }
  constexpr std::uint64_t kWriting = O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND;
  rules.Allow(SYS_open, HasBits(1, kWriting, O_RDONLY));
  rules.Allow(SYS_openat, HasBits(2, kWriting, O_RDONLY));
  // Shared anonymous memory would hide from the watch on anonymous memory.
  constexpr std::uint64_t kSharedAnonymous = MAP_SHARED | MAP_ANONYMOUS;
  for (const std::uint64_t flags :
       {std::uint64_t{0}, std::uint64_t{MAP_SHARED}, std::uint64_t{MAP_ANONYMOUS}}) {
    rules.Allow(SYS_mmap, HasBits(3, kSharedAnonymous, flags));
  }
  rules.Refuse(SYS_mmap, HasBits(3, kSharedAnonymous, kSharedAnonymous));
  // Not MADV_PAGEOUT and its like: what lies in swap would hide from that watch, and from measures
  // of what a host keeps.
  constexpr std::uint64_t kAdvice = 0xFFFF'FFFF;  // An int: the kernel does not look beyond.
  for (const int advice : {MADV_NORMAL, MADV_RANDOM, MADV_SEQUENTIAL, MADV_WILLNEED, MADV_DONTNEED,
                           MADV_FREE, MADV_HUGEPAGE, MADV_NOHUGEPAGE, MADV_DONTDUMP, MADV_DODUMP,
                           MADV_POPULATE_READ, MADV_POPULATE_WRITE}) {
    rules.Allow(SYS_madvise, HasBits(2, kAdvice, static_cast<std::uint64_t>(advice)));
  }
  // Its own limits, which it cannot raise; the address sanitizer sets some at its start.
  rules.Allow(SYS_prlimit64, Is(0, 0));
  rules.Allow(SYS_setrlimit);
  for (const int command : {F_GETFD, F_SETFD, F_GETFL, F_DUPFD, F_DUPFD_CLOEXEC}) {
    rules.Allow(SYS_fcntl, Is(1, static_cast<std::uint64_t>(command)));
  }
  // It is pinned, and stays so.
  rules.Refuse(SYS_sched_setaffinity);
}

void AddToolRules(Rules& rules, SignalGuard guard) {
  for (const int call : kToolOnly) {
    rules.Allow(call);
  }
  for (const int call : kNetwork) {
    rules.Refuse(call);
  }
  constexpr std::uint64_t kNewNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
                                           CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |
                                           CLONE_NEWNET;
  rules.Allow(SYS_clone, HasBits(0, kNewNamespaces, 0));
  // FIOCLEX and FIONCLEX, as perl opens files.
  rules.Allow(SYS_ioctl, Is(1, FIOCLEX));
  rules.Allow(SYS_ioctl, Is(1, FIONCLEX));
  for (const int call : {SYS_kill, SYS_tgkill}) {
    if (guard == SignalGuard::kKernel) {
      rules.Allow(call);
    } else {
      rules.Allow(call, Is(0, kOwnProcessPlaceholder));
      rules.Refuse(call, IsNot(0, kOwnProcessPlaceholder));
    }
  }
}

}  // namespace

Result<std::vector<sock_filter>> BuildSyscallFilter(SyscallPolicy policy, SignalGuard guard) {
  Rules rules;
  for (const int call : kHarmless) {
    rules.Allow(call);
  }
  for (const int call : kForbidden) {
    rules.Kill(call);
  }
  AddCommonArgumentRules(rules);
  if (policy == SyscallPolicy::kHost) {
    AddHostRules(rules);
  } else {
    AddToolRules(rules, guard);
  }
  return rules.Export();
}

}  // namespace assay
