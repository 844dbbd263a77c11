// SPDX-License-Identifier: Apache-2.0
#include "exec/mutant_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <utility>

#include "base/temporary.h"
#include "grade/run_suite.h"
#include "score/diagnosis.h"

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

bool FailsSomething(const SuiteEvidence& suite) {
  return std::ranges::any_of(suite.cases, IsGatingFailure);
}

Error NotFoundOut(const MutantRun& run) {
  return {
      .kind = ErrorKind::kConfiguration,
      .where = {},
      .cause = fmt::format("the suite accepts the mutant {} with seed {}", run.mutant, run.seed),
      .remedy = "add a case that fails, or remove the mutant"};
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
  std::thread other(work, 1);
  work(0);
  other.join();
  return results;
}

void AddRun(const SuiteEvidence& suite, MutantSignature& signature) {
  for (const CaseEvidence& one : suite.cases) {
    if (one.gates && one.verdict != Verdict::kAccepted) {
      ++signature.cases[one.name][one.verdict];
    }
  }
}

const MutantSignature* FindHolding(const std::optional<Signatures>& kept,
                                   const SignatureSources& now, const std::string& mutant) {
  if (!kept || kept->suite_digest != now.suite || kept->runs != kSignatureRuns) {
    return nullptr;
  }
  const auto found = kept->mutants.find(mutant);
  const bool holds =
      found != kept->mutants.end() && found->second.source_digest == now.mutants.at(mutant);
  return holds ? &found->second : nullptr;
}

Result<Signatures> ComputeSignatures(const std::optional<Signatures>& kept,
                                     const SignatureSources& now, const MutantRunner& run) {
  Signatures signatures{.suite_digest = now.suite, .runs = kSignatureRuns, .mutants = {}};
  std::vector<MutantRun> runs;
  for (const auto& [name, digest] : now.mutants) {
    MutantSignature& signature = signatures.mutants[name];
    if (const MutantSignature* const old = FindHolding(kept, now, name)) {
      signature = *old;
      continue;
    }
    signature.source_digest = digest;
    for (int seed = 1; seed <= kSignatureRuns; ++seed) {
      runs.push_back({.mutant = name, .seed = static_cast<std::uint64_t>(seed)});
    }
  }
  ASSAY_ASSIGN_OR_RETURN(const std::vector<SuiteEvidence> suites, run(runs));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!FailsSomething(suites.at(i))) {
      return std::unexpected(NotFoundOut(runs[i]));
    }
    AddRun(suites[i], signatures.mutants.at(runs[i].mutant));
  }
  return signatures;
}

}  // namespace assay
