// SPDX-License-Identifier: Apache-2.0
// Prints the number of every open descriptor.
#include <fcntl.h>

#include <cstdio>

int main() {
  for (int fd = 0; fd < 4096; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0) {
      std::printf("%d ", fd);
    }
  }
  return 0;
}
