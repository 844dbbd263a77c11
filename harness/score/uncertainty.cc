// SPDX-License-Identifier: Apache-2.0
#include "score/uncertainty.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "score/applicable_mutants.h"
#include "score/cost_once.h"
#include "score/drawn_mean.h"
#include "score/draws.h"
#include "score/elementary.h"
#include "score/value_of_times.h"
#include "score/value_parts.h"
#include "score/weighing.h"
#include "score/work.h"

namespace assay {
namespace {

using State = CriterionValue::State;

constexpr double kNormalQuantile = 1.959963984540054;  // 97.5 % of the standard normal.

/// All draws, those of each seed's stream in its turn: `fill` has a stream and room for its
/// numbers.
template <class Number, class Fill>
std::vector<Number> DrawAll(std::initializer_list<std::string_view> name, Fill fill) {
  std::vector<Number> drawn(kDraws);
  std::span<Number> rest(drawn);
  for (int seed = 1; seed <= kSeeds; ++seed) {
    Draws stream(seed, name);
    fill(stream, rest.first(kDrawsPerSeed));
    rest = rest.subspan(kDrawsPerSeed);
  }
  return drawn;
}

/// How much each case, or mutant, counts in each draw: the same for every cell.
class SharedWeights {
 public:
  explicit SharedWeights(std::string_view challenge) : challenge_(challenge) {}
  const std::vector<float>& Of(std::string_view what, const std::string& name) {
    auto [place, is_new] = weights_.try_emplace({what, name});
    if (is_new) {
      place->second = DrawAll<float>(
          {challenge_, what, name},
          [](Draws& stream, std::span<float> numbers) { stream.Exponentials(numbers); });
    }
    return place->second;
  }

 private:
  std::string_view challenge_;
  std::map<std::pair<std::string_view, std::string>, std::vector<float>> weights_;
};

/// The parts of a rate: cases or mutants that count in it.
struct Parts {
  std::string_view what = {};
  std::vector<std::string> good = {};
  std::vector<std::string> bad = {};
  double whole = 1;  ///< The value when all are good: 1, or their number where a row counts.
  [[nodiscard]] std::size_t size() const { return good.size() + bad.size(); }
};

/// No parts where all cases are left out: what is not there is not there in any case.
Parts CasesOf(const Criterion& criterion, const CostOnce& cost, const SuiteEvidence& suite) {
  Parts parts{.what = "case", .good = {}, .bad = {}};
  bool is_there = false;
  for (const CaseEvidence& as_ended : suite.cases) {
    if (!IsAbout(criterion, as_ended.tags)) {
      continue;
    }
    const Verdict verdict = cost.VerdictIn(criterion, as_ended);
    std::optional<CaseEvidence> elsewhere;  // A copy costs more than all else here.
    if (verdict != as_ended.verdict) {
      elsewhere = as_ended;
      elsewhere->verdict = verdict;
    }
    const CaseEvidence& one = elsewhere ? *elsewhere : as_ended;
    const bool counts =
        IsAsked(one) && !(criterion.value.function == ValueFunction::kRightRate && IsLeftOut(one));
    if (counts) {
      is_there = is_there || !IsLeftOut(one);
      (one.verdict == Verdict::kAccepted ? parts.good : parts.bad).push_back(one.name);
    }
  }
  return is_there ? parts : Parts();
}

/// Of those that apply; of one home, where the row is of that.
Parts ShareOfMutants(const Criterion& criterion, const ChallengeView& challenge,
                     const Evidence& evidence) {
  Parts parts{.what = "mutant", .good = {}, .bad = {}};
  const std::vector<std::string>& killed = evidence.own_tests.mutants_killed;
  const std::vector<std::string>& arguments = criterion.value.arguments;
  for (const std::string& mutant : arguments.size() > 1
                                       ? ApplicableMutantsOf(arguments[1], challenge, evidence)
                                       : ApplicableMutants(challenge, evidence)) {
    const bool is_killed = std::ranges::find(killed, mutant) != killed.end();
    (is_killed ? parts.good : parts.bad).push_back(mutant);
  }
  return parts;
}

Parts MutantsOf(const Criterion& criterion, const OwnTestsEvidence& tests) {
  Parts parts{.what = "mutant", .good = tests.mutants_killed, .bad = tests.mutants_survived};
  if (criterion.format != ValueFormat::kPercent) {
    parts.whole = static_cast<double>(parts.size());
  }
  return parts;
}

/// What the value of a row is a rate of; nothing where it is none.
std::optional<Parts> PartsOf(const Criterion& criterion, const ChallengeView& challenge,
                             const CostOnce& cost, const Evidence& evidence) {
  const ValueFunction function = criterion.value.function;
  if (function == ValueFunction::kPassRate || function == ValueFunction::kRightRate) {
    return CasesOf(criterion, cost, evidence.suite);
  }
  if (function == ValueFunction::kOwnTests) {
    const std::string& field = criterion.value.arguments.front();
    if (field == "mutants_killed") {
      return MutantsOf(criterion, evidence.own_tests);
    }
    if (field == "mutants_killed_share") {
      return ShareOfMutants(criterion, challenge, evidence);
    }
  }
  return std::nullopt;
}

bool IsOfTimes(ValueFunction function) {
  return function == ValueFunction::kBenchRatio || function == ValueFunction::kBenchShare;
}

/// One cell, whose rows are drawn one after the other.
class CellDrawer {
 public:
  CellDrawer(const ChallengeView& challenge, const Evidence& evidence, const CostOnce& cost,
             const Scorecard& card, SharedWeights& weights)
      : challenge_(challenge), evidence_(evidence), cost_(cost), card_(card), weights_(weights) {}

