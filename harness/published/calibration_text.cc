// SPDX-License-Identifier: Apache-2.0
#include "published/calibration_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "published/calibration.h"
#include "published/dimension_scores.h"
#include "published/measures.h"
#include "report/plain_text.h"
#include "score/format.h"

namespace assay {
namespace {

/// `glm-5`, `tie`, `split`, `none`.
std::string EdgeWord(RowEdge edge, const PublishedMatchup& matchup) {
  return edge == RowEdge::kA   ? matchup.a
         : edge == RowEdge::kB ? matchup.b
                               : std::string(ToString(edge));
}

std::string RowText(const CalibratedContest& contest, const CalibratedRow& row) {
  const PublishedMatchup& matchup = *contest.matchup;
  std::string text = fmt::format("  {} vs {}, {}, {}: published {}, measured {}", matchup.a,
                                 matchup.b, contest.contest->challenge, PlainLine(row.row->row),
                                 EdgeWord(row.row->edge, matchup), EdgeWord(row.measured, matchup));
  if (row.why != nullptr && (Disagrees(row) || row.measured == RowEdge::kNone)) {
    text += fmt::format(" ({})", ToString(row.why->cause));
  }
  return text + "\n";
}

std::string BehindRow(const CalibratedContest& contest, const CalibratedRow& row) {
  const PublishedMatchup& matchup = *contest.matchup;
  std::string text;
  for (const MeasuredCriterion& one : row.criteria) {
    text += fmt::format("    {}: {} / {}: {}{}\n", one.criterion->id,
                        PlainLine(FormatValue(*one.criterion, one.a)),
                        PlainLine(FormatValue(*one.criterion, one.b)), EdgeWord(one.edge, matchup),
                        HasEdge(one) ? "" : ", not counted");
    for (const std::string& model : {matchup.a, matchup.b}) {
      text += fmt::format("      assay explain {}/{} {}\n", model, contest.contest->challenge,
                          one.criterion->id);
    }
  }
  return text;
}

std::string Counts(const EdgeAgreement& counts) {
  std::string text = fmt::format("{} of {} rows compared, {} with the same edge; kappa {}\n",
                                 counts.compared, counts.published, counts.same,
                                 counts.kappa ? fmt::format("{:.2f}", *counts.kappa) : "none");
  constexpr std::array<std::string_view, 3> kEdges = {"ahead", "tie", "against"};
  for (std::size_t i = 0; i < kEdges.size(); ++i) {
    text += fmt::format("  published {}: measured ahead {}, tie {}, against {}\n", kEdges[i],
                        counts.table[i][0], counts.table[i][1], counts.table[i][2]);
  }
  return text +
         "kappa is (p - e) / (1 - e): p the share on the diagonal, e what the sums of rows and of "
         "columns give by chance\n";
}

bool Names(std::string_view name, std::string_view part) {
  return !std::ranges::search(name, part, [](char a, char b) {
            return std::tolower(static_cast<unsigned char>(a)) ==
                   std::tolower(static_cast<unsigned char>(b));
          }).empty();
}

std::string Scores(const PublishedStudy& study, const Board& board) {
  const auto all = CompareDimensions(study, board);
  std::string text = all.empty() ? "" : "\nscores of dimensions, which the correlations are of\n";
  for (const ComparedDimension& one : all) {
    text += fmt::format("  {}, {}, {}: published {}, measured {}: assay explain {}/{} --all\n",
                        one.model, one.challenge, one.dimension, fmt::join(one.published, ", "),
                        FormatScore(one.measured), one.model, one.challenge);
  }
  return text;
}

/// Each mean that a factor or the hybrid shows; with a `row` those of that name, each with the
/// scores that it is of.
class Means {
 public:
  Means(const PublishedStudy& study, const Board& board, std::optional<std::string_view> row)
      : study_(study), board_(board), row_(row) {}

