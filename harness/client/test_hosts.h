// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLIENT_TEST_HOSTS_H_
#define ASSAY_CLIENT_TEST_HOSTS_H_

// For the tests of this layer.

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
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

}  // namespace assay

#endif  // ASSAY_CLIENT_TEST_HOSTS_H_
