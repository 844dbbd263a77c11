// SPDX-License-Identifier: Apache-2.0
// Computes for ever.
int main() {
  volatile bool forever = true;
  while (forever) {
  }
  return 0;
}
