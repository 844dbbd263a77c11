// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EVIDENCE_CONSISTENCY_H_
#define ASSAY_EVIDENCE_CONSISTENCY_H_

#include <optional>
#include <string>

#include "evidence/evidence.h"

/// Whether evidence is what grading gives: what follows from its cases, samples and counts is
/// computed again and compared with what it says. README.md lists what cannot be seen so.
namespace assay {

/// A part of evidence that something else in it, or in that of another cell, contradicts.
struct Contradiction {
  std::string field;    ///< `suite.cases[12].verdict`
  std::string says;     ///< What stands there.
  std::string follows;  ///< What follows, and from what.
  bool operator==(const Contradiction&) const = default;
};

/// `verdict says accepted; what follows is wrong_answer, from …`
[[nodiscard]] std::string ToString(const Contradiction& contradiction);

/// The first contradiction within the evidence of one cell; nothing when all agrees.
[[nodiscard]] std::optional<Contradiction> FindContradiction(const Evidence& evidence);

/// The first in `evidence` against `other`, of another model: where challenge, reference and
/// harness are the same, so are the cases, their tags and which of them gate. Nothing where they
/// differ, or where a suite was not run.
[[nodiscard]] std::optional<Contradiction> FindContradiction(const Evidence& evidence,
                                                             const Evidence& other);

}  // namespace assay

#endif  // ASSAY_EVIDENCE_CONSISTENCY_H_
