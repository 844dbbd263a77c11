// SPDX-License-Identifier: Apache-2.0
#include "published/calibration_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "published/calibration.h"
#include "published/calibration_scores_page.h"
#include "published/calibration_statements_page.h"
#include "published/page_parts.h"
#include "report/matchup_parts.h"
#include "report/words.h"
#include "score/format.h"
#include "score/matchup_total.h"

namespace assay {
namespace {

Markdown Count(int count) { return Markdown::Text(fmt::format("{}", count)); }

Markdown Kappa(const std::optional<double>& kappa) {
  return kappa ? Markdown::Text(fmt::format("{:.2f}", *kappa)) : Markdown("—");
}

Markdown KappaWithInterval(const EdgeAgreement& counts) {
  const auto& interval = counts.kappa_interval;
  return interval ? Markdown::Text(fmt::format("{:.2f} [{:.2f}, {:.2f}]", *counts.kappa,
                                               interval->low, interval->high))
                  : Kappa(counts.kappa);
}

/// Whether criteria of the kind have a say in the measured edge of the row.
bool HasEdgeOfKind(const CalibratedRow& row, CriterionKind kind) {
  return std::ranges::any_of(row.criteria, [&](const MeasuredCriterion& one) {
    return one.criterion->kind == kind && HasEdge(one);
  });
}

class CalibrationSection {
 public:
  CalibrationSection(const PublishedStudy& study, const Board& board)
      : study_(study), board_(board), contests_(Calibrate(study, board)) {}

  [[nodiscard]] Markdown Render() const {
    return Head() + Causes() + Agreement() + EdgeTable() + AgreementByPart() + Winners() +
           CalibrationScores(study_, board_) + Rows() + CalibrationStatements(study_, board_) +
           AuthoredNote(AuthoredRows::kMarked);
  }

 private:
  [[nodiscard]] Markdown Head() const {
    return "# Measured beside published: " + Markdown::Text(study_.id) + "\n\n" + Conclusion() +
           "The tables of the [published study](published.md) (" + Markdown::Text(study_.title) +
           "), row by row, beside what Assay measures on the submissions that stand here for its "
           "models (reconstructions, †: written from the published description, with its features "
           "and its bugs). Measured scores and edges are never fitted to published ones: anchors "
           "and rules are absolute, and a row that disagrees is shown with its cause.\n\n"
           "The measured edge of a row is that of its criteria: each that has an edge or a tie "
           "counts once, the side with more of them has the row, as many on both sides is a tie. A "
           "row whose criteria have no edge is not compared.\n\n";
  }

  /// `**71 of 85 compared rows have the published edge**, and 60 of the 61 in which …`
  [[nodiscard]] Markdown Conclusion() const {
    const EdgeAgreement rows = CountAgreement(contests_, CountedCriteria::kAll);
    if (rows.compared == 0) {
      return "**Nothing is compared**: no model of the study has evidence here.\n\n";
    }
    const int same_winner = rows.table[0][0] + rows.table[2][2];
    const int both_win = same_winner + rows.table[0][2] + rows.table[2][0];
    const auto same = std::ranges::count_if(contests_, [](const CalibratedContest& one) {
      return one.measured && one.measured->winner == one.contest->winner;
    });
    return Markdown::Bold(Markdown::Text(fmt::format(
               "{} of {} compared rows have the published edge", rows.same, rows.compared))) +
           Markdown::Text(
               fmt::format(", and {} of the {} in which both name a winner. Kappa, the agreement "
                           "beyond chance, is {}. The winner of two models in one challenge is "
                           "the published one {} times of {}.",
                           same_winner, both_win,
                           rows.kappa ? fmt::format("{:.2f}", *rows.kappa) : "not defined", same,
                           contests_.size())) +
           "\n\n";
  }

  [[nodiscard]] Markdown Pair(const PublishedMatchup& matchup) const {
    return ModelIn(study_, matchup.a) + " vs " + ModelIn(study_, matchup.b);
  }

  void AddAgreement(MarkdownTable& table, const Markdown& part, const EdgeAgreement& counts) const {
    const double share =
        counts.compared == 0 ? 0 : static_cast<double>(counts.same) / counts.compared;
    table.AddRow({part,
                  counts.compared == 0
                      ? Markdown("—")
                      : Markdown::Text(fmt::format("{} of {} (", counts.same, counts.compared)) +
                            PercentOf(share) + ")",
                  KappaWithInterval(counts), Kappa(counts.weighted_kappa),
                  Count(counts.published - counts.compared)});
  }

  [[nodiscard]] static MarkdownTable AgreementTable() {
    return MarkdownTable({{.title = "Rows"},
                          {.title = "Same edge", .align = Align::kRight},
                          {.title = "Kappa", .align = Align::kRight},
                          {.title = "Weighted kappa", .align = Align::kRight},
                          {.title = "Not compared", .align = Align::kRight}});
  }

