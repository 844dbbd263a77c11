// SPDX-License-Identifier: Apache-2.0
#include "published/calibration_scores_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "published/dimension_scores.h"
#include "published/page_parts.h"
#include "report/words.h"
#include "score/format.h"
#include "score/matchup_total.h"

namespace assay {
namespace {

Markdown Margin(double margin, double uncertainty) {
  return Markdown::Text(fmt::format("+{:.1f} ± {:.1f}", margin, uncertainty));
}

Markdown Figures(const std::vector<double>& numbers) {
  std::vector<Markdown> figures;
  figures.reserve(numbers.size());
  std::ranges::transform(numbers, std::back_inserter(figures), Figure);
  return Markdown::Join(figures, ", ");
}

Markdown Overalls(const PublishedStudy& study, const Board& board) {
  MarkdownTable table({{.title = "Challenge"},
                       {.title = "Model"},
                       {.title = "Published", .align = Align::kRight},
                       {.title = "Measured", .align = Align::kRight},
                       {.title = "Without authored rows", .align = Align::kRight}});
  for (const Breakdown& breakdown : study.breakdown) {
    for (const ModelNote& entry : breakdown.entries) {
      const Scorecard* const card = CardOf(board, entry.model, breakdown.challenge);
      table.AddRow({ChallengeIn(study, breakdown.challenge),
                    card == nullptr ? ModelIn(study, entry.model) : NameWithMarks(*card),
                    Figures(entry.scores),
                    card == nullptr ? Markdown("—")
                                    : Markdown::Text(FormatScore(card->overall, card->uncertainty)),
                    card == nullptr
                        ? Markdown("—")
                        : Markdown::Text(FormatScore(card->without_authored.score,
                                                     card->without_authored.uncertainty))});
    }
  }
  return table.empty() ? Markdown()
                       : "## Overall scores\n\nTwo published scores are those of two rounds. The "
                         "scales are not the same: a published score is a reader's, a measured "
                         "one stands on the rubric's anchors.\n\n" +
                             table.Render() + "\n";
}

std::string Coefficient(const std::optional<double>& value) {
  return value ? fmt::format("{:.2f}", *value) : "—";
}

void AddScoreAgreement(MarkdownTable& table, Markdown part, const ScoreAgreement& agreement) {
  table.AddRow({std::move(part), Markdown::Text(fmt::format("{}", agreement.scores)),
                Markdown::Text(Coefficient(agreement.pearson)),
                Markdown::Text(Coefficient(agreement.spearman)),
                Markdown::Text(Coefficient(agreement.kendall)),
                agreement.scores == 0 ? Markdown("—")
                                      : Markdown::Text(fmt::format("{:+.1f}", agreement.bias))});
}

/// Those of one challenge, or of one model.
std::vector<ComparedDimension> With(const std::vector<ComparedDimension>& all,
                                    std::string ComparedDimension::* field,
                                    std::string_view wanted) {
  std::vector<ComparedDimension> some;
  std::ranges::copy_if(all, std::back_inserter(some),
                       [&](const ComparedDimension& one) { return one.*field == wanted; });
  return some;
}

Markdown ScoreAgreements(const PublishedStudy& study, const std::vector<ComparedDimension>& all) {
  MarkdownTable table({{.title = "Scores of dimensions"},
                       {.title = "Pairs", .align = Align::kRight},
                       {.title = "Pearson's r", .align = Align::kRight},
                       {.title = "Spearman's rho", .align = Align::kRight},
                       {.title = "Kendall's tau b", .align = Align::kRight},
                       {.title = "Mean difference", .align = Align::kRight}});
  AddScoreAgreement(table, "**Measured and published**", AgreementWithMeasured(all));
  for (const StudyNames& challenge : study.challenges) {
    AddScoreAgreement(
        table, ChallengeIn(study, challenge.id),
        AgreementWithMeasured(With(all, &ComparedDimension::challenge, challenge.id)));
  }
  for (const StudyNames& model : study.models) {
    AddScoreAgreement(table, ModelIn(study, model.id),
                      AgreementWithMeasured(With(all, &ComparedDimension::model, model.id)));
  }
  AddScoreAgreement(table, "**The study's last round and its first**", AgreementOfRounds(all));
  return table.Render() +
         "\nA difference is measured less published, in points, or the last round less the first. "
         "The last line is of what the study scored twice.\n\n";
}

/// The conclusion: the study's agreement with itself is the most that another can have with it.
Markdown HowFarTheyAgree(const std::vector<ComparedDimension>& all) {
  const auto measured = AgreementWithMeasured(all).spearman;
  const auto itself = AgreementOfRounds(all).spearman;
  return !measured || !itself
             ? Markdown()
             : Markdown::Text(fmt::format(
                   "Measured scores are in the order of the published ones with Spearman's rho of "
                   "{}, where 1 is the same order and 0 none. What the study scored twice is in "
                   "its own order with {}: how far it agrees with itself bounds how far anybody "
                   "can agree with it.",
                   Coefficient(measured), Coefficient(itself))) +
                   "\n\n";
}

/// `92, 78 → 88.1`.
Markdown PublishedAndMeasured(const ComparedDimension& one) {
  return Figures(one.published) + " → " + Markdown::Text(FormatScore(one.measured));
}

Markdown DimensionTable(const PublishedStudy& study, const ChallengeBoard& challenge,
                        const std::vector<ComparedDimension>& dimensions) {
  std::vector<MarkdownTable::Column> columns = {{.title = "Dimension"}};
  for (const StudyNames& model : study.models) {
    columns.push_back({.title = ModelIn(study, model.id), .align = Align::kRight});
  }
  MarkdownTable table(std::move(columns));
  const Rubric& rubric = challenge.view->rubric;
  for (const Dimension& dimension : rubric.dimensions) {
    const auto scored = With(dimensions, &ComparedDimension::dimension, dimension.id);
    if (scored.empty()) {
      continue;
    }
    std::vector<Markdown> cells = {TitleOf(dimension, rubric, AuthoredRows::kMarked)};
    for (const StudyNames& model : study.models) {
      const auto found = std::ranges::find(scored, model.id, &ComparedDimension::model);
      cells.push_back(found == scored.end() ? Markdown("—") : PublishedAndMeasured(*found));
    }
    table.AddRow(std::move(cells));
  }
  return table.empty() ? Markdown()
                       : "### " + ChallengeIn(study, challenge.view->spec.id) + "\n\n" +
                             table.Render() + "\n";
}

Markdown Dimensions(const PublishedStudy& study, const Board& board) {
  const std::vector<ComparedDimension> all = CompareDimensions(study, board);
  if (all.empty()) {
    return {};
  }
  Markdown part = "## Scores of dimensions\n\n" + HowFarTheyAgree(all) +
                  ScoreAgreements(study, all) +
                  "Published → measured; two published scores are those of two rounds.\n\n";
  for (const ChallengeBoard& challenge : board.challenges) {
    part += DimensionTable(study, challenge,
                           With(all, &ComparedDimension::challenge, challenge.view->spec.id));
  }
  return part;
}

/// A round's winner with its margin, in the study's and in the measured scores.
Markdown Rounds(const PublishedStudy& study, const Board& board) {
  MarkdownTable table({{.title = "Round"},
                       {.title = "Challenge"},
                       {.title = "Published winner"},
                       {.title = "Margin", .align = Align::kRight},
                       {.title = "Measured winner"},
                       {.title = "Margin", .align = Align::kRight}});
  for (const PublishedRound& round : study.rounds) {
    std::vector<Matchup> measured;
    for (const PublishedScorecard& card : round.challenges) {
      const auto challenge = std::ranges::find_if(board.challenges, [&](const ChallengeBoard& one) {
        return one.view->spec.id == card.challenge;
      });
      const auto matchup = challenge == board.challenges.end()
                               ? std::nullopt
                               : FindMatchup(*challenge, round.a, round.b);
      table.AddRow(
          {Figure(round.round), ChallengeIn(study, card.challenge),
           EdgeIn(study, card.winner, round.a, round.b), "+" + Figure(card.margin),
           matchup ? EdgeIn(study, matchup->winner, round.a, round.b) : Markdown("—"),
           matchup ? Margin(matchup->margin, matchup->margin_uncertainty) : Markdown("—")});
      measured.push_back(matchup.value_or(Matchup()));
    }
    const MatchupTotal total = TotalOf(measured);
    const bool is_whole = total.mean_a && total.undecided == 0;
    table.AddRow({Figure(round.round), "**Average**", EdgeIn(study, round.winner, round.a, round.b),
                  "+" + Figure(round.margin),
                  is_whole ? EdgeIn(study, total.winner, round.a, round.b) : Markdown("—"),
                  is_whole ? Margin(total.margin, total.margin_uncertainty) : Markdown("—")});
  }
  Markdown sentences;
  for (const PublishedRound& round : study.rounds) {
    const Markdown said = Sentences({round.verdict, round.closing});
    sentences += said.empty() ? said
                              : "- Round " + Figure(round.round) + ": " + said +
                                    MeasuredTotal(board, round.a, round.b);
  }
  return table.empty() ? Markdown()
                       : "## Rounds\n\n" + table.Render() + "\n" + sentences +
                             (sentences.empty() ? Markdown() : Markdown("\n"));
}

/// `accepted in 1 of 3; KV-Cache: wrong_answer`.
Markdown VerdictsOf(const PublishedStudy& study, const ModelStanding& standing) {
  std::ptrdiff_t accepted = 0;
  Markdown others;
  for (const auto& [challenge, card] : standing.cells) {
    const bool is_accepted = card->verdict == Verdict::kAccepted;
    accepted += is_accepted ? 1 : 0;
    if (!is_accepted || card->repaired) {
      others += "; " + ChallengeIn(study, challenge) + ": " +
                Markdown::Text(ToString(card->verdict)) +
                (card->repaired ? Markdown(", repaired") : Markdown());
    }
  }
  return Markdown::Text(fmt::format("accepted in {} of {}", accepted, standing.cells.size())) +
         others;
}

/// What the study notes of each model, beside the verdicts here.
Markdown NotesOfRanking(const PublishedStudy& study, const Board& board) {
  MarkdownTable table(
      {{.title = "Model"}, {.title = "Published notes"}, {.title = "Measured verdicts"}});
  for (const PublishedStanding& published : study.ranking) {
    const auto measured =
        std::ranges::find(board.standings, published.model, &ModelStanding::model);
    table.AddRow(
        {ModelIn(study, published.model), Markdown::Text(published.notes),
         measured == board.standings.end() ? Markdown("—") : VerdictsOf(study, *measured)});
  }
  return table.empty() ? Markdown() : table.Render() + "\n";
}

/// The challenge in which the model scores most, or least: `KV-Cache (89.3)`.
Markdown ExtremeOf(const PublishedStudy& study, const ModelStanding& standing, bool is_best) {
  const std::pair<const std::string, const Scorecard*>* found = nullptr;
  for (const auto& cell : standing.cells) {
    if (cell.second->overall &&
        (found == nullptr || (is_best ? *cell.second->overall > *found->second->overall
                                      : *cell.second->overall < *found->second->overall))) {
      found = &cell;
    }
  }
  return found == nullptr
             ? Markdown("—")
             : ChallengeIn(study, found->first) +
                   Markdown::Text(fmt::format(" ({})", FormatScore(found->second->overall)));
}

Markdown BestAndWorst(const PublishedStudy& study, const Board& board) {
  MarkdownTable table({{.title = "Model"},
                       {.title = "Published best"},
                       {.title = "Measured best"},
                       {.title = "Published worst"},
                       {.title = "Measured worst"}});
  for (const PublishedStanding& published : study.ranking) {
    const auto measured =
        std::ranges::find(board.standings, published.model, &ModelStanding::model);
    const bool is_there = measured != board.standings.end();
    table.AddRow({ModelIn(study, published.model), Markdown::Text(published.best.text),
                  is_there ? ExtremeOf(study, *measured, true) : Markdown("—"),
                  Markdown::Text(published.worst.text),
                  is_there ? ExtremeOf(study, *measured, false) : Markdown("—")});
  }
  return table.empty() ? Markdown() : table.Render() + "\n";
}

Markdown Rankings(const PublishedStudy& study, const Board& board) {
  MarkdownTable table({{.title = "Model"},
                       {.title = "Published rank", .align = Align::kRight},
                       {.title = "Published average", .align = Align::kRight},
                       {.title = "Measured rank", .align = Align::kRight},
                       {.title = "Measured average", .align = Align::kRight}});
  for (std::size_t i = 0; i < study.ranking.size(); ++i) {
    const PublishedStanding& published = study.ranking[i];
    const auto measured =
        std::ranges::find(board.standings, published.model, &ModelStanding::model);
    const bool is_there = measured != board.standings.end();
    table.AddRow({ModelIn(study, published.model), Figure(static_cast<double>(i + 1)),
                  Figure(published.average),
                  is_there && measured->interval ? Markdown::Text(FormatRanks(*measured->interval))
                                                 : Markdown("—"),
                  is_there ? Markdown::Text(FormatScore(measured->average, measured->uncertainty))
                           : Markdown("—")});
  }
  return table.empty() ? Markdown()
                       : "## Rankings\n\n" + table.Render() + "\n" + BestAndWorst(study, board) +
                             NotesOfRanking(study, board);
}

}  // namespace

Markdown CalibrationScores(const PublishedStudy& study, const Board& board) {
  return Overalls(study, board) + Rounds(study, board) + Dimensions(study, board) +
         Rankings(study, board);
}

}  // namespace assay
