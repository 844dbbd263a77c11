// SPDX-License-Identifier: Apache-2.0
#include "client/service_watch.h"

#include <signal.h>

#include <chrono>
#include <utility>

namespace assay {
namespace {

constexpr std::chrono::milliseconds kInterval{10};
/// Without work, after which the thread sleeps until there is some.
constexpr int kIdleIntervals = 20;

}  // namespace

ServiceWatch::ServiceWatch(const SandboxedProcess* process, std::int64_t limit_bytes)
    : process_(process), limit_bytes_(limit_bytes), thread_([this] { Run(); }) {}

ServiceWatch::~ServiceWatch() {
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

ServiceWatch::Work::Work(ServiceWatch* watch) : watch_(watch) {
  if (watch_ == nullptr) {
    return;
  }
  const std::scoped_lock lock(watch_->mutex_);
  watch_->at_work_ = true;
  watch_->has_worked_ = true;
  if (std::exchange(watch_->is_asleep_, false)) {
    watch_->changed_.notify_all();
  }
}

ServiceWatch::Work::~Work() {
  if (watch_ != nullptr) {
    const std::scoped_lock lock(watch_->mutex_);
    watch_->at_work_ = false;
  }
}

void ServiceWatch::Run() {
  std::unique_lock lock(mutex_);
  int idle_intervals = 0;
  while (!ended_) {
    changed_.wait_for(lock, kInterval, [this] { return ended_; });
    idle_intervals = std::exchange(has_worked_, at_work_) ? 0 : idle_intervals + 1;
    // With the lock in hand nobody reaps the process, so the number is still its own.
    if (at_work_ && !stopped_ && process_->AnonymousBytes() > limit_bytes_) {
      ::kill(process_->pid(), SIGSTOP);
      stopped_ = true;
    }
    if (idle_intervals == kIdleIntervals) {
      is_asleep_ = true;
      changed_.wait(lock, [this] { return ended_ || !is_asleep_; });
      idle_intervals = 0;
    }
  }
}

}  // namespace assay
