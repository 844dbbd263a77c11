// SPDX-License-Identifier: Apache-2.0
#include "exec/mutant_runs.h"

#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <utility>

#include "base/temporary.h"
#include "grade/run_suite.h"
#include "process/processors.h"

namespace assay {
namespace {

/// Runs the suite with the host on processor `cpu`, and the suite on another.
Result<SuiteEvidence> RunHost(const HostRunsRequest& request, const HostRun& run, int cpu) {
  ASSAY_ASSIGN_OR_RETURN(const TemporaryDirectory scratch,
                         TemporaryDirectory::Create(request.temporary_root, run.name));
  std::vector<std::string> arguments = run.arguments;
  arguments.push_back(fmt::format("--assay_cpu={}", cpu));
  NoProgress progress;
  ASSAY_ASSIGN_OR_RETURN(RunResults results,
                         RunSuite({.program = request.installation.Suite(request.challenge),
                                   .host = run.host,
                                   .baseline = request.installation.BaselineHost(request.challenge),
                                   .limits = request.limits,
                                   .level = request.level,
                                   .seed = run.seed,
                                   .arguments = std::move(arguments)},
                                  scratch.path(), progress));
  return std::move(results.suite);
}

}  // namespace

std::vector<Result<SuiteEvidence>> RunHosts(const HostRunsRequest& request,
                                            const HostRunDone& done) {
  std::vector<Result<SuiteEvidence>> results(request.runs.size());
  std::atomic<std::size_t> next = 0;
  std::mutex reporting;
  const auto work = [&](int cpu) {
    for (std::size_t k = next++; k < request.runs.size(); k = next++) {
      results[k] = RunHost(request, request.runs[k], cpu);
      const std::lock_guard lock(reporting);
      done(k);
    }
  };
  const std::vector<int> processors = UsableProcessors();  // A container's may be 2 and 3.
  std::thread other(work, processors.back());
  work(processors.front());
  other.join();
  return results;
}

}  // namespace assay
