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

long ByTheI386Abi() {
  long result = 0;
  constexpr long kGetPid = 20;
  asm volatile("int $0x80" : "=a"(result) : "a"(kGetPid) : "memory");
  return result;
}

char* g_arguments[] = {nullptr};

struct Call {
  std::string_view name;
  long (*make)();
};

constexpr Call kCalls[] = {
    {"fork", [] { return long{::syscall(SYS_fork)}; }},
    {"vfork", [] { return long{::syscall(SYS_clone, CLONE_VFORK | SIGCHLD, 0, 0, 0, 0)}; }},
    {"execve", [] { return long{::execve("/usr/bin/true", g_arguments, g_arguments)}; }},
    {"execveat", [] { return long{::syscall(SYS_execveat, 0, "", g_arguments, g_arguments, 0)}; }},
    {"socket", [] { return long{::socket(AF_INET, SOCK_STREAM, 0)}; }},
    {"socketpair",
     [] { return long{::syscall(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, nullptr)}; }},
    {"ptrace", [] { return long{::ptrace(PTRACE_ATTACH, ::getppid(), nullptr, nullptr)}; }},
    {"process_vm_writev", [] { return long{::syscall(SYS_process_vm_writev, 1, 0, 0, 0, 0, 0)}; }},
    {"io_uring_setup", [] { return long{::syscall(SYS_io_uring_setup, 1, nullptr)}; }},
    {"bpf", [] { return long{::syscall(SYS_bpf, 0, nullptr, 0)}; }},
    {"keyctl", [] { return long{::syscall(SYS_keyctl, 0, 0, 0, 0, 0)}; }},
    {"perf_event_open", [] { return long{::syscall(SYS_perf_event_open, nullptr, 0, -1, -1, 0)}; }},
    {"userfaultfd", [] { return long{::syscall(SYS_userfaultfd, 0)}; }},
    {"unshare", [] { return long{::unshare(CLONE_NEWUSER)}; }},
    {"mount", [] { return long{::syscall(SYS_mount, "a", "/", "tmpfs", 0, nullptr)}; }},
    {"memfd_create", [] { return long{::memfd_create("x", 0)}; }},
    {"pidfd_open", [] { return long{::syscall(SYS_pidfd_open, ::getppid(), 0)}; }},
    {"seccomp", [] { return long{::syscall(SYS_seccomp, 0, 0, nullptr)}; }},
    {"kill_parent", [] { return long{::kill(::getppid(), SIGKILL)}; }},
    {"stop_parent", [] { return long{::kill(::getppid(), SIGSTOP)}; }},
    {"kill_everyone", [] { return long{::kill(-1, SIGKILL)}; }},
    {"kill_group", [] { return long{::kill(0, SIGKILL)}; }},
    {"tkill_parent", [] { return long{::syscall(SYS_tkill, ::getppid(), SIGKILL)}; }},
    {"x32_abi", [] { return long{::syscall(0x40000000 | SYS_getpid)}; }},
    {"i386_abi", ByTheI386Abi},
};

long Make(std::string_view name) {
  for (const Call& call : kCalls) {
    if (call.name == name) {
      return call.make();
    }
  }
  std::puts("no such call");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const long result = Make(argc > 1 ? argv[1] : "");
  std::printf("returned %ld: %s\n", result, std::strerror(errno));
  return 0;
}