  [[nodiscard]] Markdown Agreement() const {
    MarkdownTable table = AgreementTable();
    AddAgreement(table, "**All**", CountAgreement(contests_, CountedCriteria::kAll));
    AddAgreement(table, "**All, without authored criteria**",
                 CountAgreement(contests_, CountedCriteria::kUnauthored));
    return "## Agreement\n\n" + table.Render() +
           "\nKappa is Cohen's, over the three edges below: 1 where all rows have the same edge, 0 "
           "where as many have as by chance; with linear weights a tie lies half way between the "
           "two sides. In brackets what it is in 95 of 100 draws of as many rows. Authored "
           "criteria measure what this project wrote for a reconstruction: answers, claims, own "
           "tests, and what reviewers say.\n\n";
  }

  [[nodiscard]] Markdown AgreementByPart() const {
    MarkdownTable table = AgreementTable();
    for (const StudyNames& challenge : study_.challenges) {
      const auto of_challenge = [&](const CalibratedContest& one, const CalibratedRow& /*row*/) {
        return one.contest->challenge == challenge.id;
      };
      AddBoth(table, ChallengeIn(study_, challenge.id), of_challenge);
    }
    for (const PublishedMatchup& matchup : study_.matchups) {
      const auto of_pair = [&](const CalibratedContest& one, const CalibratedRow& /*row*/) {
        return one.matchup == &matchup;
      };
      AddBoth(table, Pair(matchup), of_pair);
    }
    AddKinds(table);
    return Markdown::Details("By challenge, by pair of models, by kind of criteria",
                             table.Render() +
                                 "\nThe kind of a criterion says where its value is from "
                                 "([rubrics](../harness/score/README.md)). A row counts for each "
                                 "kind of criteria that has a say in its edge.\n") +
           "\n";
  }

  void AddBoth(MarkdownTable& table, const Markdown& part, const IsCounted& includes) const {
    AddAgreement(table, part, CountAgreement(contests_, CountedCriteria::kAll, includes));
    AddAgreement(table, part + ", without authored",
                 CountAgreement(contests_, CountedCriteria::kUnauthored, includes));
  }

  void AddKinds(MarkdownTable& table) const {
    for (const CriterionKind kind :
         {CriterionKind::kTest, CriterionKind::kBench, CriterionKind::kGpu, CriterionKind::kBuild,
          CriterionKind::kStatic, CriterionKind::kOwnTests, CriterionKind::kClaim,
          CriterionKind::kAnswer, CriterionKind::kReview}) {
      const EdgeAgreement counts =
          CountAgreement(contests_, CountedCriteria::kAll,
                         [&](const CalibratedContest&, const CalibratedRow& row) {
                           return HasEdgeOfKind(row, kind);
                         });
      if (counts.compared > 0) {
        AddAgreement(table, "Kind " + Markdown::Code(ToString(kind)), counts);
      }
    }
  }

  [[nodiscard]] Markdown EdgeTable() const {
    const EdgeAgreement counts = CountAgreement(contests_, CountedCriteria::kAll);
    MarkdownTable table({{.title = "Published edge"},
                         {.title = "Measured: ahead", .align = Align::kRight},
                         {.title = "Tie", .align = Align::kRight},
                         {.title = "Against", .align = Align::kRight}});
    const std::array<Markdown, 3> titles = {"Ahead", "Tie", "Against"};
    for (std::size_t i = 0; i < titles.size(); ++i) {
      table.AddRow({titles[i], Count(counts.table[i][0]), Count(counts.table[i][1]),
                    Count(counts.table[i][2])});
    }
    return "### Edges\n\nOf all compared rows: for the model that the study has ahead in the "
           "matchup, tie, or against it.\n\n" +
           table.Render() + "\n";
  }

  /// The rows for which `is_listed` holds, a line for each contest that has any, below a line that
  /// says what they are and how many; nothing for none.
  template <typename Predicate>
  [[nodiscard]] Markdown ListOf(const Markdown& what, const Markdown& meaning,
                                const Predicate& is_listed) const {
    Markdown lines;
    std::size_t rows = 0;
    for (const CalibratedContest& contest : contests_) {
      std::vector<Markdown> titles;
      for (const CalibratedRow& row : contest.rows) {
        if (is_listed(row)) {
          titles.push_back(Markdown::Text(row.row->row));
        }
      }
      rows += titles.size();
      if (!titles.empty()) {
        lines += "  - " + Pair(*contest.matchup) + ", " +
                 ChallengeIn(study_, contest.contest->challenge) + ": " +
                 Markdown::Join(titles, "; ") + "\n";
      }
    }
    return rows == 0 ? Markdown()
                     : "- **" + what + "**, " + Markdown::Text(CountOf(rows, "row")) + ": " +
                           meaning + "\n" + lines;
  }

