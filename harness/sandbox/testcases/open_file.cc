// SPDX-License-Identifier: Apache-2.0
// open_file <r|w> <path>: prints `opened` or the error number.
#include <fcntl.h>

#include <cerrno>
#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 3) {
    return 2;
  }
  const int flags = argv[1][0] == 'w' ? O_WRONLY | O_CREAT : O_RDONLY;
  if (::open(argv[2], flags, 0600) >= 0) {
    std::puts("opened");
  } else {
    std::printf("%d\n", errno);
  }
  return 0;
}
