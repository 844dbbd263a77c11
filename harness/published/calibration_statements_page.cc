// SPDX-License-Identifier: Apache-2.0
#include "published/calibration_statements_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "published/measures.h"
#include "published/page_parts.h"
#include "report/words.h"
#include "score/format.h"

namespace assay {
namespace {

Markdown ValueIn(const Board& board, const Measure& measure, std::string_view model) {
  const CriterionScore* const score = ScoreIn(board, measure, model);
  return score == nullptr ? Markdown("—") : ShortValue(*measure.criterion, score->value);
}

Markdown TitleOfMeasure(const Measure& measure) {
  return TitleOf(*measure.criterion, AuthoredRows::kMarked);
}

/// With the challenge's name in the study before it, where a text speaks of several.
Markdown LongTitle(const PublishedStudy& study, const Measure& measure) {
  return ChallengeIn(study, measure.challenge->view->spec.id) + ": " + TitleOfMeasure(measure);
}

Markdown NothingMeasures(const RowMapping& mapping) {
  return "nothing: " + Markdown::Text(mapping.unmeasured);
}

/// `text`, and below it what is measured of each of `models`, a line a criterion.
Markdown OfModels(const PublishedStudy& study, const Board& board, std::string_view text,
                  const RowMapping& mapping, const std::vector<std::string>& models) {
  Markdown part = "- " + Markdown::Text(text) + "\n";
  const auto measures = MeasuresOf(mapping, "", board);
  for (const Measure& measure : measures) {
    std::vector<Markdown> values;
    values.reserve(models.size());
    for (const std::string& model : models) {
      values.push_back(ModelIn(study, model) + " **" + ValueIn(board, measure, model) + "**");
    }
    part += "  - " + LongTitle(study, measure) + ": " + Markdown::Join(values, ", ") + "\n";
  }
  return measures.empty() ? part + "  - Measured: " + NothingMeasures(mapping) + "\n" : part;
}

/// As the study has it, each text with the mean score; what that is of is folded below.
Markdown PatternTable(const PublishedStudy& study, const std::vector<Pattern>& patterns,
                      const Board& board) {
  std::vector<MarkdownTable::Column> columns = {{.title = "Factor"}};
  std::vector<std::string> models;
  for (const auto& [model, text] : patterns.front().cells) {
    columns.push_back({.title = ModelIn(study, model)});
    models.push_back(model);
  }
  MarkdownTable table(std::move(columns));
  Markdown criteria;
  for (const Pattern& pattern : patterns) {
    const auto measures = MeasuresOf(pattern.mapping, "", board);
    std::vector<Markdown> row = {Markdown::Bold(Markdown::Text(pattern.factor))};
    for (const auto& [model, text] : pattern.cells) {
      row.push_back(Markdown::Text(text) + " → " +
                    Markdown::Bold(Markdown::Text(FormatScore(MeanScore(board, measures, model)))));
    }
    table.AddRow(std::move(row));
    criteria += OfModels(study, board, pattern.factor, pattern.mapping, models);
  }
  return table.Render() + "\n" + Markdown::Details("What each factor is measured by", criteria) +
         "\n";
}

Markdown Patterns(const PublishedStudy& study, const Board& board) {
  Markdown part;
  if (!study.patterns.empty()) {
    part += "### All models\n\n" + PatternTable(study, study.patterns, board);
  }
  for (const PublishedRound& round : study.rounds) {
    if (!round.patterns.empty()) {
      part += "### Round " + Figure(round.round) + ": " + ModelIn(study, round.a) + " vs " +
              ModelIn(study, round.b) + "\n\n" + PatternTable(study, round.patterns, board);
    }
  }
  return part.empty() ? part
                      : "## What separates the tiers\n\nPublished → measured: the mean score, from "
                        "0 to 100, of the criteria that measure the factor; those without a score "
                        "are left out of it.\n\n" +
                            part;
}

/// The models whose mean score is highest, with it; several where it is the same.
Markdown BestOf(const PublishedStudy& study, const Board& board,
                const std::vector<Measure>& measures) {
  std::optional<double> most;
  std::vector<Markdown> best;
  for (const StudyNames& model : study.models) {
    const auto mean = MeanScore(board, measures, model.id);
    if (!mean || (most && *mean < *most)) {
      continue;
    }
    if (!most || *mean > *most) {
      best.clear();
    }
    most = mean;
    best.push_back(ModelIn(study, model.id));
  }
  return best.empty() ? Markdown("—")
                      : Markdown::Bold(Markdown::Join(best, ", ")) +
                            Markdown::Text(fmt::format(" ({})", FormatScore(most)));
}

/// What a submission with the best score of each dimension would have, weighed as in the rubric:
/// `KV-Cache 96.2`.
Markdown HybridScores(const PublishedStudy& study, const Board& board) {
  std::vector<Markdown> scores;
  for (const StudyNames& names : study.challenges) {
    const ChallengeBoard* const challenge = FindChallengeBoard(board, names.id);
    const auto hybrid = challenge == nullptr ? std::nullopt : HybridOf(*challenge);
    if (hybrid) {
      scores.push_back(ChallengeIn(study, names.id) + " " +
                       Markdown::Bold(Markdown::Text(FormatScore(hybrid->score))));
    }
  }
  return scores.empty() ? Markdown("—") : Markdown::Join(scores, ", ");
}

/// What the study says of the whole, beside what the best scores here make together.
Markdown HybridSentences(const PublishedStudy& study, const Board& board) {
  std::vector<const std::string*> texts = {&study.hybrid};
  for (const PublishedRound& round : study.rounds) {
    texts.push_back(&round.hybrid);
  }
  Markdown list;
  for (const std::string* const text : texts) {
    list += text->empty() ? Markdown() : "- " + Markdown::Text(*text) + "\n";
  }
  return list.empty() ? list
                      : list +
                            "  - Measured: the best score of each dimension, weighed as in the "
                            "rubric, makes " +
                            HybridScores(study, board) + "\n\n";
}

Markdown Hybrid(const PublishedStudy& study, const Board& board) {
  MarkdownTable table({{.title = "Challenge"},
                       {.title = "Best"},
                       {.title = "Published"},
                       {.title = "Measured"},
                       {.title = "By"}});
  for (const HybridRow& row : study.hybrid_rows) {
    const std::vector<std::pair<Markdown, const Statement*>> parts = {
        {"algorithm", &row.algorithm}, {"testing", &row.testing}, {"analysis", &row.analysis}};
    for (const auto& [what, best] : parts) {
      const auto measures = MeasuresOf(best->mapping, row.challenge, board);
      std::vector<Markdown> titles;
      std::ranges::transform(measures, std::back_inserter(titles), TitleOfMeasure);
      table.AddRow(
          {ChallengeIn(study, row.challenge), what, Markdown::Text(best->text),
           BestOf(study, board, measures),
           titles.empty() ? NothingMeasures(best->mapping) : Markdown::Join(titles, "<br>")});
    }
  }
  return table.empty() ? Markdown()
                       : "## The ideal hybrid\n\nThe submissions with the highest mean score of "
                         "the criteria that measure what the study praises; several where it is "
                         "the same.\n\n" +
                             table.Render() + "\n" + HybridSentences(study, board);
}

/// `- text`, and below it what is measured of one model.
Markdown OfModel(const Board& board, std::string_view challenge, std::string_view model,
                 std::string_view text, const RowMapping& mapping) {
  std::vector<Markdown> values;
  for (const Measure& measure : MeasuresOf(mapping, challenge, board)) {
    values.push_back(TitleOfMeasure(measure) + ": **" + ValueIn(board, measure, model) + "**");
  }
  return "- " + Markdown::Text(text) + "\n  - Measured: " +
         (values.empty() ? NothingMeasures(mapping) : Markdown::Join(values, "; ")) + "\n";
}

/// A part of the sentences, folded: they are as long as all else of the page.
Markdown Folded(const Markdown& title, std::size_t sentences, const Markdown& body) {
  return sentences == 0 ? Markdown()
                        : "### " + title + "\n\n" +
                              Markdown::Details(CountOf(sentences, "sentence"), body) + "\n";
}

Markdown OfAllModels(const PublishedStudy& study, const Board& board, const Markdown& title,
                     const std::vector<Statement>& statements) {
  std::vector<std::string> models;
  std::ranges::transform(study.models, std::back_inserter(models), &StudyNames::id);
  Markdown part;
  for (const Statement& one : statements) {
    part += OfModels(study, board, one.text, one.mapping, models);
  }
  return Folded(title, statements.size(), part);
}

Markdown FindingsOf(const PublishedStudy& study, const PublishedRound& round, const Board& board) {
  Markdown part;
  std::size_t sentences = 0;
  for (const PublishedScorecard& card : round.challenges) {
    for (const auto* const all : {&card.strengths, &card.weaknesses}) {
      for (const Findings& findings : *all) {
        part += Markdown::Bold(ChallengeIn(study, card.challenge) + ": " +
                               Markdown::Text(findings.heading)) +
                "\n\n";
        sentences += findings.items.size();
        for (const Statement& item : findings.items) {
          part += OfModel(board, card.challenge, findings.model, item.text, item.mapping);
        }
        part += "\n";
      }
    }
  }
  return Folded("Strengths and weaknesses of round " + Figure(round.round), sentences, part);
}

Markdown Places(const PublishedStudy& study, const Board& board) {
  Markdown part;
  for (const ModelNote& place : study.places) {
    part += OfModel(board, "", place.model,
                    fmt::format("{} — {}", NameIn(study.models, place.model), place.note),
                    place.mapping);
  }
  return Folded("Ranking from the matchups", study.places.size(), part);
}

Markdown BreakdownPart(const PublishedStudy& study, const Board& board) {
  Markdown part;
  std::size_t sentences = 0;
  for (const Breakdown& breakdown : study.breakdown) {
    sentences += breakdown.entries.size();
    part += Markdown::Bold(ChallengeIn(study, breakdown.challenge)) + "\n\n";
    for (const ModelNote& entry : breakdown.entries) {
      part += OfModel(board, breakdown.challenge, entry.model,
                      fmt::format("{} — {}", NameIn(study.models, entry.model), entry.note),
                      entry.mapping);
    }
    part += "\n";
  }
  return Folded("Task by task", sentences, part);
}

}  // namespace

Markdown CalibrationStatements(const PublishedStudy& study, const Board& board) {
  Markdown sentences = Places(study, board) +
                       OfAllModels(study, board, "Key takeaways", study.takeaways) +
                       OfAllModels(study, board, "Decisive factors", study.decisive_factors);
  for (const PublishedRound& round : study.rounds) {
    sentences += FindingsOf(study, round, board);
  }
  sentences += BreakdownPart(study, board);
  return Patterns(study, board) + Hybrid(study, board) +
         (sentences.empty() ? sentences
                            : "## Sentence by sentence\n\nWhat the study says, and below it what "
                              "is measured of the submissions that stand here.\n\n" +
                                  sentences);
}

}  // namespace assay