  [[nodiscard]] std::string Text() {
    AddPatterns("all models", study_.patterns);
    for (const PublishedRound& round : study_.rounds) {
      AddPatterns(fmt::format("round {}", round.round), round.patterns);
    }
    for (const HybridRow& hybrid : study_.hybrid_rows) {
      Add(fmt::format("hybrid, {}, algorithm", hybrid.challenge), hybrid.challenge,
          hybrid.algorithm.mapping);
      Add(fmt::format("hybrid, {}, testing", hybrid.challenge), hybrid.challenge,
          hybrid.testing.mapping);
      Add(fmt::format("hybrid, {}, analysis", hybrid.challenge), hybrid.challenge,
          hybrid.analysis.mapping);
    }
    for (const ChallengeBoard& challenge : board_.challenges) {
      AddHybrid(challenge);
    }
    return text_;
  }

 private:
  [[nodiscard]] bool IsWanted(std::string_view name) const { return !row_ || Names(name, *row_); }

  void AddPatterns(std::string_view of, const std::vector<Pattern>& patterns) {
    for (const Pattern& pattern : patterns) {
      Add(fmt::format("{}, {}", of, PlainLine(pattern.factor)), "", pattern.mapping);
    }
  }

  void Add(const std::string& name, std::string_view challenge, const RowMapping& mapping) {
    const std::vector<Measure> measures = MeasuresOf(mapping, challenge, board_);
    if (!IsWanted(name) || measures.empty()) {
      return;
    }
    for (const StudyNames& model : study_.models) {
      text_ += fmt::format("  {}: {} has a mean score of {}\n", name, model.id,
                           FormatScore(MeanScore(board_, measures, model.id)));
      for (const Measure& measure : measures) {
        const CriterionScore* const score = ScoreIn(board_, measure, model.id);
        if (row_ && score != nullptr) {
          text_ += fmt::format("    {}: assay explain {}/{} {}\n", FormatScore(score->score),
                               model.id, measure.challenge->view->spec.id, measure.criterion->id);
        }
      }
    }
  }

  void AddHybrid(const ChallengeBoard& challenge) {
    const std::string& id = challenge.view->spec.id;
    const std::string name = fmt::format("hybrid, {}", id);
    const auto hybrid = HybridOf(challenge);
    if (!IsWanted(name) || !hybrid) {
      return;
    }
    text_ +=
        fmt::format("  {}: the best of each dimension make {}\n", name, FormatScore(hybrid->score));
    for (const HybridScore::Part& part : hybrid->parts) {
      if (row_) {
        text_ += fmt::format("    {} of {} times {:g}: assay explain {}/{} {}\n",
                             FormatScore(part.score), part.model, part.dimension->weight,
                             part.model, id, part.dimension->id);
      }
    }
  }

  const PublishedStudy& study_;
  const Board& board_;
  std::optional<std::string_view> row_;
  std::string text_;
};

}  // namespace

Result<std::string> ExplainCalibration(const std::vector<PublishedStudy>& studies,
                                       const Board& board, std::optional<std::string_view> row) {
  std::string text;
  for (const PublishedStudy& study : studies) {
    const auto contests = Calibrate(study, board);
    std::string rows;
    for (const CalibratedContest& contest : contests) {
      for (const CalibratedRow& one : contest.rows) {
        if (!row || Names(one.row->row, *row)) {
          rows += RowText(contest, one) + (row ? BehindRow(contest, one) : "");
        }
      }
    }
    const std::string means = Means(study, board, row).Text();
    if (!rows.empty() || !means.empty()) {
      text += fmt::format("{}\n", PlainLine(study.title)) + rows;
    }
    if (!row) {
      text += "\n" + Counts(CountAgreement(contests, CountedCriteria::kAll)) + Scores(study, board);
    }
    text += means.empty() || row ? means : "\nmeans of the factors and of the hybrid\n" + means;
    if (!row) {
      text += "\nthe values behind a row: assay explain calibration ROW\n";
    }
  }
  if (text.empty()) {
    return std::unexpected(
        Error{.kind = ErrorKind::kConfiguration,
              .where = {},
              .cause = row ? fmt::format("no published row or factor is named \"{}\"", *row)
                           : std::string("there is no study in reports/published"),
              .remedy = row ? "assay explain calibration lists them" : "add one there"});
  }
  return text;
}

}  // namespace assay
