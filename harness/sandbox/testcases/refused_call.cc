// SPDX-License-Identifier: Apache-2.0
// Tries what must fail without an end to the process, and prints the error of each.
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

int main() {
  cpu_set_t all;
  std::memset(&all, 0xFF, sizeof all);
  const int unpin = ::sched_setaffinity(0, sizeof all, &all);
  std::printf("unpin %d\n", unpin == 0 ? 0 : errno);
  const void* shared =
      ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  std::printf("shared_memory %d\n", shared == MAP_FAILED ? errno : 0);
  alignas(4096) static char page[4096] = {1};
  constexpr long kNotSeenByTheKernel = 1L << 32;
  const bool paged_out =
      ::madvise(page, sizeof page, MADV_PAGEOUT) == 0 ||
      ::syscall(SYS_madvise, page, sizeof page, kNotSeenByTheKernel | MADV_PAGEOUT) == 0;
  std::printf("page_out %d\n", paged_out ? 0 : errno);
  const bool given_back = ::madvise(page, sizeof page, MADV_DONTNEED) == 0;
  std::printf("give_back %d\n", given_back ? 0 : errno);
  const rlimit limit = {.rlim_cur = 1 << 30, .rlim_max = 1 << 30};
  std::printf("raise_limit %d\n", ::setrlimit(RLIMIT_FSIZE, &limit) == 0 ? 0 : errno);
  std::printf("clone3 %d\n", ::syscall(SYS_clone3, nullptr, 0) == 0 ? 0 : errno);
  return 0;
}
