// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EXEC_COMPUTE_SIGNATURES_H_
#define ASSAY_EXEC_COMPUTE_SIGNATURES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "evidence/evidence.h"
#include "exec/list_cases.h"
#include "exec/signature_store.h"
#include "score/signatures.h"

namespace assay {

// Which runs of the suite the signatures of a challenge need, and what follows from them.
//
// A run of a whole suite takes seconds, three runs of each of fifty mutants half an hour. Most
// changes of a suite touch some of its cases, and what ends otherwise then is one of them: each
// case has a host of its own. So a mutant whose signature holds but for such cases is run in them
// alone, and keeps what it has of the others. What else stands in a file with cases moves all of
// that file; what files share (headers, sources without a case) and the oracle may move any case:
// then all are run. So may what a mutant's host is compiled of: then it is run in all.

/// Runs of mutants by name and seed; RunHosts on their hosts does, tests bring others.
struct MutantRun {
  std::string mutant;
  std::uint64_t seed = 0;
  std::string filter = {};  ///< Of GoogleTest; empty for all cases.
  bool operator==(const MutantRun&) const = default;
};
using MutantRunner =
    std::function<Result<std::vector<SuiteEvidence>>(const std::vector<MutantRun>&)>;

/// Lists the cases of the suite as it is built.
using CaseLister = std::function<Result<std::vector<CaseSource>>()>;

/// Writes the signatures that there are so far.
using SignatureKeeper = std::function<Status(const Signatures&)>;

struct SignaturePlan {
  std::vector<std::string> whole;  ///< Mutants that are run in all cases.
  /// Those that are run in the cases alone that changed since they were, and these cases.
  std::map<std::string, std::set<std::string>> again;
  std::set<std::string> cases;  ///< All that there are, where `again` holds a mutant.
  bool operator==(const SignaturePlan&) const = default;
};

/// What has to be run for `kept` to become what `now` would give. `list` is asked only where files
/// of the suite are all that changed for some mutant; its errors are passed on.
[[nodiscard]] Result<SignaturePlan> PlanSignatures(const std::optional<Signatures>& kept,
                                                   const SignatureSources& now,
                                                   const CaseLister& list);

/// How many runs ComputeSignatures makes of it at most.
[[nodiscard]] std::size_t CountRuns(const SignaturePlan& plan);

/// The signatures of all mutants of `now`, by the runs of `plan`; the seeds are always the same. A
/// mutant that fails no gating case in some run is an error of kind kConfiguration that names it: a
/// suite that accepts a bug has no signature of it. First those of `plan.again`; one that fails
/// nothing any more in each run is run as a whole, with those of `plan.whole`. All are run a few at
/// a time and given to `keep` with those before them, and with those of `again` that wait, as they
/// were: a call that is cut off, or ends with an error, has lost no more than those few.
[[nodiscard]] Result<Signatures> ComputeSignatures(const std::optional<Signatures>& kept,
                                                   const SignatureSources& now,
                                                   const SignaturePlan& plan,
                                                   const MutantRunner& run,
                                                   const SignatureKeeper& keep);

}  // namespace assay

#endif  // ASSAY_EXEC_COMPUTE_SIGNATURES_H_
