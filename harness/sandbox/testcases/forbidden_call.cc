// SPDX-License-Identifier: Apache-2.0
// Makes the one system call named by its argument, which a host must not survive. Prints what came
// back if it does.
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace {

long Make(std::string_view name) {
  char* arguments[] = {nullptr};
  if (name == "fork") return ::syscall(SYS_fork);
  if (name == "vfork") return ::syscall(SYS_clone, CLONE_VFORK | SIGCHLD, 0, 0, 0, 0);
  if (name == "execve") return ::execve("/usr/bin/true", arguments, arguments);
  if (name == "execveat") return ::syscall(SYS_execveat, 0, "", arguments, arguments, 0);
  if (name == "socket") return ::socket(AF_INET, SOCK_STREAM, 0);
  if (name == "socketpair") return ::syscall(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, nullptr);
  if (name == "ptrace") return ::ptrace(PTRACE_ATTACH, ::getppid(), nullptr, nullptr);
  if (name == "process_vm_writev") return ::syscall(SYS_process_vm_writev, 1, 0, 0, 0, 0, 0);
  if (name == "io_uring_setup") return ::syscall(SYS_io_uring_setup, 1, nullptr);
  if (name == "bpf") return ::syscall(SYS_bpf, 0, nullptr, 0);
  if (name == "keyctl") return ::syscall(SYS_keyctl, 0, 0, 0, 0, 0);
  if (name == "perf_event_open") return ::syscall(SYS_perf_event_open, nullptr, 0, -1, -1, 0);
  if (name == "userfaultfd") return ::syscall(SYS_userfaultfd, 0);
  if (name == "unshare") return ::unshare(CLONE_NEWUSER);
  if (name == "mount") return ::syscall(SYS_mount, "a", "/", "tmpfs", 0, nullptr);
  if (name == "memfd_create") return ::memfd_create("x", 0);
  if (name == "pidfd_open") return ::syscall(SYS_pidfd_open, ::getppid(), 0);
  if (name == "seccomp") return ::syscall(SYS_seccomp, 0, 0, nullptr);
  if (name == "kill_parent") return ::kill(::getppid(), SIGKILL);
  if (name == "stop_parent") return ::kill(::getppid(), SIGSTOP);
  if (name == "kill_everyone") return ::kill(-1, SIGKILL);
  if (name == "kill_group") return ::kill(0, SIGKILL);
  if (name == "tkill_parent") return ::syscall(SYS_tkill, ::getppid(), SIGKILL);
  if (name == "i386_abi") {
    long result = 0;
    constexpr long kGetPid = 20;
    asm volatile("int $0x80" : "=a"(result) : "a"(kGetPid) : "memory");
    return result;
  }
  if (name == "x32_abi") return ::syscall(0x40000000 | SYS_getpid);
  std::puts("no such call");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const long result = Make(argc > 1 ? argv[1] : "");
  std::printf("returned %ld: %s\n", result, std::strerror(errno));
  return 0;
}
