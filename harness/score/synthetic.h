// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SCORE_SYNTHETIC_H_
#define ASSAY_SCORE_SYNTHETIC_H_

#include <string>
#include <string_view>
#include <vector>

#include "evidence/evidence.h"
#include "evidence/statistics.h"
#include "score/challenge_view.h"

/// Cells and rubrics that were never measured, for the tests of score and report.
namespace assay::synthetic {

/// A criterion of weight 1, higher is better, no tie; `value` as a rubric writes it.
[[nodiscard]] Criterion MakeCriterion(std::string_view id, std::string_view dimension,
                                      std::string_view value,
                                      std::vector<Anchor> score = {{0, 0}, {1, 100}});

/// A challenge with these criteria and, of weight 1 each, the dimensions they name.
[[nodiscard]] ChallengeView MakeChallenge(std::vector<Criterion> criteria);

/// A cell of that challenge that builds and is accepted, with nothing measured.
[[nodiscard]] Evidence MakeCell(std::string_view model);

[[nodiscard]] CaseEvidence MakeCase(std::string_view name, std::vector<std::string> tags,
                                    Verdict verdict, std::string_view detail = "");
/// 64 blocks of 256 threads on an emulated A100.
[[nodiscard]] LaunchEvidence MakeLaunch(std::string_view label, std::string_view kernel);
[[nodiscard]] WorkloadEvidence MakeWorkload(std::string_view name, const RatioEstimate& ratio);
/// Six A/A controls, in so many of which the baseline beats itself.
[[nodiscard]] std::vector<WorkloadEvidence> MakeControls(int false_wins);

/// A rubric with the eight published dimensions of layernorm_backward, and three cells shaped like
/// the published models. The signatures are of mutants that fail what some of these cells fail; the
/// challenge comes without any.
[[nodiscard]] ChallengeView LayerNormChallenge();
[[nodiscard]] std::vector<Evidence> LayerNormCells();
[[nodiscard]] Signatures LayerNormSignatures();

}  // namespace assay::synthetic

#endif  // ASSAY_SCORE_SYNTHETIC_H_
