// SPDX-License-Identifier: Apache-2.0
#include "exec/compute_signatures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <utility>

#include "score/diagnosis.h"

namespace assay {
namespace {

/// Of whole mutants.
constexpr std::size_t kRunsAtOnce = std::size_t{4} * kSignatureRuns;

bool FailsSomething(const SuiteEvidence& suite) {
  return std::ranges::any_of(suite.cases, IsGatingFailure);
}

bool FailsSomethingInEachRun(const MutantSignature& signature) {
  return std::ranges::any_of(signature.cases, [](const auto& one) {
    return RunsThatFailed(one.second) == kSignatureRuns;
  });
}

Error NotFoundOut(const MutantRun& run) {
  return {
      .kind = ErrorKind::kConfiguration,
      .where = {},
      .cause = fmt::format("the suite accepts the mutant {} with seed {}", run.mutant, run.seed),
      .remedy = "add a case that fails, or remove the mutant"};
}

/// Adds what a run says of a mutant: the verdict of each gating case that was not accepted, and
/// what was wrong in it.
void AddRun(const SuiteEvidence& suite, MutantSignature& signature) {
  for (const CaseEvidence& one : suite.cases) {
    if (one.gates && one.verdict != Verdict::kAccepted) {
      ++signature.cases[one.name][one.verdict];
      if (one.verdict != Verdict::kSkipped) {
        signature.kinds[one.name].insert(KindOfFailure(one));
      }
    }
  }
}

std::vector<MutantRun> RunsOf(const std::vector<std::string>& mutants,
                              const std::string& filter = {}) {
  std::vector<MutantRun> runs;
  for (const std::string& mutant : mutants) {
    for (int seed = 1; seed <= kSignatureRuns; ++seed) {
      runs.push_back(
          {.mutant = mutant, .seed = static_cast<std::uint64_t>(seed), .filter = filter});
    }
  }
  return runs;
}

std::string FilterOf(const std::set<std::string>& cases) {
  return fmt::format("{}", fmt::join(cases, ":"));
}

bool HoldsButForSuiteFiles(const std::optional<Signatures>& kept, const SignatureSources& now,
                           const std::string& mutant) {
  if (!kept || kept->shared_digest != now.shared || kept->runs != kSignatureRuns) {
    return false;
  }
  const auto found = kept->mutants.find(mutant);
  return found != kept->mutants.end() && found->second.source_digest == now.mutants.at(mutant);
}

/// Those of `cases` that gate: others leave no trace in a signature. What gates is said by the
/// cases as they run, the same for every mutant.
Result<std::set<std::string>> Gating(const std::set<std::string>& cases, const std::string& mutant,
                                     const MutantRunner& run) {
  if (cases.empty()) {
    return cases;
  }
  ASSAY_ASSIGN_OR_RETURN(const std::vector<SuiteEvidence> tried,
                         run({{.mutant = mutant, .seed = 1, .filter = FilterOf(cases)}}));
  std::set<std::string> gating;
  for (const CaseEvidence& one : tried.at(0).cases) {
    if (one.gates) {
      gating.insert(one.name);
    }
  }
  return gating;
}

/// Whether a case that stands in `now` may end otherwise than in `kept`, as far as its file goes.
bool Changed(const CaseSource& one, const Signatures& kept, const SignatureSources& now) {
  const auto before = kept.suite_files.find(one.file);
  const auto after = now.suite_files.find(one.file);
  if (before == kept.suite_files.end() || after == now.suite_files.end() ||
      before->second.rest != after->second.digests.rest) {
    return true;
  }
  const auto macro = after->second.case_at_line.find(one.line);
  if (macro == after->second.case_at_line.end()) {
    return false;  // Of another macro: it is in what did not change.
  }
  const auto digest = before->second.cases.find(macro->second);
  return digest == before->second.cases.end() ||
         digest->second != after->second.digests.cases.at(macro->second);
}

/// The signatures of `plan.again`, without those that no longer fail in each run.
Result<std::map<std::string, MutantSignature>> RunAgain(const Signatures& kept,
                                                        const SignaturePlan& plan,
                                                        const MutantRunner& run) {
  ASSAY_ASSIGN_OR_RETURN(const std::set<std::string> gating,
                         Gating(plan.changed, plan.again.front(), run));
  std::map<std::string, MutantSignature> signatures;
  for (const std::string& mutant : plan.again) {
    const auto is_asked_anew = [&](const auto& one) {
      return !plan.cases.contains(one.first) || plan.changed.contains(one.first);
    };
    signatures[mutant] = kept.mutants.at(mutant);
    std::erase_if(signatures[mutant].cases, is_asked_anew);
    std::erase_if(signatures[mutant].kinds, is_asked_anew);
  }
  if (!gating.empty()) {
    const std::vector<MutantRun> runs = RunsOf(plan.again, FilterOf(gating));
    ASSAY_ASSIGN_OR_RETURN(const std::vector<SuiteEvidence> suites, run(runs));
    for (std::size_t i = 0; i < runs.size(); ++i) {
      AddRun(suites.at(i), signatures[runs[i].mutant]);
    }
  }
  std::erase_if(signatures, [](const auto& one) { return !FailsSomethingInEachRun(one.second); });
  return signatures;
}

/// Adds the signatures of `mutants` to `signatures`.
Status RunWhole(const std::vector<std::string>& mutants, const SignatureSources& now,
                const MutantRunner& run, const SignatureKeeper& keep, Signatures& signatures) {
  const std::vector<MutantRun> needed = RunsOf(mutants);
  std::span<const MutantRun> left = needed;
  while (!left.empty()) {
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
  }
  return {};
}

}  // namespace

Result<SignaturePlan> PlanSignatures(const std::optional<Signatures>& kept,
                                     const SignatureSources& now, const CaseLister& list) {
  SignaturePlan plan;
  const std::set<std::string> files =
      kept ? ChangedSuiteFiles(*kept, now) : std::set<std::string>();
  for (const auto& [mutant, digest] : now.mutants) {
    if (!HoldsButForSuiteFiles(kept, now, mutant)) {
      plan.whole.push_back(mutant);
    } else if (!files.empty()) {
      plan.again.push_back(mutant);
    }
  }
  if (plan.again.empty()) {
    return plan;
  }
  ASSAY_ASSIGN_OR_RETURN(const std::vector<CaseSource> cases, list());
  std::set<std::string> without_cases = files;
  for (const CaseSource& one : cases) {
    plan.cases.insert(one.name);
    without_cases.erase(one.file);
    if (files.contains(one.file) && Changed(one, *kept, now)) {
      plan.changed.insert(one.name);
    }
  }
  const bool shared_changed = std::ranges::any_of(
      without_cases, [&](const std::string& file) { return now.suite_files.contains(file); });
  if (shared_changed) {
    std::ranges::copy(plan.again, std::back_inserter(plan.whole));
    std::ranges::sort(plan.whole);
    return SignaturePlan{.whole = std::move(plan.whole), .again = {}, .changed = {}, .cases = {}};
  }
  return plan;
}

std::size_t CountRuns(const SignaturePlan& plan) {
  const std::size_t again = plan.changed.empty() ? 0 : plan.again.size();
  return (plan.whole.size() + again) * kSignatureRuns + (again == 0 ? 0 : 1);
}

Result<Signatures> ComputeSignatures(const std::optional<Signatures>& kept,
                                     const SignatureSources& now, const SignaturePlan& plan,
                                     const MutantRunner& run, const SignatureKeeper& keep) {
  Signatures signatures{.shared_digest = now.shared,
                        .suite_files = DigestsOf(now),
                        .runs = kSignatureRuns,
                        .mutants = {}};
  std::vector<std::string> whole = plan.whole;
  if (!plan.again.empty()) {
    ASSAY_ASSIGN_OR_RETURN(signatures.mutants, RunAgain(*kept, plan, run));
    std::ranges::copy_if(plan.again, std::back_inserter(whole), [&](const std::string& mutant) {
      return !signatures.mutants.contains(mutant);
    });
  } else if (kept) {
    signatures.mutants = kept->mutants;
    std::erase_if(signatures.mutants, [&](const auto& one) {
      return !now.mutants.contains(one.first) || std::ranges::count(whole, one.first) != 0;
    });
  }
  if (!signatures.mutants.empty()) {
    ASSAY_RETURN_IF_ERROR(keep(signatures));
  }
  ASSAY_RETURN_IF_ERROR(RunWhole(whole, now, run, keep, signatures));
  return signatures;
}

}  // namespace assay
