// SPDX-License-Identifier: Apache-2.0
// allocate <bytes>: takes and touches that much memory, then prints `done`. 0: without end.
#include <cstdio>
#include <cstdlib>
#include <cstring>

int main(int argc, char** argv) {
  const unsigned long long limit = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 0;
  constexpr std::size_t kBlock = std::size_t{16} << 20;
  for (unsigned long long taken = 0; limit == 0 || taken < limit; taken += kBlock) {
    void* block = std::malloc(kBlock);
    if (block == nullptr) {
      std::puts("out of memory");
      return 1;
    }
    std::memset(block, 1, kBlock);
  }
  std::puts("done");
  return 0;
}
