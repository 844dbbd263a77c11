// SPDX-License-Identifier: Apache-2.0
#include "score/on_all_cores.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <system_error>
#include <thread>
#include <vector>

namespace assay {

void OnAllCores(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  const auto take_what_is_left = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      work(i);
    }
  };
  std::vector<std::future<void>> others;  // Waited for by its destructor too.
  const std::size_t threads = std::min<std::size_t>(std::thread::hardware_concurrency(), count);
  try {
    while (others.size() + 1 < threads) {
      others.push_back(std::async(std::launch::async, take_what_is_left));
    }
  } catch (const std::system_error&) {
    // The system has no more threads for us: those there are do all.
  }
  take_what_is_left();
  for (std::future<void>& other : others) {
    other.get();
  }
}

}  // namespace assay
