// SPDX-License-Identifier: Apache-2.0
// Ignores the polite signals and sleeps for ever.
#include <unistd.h>

#include <csignal>
#include <initializer_list>

int main() {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGALRM}) {
    std::signal(signal, SIG_IGN);
  }
  for (;;) {
    ::pause();
  }
}
