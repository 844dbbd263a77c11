// SPDX-License-Identifier: Apache-2.0
#include "client/service_watch.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "sandbox/mount.h"
#include "sandbox/sandboxed_process.h"

namespace assay {
namespace {

using std::chrono::milliseconds;

/// A process that sleeps; it has more than a page of memory, and less than a terabyte.
class ServiceWatchTest : public testing::Test {
 protected:
  static constexpr std::int64_t kPage_bytes = 4096;
  static constexpr std::int64_t kTerabyte_bytes = std::int64_t{1} << 40;

  static SandboxedProcess Sleeper() {
    SandboxRequest request;
    request.argv = {"/bin/sleep", "20"};
    request.mounts = RuntimeMounts();
    auto process = Spawn(SandboxLevel::kNone, request);
    if (!process) {
      throw std::runtime_error(ToString(process.error()));
    }
    return std::move(*process);
  }
  /// Its state as proc(5) has it: T is stopped.
  char State() const {
    std::ifstream file("/proc/" + std::to_string(process_.pid()) + "/stat");
    std::string line;
    std::getline(file, line);
    return line.at(line.rfind(')') + 2);
  }
  static void WaitUntilStopped(const ServiceWatch& watch) {
    while (!watch.stopped()) {
      std::this_thread::sleep_for(milliseconds(1));
    }
  }
  /// Until other watches, begun now one after the other, have each stopped a host: by then one that
  /// was there before has looked at its own.
  static void WaitUntilOthersStop() {
    for (int i = 0; i < 3; ++i) {
      const SandboxedProcess process = Sleeper();
      ServiceWatch watch(&process, kPage_bytes);
      const ServiceWatch::Work work(&watch);
      WaitUntilStopped(watch);
    }
  }

  SandboxedProcess process_ = Sleeper();
};

TEST_F(ServiceWatchTest, HostThatTakesTooMuchWhileTheDeviceWorksIsStopped) {
  ServiceWatch watch(&process_, kPage_bytes);
  const ServiceWatch::Work work(&watch);
  WaitUntilStopped(watch);
  while (State() != 'T') {  // The signal is on its way.
    std::this_thread::sleep_for(milliseconds(1));
  }
}

TEST_F(ServiceWatchTest, HostWithinItsLimitIsLeftAlone) {
  ServiceWatch watch(&process_, kTerabyte_bytes);
  const ServiceWatch::Work work(&watch);
  WaitUntilOthersStop();
  EXPECT_FALSE(watch.stopped());
  EXPECT_NE(State(), 'T');
}

TEST_F(ServiceWatchTest, NobodyIsWatchedWhileTheDeviceDoesNotWork) {
  ServiceWatch watch(&process_, kPage_bytes);
  WaitUntilOthersStop();
  EXPECT_FALSE(watch.stopped());
}

TEST_F(ServiceWatchTest, WatchThatFellAsleepWakesForWork) {
  ServiceWatch watch(&process_, kPage_bytes);
  while (!watch.asleep()) {
    std::this_thread::sleep_for(milliseconds(1));
  }
  const ServiceWatch::Work work(&watch);
  WaitUntilStopped(watch);
}

TEST_F(ServiceWatchTest, WorkThatNobodyWatchesIsFine) { const ServiceWatch::Work work(nullptr); }

}  // namespace
}  // namespace assay
