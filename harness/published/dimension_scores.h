// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_PUBLISHED_DIMENSION_SCORES_H_
#define ASSAY_PUBLISHED_DIMENSION_SCORES_H_

#include <optional>
#include <string>
#include <vector>

#include "published/study.h"
#include "report/board.h"
#include "score/correlation.h"

namespace assay {

/// What a study and Assay give one submission in one dimension, 0 to 100.
struct ComparedDimension {
  std::string challenge;
  std::string dimension;
  std::string model;
  std::vector<double> published;   ///< One a round that scored it, in their order; at least one.
  std::optional<double> measured;  ///< None where there is no cell, or nothing of it has a score.
};

/// Every dimension that a round scores, in the order in which the rounds come to them.
[[nodiscard]] std::vector<ComparedDimension> CompareDimensions(const PublishedStudy& study,
                                                               const Board& board);

/// How far two scorers of the same things agree.
struct ScoreAgreement {
  int scores = 0;
  std::optional<double> pearson;   ///< PearsonR.
  std::optional<double> spearman;  ///< SpearmanRho.
  std::optional<double> kendall;   ///< KendallTauB.
  double bias = 0;                 ///< Mean of second - first, in points; 0 without scores.
};

/// Published first, measured second; a dimension that was published twice gives two pairs.
[[nodiscard]] ScoreAgreement AgreementWithMeasured(
    const std::vector<ComparedDimension>& dimensions);

/// The study with itself: of what two rounds scored, the first of them and the last.
[[nodiscard]] ScoreAgreement AgreementOfRounds(const std::vector<ComparedDimension>& dimensions);

}  // namespace assay

#endif  // ASSAY_PUBLISHED_DIMENSION_SCORES_H_
