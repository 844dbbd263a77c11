// SPDX-License-Identifier: Apache-2.0
#include "report/difference.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "report/board.h"
#include "score/format.h"
#include "score/time_rows.h"

namespace assay {
namespace {

using CellKey = std::pair<std::string, std::string>;  ///< Challenge, model.

/// One cell with what a board makes of it.
struct ScoredCell {
  const Evidence* evidence = nullptr;
  const Scorecard* card = nullptr;
  PublishedNumbers published;
};

std::map<CellKey, ScoredCell> CellsOf(const Board& board) {
  std::map<CellKey, ScoredCell> cells;
  for (const ChallengeBoard& challenge : board.challenges) {
    for (std::size_t i = 0; i < challenge.cells.size(); ++i) {
      const Scorecard& card = challenge.cards[i];
      cells[{challenge.view->spec.id, card.model}] = {
          .evidence = challenge.cells[i],
          .card = &card,
          .published = {.verdict = card.verdict,
                        .score = card.overall,
                        .uncertainty = card.uncertainty,
                        .ranks = challenge.places[i].interval}};
    }
  }
  return cells;
}

std::vector<DifferenceCause> CausesOf(const Evidence& before, const Evidence& after) {
  if (before == after) {
    return {DifferenceCause::kOthers};
  }
  std::vector<DifferenceCause> causes;
  const auto note = [&](bool is_same, DifferenceCause cause) {
    if (!is_same) {
      causes.push_back(cause);
    }
  };
  const Digests& then = before.digests;
  const Digests& now = after.digests;
  const Environment& there = before.environment;
  const Environment& here = after.environment;
  note(then.submission == now.submission, DifferenceCause::kSubmission);
  note(then.challenge == now.challenge, DifferenceCause::kChallenge);
  note(then.reference == now.reference, DifferenceCause::kReference);
  note(then.harness == now.harness, DifferenceCause::kHarness);
  note(there.compiler == here.compiler && there.release_flags == here.release_flags &&
           there.sanitized_flags == here.sanitized_flags,
       DifferenceCause::kCompiler);
  note(AreOfOneClass(there.machine, here.machine), DifferenceCause::kMachine);
  note(there.sandbox_level == here.sandbox_level, DifferenceCause::kSandbox);
  note(there.seed == here.seed, DifferenceCause::kSeed);
  if (causes.empty()) {
    causes.push_back(DifferenceCause::kChance);
  }
  return causes;
}

RowDifference::Certainty CertaintyOf(const CriterionValue& before, const CriterionValue& after) {
  const bool overlap = before.interval && after.interval &&
                       before.interval->low <= after.interval->high &&
                       after.interval->low <= before.interval->high;
  return overlap ? RowDifference::Certainty::kWithinNoise : RowDifference::Certainty::kMoved;
}

double PointsOf(const CriterionScore& row) { return row.share * row.score.value_or(0); }

std::vector<RowDifference> RowsOf(const Rubric& rubric, const Scorecard& before,
                                  const Scorecard& after) {
  // Equal points keep the rubric's order.
  std::multimap<double, RowDifference, std::greater<>> by_points;
  for (std::size_t i = 0; i < rubric.criteria.size(); ++i) {
    const CriterionScore& then = before.criteria[i];
    const CriterionScore& now = after.criteria[i];
    RowDifference row{.title = rubric.criteria[i].title,
                      .before = FormatValue(rubric.criteria[i], then.value),
                      .after = FormatValue(rubric.criteria[i], now.value),
                      .points = PointsOf(now) - PointsOf(then),
                      .certainty = CertaintyOf(then.value, now.value)};
    if (row.before != row.after || then.score != now.score) {
      by_points.emplace(std::abs(row.points), std::move(row));
    }
  }
  std::vector<RowDifference> rows;
  for (auto& [points, row] : by_points) {
    rows.push_back(std::move(row));
  }
  return rows;
}

void AddCell(const CellKey& key, const ScoredCell* before, const ScoredCell* after,
             const Challenges& challenges, EvidenceDifference& difference) {
  const ChallengeView& view = challenges.at(key.first);
  const Scorecard& named = after != nullptr ? *after->card : *before->card;
  CellDifference cell{.model = key.second,
                      .model_name = named.model_name,
                      .challenge = key.first,
                      .title = view.spec.title,
                      .before = {},
                      .after = {},
                      .causes = {},
                      .rows = {}};
  if (before != nullptr) {
    cell.before = before->published;
  }
  if (after != nullptr) {
    cell.after = after->published;
  }
  if (before != nullptr && after != nullptr) {
    cell.rows = RowsOf(view.rubric, *before->card, *after->card);
    cell.causes = CausesOf(*before->evidence, *after->evidence);
  }
  if (cell.before == cell.after && cell.rows.empty()) {
    ++difference.same;
  } else {
    difference.cells.push_back(std::move(cell));
  }
}

std::map<std::string, const ModelStanding*> StandingsOf(const Board& board) {
  std::map<std::string, const ModelStanding*> standings;
  for (const ModelStanding& standing : board.standings) {
    standings[standing.model] = &standing;
  }
  return standings;
}

std::optional<PublishedNumbers> NumbersOf(const ModelStanding* standing) {
  if (standing == nullptr) {
    return std::nullopt;
  }
  return PublishedNumbers{.verdict = {},
                          .score = standing->average,
                          .uncertainty = standing->uncertainty,
                          .ranks = standing->interval};
}

/// The value under `key`, or null.
template <class Key, class T>
const T* At(const std::map<Key, T>& map, const Key& key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

}  // namespace

std::string_view ToString(DifferenceCause cause) {
  switch (cause) {
    case DifferenceCause::kSubmission:
      return "submission";
    case DifferenceCause::kChallenge:
      return "challenge";
    case DifferenceCause::kReference:
      return "reference";
    case DifferenceCause::kHarness:
      return "harness";
    case DifferenceCause::kCompiler:
      return "compiler";
    case DifferenceCause::kMachine:
      return "machine";
    case DifferenceCause::kSandbox:
      return "sandbox";
    case DifferenceCause::kSeed:
      return "seed";
    case DifferenceCause::kChance:
      return "chance";
    case DifferenceCause::kOthers:
      return "other cells";
  }
  return "chance";
}

EvidenceDifference FindDifference(const std::vector<Evidence>& before,
                                  const std::vector<Evidence>& after,
                                  const Challenges& challenges) {
  const Board then = MakeRanking(before, challenges);
  const Board now = MakeRanking(after, challenges);
  const std::map<CellKey, ScoredCell> cells_then = CellsOf(then);
  const std::map<CellKey, ScoredCell> cells_now = CellsOf(now);
  std::set<CellKey> keys;
  for (const auto* cells : {&cells_then, &cells_now}) {
    for (const auto& [key, cell] : *cells) {
      keys.insert(key);
    }
  }
  EvidenceDifference difference;
  for (const CellKey& key : keys) {
    AddCell(key, At(cells_then, key), At(cells_now, key), challenges, difference);
  }
  const auto standings_then = StandingsOf(then);
  const auto standings_now = StandingsOf(now);
  std::map<std::string, std::string> names;
  for (const auto* standings : {&standings_then, &standings_now}) {
    for (const auto& [model, standing] : *standings) {
      names[model] = standing->model_name;
    }
  }
  for (const auto& [model, name] : names) {
    const auto* const was = At(standings_then, model);
    const auto* const is = At(standings_now, model);
    ModelDifference one{.model = model,
                        .model_name = name,
                        .before = NumbersOf(was == nullptr ? nullptr : *was),
                        .after = NumbersOf(is == nullptr ? nullptr : *is)};
    if (one.before != one.after) {
      difference.models.push_back(std::move(one));
    }
  }
  return difference;
}

bool ChangesPublished(const EvidenceDifference& difference) {
  return !difference.models.empty() ||
         std::ranges::any_of(difference.cells,
                             [](const CellDifference& cell) { return cell.before != cell.after; });
}

}  // namespace assay
