// SPDX-License-Identifier: Apache-2.0
#include "exec/mutant_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <span>
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

/// Of whole mutants.
constexpr std::size_t kRunsAtOnce = std::size_t{4} * kSignatureRuns;

/// The signature in `kept` that `now` would give again; null when there is none.
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

std::vector<MutantRun> RunsNeeded(const std::optional<Signatures>& kept,
                                  const SignatureSources& now) {
  std::vector<MutantRun> runs;
  for (const auto& [name, digest] : now.mutants) {
    if (FindHolding(kept, now, name) != nullptr) {
      continue;
    }
    for (int seed = 1; seed <= kSignatureRuns; ++seed) {
      runs.push_back({.mutant = name, .seed = static_cast<std::uint64_t>(seed)});
    }
  }
  return runs;
}

Result<Signatures> ComputeSignatures(const std::optional<Signatures>& kept,
                                     const SignatureSources& now, const MutantRunner& run,
                                     const SignatureKeeper& keep) {
  Signatures signatures{.suite_digest = now.suite, .runs = kSignatureRuns, .mutants = {}};
  for (const auto& [name, digest] : now.mutants) {
    if (const MutantSignature* const old = FindHolding(kept, now, name)) {
      signatures.mutants[name] = *old;
    }
  }
  const std::vector<MutantRun> needed = RunsNeeded(kept, now);
  std::span<const MutantRun> left = needed;
  do {
    const auto some = left.first(std::min(left.size(), kRunsAtOnce));
    left = left.subspan(some.size());
    const std::vector<MutantRun> runs(some.begin(), some.end());
    ASSAY_ASSIGN_OR_RETURN(const std::vector<SuiteEvidence> suites, run(runs));
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (!FailsSomething(suites.at(i))) {
        return std::unexpected(NotFoundOut(runs[i]));
      }
      MutantSignature& signature = signatures.mutants[runs[i].mutant];
      signature.source_digest = now.mutants.at(runs[i].mutant);
      AddRun(suites[i], signature);
    }
    ASSAY_RETURN_IF_ERROR(keep(signatures));
  } while (!left.empty());
  return signatures;
}

}  // namespace assay
