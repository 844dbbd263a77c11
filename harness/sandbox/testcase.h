// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SANDBOX_TESTCASE_H_
#define ASSAY_SANDBOX_TESTCASE_H_

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "sandbox/sandboxed_process.h"

namespace assay {

// Shared by the tests of this layer: runs the programs of testcases/.

/// A request to run testcases/<program>, mounted at its own path, with tight limits.
inline SandboxRequest TestcaseRequest(const std::string& program,
                                      std::vector<std::string> arguments = {}) {
  const std::string path = std::string(ASSAY_TESTCASES) + "/" + program;
  SandboxRequest request;
  request.argv = {path};
  request.argv.insert(request.argv.end(), arguments.begin(), arguments.end());
  request.mounts = RuntimeMounts();
  request.mounts.push_back({.outside = path, .inside = path, .access = Access::kReadOnly});
  request.limits.wall = std::chrono::seconds(30);
  return request;
}

struct Outcome {
  ExitStatus status;
  std::string output;
};

/// Runs `request` to its end. A sandbox that does not start fails the test with its reason.
inline Outcome RunInside(SandboxLevel level, const SandboxRequest& request) {
  auto process = Spawn(level, request);
  if (!process) {
    ADD_FAILURE() << ToString(process.error());
    return {};
  }
  Outcome outcome;
  outcome.status = process->WaitUntil(std::chrono::steady_clock::time_point::max());
  outcome.output = process->Output();
  return outcome;
}

/// Tests that hold at both levels that are a boundary.
class BoundaryTest : public testing::TestWithParam<SandboxLevel> {};

inline std::string LevelName(const testing::TestParamInfo<SandboxLevel>& info) {
  return std::string(ToString(info.param));
}

}  // namespace assay

#endif  // ASSAY_SANDBOX_TESTCASE_H_
