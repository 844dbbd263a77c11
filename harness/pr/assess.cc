// SPDX-License-Identifier: Apache-2.0
#include "pr/assess.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "report/board.h"
#include "score/diagnosis.h"
#include "score/format.h"
#include "score/matchup.h"
#include "score/time_rows.h"

namespace assay {
namespace {

Standing StandingAmong(int rank, const std::vector<std::optional<int>>& ranks) {
  const auto same = std::ranges::count(ranks, std::optional(rank));
  return {.best = rank,
          .worst = rank + static_cast<int>(same) - 1,
          .entrants = static_cast<int>(std::ranges::count_if(
              ranks, [](const std::optional<int>& one) { return one.has_value(); }))};
}

struct CellPlace {
  std::optional<double> score;
  std::optional<Standing> standing;
};

CellPlace FindCell(const Board& board, const CellId& cell) {
  for (const ChallengeBoard& challenge : board.challenges) {
    for (std::size_t i = 0; i < challenge.cells.size(); ++i) {
      if (challenge.cells[i]->challenge != cell.challenge ||
          challenge.cells[i]->model != cell.model) {
        continue;
      }
      CellPlace place{.score = challenge.cards[i].overall, .standing = std::nullopt};
      if (challenge.ranks[i]) {
        place.standing = StandingAmong(*challenge.ranks[i], challenge.ranks);
      }
      return place;
    }
  }
  return {};
}

std::optional<Standing> FindModelStanding(const Board& board, const std::string& model) {
  std::vector<std::optional<int>> ranks;
  std::optional<int> own;
  for (const ModelStanding& standing : board.standings) {
    ranks.push_back(standing.rank);
    if (standing.model == model) {
      own = standing.rank;
    }
  }
  return own ? std::optional(StandingAmong(*own, ranks)) : std::nullopt;
}

std::set<std::string> FailingCases(const Evidence& evidence) {
  std::set<std::string> names;
  for (const CaseEvidence& one : evidence.suite.cases) {
    if (IsGatingFailure(one)) {
      names.insert(one.name);
    }
  }
  return names;
}

std::set<std::string> AcceptedCases(const Evidence& evidence) {
  std::set<std::string> names;
  for (const CaseEvidence& one : evidence.suite.cases) {
    if (one.gates && one.verdict == Verdict::kAccepted) {
      names.insert(one.name);
    }
  }
  return names;
}

// Those of the base that passed and do not pass now, be it that they are not run any more.
std::size_t LostCases(const Evidence& before, const Evidence& after) {
  const std::set<std::string> then = AcceptedCases(before);
  const std::set<std::string> now = AcceptedCases(after);
  return static_cast<std::size_t>(
      std::ranges::count_if(then, [&](const std::string& name) { return !now.contains(name); }));
}

std::vector<std::string> InBoth(const std::set<std::string>& a, const std::set<std::string>& b) {
  std::vector<std::string> both;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  return both;
}

// What of the cell differs from the base's, row by row and case by case.
void CompareWithBase(const ChallengeView& view, AssessedCell& assessed) {
  const Evidence& before = *assessed.cell->before;
  const Evidence& after = *assessed.cell->after;
  assessed.newly_failing = InBoth(AcceptedCases(before), FailingCases(after));
  assessed.newly_passing = InBoth(FailingCases(before), AcceptedCases(after));
  assessed.why_uncompared = WhyTimesDoNotCompare(before, after);
  const Matchup matchup = Compare(view, before, after);
  for (std::size_t i = 0; i < matchup.rows.size(); ++i) {
    const Criterion& criterion = view.rubric.criteria[i];
    const RowEdge edge = matchup.rows[i].edge;
    const bool is_time = criterion.kind == CriterionKind::kBench;
    if (edge == RowEdge::kA || edge == RowEdge::kB) {
      assessed.moved.push_back({.title = criterion.title,
                                .before = FormatValue(criterion, matchup.a.criteria[i].value),
                                .after = FormatValue(criterion, matchup.b.criteria[i].value),
                                .is_better = edge == RowEdge::kB});
    } else if (is_time && edge == RowEdge::kUnresolved && !assessed.why_uncompared.empty()) {
      ++assessed.uncompared_times;
    }
  }
}

// The first row of times that is worse than the base's beyond chance.
std::string ResolvedLoss(const ChallengeView& view, const AssessedCell& assessed) {
  const Matchup matchup = Compare(view, *assessed.cell->before, *assessed.cell->after);
  for (std::size_t i = 0; i < matchup.rows.size(); ++i) {
    if (matchup.rows[i].edge == RowEdge::kA &&
        view.rubric.criteria[i].kind == CriterionKind::kBench) {
      return fmt::format("is slower than the base's in \"{}\"", view.rubric.criteria[i].title);
    }
  }
  return "";
}

std::string CorrectnessFailure(const AssessedCell& assessed) {
  const ChangedCell& cell = *assessed.cell;
  if (cell.change == CellChange::kRemoved || assessed.after == Verdict::kAccepted ||
      assessed.after == Verdict::kJudgeError) {
    return "";
  }
  std::string now = cell.faults.empty() && assessed.after
                        ? fmt::format("is {}", ToString(*assessed.after))
                        : "cannot be graded (its files are at fault)";
  if (assessed.before == Verdict::kAccepted) {
    return now + ", and was accepted";
  }
  const bool is_known = assessed.before && assessed.before != Verdict::kJudgeError;
  if (!is_known || !cell.faults.empty() || !cell.after) {
    return now;  // Without the base's evidence it is judged as a new one.
  }
  const std::size_t lost = LostCases(*cell.before, *cell.after);
  if (lost == 0) {
    return "";
  }
  return lost == 1 ? now + ", and 1 case that passed no longer does"
                   : fmt::format("{}, and {} cases that passed no longer do", now, lost);
}

AssessedCell AssessCell(const ChangedCell& cell, const Challenges& challenges, const Board& before,
                        const Board& after, ChangeGate gate) {
  AssessedCell assessed;
  assessed.cell = &cell;
  assessed.title = cell.cell.challenge;
  const auto view = challenges.find(cell.cell.challenge);
  const CellPlace then = FindCell(before, cell.cell);
  const CellPlace now = FindCell(after, cell.cell);
  assessed.score_before = then.score;
  assessed.standing_before = then.standing;
  if (cell.before) {
    assessed.before = cell.before->verdict;
  }
  if (cell.after) {
    assessed.after = cell.after->verdict;
    assessed.score_after = now.score;
    assessed.standing_after = now.standing;
  }
  if (view != challenges.end()) {
    assessed.title = view->second.spec.title;
    if (cell.before && cell.after) {
      CompareWithBase(view->second, assessed);
    }
  }
  if (gate != ChangeGate::kNone) {
    assessed.gate_failure = CorrectnessFailure(assessed);
  }
  if (gate == ChangeGate::kPerformance && assessed.gate_failure.empty() && cell.before &&
      cell.after && view != challenges.end()) {
    assessed.gate_failure = ResolvedLoss(view->second, assessed);
  }
  return assessed;
}

void FindStanding(const Change& change, const Board& before, const Board& after,
                  Assessment& assessment) {
  if (assessment.cells.size() == 1) {
    assessment.standing_before = assessment.cells.front().standing_before;
    assessment.standing_after = assessment.cells.front().standing_after;
    return;
  }
  std::set<std::string> models;
  for (const ChangedCell& cell : change.cells) {
    models.insert(cell.cell.model);
  }
  if (models.size() == 1) {
    assessment.standing_before = FindModelStanding(before, *models.begin());
    assessment.standing_after = FindModelStanding(after, *models.begin());
  }
}

}  // namespace

Assessment Assess(const Change& change, const Challenges& challenges,
                  const std::vector<Evidence>& before, const std::vector<Evidence>& after,
                  ChangeGate gate) {
  const Board board_before = MakeRanking(before, challenges);
  const Board board_after = MakeRanking(after, challenges);
  Assessment assessment;
  std::vector<AssessedCell> held;
  for (const ChangedCell& cell : change.cells) {
    // What the base's judge says of what the change does not touch is no fault of the change.
    const bool is_bases = cell.change == CellChange::kJudged && change.judge == JudgeOf::kBase;
    AssessedCell assessed = AssessCell(cell, challenges, board_before, board_after,
                                       is_bases ? ChangeGate::kNone : gate);
    ++(cell.change == CellChange::kRemoved ? assessment.removed : assessment.graded);
    assessment.accepted += assessed.after == Verdict::kAccepted ? 1 : 0;
    assessment.judge_errors += assessed.after == Verdict::kJudgeError ? 1 : 0;
    (assessed.gate_failure.empty() ? held : assessment.cells).push_back(std::move(assessed));
  }
  assessment.gate_holds = assessment.cells.empty() && change.refusals.empty();
  std::ranges::move(held, std::back_inserter(assessment.cells));
  FindStanding(change, board_before, board_after, assessment);
  return assessment;
}

std::string StandingText(const std::optional<Standing>& before,
                         const std::optional<Standing>& after) {
  if (!after) {
    return "—";
  }
  std::string text = after->best == after->worst
                         ? fmt::format("{}", after->best)
                         : fmt::format("{} to {}", after->best, after->worst);
  text += fmt::format(" of {}", after->entrants);
  if (!before) {
    return text + ", new";
  }
  return before->best == after->best ? text
                                     : text + fmt::format(", {:+}", before->best - after->best);
}

std::string VerdictLine(const Assessment& assessment) {
  std::string line = assessment.graded == 0
                         ? std::string("nothing to grade")
                         : fmt::format("accepted {} of {}", assessment.accepted, assessment.graded);
  if (assessment.judge_errors > 0) {
    line += fmt::format(", {} not graded by our fault", assessment.judge_errors);
  }
  if (assessment.removed > 0) {
    line += fmt::format(", {} removed", assessment.removed);
  }
  if (assessment.standing_after) {
    line += ", rank " + StandingText(assessment.standing_before, assessment.standing_after);
  }
  return line;
}

}  // namespace assay
