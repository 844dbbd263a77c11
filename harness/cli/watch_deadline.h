// SPDX-License-Identifier: Apache-2.0
// For tests of what waits for a save.
#ifndef ASSAY_CLI_WATCH_DEADLINE_H_
#define ASSAY_CLI_WATCH_DEADLINE_H_

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "process/interrupt.h"

namespace assay {

/// Ends a wait that would never end, by a signal, and fails the test with what `said` returns
/// then. It takes far longer than any save, and less than the time that ctest gives a test, which
/// would end it without a word.
class WatchDeadline {
 public:
  explicit WatchDeadline(std::function<std::string()> said = [] { return std::string(); })
      : said_(std::move(said)), clock_([this](const std::stop_token& stop) { Wait(stop); }) {}

  ~WatchDeadline() {
    clock_.request_stop();
    clock_.join();
    if (has_passed_) {
      ADD_FAILURE() << "the watch waited for " << kLimit.count()
                    << " s and saw no save; it had said:\n"
                    << said_();
    }
  }
  WatchDeadline(const WatchDeadline&) = delete;
  WatchDeadline& operator=(const WatchDeadline&) = delete;

 private:
  static constexpr std::chrono::seconds kLimit{100};

  void Wait(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    woken_.wait_for(lock, stop, kLimit, [] { return false; });
    if (!stop.stop_requested()) {
      has_passed_ = true;
      ::raise(SIGHUP);  // A second SIGINT would kill the test that raised the first.
    }
  }

  const InterruptScope scope_;
  std::function<std::string()> said_;
  std::mutex mutex_;
  std::condition_variable_any woken_;
  bool has_passed_ = false;
  std::jthread clock_;
};

}  // namespace assay

#endif  // ASSAY_CLI_WATCH_DEADLINE_H_
