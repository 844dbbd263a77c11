// SPDX-License-Identifier: Apache-2.0
// crash <abort|segv>
#include <cstdlib>

int main(int argc, char** argv) {
  if (argc > 1 && argv[1][0] == 'a') {
    std::abort();
  }
  *static_cast<volatile int*>(nullptr) = 1;
  return 0;
}
