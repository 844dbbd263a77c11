// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REPORT_MODEL_HIGHLIGHTS_H_
#define ASSAY_REPORT_MODEL_HIGHLIGHTS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/board.h"
#include "score/highlights.h"
#include "score/scorecard.h"

/// What a model's page says of each of its cells, for `reports/models/` and for the site.
namespace assay {

/// What nobody who uses the code would want to hear last.
struct CriticalIssue {
  enum class Kind {
    kDoesNotBuild,  ///< As handed in; `detail` is the compiler's first error.
    kNotAccepted,   ///< `subject` is the verdict, `detail` its reason.
    kKnownBug,      ///< `subject` names mutants of the reference, `detail` the grounds.
    kUnexplained,   ///< `detail` counts the cases that no known bug explains.
  };
  Kind kind = Kind::kNotAccepted;
  std::string subject;                    ///< Of our own words and names of mutants.
  std::string detail;                     ///< May be hostile text, and long.
  std::vector<std::string> mutants = {};  ///< Those that `subject` names, the nearest first.
};

/// One cell of the model and what stands out in it. Points into the board.
struct CellHighlights {
  const ChallengeBoard* challenge = nullptr;
  std::size_t index = 0;                 ///< Into the challenge's vectors, one a cell.
  const DimensionScore* best = nullptr;  ///< Of dimensions with a score; null where none has one.
  const DimensionScore* worst = nullptr;
  std::vector<CriticalIssue> issues;
  std::vector<Highlight> strengths;  ///< At most kMostHighlights; those of most points.
  std::vector<Highlight> weaknesses;

  [[nodiscard]] const Evidence& cell() const { return *challenge->cells[index]; }
  [[nodiscard]] const Scorecard& card() const { return challenge->cards[index]; }
};

/// Of strengths, and of weaknesses, in one challenge.
inline constexpr std::size_t kMostHighlights = 6;

/// One a challenge that the model entered, in the board's order.
[[nodiscard]] std::vector<CellHighlights> HighlightsOf(const Board& board, std::string_view model);

/// What a strength, a weakness and a known bug are: a paragraph of our own words.
[[nodiscard]] std::string HighlightRules();

}  // namespace assay

#endif  // ASSAY_REPORT_MODEL_HIGHLIGHTS_H_
