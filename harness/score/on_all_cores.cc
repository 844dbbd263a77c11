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
  bool has_more_threads = true;  // If not, those there are do all.
  while (has_more_threads && others.size() + 1 < threads) {
    try {
      others.push_back(std::async(std::launch::async, take_what_is_left));
    } catch (const std::system_error&) {
      has_more_threads = false;
    }
  }
  take_what_is_left();
  for (std::future<void>& other : others) {
    other.get();
  }
}

}  // namespace assay
