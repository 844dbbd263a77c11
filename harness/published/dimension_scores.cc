// SPDX-License-Identifier: Apache-2.0
#include "published/dimension_scores.h"

#include <algorithm>
#include <string_view>

namespace assay {
namespace {

std::optional<double> MeasuredScore(const Board& board, const ComparedDimension& one) {
  for (const Scorecard& card : board.cards) {
    if (card.model == one.model && card.challenge == one.challenge) {
      const DimensionScore* const score = FindDimensionScore(card, one.dimension);
      return score == nullptr ? std::nullopt : score->score;
    }
  }
  return std::nullopt;
}

ComparedDimension& FindOrAdd(std::vector<ComparedDimension>& all, const std::string& challenge,
                             const std::string& dimension, const std::string& model) {
  const auto found = std::ranges::find_if(all, [&](const ComparedDimension& one) {
    return one.challenge == challenge && one.dimension == dimension && one.model == model;
  });
  if (found != all.end()) {
    return *found;
  }
  all.push_back({.challenge = challenge,
                 .dimension = dimension,
                 .model = model,
                 .published = {},
                 .measured = {}});
  return all.back();
}

ScoreAgreement Agreement(const std::vector<PairOfScores>& pairs) {
  ScoreAgreement agreement{.scores = static_cast<int>(pairs.size()),
                           .pearson = PearsonR(pairs),
                           .spearman = SpearmanRho(pairs),
                           .kendall = KendallTauB(pairs)};
  for (const PairOfScores& pair : pairs) {
    agreement.bias += (pair.second - pair.first) / static_cast<double>(pairs.size());
  }
  return agreement;
}

}  // namespace

std::vector<ComparedDimension> CompareDimensions(const PublishedStudy& study, const Board& board) {
  std::vector<ComparedDimension> all;
  for (const PublishedRound& round : study.rounds) {
    for (const PublishedScorecard& card : round.challenges) {
      for (const DimensionPair& pair : card.dimensions) {
        FindOrAdd(all, card.challenge, pair.dimension, round.a).published.push_back(pair.scores.a);
        FindOrAdd(all, card.challenge, pair.dimension, round.b).published.push_back(pair.scores.b);
      }
    }
  }
  for (ComparedDimension& one : all) {
    one.measured = MeasuredScore(board, one);
  }
  return all;
}

ScoreAgreement AgreementWithMeasured(const std::vector<ComparedDimension>& dimensions) {
  std::vector<PairOfScores> pairs;
  for (const ComparedDimension& one : dimensions) {
    if (one.measured) {
      for (const double published : one.published) {
        pairs.push_back({.first = published, .second = *one.measured});
      }
    }
  }
  return Agreement(pairs);
}

ScoreAgreement AgreementOfRounds(const std::vector<ComparedDimension>& dimensions) {
  std::vector<PairOfScores> pairs;
  for (const ComparedDimension& one : dimensions) {
    if (one.published.size() > 1) {
      pairs.push_back({.first = one.published.front(), .second = one.published.back()});
    }
  }
  return Agreement(pairs);
}

}  // namespace assay
