// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLIENT_SERVICE_WATCH_H_
#define ASSAY_CLIENT_SERVICE_WATCH_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "sandbox/sandboxed_process.h"

namespace assay {

/// Watches a host's memory while its device works, which may take long, and during which nobody
/// else looks. A host that takes too much is stopped, for its caller to find and to kill. Costs a
/// lock for each piece of work, and a thread that sleeps when there was none for a while. For hosts
/// without a control group that enforces the limit.
class ServiceWatch {
 public:
  /// `process` must outlive it, and only be reaped or killed outside of Work.
  ServiceWatch(const SandboxedProcess* process, std::int64_t limit_bytes);
  ~ServiceWatch();
  ServiceWatch(const ServiceWatch&) = delete;
  ServiceWatch& operator=(const ServiceWatch&) = delete;

  /// One piece of the device's work.
  class Work {
   public:
    explicit Work(ServiceWatch* watch);
    ~Work();
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

   private:
    ServiceWatch* watch_;  ///< Null: nobody watches.
  };

  /// Whether it had to stop the host.
  [[nodiscard]] bool stopped() const { return stopped_; }
  /// Whether its thread sleeps, until there is work.
  [[nodiscard]] bool asleep() const {
    const std::scoped_lock lock(mutex_);
    return is_asleep_;
  }

 private:
  void Run();

  const SandboxedProcess* process_;
  std::int64_t limit_bytes_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool at_work_ = false;
  bool has_worked_ = false;  ///< Since the thread looked last.
  bool is_asleep_ = false;   ///< The thread, until there is work.
  bool ended_ = false;
  std::atomic<bool> stopped_ = false;
  std::thread thread_;
};

}  // namespace assay

#endif  // ASSAY_CLIENT_SERVICE_WATCH_H_
