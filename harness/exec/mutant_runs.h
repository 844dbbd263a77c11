// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EXEC_MUTANT_RUNS_H_
#define ASSAY_EXEC_MUTANT_RUNS_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "evidence/evidence.h"
#include "grade/installation.h"
#include "sandbox/level.h"
#include "spec/challenge_spec.h"

namespace assay {

/// One run of a challenge's suite against one host.
struct HostRun {
  std::string name;
  std::filesystem::path host;
  std::uint64_t seed = 0;
  std::vector<std::string> arguments = {};  ///< Further ones of the suite, such as --gtest_filter.
};

struct HostRunsRequest {
  std::string challenge;
  ChallengeLimits limits;
  Installation installation;
  SandboxLevel level = SandboxLevel::kFull;
  std::filesystem::path temporary_root;
  std::vector<HostRun> runs;
};

/// Carries out all runs, two at a time: the oracle's side of one beside that of another. One result
/// a run, in their order. `done` hears of each that ended, from either thread but never from both
/// at once.
using HostRunDone = std::function<void(std::size_t index)>;
[[nodiscard]] std::vector<Result<SuiteEvidence>> RunHosts(const HostRunsRequest& request,
                                                          const HostRunDone& done);

}  // namespace assay

#endif  // ASSAY_EXEC_MUTANT_RUNS_H_
