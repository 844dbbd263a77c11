// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REPORT_CHALLENGE_SECTIONS_H_
#define ASSAY_REPORT_CHALLENGE_SECTIONS_H_

#include <string>
#include <vector>

#include "report/board.h"
#include "report/markdown.h"

/// The parts of a challenge's page that show evidence, without their headings. Empty when there is
/// nothing to show.
namespace assay {

/// The columns with which every ranking of a challenge begins: up to what of it is measured. The
/// one without authored rows (‡) is there where a cell is a reconstruction.
[[nodiscard]] std::vector<MarkdownTable::Column> RankingColumns(const ChallengeBoard& challenge);

/// A table with one column a model; `first` names the columns before them.
[[nodiscard]] MarkdownTable TableOfModels(const ChallengeBoard& challenge,
                                          std::vector<Markdown> first, Align align);

/// What the challenge's anchors score, as a table with a note.
[[nodiscard]] Markdown AnchorSection(const ChallengeBoard& challenge);
/// Builds that failed, with diagnostics; repairs with their reasons; sanitizer findings.
[[nodiscard]] Markdown BuildSection(const ChallengeBoard& challenge);
/// Cases by tag and by verdict, and those that did not pass, folded, one list a model.
[[nodiscard]] Markdown CaseSection(const ChallengeBoard& challenge);
/// Launches on the emulated GPU with their counters, one folded table a model; what its checkers
/// found.
[[nodiscard]] Markdown GpuSection(const ChallengeBoard& challenge);
/// The GPUs that were emulated for any cell, by name, separated by commas; empty for none.
[[nodiscard]] std::string EmulatedGpusOf(const Board& board);
/// Which known bugs the gating cases that failed are like, one list a model.
[[nodiscard]] Markdown DiagnosisSection(const ChallengeBoard& challenge);
/// All curves as a table of y by x, one column a model.
[[nodiscard]] Markdown CurveSection(const ChallengeBoard& challenge);
/// Workloads: ratio to the baseline with interval and share of bandwidth; the A/A rate.
[[nodiscard]] Markdown TimeSection(const ChallengeBoard& challenge);
/// What each submission's own tests do: programs, benchmarks, mutants killed one by one.
[[nodiscard]] Markdown OwnTestSection(const ChallengeBoard& challenge);
/// What reviewers say, how far they agree, and who they are.
[[nodiscard]] Markdown ReviewSection(const ChallengeBoard& challenge);
/// Which questions were answered right, and which claims hold. The right answers stay in the
/// evidence: what is on this page, the next model has read.
[[nodiscard]] Markdown StatementSection(const ChallengeBoard& challenge);

}  // namespace assay

#endif  // ASSAY_REPORT_CHALLENGE_SECTIONS_H_
