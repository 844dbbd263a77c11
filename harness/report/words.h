// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REPORT_WORDS_H_
#define ASSAY_REPORT_WORDS_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/markdown.h"
#include "score/matchup.h"
#include "score/ranking.h"
#include "score/scorecard.h"

/// Small pieces that several reports share.
namespace assay {

/// The longest piece of a submission's text in a table cell, and on a line of a list.
inline constexpr std::size_t kLongestCell_bytes = 110;
inline constexpr std::size_t kLongestLine_bytes = 240;

/// Whether rows that IsAuthored() carry a sign: where a table holds a reconstruction.
enum class AuthoredRows { kPlain, kMarked };
inline constexpr std::string_view kAuthoredSign = " ‡";

/// `1 🥇`, `4`, `1-3`, `—`.
[[nodiscard]] Markdown RankWithMedal(const std::optional<RankInterval>& ranks, Medal medal);
/// `82.1 ± 1.5 (rank 1-2)`: a score without authored rows, and its rank among such.
[[nodiscard]] Markdown UnauthoredCell(const UncertainScore& score,
                                      const std::optional<RankInterval>& ranks);
/// Who is first in a ranking: several where they rank equal, nobody where none has a score.
struct FirstRank {
  std::vector<std::string> names;
  std::string score;  ///< With its ± where it is one's alone.
};
[[nodiscard]] FirstRank FirstRankOf(std::span<const ModelStanding> standings);
/// Takes in one more of the first rank.
void AddFirst(const std::string& name, const UncertainScore& score, FirstRank& first);
/// `**Qwen3.6-27B** is first`, `**GLM-5, Qwen3.6-27B** are first`. `first` is not empty.
[[nodiscard]] Markdown AreFirst(const FirstRank& first);
/// The title, with a sign where the row is authored and that is marked.
[[nodiscard]] Markdown TitleOf(const Criterion& criterion, AuthoredRows authored);
/// The same of a dimension that holds a scored authored row.
[[nodiscard]] Markdown TitleOf(const Dimension& dimension, const Rubric& rubric,
                               AuthoredRows authored);
/// What the sign means, as a line below a table; empty where nothing is marked.
[[nodiscard]] Markdown AuthoredNote(AuthoredRows authored);
/// The model's name, with `†` for a reconstruction and `(repaired)`.
[[nodiscard]] Markdown NameWithMarks(const Scorecard& card);
/// A dimension's score, with the share of its weight that was measured where it is not all.
[[nodiscard]] Markdown DimensionCell(const DimensionScore& score);
/// Percent of a share: `78 %`. Rounded down, so that 100 % means all.
[[nodiscard]] Markdown PercentOf(double share);
/// The name of the winner of a row in bold, `Tie`, `?` or `—`.
[[nodiscard]] Markdown EdgeCell(RowEdge edge, const Scorecard& a, const Scorecard& b);
/// `a` or `b` or 2 more: the mutants of a match, each in code letters, the first three.
[[nodiscard]] Markdown MutantNames(const std::vector<std::string>& mutants);
/// A number of our own making.
[[nodiscard]] Markdown Number(long long number);
/// `1 model`, `3 models`: of a thing whose plural has an s.
[[nodiscard]] std::string CountOf(std::size_t number, std::string_view thing);
/// `1 case`, `3 cases`.
[[nodiscard]] std::string CountOfCases(int count);
/// The first names, separated by commas, and how many more there are.
[[nodiscard]] std::string FirstOf(const std::vector<std::string>& names, std::size_t most);
/// Names for a table cell, separated by commas: as many as fit it, and how many more there are.
[[nodiscard]] Markdown NamesInCell(const std::vector<std::string>& names);
/// The first line of a compiler's output that is an error, with its place; else the first line.
/// Hostile text.
[[nodiscard]] std::string FirstErrorOf(std::string_view diagnostics);
/// Hostile text cut to kLongestCell_bytes and escaped; for a line of a list, to
/// kLongestLine_bytes.
[[nodiscard]] Markdown CellText(std::string_view text);
[[nodiscard]] Markdown LineText(std::string_view text);
/// Text of our own for a cell, whole: broken between words into lines of at most
/// kLongestCell_bytes.
[[nodiscard]] Markdown CellLines(std::string_view text);
/// What was measured of a criterion, for a cell: in as many lines as it needs, of at most two
/// kLongestCell_bytes in all.
[[nodiscard]] Markdown ValueText(const Criterion& criterion, const CriterionValue& value);
/// `matchups/<a>_vs_<b>.md`, relative to `reports/`, the models in the order of their ids.
[[nodiscard]] std::string MatchupPath(std::string_view a, std::string_view b);
/// `rounds/<a>_vs_<b>.md`, the same.
[[nodiscard]] std::string RoundPath(std::string_view a, std::string_view b);
/// `models/<model>.md`, relative to `reports/`.
[[nodiscard]] std::string ModelPath(std::string_view model);
/// Lines that every generated file begins with.
[[nodiscard]] Markdown GeneratedNote();

}  // namespace assay

#endif  // ASSAY_REPORT_WORDS_H_
