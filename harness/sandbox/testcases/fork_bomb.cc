// SPDX-License-Identifier: Apache-2.0
// Every process forks until it cannot, then sleeps. The first prints how many it got itself.
#include <unistd.h>

#include <cstdio>

int main() {
  int children = 0;
  for (int i = 0; i < 10'000; ++i) {
    const pid_t child = ::fork();
    if (child < 0) {
      break;
    }
    if (child == 0) {
      for (;;) {
        ::pause();
      }
    }
    ++children;
  }
  std::printf("children %d\n", children);
  return 0;
}
