// SPDX-License-Identifier: Apache-2.0
#include "build/run_sandboxed.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>
#include <thread>
#include <utility>

#include "process/interrupt.h"

namespace assay {
namespace {

Result<SandboxedRun> RunOne(SandboxLevel level, const SandboxRequest& request) {
  ASSAY_RETURN_IF_ERROR(CheckInterrupt());
  const auto start = std::chrono::steady_clock::now();
  ASSAY_ASSIGN_OR_RETURN(SandboxedProcess process, Spawn(level, request));
  // The wall limit of the request ends the wait.
  const ExitStatus status = process.WaitUntil(std::chrono::steady_clock::time_point::max());
  if (status.kind == ExitStatus::Kind::kInterrupted) {
    ASSAY_RETURN_IF_ERROR(CheckInterrupt());
  }
  return SandboxedRun{
      .status = status,
      .output = process.Output(),
      .seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
}

}  // namespace

Result<std::vector<SandboxedRun>> RunSandboxed(SandboxLevel level,
                                               const std::vector<SandboxRequest>& requests,
                                               int parallel) {
  std::vector<std::optional<Result<SandboxedRun>>> slots(requests.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < requests.size(); i = next++) {
      slots[i] = RunOne(level, requests[i]);
    }
  };
  {
    // Each thread outlives what it starts, as Spawn demands; the calling thread is one of them.
    std::vector<std::jthread> helpers;
    const std::size_t wanted =
        std::min(static_cast<std::size_t>(std::max(parallel, 1)), requests.size());
    for (std::size_t i = 1; i < wanted; ++i) {
      helpers.emplace_back(work);
    }
    work();
  }
  std::vector<SandboxedRun> runs;
  for (std::optional<Result<SandboxedRun>>& slot : slots) {
    ASSAY_ASSIGN_OR_RETURN(SandboxedRun run, std::move(*slot));
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace assay
