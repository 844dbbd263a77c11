// SPDX-License-Identifier: Apache-2.0
// Eight threads share a sum, as an honest parallel solution does.
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

int main() {
  std::atomic<int> sum = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 1; i <= 8; ++i) {
      threads.emplace_back([&sum, i] { sum += i; });
    }
  }
  std::printf("sum %d\n", sum.load());
  return 0;
}
