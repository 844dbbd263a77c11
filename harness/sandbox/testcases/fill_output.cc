// SPDX-License-Identifier: Apache-2.0
// Writes to standard output for ever, whatever write says.
#include <unistd.h>

int main() {
  char block[4096];
  for (char& byte : block) {
    byte = 'x';
  }
  for (;;) {
    (void)!::write(1, block, sizeof block);
  }
}