  /// The scores of a row, one a draw, NaN where it does not count; empty for a row that is exact.
  std::vector<double> Draw(std::size_t row) {
    const Criterion& criterion = challenge_.rubric.criteria[row];
    const CriterionScore& score = card_.criteria[row];
    if (IsOfTimes(criterion.value.function) && score.value.state == State::kNotMeasured) {
      return DrawUntrustedTime(criterion, score.value);
    }
    if (!score.score.has_value() || score.value.state != State::kMeasured) {
      return {};
    }
    std::vector<double> drawn;
    if (score.value.interval.has_value()) {
      drawn = DrawTime(criterion, score.value);
    } else if (const auto parts = PartsOf(criterion, challenge_, cost_, evidence_);
               parts && parts->size() > 0) {
      drawn = DrawRate(criterion, score.value.value, *parts);
    }
    // Of the points of its value a row may have a part.
    const double whole = ScoreOf(criterion, score.value.value).value_or(0);
    const auto part = static_cast<float>(whole > 0 ? *score.score / whole : 1);
    for (double& one : drawn) {
      one = double{static_cast<float>(one) * part};
    }
    return drawn;
  }

 private:
  /// The next grading may measure what noise hid in this one, and the score has then one row more:
  /// so the row counts in half of the draws, with the times as they were taken. All rows of times
  /// of a cell count in the same ones.
  [[nodiscard]] std::vector<double> DrawUntrustedTime(const Criterion& criterion,
                                                      const CriterionValue& value) const {
    const CriterionValue taken = TimesAsTaken(criterion, evidence_.bench, evidence_.suite);
    if (criterion.weight == 0 || criterion.score.empty() ||
        value.note_is == CriterionValue::Note::kNotImplemented || taken.state != State::kMeasured) {
      return {};
    }
    std::vector<double> drawn = DrawTime(criterion, taken);
    const double earned = EarnedShare(criterion, challenge_.rubric, evidence_);
    const auto counts =
        DrawAll<double>({card_.challenge, "times count", card_.model},
                        [](Draws& stream, std::span<double> numbers) { stream.Normals(numbers); });
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      drawn[i] = counts[i] < 0 ? std::numeric_limits<double>::quiet_NaN() : drawn[i] * earned;
    }
    return drawn;
  }

