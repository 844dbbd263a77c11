// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_PR_RESULT_SET_H_
#define ASSAY_PR_RESULT_SET_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "pr/assess.h"
#include "pr/change.h"

namespace assay {

/// The files of a result set, as text. Equal values give equal bytes; all are valid UTF-8, whatever
/// a submission printed.

/// GitHub refuses comments over 65,536 characters, and drops a step's summary whole when it is over
/// 1 MiB: these leave room for what a workflow puts around them.
inline constexpr std::size_t kCommentLimit_bytes = 60'000;
inline constexpr std::size_t kSummaryLimit_bytes = 900'000;
/// More annotations of a step are dropped without a word.
inline constexpr std::size_t kMostAnnotations = 10;

/// What a comment begins with, so that the next one takes its place.
inline constexpr std::string_view kCommentMark = "<!-- assay:pr -->";

/// `comment.md` (kCommentLimit_bytes) and `summary.md` (kSummaryLimit_bytes): verdict line, table,
/// then one part a cell, those that fail the gate first. What does not fit is left out from the end
/// and named.
[[nodiscard]] std::string CommentMarkdown(const Change& change, const Assessment& assessment);
[[nodiscard]] std::string SummaryMarkdown(const Change& change, const Assessment& assessment);

/// `junit.xml`: a suite a challenge, a test case a cell. A judge's failure is an `error`, a cell
/// that is not accepted a `failure`, one that was skipped or removed `skipped`.
[[nodiscard]] std::string JUnitXml(const Assessment& assessment);

/// `results.sarif`, SARIF 2.1.0: findings at their lines, relative to the repository's root.
[[nodiscard]] std::string SarifJson(const Change& change, const Assessment& assessment);

/// `results.jsonl`: one JSON object a line, one line a cell.
[[nodiscard]] std::string ResultsJsonl(const Change& change, const Assessment& assessment);

/// `annotations.txt`: at most kMostAnnotations commands for GitHub's log, worst first; the last
/// says how many more there are.
[[nodiscard]] std::string AnnotationLines(const Assessment& assessment);

/// The command that shows a case of a cell failing: `assay try submissions/a/b --case 'Sum.Two'
/// --seed 7`. Names of cases are the suites' own, without a quote.
[[nodiscard]] std::string ReproduceCommand(const CellId& cell, const std::string& case_name,
                                           std::uint64_t seed);

}  // namespace assay

#endif  // ASSAY_PR_RESULT_SET_H_
