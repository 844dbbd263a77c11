// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SCORE_FAILURE_MODEL_H_
#define ASSAY_SCORE_FAILURE_MODEL_H_

#include <cstddef>
#include <string>
#include <vector>

#include "evidence/evidence.h"
#include "score/signatures.h"

/// What diagnosis.cc reckons with. README.md defines the numbers.
namespace assay {

/// A gating case that passed or failed in the cell.
struct Fact {
  std::string name;
  bool failed = false;
  Verdict verdict = Verdict::kAccepted;
  FailureKind kind;  ///< Where it failed.
  double weight = 0;
  double cost_without_a_bug = 0;  ///< What it costs to leave its end unexplained.
};

/// What one mutant says of one of these cases.
struct Prediction {
  double rate = 0;        ///< Share of its runs that failed, of those in which the case was run.
  double support = 0;     ///< What the case is worth as one for the mutant; 0 where it passed.
  bool is_alike = false;  ///< It failed here as it does in some run of the mutant.
  double cost = 0;        ///< Of the case's end here, in a submission with this bug alone.
};

struct Suspect {
  std::string mutant;
  std::vector<Prediction> predictions;  ///< By fact.
  double support = 0;                   ///< Of all facts.
};

struct FailureModel {
  std::vector<Fact> facts;  ///< In the order of the suite.
  std::vector<Suspect> suspects;
  double failing_weight = 0;
};
[[nodiscard]] FailureModel MakeFailureModel(const SuiteEvidence& suite,
                                            const Signatures& signatures);

/// How much alike the facts and what a set of suspects makes fail are, 0 to 1: the weight of what
/// fails both here and there, by that of what fails in either. README.md has the exact sum.
[[nodiscard]] double Likeness(const FailureModel& model, const std::vector<std::size_t>& members);

/// How much alike the facts and a suspect are beside `others`, 0 to 1: the weight of what fails
/// here by it alone, by that and the weight of all that it and the others miss. README.md has the
/// sum.
[[nodiscard]] double LikenessAlone(const FailureModel& model, std::size_t member,
                                   const std::vector<std::size_t>& others);

/// The set of suspects, of those `allowed`, that explains the facts at the least cost, as indices.
/// Begins with each suspect alone and adds, drops or exchanges one at a time while that gains, once
/// among all and once among those that nothing speaks against: a suspect that breaks almost all
/// stands in the way of several that break just what is broken.
[[nodiscard]] std::vector<std::size_t> CheapestExplanation(const FailureModel& model,
                                                           const std::vector<bool>& allowed);

}  // namespace assay

#endif  // ASSAY_SCORE_FAILURE_MODEL_H_
