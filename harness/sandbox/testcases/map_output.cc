// SPDX-License-Identifier: Apache-2.0
// Tries to keep something in the file behind its output, and prints which ways there are.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <initializer_list>

int main() {
  constexpr std::size_t kPage_bytes = 4096;
  char byte = 'k';
  for (const int fd : {1, 2}) {
    if (::mmap(nullptr, kPage_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED) {
      std::printf("%d is mapped to be shared ", fd);
    }
    if (::mmap(nullptr, kPage_bytes, PROT_READ, MAP_PRIVATE, fd, 0) != MAP_FAILED) {
      std::printf("%d is mapped ", fd);
    }
    if (::pread(fd, &byte, 1, 0) >= 0) {
      std::printf("%d is read ", fd);
    }
    char path[32];
    std::snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (::open(path, O_RDONLY) >= 0) {
      std::printf("%d is opened again ", fd);
    }
  }
  std::printf("end");
  return 0;
}