  /// Logs of times are normal, on either side of the estimate as wide as the interval is there.
  /// Rows of the same workloads move together, a share against a ratio.
  [[nodiscard]] std::vector<double> DrawTime(const Criterion& criterion,
                                             const CriterionValue& value) const {
    const RatioEstimate& interval = *value.interval;
    const double slower = criterion.value.function == ValueFunction::kBenchShare ? -1 : 1;
    const double below = std::log(interval.ratio / interval.low) / kNormalQuantile;
    const double above = std::log(interval.high / interval.ratio) / kNormalQuantile;
    const std::string& workloads =
        criterion.value.arguments.empty() ? criterion.id : criterion.value.arguments.front();
    std::vector<double> times =
        DrawAll<double>({card_.challenge, "time", card_.model, workloads},
                        [](Draws& stream, std::span<double> numbers) { stream.Normals(numbers); });
    for (double& one : times) {
      const double z = slower * one;
      one = value.value * ExpOf(z * (z < 0 ? below : above));
    }
    return ScoresOf(criterion, times);
  }

  /// The Bayesian bootstrap (Rubin 1981) with half a good and half a bad part that nobody has seen:
  /// a rate of x in n is drawn from Beta(x + 1/2, n - x + 1/2), and the value moves by as much as
  /// that differs from its mean.
  std::vector<double> DrawRate(const Criterion& criterion, double value, const Parts& parts) {
    const auto unseen = [&](std::string_view which) {
      return DrawAll<float>(
          {card_.challenge, which, card_.model, criterion.id},
          [](Draws& stream, std::span<float> numbers) { stream.HalfGammas(numbers); });
    };
    std::vector<float> good = unseen("unseen good");
    std::vector<float> bad = unseen("unseen bad");
    Add(parts.what, parts.good, good);
    Add(parts.what, parts.bad, bad);
    const double mean =
        (static_cast<double>(parts.good.size()) + 0.5) / (static_cast<double>(parts.size()) + 1);
    std::vector<double> moved(kDraws);
    for (std::size_t i = 0; i < kDraws; ++i) {
      const double rate = good[i] / (good[i] + bad[i]);
      moved[i] = std::clamp(value + parts.whole * (rate - mean), 0.0, parts.whole);
    }
    return ScoresOf(criterion, moved);
  }

  void Add(std::string_view what, const std::vector<std::string>& names, std::vector<float>& sums) {
    for (const std::string& name : names) {
      const std::vector<float>& weights = weights_.Of(what, name);
      for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i] += weights[i];
      }
    }
  }

  const ChallengeView& challenge_;
  const Evidence& evidence_;
  const CostOnce& cost_;
  const Scorecard& card_;
  SharedWeights& weights_;
};

std::vector<DrawnScore> DimensionsOf(const Weighing& weighing, const Weights& weights,
                                     std::span<const DrawnScore> rows) {
  std::vector<DrawnScore> dimensions;
  for (std::size_t dimension = 0; dimension < weights.dimensions.size(); ++dimension) {
    DrawnMean mean;
    for (const std::size_t row : weighing.RowsOf(dimension)) {
      mean.Add(weights.criteria[row], rows[row]);
    }
    dimensions.push_back(std::move(mean).Take());
  }
  return dimensions;
}

DrawnScore OverallOf(const Weights& weights, std::span<const DrawnScore> dimensions,
                     double penalty) {
  DrawnMean mean;
  for (std::size_t dimension = 0; dimension < dimensions.size(); ++dimension) {
    mean.Add(weights.dimensions[dimension], dimensions[dimension]);
  }
  DrawnScore overall = std::move(mean).Take();
  overall.exact =
      std::isnan(overall.exact) ? overall.exact : std::max(0.0, overall.exact - penalty);
  for (double& one : overall.drawn) {
    one = std::max(0.0, one - penalty);
  }
  return overall;
}

/// The rows of one cell.
std::vector<DrawnScore> DrawRows(const Scorecard& card, CellDrawer drawer) {
  std::vector<DrawnScore> rows;
  for (const double score : RowScores(card)) {
    std::vector<double> drawn = drawer.Draw(rows.size());
    rows.push_back({.exact = score, .drawn = std::move(drawn)});
  }
  return rows;
}

