// SPDX-License-Identifier: Apache-2.0
// A harness that is about to be killed: abandon <level> <host|tool> <program>. Starts the program
// with its own descriptor 3 as 3, prints `ready`, and waits for SIGKILL.
#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "sandbox/sandboxed_process.h"

int main(int argc, char** argv) {
  if (argc != 4) {
    return 2;
  }
  assay::SandboxRequest request;
  request.argv = {argv[3]};
  request.mounts = assay::RuntimeMounts();
  request.mounts.push_back({.outside = argv[3], .inside = argv[3]});
  request.fds = {{.outside = 3, .inside = 3}};
  request.policy = std::string_view(argv[2]) == "tool" ? assay::SyscallPolicy::kTool
                                                       : assay::SyscallPolicy::kHost;
  request.limits.wall = std::chrono::minutes(10);
  const auto level = assay::SandboxLevelFromString(argv[1]);
  const auto process = assay::Spawn(*level, request);
  if (!process) {
    std::puts(assay::ToString(process.error()).c_str());
    return 1;
  }
  ::close(3);
  std::puts("ready");
  std::fflush(stdout);
  for (;;) {
    ::pause();
  }
}
