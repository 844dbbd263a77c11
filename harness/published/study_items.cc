// SPDX-License-Identifier: Apache-2.0
#include "published/study_items.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace assay {
namespace {

constexpr double kHighestScore = 100;
constexpr double kMostPoints = 1000;

constexpr std::array kCauses = {DisagreementCause::kMetric, DisagreementCause::kReconstruction,
                                DisagreementCause::kStudy, DisagreementCause::kUnmeasured};

}  // namespace

ComparedModels ReadCompared(MapReader& reader) {
  ComparedModels models;
  models.a = reader.Text("a", TextForm::kId, Presence::kRequired);
  models.b = reader.Text("b", TextForm::kId, Presence::kRequired);
  return models;
}

RowEdge ReadEdge(MapReader& reader, std::string_view key, const ComparedModels& models,
                 NoWinner no_winner) {
  const std::vector<std::string> words = {models.a, models.b,
                                          no_winner == NoWinner::kTie ? "tie" : "split"};
  const RowEdge neither = no_winner == NoWinner::kTie ? RowEdge::kTie : RowEdge::kSplit;
  const auto chosen = reader.Choice(key, words, Presence::kRequired);
  return chosen == 0U ? RowEdge::kA : chosen == 1U ? RowEdge::kB : neither;
}

ScorePair ReadScores(const YamlNode& node, const std::string& name, const ComparedModels& models,
                     FileFaults& faults) {
  MapReader reader(node, name + ".", faults);
  ScorePair scores;
  scores.a = reader.Number(models.a, 0, kHighestScore, Presence::kRequired).value_or(0);
  scores.b = reader.Number(models.b, 0, kHighestScore, Presence::kRequired).value_or(0);
  reader.RejectUnknownKeys();
  return scores;
}

RowMapping ReadMapping(MapReader& reader, const std::string& name, TextForm form,
                       FileFaults& faults) {
  RowMapping mapping;
  mapping.measured_by = reader.TextList("measured_by", form, Presence::kOptional);
  mapping.unmeasured = reader.Text("unmeasured", TextForm::kProse, Presence::kOptional);
  if (mapping.measured_by.empty() == mapping.unmeasured.empty()) {
    faults.Add(
        reader.line(),
        fmt::format("{} says {}", name,
                    mapping.unmeasured.empty() ? "neither what measures it nor why nothing does"
                                               : "both what measures it and why nothing does"),
        "write \"measured_by: [criterion]\" or \"unmeasured: why\"");
  }
  return mapping;
}

Pattern ReadPattern(const YamlNode& node, const std::string& name, FileFaults& faults) {
  MapReader reader(node, name + ".", faults);
  Pattern pattern;
  pattern.line = node.line;
  pattern.factor = reader.Text("factor", TextForm::kProse, Presence::kRequired);
  if (const YamlNode* const cells = reader.Find("cells", Presence::kRequired)) {
    MapReader models(*cells, name + ".cells.", faults);
    for (const YamlNode& cell : cells->children) {
      pattern.cells.emplace_back(cell.key,
                                 models.Text(cell.key, TextForm::kProse, Presence::kRequired));
    }
  }
  pattern.mapping = ReadMapping(reader, name, TextForm::kProse, faults);
  reader.RejectUnknownKeys();
  return pattern;
}

void CheckSameModels(const std::vector<Pattern>& patterns, FileFaults& faults) {
  for (const Pattern& pattern : patterns) {
    const bool same = std::ranges::equal(
        pattern.cells, patterns.front().cells, {},
        [](const auto& cell) -> const std::string& { return cell.first; },
        [](const auto& cell) -> const std::string& { return cell.first; });
    if (!same) {
      faults.Add(
          pattern.line,
          fmt::format("\"{}\" has other cells than the first row of its table", pattern.factor),
          "write a text for the same models in the same order");
    }
  }
}

Statement ReadStatement(const YamlNode& node, const std::string& name, TextForm form,
                        FileFaults& faults) {
  MapReader reader(node, name + ".", faults);
  Statement statement;
  statement.line = node.line;
  statement.text = reader.Text("text", TextForm::kProse, Presence::kRequired);
  statement.mapping = ReadMapping(reader, name, form, faults);
  reader.RejectUnknownKeys();
  return statement;
}

