// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SCORE_SIGNATURES_H_
#define ASSAY_SCORE_SIGNATURES_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "evidence/verdict.h"
#include "score/failure_kind.h"

namespace assay {

/// What the bugs that a challenge's mutants plant look like to its suite
/// (reference/<challenge>/signatures.json; exec/signature_store.h reads and writes it).

/// In how many runs a case ended with each verdict other than accepted.
using CaseOutcomes = std::map<Verdict, int>;

struct MutantSignature {
  /// Of the sources of reference/ that its host is compiled of: SHA-256.
  std::string source_digest;
  /// Gating cases by name. A case that every run accepted is left out.
  std::map<std::string, CaseOutcomes> cases;
  /// What was wrong in the runs that failed, by case.
  std::map<std::string, std::set<FailureKind>> kinds = {};
  bool operator==(const MutantSignature&) const = default;
};

/// Of a file of the suite: SHA-256 each.
struct SuiteFileDigests {
  std::string rest;                          ///< Of all that is no case.
  std::map<std::string, std::string> cases;  ///< Of each, as its macro names it: `Edge.NanInX`.
  bool operator==(const SuiteFileDigests&) const = default;
};

struct Signatures {
  /// Of all sources but the mutants' own, the baseline's, and the suite's files below, that decide
  /// how a case ends: SHA-256.
  std::string shared_digest;
  /// Of each `suite*.cc`, by name.
  std::map<std::string, SuiteFileDigests> suite_files = {};
  int runs = 0;  ///< Of each mutant, each with a seed of its own.
  std::map<std::string, MutantSignature> mutants;
  /// What was kept of mutants that have yet to be run in the cases that changed since: the work was
  /// cut off. None is among `mutants`.
  std::vector<Signatures> waiting = {};
  bool operator==(const Signatures&) const = default;
};

/// The criterion in which the bug of each mutant costs, its home, by mutant
/// (reference/<challenge>/mutants.yaml; exec/mutant_homes.h reads it).
using MutantHomes = std::map<std::string, std::string>;

}  // namespace assay

#endif  // ASSAY_SCORE_SIGNATURES_H_
