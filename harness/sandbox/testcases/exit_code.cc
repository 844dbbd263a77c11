// SPDX-License-Identifier: Apache-2.0
// exit_code <n>: prints a little on both streams and exits with n.
#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  std::puts("to output");
  std::fflush(stdout);
  std::fputs("to errors\n", stderr);
  return argc > 1 ? std::atoi(argv[1]) : 0;
}
