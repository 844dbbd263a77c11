// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLIENT_TEST_HOSTS_H_
#define ASSAY_CLIENT_TEST_HOSTS_H_

// For the tests of this layer.

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "client/host.h"
#include "sandbox/capabilities.h"

namespace assay {

/// The strongest level of this machine: hosts are tested as they are used.
inline SandboxLevel StrongestLevel() {
  static const SandboxLevel level = DetectCapabilities().level;
  return level;
}

inline HostOptions OptionsFor(const std::string& test_host) {
  HostOptions options{.executable = std::string(ASSAY_TESTHOSTS) + "/" + test_host,
                      .level = StrongestLevel()};
  options.seed = 20'240'229;
  return options;
}

/// A running host; ends the test when it does not start.
inline Host StartHost(const HostOptions& options) {
  auto host = Host::Start(options);
  if (!host) {
    ADD_FAILURE() << options.executable << ": " << host.error().detail;
    throw std::runtime_error("no host");
  }
  return std::move(*host);
}

/// Has a thread of the host go on that waits for it to (GoAhead in testhosts/control.h).
inline void LetGo(Host& host) { (void)host.PrivateBytes(); }

/// Waits until the host has written a text so many times.
inline void WaitForOutput(const Host& host, std::string_view text, int times = 1) {
  const auto count = [&] {
    int found = 0;
    const std::string output = host.Output();
    for (std::size_t at = 0; (at = output.find(text, at)) != std::string::npos; at += text.size()) {
      ++found;
    }
    return found;
  };
  while (count() < times) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

/// Waits until a host has died, without a call that would find out.
inline void WaitForDeath(Host& host) {
  while (host.PrivateBytes() > 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace assay

#endif  // ASSAY_CLIENT_TEST_HOSTS_H_