Disagreement ReadDisagreement(const YamlNode& node, const std::string& name, FileFaults& faults) {
  MapReader reader(node, name + ".", faults);
  Disagreement one;
  one.line = node.line;
  const auto pair = reader.TextList("pair", TextForm::kId, Presence::kRequired);
  if (pair.size() == 2) {
    one.a = pair[0];
    one.b = pair[1];
  } else if (!pair.empty()) {
    faults.Add(reader.LineOf("pair"),
               fmt::format("{}.pair holds {} models, not 2", name, pair.size()),
               "write the two of the matchup in its order");
  }
  one.challenge = reader.Text("challenge", TextForm::kId, Presence::kRequired);
  one.row = reader.Text("row", TextForm::kProse, Presence::kOptional);
  std::vector<std::string> words;
  std::ranges::transform(kCauses, std::back_inserter(words),
                         [](DisagreementCause cause) { return std::string(ToString(cause)); });
  const auto chosen = reader.Choice("cause", words, Presence::kRequired);
  if (chosen) {
    one.cause = kCauses[*chosen];
  }
  one.text = reader.Text("text", TextForm::kProse, Presence::kRequired);
  one.instead = reader.Text("instead", TextForm::kProse, Presence::kOptional);
  const bool is_metric = one.cause == DisagreementCause::kMetric;
  if (chosen && is_metric == one.instead.empty()) {
    faults.Add(node.line,
               one.instead.empty()
                   ? fmt::format("{} has the cause metric and does not say what would have to be "
                                 "measured",
                                 name)
                   : fmt::format("{} says what would have to be measured, and its cause is {}",
                                 name, ToString(one.cause)),
               "write \"instead: what would have to be measured, and why it is not\" beside the "
               "cause metric, and only there");
  }
  reader.RejectUnknownKeys();
  return one;
}

namespace {

PublishedRow ReadRow(const YamlNode& node, const std::string& name, const ComparedModels& models,
                     FileFaults& faults) {
  MapReader reader(node, name + ".", faults);
  PublishedRow row;
  row.line = node.line;
  row.row = reader.Text("row", TextForm::kProse, Presence::kRequired);
  row.a = reader.Text("a", TextForm::kProse, Presence::kRequired);
  row.b = reader.Text("b", TextForm::kProse, Presence::kRequired);
  row.edge = ReadEdge(reader, "edge", models, NoWinner::kTie);
  row.note = reader.Text("note", TextForm::kProse, Presence::kOptional);
  row.mapping = ReadMapping(reader, name, TextForm::kId, faults);
  reader.RejectUnknownKeys();
  return row;
}

PublishedContest ReadContest(const YamlNode& node, const std::string& name,
                             const ComparedModels& models, FileFaults& faults) {
  MapReader reader(node, name + ".", faults);
  PublishedContest contest;
  contest.line = node.line;
  contest.challenge = reader.Text("challenge", TextForm::kId, Presence::kRequired);
  contest.winner = ReadEdge(reader, "winner", models, NoWinner::kSplit);
  contest.reason = reader.Text("reason", TextForm::kProse, Presence::kRequired);
  contest.introduction = reader.Text("introduction", TextForm::kProse, Presence::kOptional);
  contest.arguments = reader.TextList("arguments", TextForm::kProse, Presence::kOptional);
  reader.ForEach("rows", Presence::kRequired,
                 [&](const YamlNode& row, const std::string& row_name) {
                   contest.rows.push_back(ReadRow(row, row_name, models, faults));
                 });
  reader.RejectUnknownKeys();
  return contest;
}

Findings ReadFindings(const YamlNode& node, const std::string& name, FileFaults& faults) {
  MapReader reader(node, name + ".", faults);
  Findings findings;
  findings.line = node.line;
  findings.model = reader.Text("model", TextForm::kId, Presence::kRequired);
  findings.heading = reader.Text("heading", TextForm::kProse, Presence::kRequired);
  reader.ForEach("items", Presence::kRequired,
                 [&](const YamlNode& item, const std::string& item_name) {
                   findings.items.push_back(ReadStatement(item, item_name, TextForm::kId, faults));
                 });
  reader.RejectUnknownKeys();
  return findings;
}

PublishedScorecard ReadScorecard(const YamlNode& node, const std::string& name,
                                 const ComparedModels& models, FileFaults& faults) {
  MapReader reader(node, name + ".", faults);
  PublishedScorecard card;
  card.line = node.line;
  card.challenge = reader.Text("challenge", TextForm::kId, Presence::kRequired);
  card.winner = ReadEdge(reader, "winner", models, NoWinner::kSplit);
  card.margin = reader.Number("margin", 0, kHighestScore, Presence::kRequired).value_or(0);
  if (const YamlNode* const overall = reader.Find("overall", Presence::kRequired)) {
    card.overall = ReadScores(*overall, name + ".overall", models, faults);
  }
  if (const YamlNode* const dimensions = reader.Find("dimensions", Presence::kRequired)) {
    for (const YamlNode& one : dimensions->children) {
      card.dimensions.push_back(
          {.dimension = one.key,
           .scores = ReadScores(one, name + ".dimensions." + one.key, models, faults),
           .line = one.line});
    }
  }
  const auto read = [&](std::string_view key, std::vector<Findings>& findings) {
    reader.ForEach(key, Presence::kOptional,
                   [&](const YamlNode& item, const std::string& item_name) {
                     findings.push_back(ReadFindings(item, item_name, faults));
                   });
  };
  read("strengths", card.strengths);
  read("weaknesses", card.weaknesses);
  reader.RejectUnknownKeys();
  return card;
}

}  // namespace