  [[nodiscard]] Markdown Causes() const {
    const auto has_cause = [](DisagreementCause cause) {
      return [cause](const CalibratedRow& row) {
        return Disagrees(row) && row.why != nullptr && row.why->cause == cause;
      };
    };
    const Markdown list =
        ListOf("no cause given", "it is missing in the study's file.",
               [](const CalibratedRow& row) { return Disagrees(row) && row.why == nullptr; }) +
        ListOf("metric", "what is measured is not what the reader looked at.",
               has_cause(DisagreementCause::kMetric)) +
        ListOf("reconstruction", "what is graded differs from what was read.",
               has_cause(DisagreementCause::kReconstruction)) +
        ListOf("study", "the published edge does not follow from what the study says elsewhere.",
               has_cause(DisagreementCause::kStudy)) +
        ListOf("no measured edge", "not compared, since no criterion of the row has an edge.",
               [](const CalibratedRow& row) { return row.measured == RowEdge::kNone; });
    return list.empty() ? list
                        : "## Why rows disagree\n\n" + list +
                              "\nWhat is said of each, and for `metric` what would have to be "
                              "measured and why it is not: below its table in [Row by "
                              "row](#row-by-row).\n\n";
  }

  [[nodiscard]] Markdown MeasuredWinner(const CalibratedContest& contest) const {
    if (!contest.measured) {
      return "—";
    }
    const Matchup& measured = *contest.measured;
    if (measured.winner == RowEdge::kUnresolved || measured.winner == RowEdge::kNone) {
      return "—";
    }
    return EdgeIn(study_, measured.winner, contest.matchup->a, contest.matchup->b) +
           Markdown::Text(
               fmt::format(" (+{:.1f} ± {:.1f})", measured.margin, measured.margin_uncertainty));
  }

  /// `3-0` in the order of the matchup; nothing while a contest of it has no winner.
  [[nodiscard]] std::optional<ScorePair> MeasuredPoints(const PublishedMatchup& matchup) const {
    std::vector<Matchup> measured;
    for (const CalibratedContest& contest : contests_) {
      if (contest.matchup == &matchup) {
        measured.push_back(contest.measured.value_or(Matchup()));
      }
    }
    const MatchupTotal total = TotalOf(measured);
    return total.undecided > 0 ? std::nullopt
                               : std::optional(ScorePair{.a = total.points_a, .b = total.points_b});
  }

  [[nodiscard]] Markdown Winners() const {
    MarkdownTable table({{.title = "Matchup"},
                         {.title = "Challenge"},
                         {.title = "Published winner"},
                         {.title = "Measured winner"},
                         {.title = "Same"}});
    for (const PublishedMatchup& matchup : study_.matchups) {
      for (const CalibratedContest& contest : contests_) {
        if (contest.matchup == &matchup) {
          const bool same = contest.measured && contest.measured->winner == contest.contest->winner;
          table.AddRow({Pair(matchup), ChallengeIn(study_, contest.contest->challenge),
                        EdgeIn(study_, contest.contest->winner, matchup.a, matchup.b),
                        MeasuredWinner(contest), same ? Markdown("yes") : Markdown("no")});
        }
      }
      const auto points = MeasuredPoints(matchup);
      const auto text = [](const ScorePair& pair) { return Figure(pair.a) + "-" + Figure(pair.b); };
      const bool same = points && points->a == matchup.points.a && points->b == matchup.points.b;
      table.AddRow({Markdown::Bold(Pair(matchup)), "**Points**",
                    Markdown::Bold(text(matchup.points)),
                    points ? Markdown::Bold(text(*points)) : Markdown("—"),
                    same ? Markdown("yes") : Markdown("no")});
    }
    return "## Winners\n\n" + table.Render() + "\n" + WhyOtherWinners() + Remarks();
  }

  /// What the study says of a matchup as a whole, beside who wins it here.
  [[nodiscard]] Markdown Remarks() const {
    Markdown list;
    for (const PublishedMatchup& matchup : study_.matchups) {
      const Markdown said = Sentences({matchup.introduction, matchup.remark});
      list += said.empty() ? said
                           : "- " + Pair(matchup) + ": " + said +
                                 MeasuredTotal(board_, matchup.a, matchup.b);
    }
    return list.empty()
               ? list
               : "What the study says of two models over all challenges:\n\n" + list + "\n";
  }

