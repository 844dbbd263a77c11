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

/// What is kept of a mutant, if that holds but for files of the suite: by the sources it is of.
const Signatures* FindKept(const std::optional<Signatures>& kept, const SignatureSources& now,
                           const std::string& mutant) {
  const auto holds = [&](const Signatures& earlier) {
    const auto found = earlier.mutants.find(mutant);
    return earlier.shared_digest == now.shared && earlier.runs == kSignatureRuns &&
           found != earlier.mutants.end() && found->second.source_digest == now.mutants.at(mutant);
  };
  if (!kept || holds(*kept)) {
    return kept ? &*kept : nullptr;
  }
  const auto waiting = std::ranges::find_if(kept->waiting, holds);
  return waiting == kept->waiting.end() ? nullptr : &*waiting;
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

/// The names of `cases` that may end otherwise than in `kept`; nothing where any case may.
std::optional<std::set<std::string>> ChangedCases(const std::vector<CaseSource>& cases,
                                                  const Signatures& kept,
                                                  const SignatureSources& now) {
  const std::set<std::string> files = ChangedSuiteFiles(kept, now);
  std::set<std::string> without_cases = files;
  std::set<std::string> changed;
  for (const CaseSource& one : cases) {
    without_cases.erase(one.file);
    if (files.contains(one.file) && Changed(one, kept, now)) {
      changed.insert(one.name);
    }
  }
  if (std::ranges::any_of(
          without_cases, [&](const std::string& file) { return now.suite_files.contains(file); })) {
    return std::nullopt;
  }
  return changed;
}

/// What needs no run, and what waits for those of `plan.again`.
Signatures WithoutRuns(const std::optional<Signatures>& kept, const SignatureSources& now,
                       const SignaturePlan& plan) {
  Signatures signatures{.shared_digest = now.shared,
                        .suite_files = DigestsOf(now),
                        .runs = kSignatureRuns,
                        .mutants = {}};
  const auto sort_out = [&](const Signatures& earlier) {
    Signatures waiting = earlier;
    waiting.waiting.clear();
    std::erase_if(waiting.mutants,
                  [&](const auto& one) { return !plan.again.contains(one.first); });
    for (const auto& [mutant, signature] : earlier.mutants) {
      if (now.mutants.contains(mutant) && !plan.again.contains(mutant) &&
          std::ranges::count(plan.whole, mutant) == 0) {
        signatures.mutants[mutant] = signature;
      }
    }
    if (!waiting.mutants.empty()) {
      signatures.waiting.push_back(std::move(waiting));
    }
  };
  if (kept) {
    sort_out(*kept);
    std::ranges::for_each(kept->waiting, sort_out);
  }
  return signatures;
}

/// Takes what waits of a mutant out of `signatures`, without its cases that are asked anew or gone.
MutantSignature TakeWaiting(const std::string& mutant, const SignaturePlan& plan,
                            Signatures& signatures) {
  MutantSignature signature;
  for (Signatures& earlier : signatures.waiting) {
    if (auto taken = earlier.mutants.extract(mutant)) {
      signature = std::move(taken.mapped());
    }
  }
  std::erase_if(signatures.waiting,
                [](const Signatures& earlier) { return earlier.mutants.empty(); });
  const std::set<std::string>& changed = plan.again.at(mutant);
  const auto is_no_more = [&](const auto& one) {
    return !plan.cases.contains(one.first) || changed.contains(one.first);
  };
  std::erase_if(signature.cases, is_no_more);
  std::erase_if(signature.kinds, is_no_more);
  return signature;
}

std::vector<MutantRun> RunsOf(const std::set<std::string>& changed,
                              const std::set<std::string>& gating, const std::string& mutant) {
  std::set<std::string> asked;
  std::ranges::set_intersection(changed, gating, std::inserter(asked, asked.end()));
  return asked.empty() ? std::vector<MutantRun>() : RunsOf({mutant}, FilterOf(asked));
}

/// Runs `plan.again`, each in its cases, a few at a time. Returns those that no longer fail in each
/// run, which are in `signatures` no more.
Result<std::vector<std::string>> RunAgain(const SignaturePlan& plan, const MutantRunner& run,
                                          const SignatureKeeper& keep, Signatures& signatures) {
  std::vector<std::string> no_longer_fail;
  if (plan.again.empty()) {
    return no_longer_fail;
  }
  std::set<std::string> changed;
  for (const auto& [mutant, cases] : plan.again) {
    changed.insert(cases.begin(), cases.end());
  }
  ASSAY_ASSIGN_OR_RETURN(const std::set<std::string> gating,
                         Gating(changed, plan.again.begin()->first, run));
  for (auto next = plan.again.begin(); next != plan.again.end();) {
    const auto first = next;
    std::vector<MutantRun> runs;
    for (; next != plan.again.end() && runs.size() < kRunsAtOnce; ++next) {
      std::ranges::copy(RunsOf(next->second, gating, next->first), std::back_inserter(runs));
    }
    std::vector<SuiteEvidence> suites;
    if (!runs.empty()) {
      ASSAY_ASSIGN_OR_RETURN(suites, run(runs));
    }
    for (auto done = first; done != next; ++done) {
      const std::string& mutant = done->first;
      MutantSignature signature = TakeWaiting(mutant, plan, signatures);
      for (std::size_t i = 0; i < runs.size(); ++i) {
        if (runs[i].mutant == mutant) {
          AddRun(suites.at(i), signature);
        }
      }
      if (FailsSomethingInEachRun(signature)) {
        signatures.mutants[mutant] = std::move(signature);
      } else {
        no_longer_fail.push_back(mutant);
      }
    }
    ASSAY_RETURN_IF_ERROR(keep(signatures));
  }
  return no_longer_fail;
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
  std::map<const Signatures*, std::vector<std::string>> again;
  for (const auto& [mutant, digest] : now.mutants) {
    const Signatures* const earlier = FindKept(kept, now, mutant);
    if (earlier == nullptr) {
      plan.whole.push_back(mutant);
    } else {
      again[earlier].push_back(mutant);
    }
  }
  std::erase_if(again, [&](const auto& one) { return ChangedSuiteFiles(*one.first, now).empty(); });
  if (again.empty()) {
    return plan;
  }
  ASSAY_ASSIGN_OR_RETURN(const std::vector<CaseSource> cases, list());
  for (const CaseSource& one : cases) {
    plan.cases.insert(one.name);
  }
  for (const auto& [earlier, mutants] : again) {
    const auto changed = ChangedCases(cases, *earlier, now);
    for (const std::string& mutant : mutants) {
      if (changed) {
        plan.again[mutant] = *changed;
      } else {
        plan.whole.push_back(mutant);
      }
    }
  }
  std::ranges::sort(plan.whole);
  return plan;
}

std::size_t CountRuns(const SignaturePlan& plan) {
  const auto again = static_cast<std::size_t>(
      std::ranges::count_if(plan.again, [](const auto& one) { return !one.second.empty(); }));
  return (plan.whole.size() + again) * kSignatureRuns + (again == 0 ? 0 : 1);
}

Result<Signatures> ComputeSignatures(const std::optional<Signatures>& kept,
                                     const SignatureSources& now, const SignaturePlan& plan,
                                     const MutantRunner& run, const SignatureKeeper& keep) {
  Signatures signatures = WithoutRuns(kept, now, plan);
  ASSAY_ASSIGN_OR_RETURN(std::vector<std::string> whole, RunAgain(plan, run, keep, signatures));
  whole.insert(whole.begin(), plan.whole.begin(), plan.whole.end());
  if (whole.empty() && plan.again.empty()) {
    ASSAY_RETURN_IF_ERROR(keep(signatures));
  }
  ASSAY_RETURN_IF_ERROR(RunWhole(whole, now, run, keep, signatures));
  return signatures;
}

}  // namespace assay
