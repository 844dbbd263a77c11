// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_PUBLISHED_MEASURES_H_
#define ASSAY_PUBLISHED_MEASURES_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "published/study.h"
#include "report/board.h"

/// What is measured of a text of the study. All pure.
namespace assay {

/// One criterion that measures a text.
struct Measure {
  const ChallengeBoard* challenge = nullptr;
  const Criterion* criterion = nullptr;
};

/// Null where the board has no such challenge.
[[nodiscard]] const ChallengeBoard* FindChallengeBoard(const Board& board, std::string_view id);

/// Those of the mapping that the board has: ids of `challenge`, or paths where it is empty.
[[nodiscard]] std::vector<Measure> MeasuresOf(const RowMapping& mapping, std::string_view challenge,
                                              const Board& board);

/// Null where the model has no cell.
[[nodiscard]] const CriterionScore* ScoreIn(const Board& board, const Measure& measure,
                                            std::string_view model);

/// Of the scores of the criteria, those without one left out.
[[nodiscard]] std::optional<double> MeanScore(const Board& board,
                                              const std::vector<Measure>& measures,
                                              std::string_view model);

/// A submission with the best score of each dimension.
struct HybridScore {
  struct Part {
    const Dimension* dimension = nullptr;
    std::string model;  ///< The first of those that have the best score.
    double score = 0;
  };
  std::vector<Part> parts;
  double score = 0;  ///< The mean of the parts, weighed as the rubric weighs dimensions.
};
/// Empty where no dimension has a score.
[[nodiscard]] std::optional<HybridScore> HybridOf(const ChallengeBoard& challenge);

}  // namespace assay

#endif  // ASSAY_PUBLISHED_MEASURES_H_