/// Writes into the card how sure it is and what it is without authored rows.
CellDraws SumUp(const Weighing& weighing, std::span<const DrawnScore> rows, Scorecard& card) {
  const Weights& all = weighing.weights();
  const std::vector<DrawnScore> dimensions = DimensionsOf(weighing, all, rows);
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    if (card.dimensions[i].score.has_value()) {
      card.dimensions[i].uncertainty = RoundedToTenths(dimensions[i].half_width());
    }
  }
  const DrawnScore overall = OverallOf(all, dimensions, card.penalty);
  card.uncertainty = RoundedToTenths(overall.half_width());

  const Weights& others = weighing.weights(RowsCounted::kWithoutAuthored);
  const DrawnScore unauthored =
      OverallOf(others, DimensionsOf(weighing, others, rows), card.penalty);
  if (std::isnan(unauthored.exact)) {
    return {.overall = overall.draws(), .without_authored = {}};  // Nothing else has a score here.
  }
  card.without_authored = {.score = RoundedToTenths(unauthored.exact),
                           .uncertainty = RoundedToTenths(unauthored.half_width())};
  return {.overall = overall.draws(), .without_authored = unauthored.draws()};
}

/// The sum of so many terms, in sums that do not wait for each other.
template <class Term>
double SumOf(std::size_t count, Term term) {
  constexpr std::size_t kLanesOfSum = 8;
  std::array<double, kLanesOfSum> lanes{};
  for (std::size_t i = 0; i + kLanesOfSum <= count; i += kLanesOfSum) {
    for (std::size_t lane = 0; lane < kLanesOfSum; ++lane) {
      lanes[lane] += term(i + lane);
    }
  }
  for (std::size_t i = count / kLanesOfSum * kLanesOfSum; i < count; ++i) {
    lanes[i % kLanesOfSum] += term(i);
  }
  return std::accumulate(lanes.begin(), lanes.end(), 0.0);
}

template <class Draw>
double HalfWidthOf(std::size_t count, Draw draw) {
  if (count < 2) {
    return 0;
  }
  const double mean = SumOf(count, draw) / static_cast<double>(count);
  const double squares =
      SumOf(count, [&](std::size_t i) { return (draw(i) - mean) * (draw(i) - mean); });
  return kNormalQuantile * std::sqrt(squares / static_cast<double>(count - 1));
}

/// Draws the scores of cells of one challenge, one cell after the other.
class ScoreDrawer {
 public:
  explicit ScoreDrawer(const ChallengeView& challenge)
      : challenge_(challenge), weighing_(challenge.rubric), weights_(challenge.spec.id) {}

  /// Writes into the card what ScoreCell leaves out.
  CellDraws Draw(const Evidence& cell, const CostOnce& cost, Scorecard& card) {
    if (!card.overall.has_value()) {
      return {};
    }
    const std::vector<DrawnScore> rows =
        DrawRows(card, CellDrawer(challenge_, cell, cost, card, weights_));
    return SumUp(weighing_, rows, card);
  }

 private:
  const ChallengeView& challenge_;
  Weighing weighing_;
  SharedWeights weights_;
};

}  // namespace

ScoredCells ScoreCells(const ChallengeView& challenge, std::span<const Evidence* const> cells) {
  ScoreDrawer drawer(challenge);
  ScoredCells scored;
  for (const Evidence* const cell : cells) {
    const CostOnce cost(challenge, *cell);
    scored.cards.push_back(ScoreCell(challenge, *cell, cost));
    scored.draws.push_back(drawer.Draw(*cell, cost, scored.cards.back()));
  }
  return scored;
}

Scorecard ScoreWithUncertainty(const ChallengeView& challenge, const Evidence& cell) {
  const Evidence* const cells[] = {&cell};
  return std::move(ScoreCells(challenge, cells).cards.front());
}

double HalfWidthOfDifference(std::span<const float> a, std::span<const float> b) {
  if (a.empty()) {
    std::swap(a, b);
  }
  return b.empty()
             ? HalfWidthOf(a.size(), [a](std::size_t i) { return double{a[i]}; })
             : HalfWidthOf(a.size(), [a, b](std::size_t i) { return double{a[i]} - double{b[i]}; });
}

double SquaresWithin(double half_width, std::size_t draws) {
  const double deviation = half_width / kNormalQuantile;
  return draws < 2 ? 0 : deviation * deviation * static_cast<double>(draws - 1);
}

double HalfWidth(std::span<const float> draws) { return HalfWidthOfDifference(draws, {}); }

}  // namespace assay
