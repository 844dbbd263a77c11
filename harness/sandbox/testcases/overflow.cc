// SPDX-License-Identifier: Apache-2.0
// Built with sanitizers. `overflow`: prints `clean`; `overflow 1`: reads past a heap block.
#include <cstdio>
#include <vector>

int main(int argc, char**) {
  const std::vector<int> values(8, 1);
  const int* data = values.data();
  std::printf("%s\n", data[argc > 1 ? 8 : 7] == 1 ? "clean" : "read past the end");
  return 0;
}
