// SPDX-License-Identifier: Apache-2.0
// Leaves a grandchild in a session of its own that ignores signals, and ends.
#include <unistd.h>

#include <csignal>

int main() {
  if (::fork() == 0) {
    ::setsid();
    if (::fork() == 0) {
      std::signal(SIGTERM, SIG_IGN);
      std::signal(SIGHUP, SIG_IGN);
      for (;;) {
        ::pause();
      }
    }
    ::_exit(0);
  }
  return 0;
}
