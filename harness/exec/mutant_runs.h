// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EXEC_MUTANT_RUNS_H_
#define ASSAY_EXEC_MUTANT_RUNS_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "evidence/evidence.h"
#include "exec/signature_store.h"
#include "grade/installation.h"
#include "sandbox/level.h"
#include "score/signatures.h"
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

/// Runs of mutants by name and seed; RunHosts on their hosts does, tests bring others.
struct MutantRun {
  std::string mutant;
  std::uint64_t seed = 0;
  bool operator==(const MutantRun&) const = default;
};
using MutantRunner =
    std::function<Result<std::vector<SuiteEvidence>>(const std::vector<MutantRun>&)>;

/// The runs of the mutants of `now` whose signatures in `kept` do not hold, each mutant's together.
[[nodiscard]] std::vector<MutantRun> RunsNeeded(const std::optional<Signatures>& kept,
                                                const SignatureSources& now);

/// Writes the signatures that there are so far.
using SignatureKeeper = std::function<Status(const Signatures&)>;

/// The signatures of all mutants of `now`. Those in `kept` that still hold are not run again;
/// the seeds are always the same. A mutant that fails no gating case in some run is an error of
/// kind kConfiguration that names it: a suite that accepts a bug has no signature of it. A few
/// mutants are run at a time, and then given to `keep` with those before them: a call that is cut
/// off, or ends with an error, has lost no more than those few.
[[nodiscard]] Result<Signatures> ComputeSignatures(const std::optional<Signatures>& kept,
                                                   const SignatureSources& now,
                                                   const MutantRunner& run,
                                                   const SignatureKeeper& keep);

/// What a run says of a mutant: the verdict of each gating case that was not accepted.
void AddRun(const SuiteEvidence& suite, MutantSignature& signature);

}  // namespace assay

#endif  // ASSAY_EXEC_MUTANT_RUNS_H_