  /// Why the study has that winner, and why the measured one is.
  [[nodiscard]] Markdown WinnersOf(const CalibratedContest& contest) const {
    const PublishedMatchup& matchup = *contest.matchup;
    const PublishedContest& published = *contest.contest;
    const Markdown winner =
        published.winner == RowEdge::kSplit
            ? Markdown("split")
            : ModelIn(study_, published.winner == RowEdge::kA ? matchup.a : matchup.b);
    Markdown list = "- Published: " + Markdown::Bold("Winner: " + winner) + " (" +
                    Markdown::Text(published.reason) + ")\n";
    if (!published.introduction.empty()) {
      list += "  - " + Markdown::Text(published.introduction) + "\n";
    }
    for (const std::string& argument : published.arguments) {
      list += "  - " + Markdown::Text(argument) + "\n";
    }
    for (const Sides& sides : SidesOf(board_, matchup.a, matchup.b)) {
      if (sides.challenge->view->spec.id == published.challenge) {
        list += "- Measured: " + WinnerLine(sides);
      }
    }
    return list + "\n";
  }

  /// Points of a matchup follow from the winners of its challenges.
  [[nodiscard]] Markdown WhyOtherWinners() const {
    Markdown differences;
    for (const CalibratedContest& contest : contests_) {
      if (Disagrees(contest)) {
        differences += "- " +
                       Markdown::Bold(Pair(*contest.matchup) + ", " +
                                      ChallengeIn(study_, contest.contest->challenge)) +
                       ": " +
                       (contest.why != nullptr || WantsCause(contest)
                            ? Cause(contest.why)
                            : Markdown("split, since the margin is inside its uncertainty")) +
                       "\n";
      }
    }
    return differences.empty() ? differences
                               : "Not the same, and the points with it:\n\n" + differences + "\n";
  }

  /// `Cache items: 3 tensors / 12 tensors`, a line each.
  [[nodiscard]] static Markdown MeasuredCell(const CalibratedRow& row) {
    std::vector<Markdown> values;
    values.reserve(row.criteria.size());
    for (const MeasuredCriterion& one : row.criteria) {
      values.push_back(TitleOf(*one.criterion, AuthoredRows::kMarked) + ": " +
                       ShortValue(*one.criterion, one.a) + " / " +
                       ShortValue(*one.criterion, one.b));
    }
    return values.empty() ? Markdown("—") : Markdown::Join(values, "<br>");
  }

  /// `metric: what differs. What would have to be measured: …`
  [[nodiscard]] static Markdown Cause(const Disagreement* why) {
    if (why == nullptr) {
      return "**no cause given**";
    }
    return Markdown::Text(ToString(why->cause)) + ": " + Markdown::Text(why->text) +
           (why->instead.empty()
                ? Markdown()
                : " What would have to be measured: " + Markdown::Text(why->instead));
  }

  /// Why the measured edge is another, or there is none; empty where nothing is to be said.
  [[nodiscard]] static Markdown WhyNotTheSame(const CalibratedRow& row) {
    const bool explains = row.measured == RowEdge::kNone || Disagrees(row);
    if (Disagrees(row) || (row.why != nullptr && explains)) {
      return Cause(row.why);
    }
    return Markdown::Text(row.row->mapping.unmeasured);
  }

  [[nodiscard]] Markdown RowsOf(const CalibratedContest& contest) const {
    const PublishedMatchup& matchup = *contest.matchup;
    MarkdownTable table({{.title = "Criteria"},
                         {.title = ModelIn(study_, matchup.a)},
                         {.title = ModelIn(study_, matchup.b)},
                         {.title = "Edge"},
                         {.title = "Measured"},
                         {.title = "Measured edge"}});
    Markdown differences;
    for (const CalibratedRow& row : contest.rows) {
      table.AddRow({Markdown::Text(row.row->row), Markdown::Text(row.row->a),
                    Markdown::Text(row.row->b), EdgeIn(study_, row.row->edge, matchup.a, matchup.b),
                    MeasuredCell(row), EdgeIn(study_, row.measured, matchup.a, matchup.b)});
      if (const Markdown why = WhyNotTheSame(row); !why.empty()) {
        differences += "- " + Markdown::Bold(Markdown::Text(row.row->row)) + ": " + why + "\n";
      }
    }
    return "### " + Pair(matchup) + ": " + ChallengeIn(study_, contest.contest->challenge) +
           "\n\n" + table.Render() + "\n" + WinnersOf(contest) +
           (differences.empty() ? Markdown() : "Not the same:\n\n" + differences + "\n");
  }

  [[nodiscard]] Markdown Rows() const {
    Markdown part = "## Row by row\n\n";
    for (const CalibratedContest& contest : contests_) {
      part += RowsOf(contest);
    }
    return part;
  }

  const PublishedStudy& study_;
  const Board& board_;
  std::vector<CalibratedContest> contests_;
};

}  // namespace

Markdown CalibrationPage(const std::vector<PublishedStudy>& studies, const Board& board) {
  Markdown page = GeneratedNote();
  for (const PublishedStudy& study : studies) {
    page += CalibrationSection(study, board).Render();
  }
  return page;
}

}  // namespace assay
