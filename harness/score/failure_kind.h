// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SCORE_FAILURE_KIND_H_
#define ASSAY_SCORE_FAILURE_KIND_H_

#include <compare>
#include <string>

#include "evidence/evidence.h"

namespace assay {

/// What was wrong in a case that failed, beside its verdict: where, and by how much.
struct FailureKind {
  static constexpr int kNoDecade = -1;  ///< No element was outside its bound: a status, an index.
  static constexpr int kLargestDecade = 20;  ///< And what is larger, infinite or no number.

  std::string operation = {};  ///< CaseEvidence::failing_operation; empty where that is unset.
  std::string output = {};     ///< CaseEvidence::failing_output; empty where that is unset.
  /// Of the largest error over its bound e, where that is above 1: floor(log10 e).
  int decade = kNoDecade;

  auto operator<=>(const FailureKind&) const = default;
};

[[nodiscard]] FailureKind KindOfFailure(const CaseEvidence& one);

/// Whether two failures of one case may be of one cause: in the same output, or both in none; by
/// errors that are at most one decade apart, or neither by one; and in the same operation, where
/// both name one.
[[nodiscard]] bool AreAlike(const FailureKind& one, const FailureKind& other);

}  // namespace assay

#endif  // ASSAY_SCORE_FAILURE_KIND_H_
