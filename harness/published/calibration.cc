// SPDX-License-Identifier: Apache-2.0
#include "published/calibration.h"

#include <fmt/format.h>

#include <algorithm>

#include "score/agreement.h"
#include "score/draws.h"
#include "spec/yaml.h"

namespace assay {
namespace {

RowEdge MajorityOf(const std::vector<MeasuredCriterion>& criteria, CountedCriteria counted) {
  int edges = 0;
  int balance = 0;
  for (const MeasuredCriterion& one : criteria) {
    if (counted == CountedCriteria::kUnauthored && IsAuthored(one.criterion->kind)) {
      continue;
    }
    edges += HasEdge(one);
    balance += one.edge == RowEdge::kA ? 1 : one.edge == RowEdge::kB ? -1 : 0;
  }
  if (edges == 0) {
    return RowEdge::kNone;
  }
  return balance > 0 ? RowEdge::kA : balance < 0 ? RowEdge::kB : RowEdge::kTie;
}

std::vector<MeasuredCriterion> CriteriaOf(const PublishedRow& row, const Matchup& matchup,
                                          const Rubric& rubric) {
  std::vector<MeasuredCriterion> criteria;
  for (const std::string& id : row.mapping.measured_by) {
    const auto measured = std::ranges::find(matchup.rows, id, &MatchupRow::criterion);
    const Criterion* const criterion = FindCriterion(rubric, id);
    if (measured == matchup.rows.end() || criterion == nullptr) {
      continue;  // CheckStudy says so.
    }
    criteria.push_back(
        {.criterion = criterion,
         .edge = measured->edge,
         .a = measured->compared ? measured->compared->a : FindCriterionScore(matchup.a, id)->value,
         .b = measured->compared ? measured->compared->b
                                 : FindCriterionScore(matchup.b, id)->value});
  }
  return criteria;
}

CalibratedContest CalibrateContest(const PublishedStudy& study, const PublishedMatchup& matchup,
                                   const PublishedContest& contest, const Board& board) {
  CalibratedContest calibrated;
  calibrated.matchup = &matchup;
  calibrated.contest = &contest;
  const auto challenge =
      std::ranges::find_if(board.challenges, [&](const ChallengeBoard& candidate) {
        return candidate.view->spec.id == contest.challenge;
      });
  if (challenge != board.challenges.end()) {
    calibrated.measured = FindMatchup(*challenge, matchup.a, matchup.b);
  }
  for (const PublishedRow& row : contest.rows) {
    CalibratedRow one;
    one.row = &row;
    if (calibrated.measured) {
      one.criteria = CriteriaOf(row, *calibrated.measured, challenge->view->rubric);
    }
    one.measured = MajorityOf(one.criteria, CountedCriteria::kAll);
    one.measured_unauthored = MajorityOf(one.criteria, CountedCriteria::kUnauthored);
    one.why = FindDisagreement(study, matchup, contest.challenge, row.row);
    calibrated.rows.push_back(std::move(one));
  }
  calibrated.why = FindDisagreement(study, matchup, contest.challenge, "");
  return calibrated;
}

/// 0 for the one that the study has ahead, 1 for a tie, 2 against it.
std::size_t CategoryOf(RowEdge edge, RowEdge ahead) {
  if (edge == RowEdge::kTie) {
    return 1;
  }
  const RowEdge first = ahead == RowEdge::kB ? RowEdge::kB : RowEdge::kA;
  return edge == first ? 0 : 2;
}

/// The two edges of a row, by CategoryOf.
struct Categories {
  std::size_t published = 0;
  std::size_t measured = 0;
};
using EdgeCounts = decltype(EdgeAgreement::table);

EdgeCounts TableOf(const std::vector<Categories>& rows) {
  EdgeCounts table = {};
  for (const Categories& row : rows) {
    ++table[row.published][row.measured];
  }
  return table;
}

std::optional<double> KappaOf(const EdgeCounts& counts, KappaWeights weights) {
  std::vector<std::vector<double>> table;
  table.reserve(counts.size());
  for (const auto& row : counts) {
    table.emplace_back(row.begin(), row.end());
  }
  return CohenKappa(table, weights);
}

std::optional<DrawnInterval> DrawKappa(const std::vector<Categories>& rows) {
  constexpr std::size_t kDraws = 2000;
  constexpr std::size_t kOutside = kDraws / 40;  // On either side.
  Draws random(1, {"kappa of published rows"});
  std::vector<double> kappas;
  std::vector<Categories> drawn(rows.size());
  for (std::size_t draw = 0; draw < kDraws; ++draw) {
    std::ranges::generate(drawn, [&] {
      return rows[static_cast<std::size_t>(random.Uniform() * static_cast<double>(rows.size()))];
    });
    if (const auto kappa = KappaOf(TableOf(drawn), KappaWeights::kNone)) {
      kappas.push_back(*kappa);
    }
  }
  if (kappas.size() < kDraws - kDraws / 20) {
    return std::nullopt;
  }
  std::ranges::sort(kappas);
  return DrawnInterval{.low = kappas[kOutside], .high = kappas[kappas.size() - 1 - kOutside]};
}

}  // namespace

bool HasEdge(const MeasuredCriterion& one) {
  return one.edge == RowEdge::kA || one.edge == RowEdge::kB || one.edge == RowEdge::kTie;
}

bool Disagrees(const CalibratedRow& row) {
  return row.measured != RowEdge::kNone && row.measured != row.row->edge;
}

bool Disagrees(const CalibratedContest& contest) {
  if (!contest.measured) {
    return false;
  }
  const RowEdge winner = contest.measured->winner;
  const bool is_decided =
      winner == RowEdge::kA || winner == RowEdge::kB || winner == RowEdge::kSplit;
  return is_decided && winner != contest.contest->winner;
}

bool WantsCause(const CalibratedContest& contest) {
  return Disagrees(contest) && contest.measured->winner != RowEdge::kSplit;
}

std::vector<CalibratedContest> Calibrate(const PublishedStudy& study, const Board& board) {
  std::vector<CalibratedContest> contests;
  for (const PublishedMatchup& matchup : study.matchups) {
    for (const PublishedContest& contest : matchup.contests) {
      contests.push_back(CalibrateContest(study, matchup, contest, board));
    }
  }
  return contests;
}

EdgeAgreement CountAgreement(const std::vector<CalibratedContest>& contests,
                             CountedCriteria counted, const IsCounted& includes) {
  EdgeAgreement agreement;
  std::vector<Categories> rows;
  for (const CalibratedContest& contest : contests) {
    for (const CalibratedRow& row : contest.rows) {
      if (!includes(contest, row)) {
        continue;
      }
      const RowEdge measured =
          counted == CountedCriteria::kAll ? row.measured : row.measured_unauthored;
      ++agreement.published;
      if (measured == RowEdge::kNone) {
        continue;
      }
      agreement.same += measured == row.row->edge;
      rows.push_back({.published = CategoryOf(row.row->edge, contest.matchup->winner),
                      .measured = CategoryOf(measured, contest.matchup->winner)});
    }
  }
  agreement.compared = static_cast<int>(rows.size());
  agreement.table = TableOf(rows);
  agreement.kappa = KappaOf(agreement.table, KappaWeights::kNone);
  agreement.weighted_kappa = KappaOf(agreement.table, KappaWeights::kLinear);
  if (agreement.kappa) {
    agreement.kappa_interval = DrawKappa(rows);
  }
  return agreement;
}

Errors CheckCalibration(const PublishedStudy& study, const Board& board) {
  FileFaults faults(study.file.string());
  const auto check = [&](const Disagreement* why, int line, const std::string& what,
                         std::string_view differs) {
    if (why == nullptr) {
      faults.Add(line,
                 fmt::format("{}: the measured {} is another, and disagreements does not say why",
                             what, differs),
                 "add it there with its cause");
    } else if (why->cause == DisagreementCause::kUnmeasured) {
      faults.Add(why->line,
                 fmt::format("{}: has a measured {}, and is said to be unmeasured", what, differs),
                 "write the cause of the disagreement");
    }
  };
  for (const CalibratedContest& contest : Calibrate(study, board)) {
    const std::string of = fmt::format("{} in {} vs {}", contest.contest->challenge,
                                       contest.matchup->a, contest.matchup->b);
    if (WantsCause(contest)) {
      check(contest.why, contest.contest->line, of, "winner");
    }
    for (const CalibratedRow& row : contest.rows) {
      if (Disagrees(row)) {
        check(row.why, row.row->line, fmt::format("row \"{}\" of {}", row.row->row, of), "edge");
      }
    }
  }
  return faults.errors();
}

}  // namespace assay