PublishedMatchup ReadMatchup(const YamlNode& node, const std::string& name, FileFaults& faults) {
  MapReader reader(node, name + ".", faults);
  PublishedMatchup matchup;
  matchup.line = node.line;
  const ComparedModels models = ReadCompared(reader);
  matchup.a = models.a;
  matchup.b = models.b;
  if (const YamlNode* const overall = reader.Find("overall", Presence::kRequired)) {
    MapReader of_all(*overall, name + ".overall.", faults);
    matchup.winner = ReadEdge(of_all, "winner", models, NoWinner::kSplit);
    std::vector<double> points;
    of_all.ForEach(
        "points", Presence::kRequired, [&](const YamlNode& item, const std::string& item_name) {
          points.push_back(ReadNumber(item, item_name, 0, kMostPoints, faults).value_or(0));
        });
    if (points.size() == 2) {
      matchup.points = {.a = points[0], .b = points[1]};
    } else if (!points.empty()) {
      faults.Add(overall->line,
                 fmt::format("{}.overall.points holds {} numbers, not 2", name, points.size()),
                 "write those of a and of b");
    }
    of_all.RejectUnknownKeys();
  }
  matchup.introduction = reader.Text("introduction", TextForm::kProse, Presence::kOptional);
  matchup.remark = reader.Text("remark", TextForm::kProse, Presence::kOptional);
  reader.ForEach("challenges", Presence::kRequired,
                 [&](const YamlNode& contest, const std::string& contest_name) {
                   matchup.contests.push_back(ReadContest(contest, contest_name, models, faults));
                 });
  reader.RejectUnknownKeys();
  return matchup;
}

PublishedRound ReadRound(const YamlNode& node, const std::string& name, FileFaults& faults) {
  MapReader reader(node, name + ".", faults);
  PublishedRound round;
  round.line = node.line;
  round.round = static_cast<int>(reader.Integer("round", 1, 1000, Presence::kRequired).value_or(0));
  const ComparedModels models = ReadCompared(reader);
  round.a = models.a;
  round.b = models.b;
  round.verdict = reader.Text("verdict", TextForm::kProse, Presence::kRequired);
  reader.ForEach("challenges", Presence::kRequired,
                 [&](const YamlNode& card, const std::string& card_name) {
                   round.challenges.push_back(ReadScorecard(card, card_name, models, faults));
                 });
  if (const YamlNode* const averages = reader.Find("averages", Presence::kRequired)) {
    round.averages = ReadScores(*averages, name + ".averages", models, faults);
  }
  round.margin = reader.Number("margin", 0, kHighestScore, Presence::kRequired).value_or(0);
  round.winner = ReadEdge(reader, "winner", models, NoWinner::kSplit);
  reader.ForEach("patterns", Presence::kOptional,
                 [&](const YamlNode& pattern, const std::string& pattern_name) {
                   round.patterns.push_back(ReadPattern(pattern, pattern_name, faults));
                 });
  CheckSameModels(round.patterns, faults);
  round.hybrid = reader.Text("hybrid", TextForm::kProse, Presence::kOptional);
  round.closing = reader.Text("closing", TextForm::kProse, Presence::kRequired);
  reader.RejectUnknownKeys();
  return round;
}

}  // namespace assay
