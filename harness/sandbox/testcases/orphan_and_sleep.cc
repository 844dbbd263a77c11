// SPDX-License-Identifier: Apache-2.0
// Leaves a grandchild in a session of its own, and sleeps for ever itself.
#include <unistd.h>

#include <csignal>

int main() {
  if (::fork() == 0) {
    ::setsid();
    ::fork();
  }
  std::signal(SIGTERM, SIG_IGN);
  for (;;) {
    ::pause();
  }
}
