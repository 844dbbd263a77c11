// SPDX-License-Identifier: Apache-2.0
// burn <milliseconds>: uses that much CPU time on each of two threads, then sleeps for ever.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <thread>

namespace {

void Burn(long milliseconds) {
  timespec now = {};
  do {
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  } while (now.tv_sec * 1000 + now.tv_nsec / 1'000'000 < milliseconds);
}

}  // namespace

int main(int argc, char** argv) {
  const long milliseconds = argc > 1 ? std::atol(argv[1]) : 10;
  {
    const std::jthread first(Burn, milliseconds);
    const std::jthread second(Burn, milliseconds);
  }
  std::puts("burnt");
  std::fflush(stdout);
  for (;;) {
    ::pause();
  }
}
