// SPDX-License-Identifier: Apache-2.0
#include "published/published_page.h"

#include <fmt/format.h>

#include <ranges>
#include <string>
#include <string_view>
#include <vector>

#include "published/page_parts.h"
#include "report/words.h"

namespace assay {
namespace {

/// One study's part of the page.
class StudySection {
 public:
  StudySection(const PublishedStudy& study, const Repository& repository)
      : study_(study), repository_(repository) {}

  [[nodiscard]] Markdown Render() const {
    Markdown page = Head() + "## Head to head\n\n";
    for (const PublishedMatchup& matchup : study_.matchups) {
      page += MatchupPart(matchup);
    }
    page += SummaryMatrix() + Places();
    for (const PublishedRound& round : study_.rounds) {
      page += RoundPart(round);
    }
    return page + Ranking() + BreakdownPart() + Patterns() + HybridPart() + Files() +
           Contradictions();
  }

 private:
  [[nodiscard]] Markdown Head() const {
    Markdown head =
        "# Published: " + Markdown::Text(study_.id) + "\n\n" + Conclusion() +
        Markdown::Text(study_.title) + ", printed from " +
        Markdown::Link(Markdown::Text(study_.id + ".yaml"), "published/" + study_.id + ".yaml") +
        ": of " + Markdown::Text(study_.date);
    if (!study_.commit.empty()) {
      head += ", commit " + Markdown::Text(study_.commit);
    }
    head +=
        ". Nothing here was measured by Assay: its own numbers are on the "
        "[scoreboard](scoreboard.md). The last column of a table names the criteria of the "
        "rubric that measure the row.\n\n";
    for (const auto* const all : {&study_.models, &study_.challenges}) {
      for (const StudyNames& names : *all) {
        head += "- " + Markdown::Code(names.id) + ": called ";
        std::vector<Markdown> called;
        called.reserve(names.names.size());
        for (const std::string& name : names.names) {
          called.push_back(Markdown::Text(name));
        }
        head += Markdown::Join(called, ", ") + "\n";
      }
    }
    return head + "\n";
  }

  /// `**Qwen3.6-27B is first with 89**, then GLM-5 (81), MiniMax-M2.7 (66).`, of the rounds.
  [[nodiscard]] Markdown Conclusion() const {
    if (study_.ranking.empty()) {
      return {};
    }
    const PublishedStanding& first = study_.ranking.front();
    std::vector<Markdown> others;
    for (const PublishedStanding& one : study_.ranking | std::views::drop(1)) {
      others.push_back(ModelIn(study_, one.model) + " (" + Figure(one.average) + ")");
    }
    return Markdown::Bold(ModelIn(study_, first.model) + " is first with " +
                          Figure(first.average)) +
           (others.empty() ? Markdown() : ", then " + Markdown::Join(others, ", ")) + ".\n\n";
  }

  [[nodiscard]] Markdown Pair(std::string_view a, std::string_view b) const {
    return ModelIn(study_, a) + " vs " + ModelIn(study_, b);
  }

  [[nodiscard]] Markdown Winner(RowEdge winner, std::string_view a, std::string_view b) const {
    return winner == RowEdge::kSplit ? Markdown("Split")
                                     : ModelIn(study_, winner == RowEdge::kA ? a : b);
  }

  /// `GLM-5 wins 3-0`, the winner's points first.
  [[nodiscard]] Markdown Points(const PublishedMatchup& matchup) const {
    const bool b_wins = matchup.winner == RowEdge::kB;
    return Figure(b_wins ? matchup.points.b : matchup.points.a) + "-" +
           Figure(b_wins ? matchup.points.a : matchup.points.b);
  }

  [[nodiscard]] Markdown MatchupPart(const PublishedMatchup& matchup) const {
    Markdown part = "### " + Pair(matchup.a, matchup.b) + "\n\n" + Paragraph(matchup.introduction);
    for (const PublishedContest& contest : matchup.contests) {
      part += "#### " + ChallengeIn(study_, contest.challenge) + "\n\n" +
              CriteriaTable(matchup, contest) + "\n" + Paragraph(contest.introduction) +
              Bullets(contest.arguments) +
              Markdown::Bold("Winner: " + Winner(contest.winner, matchup.a, matchup.b)) + " (" +
              Markdown::Text(contest.reason) + ")\n\n";
    }
    return part + Pair(matchup.a, matchup.b) + ": " +
           Markdown::Bold(Winner(matchup.winner, matchup.a, matchup.b) + " " + Points(matchup)) +
           "\n\n" + Paragraph(matchup.remark);
  }

  [[nodiscard]] Markdown CriteriaTable(const PublishedMatchup& matchup,
                                       const PublishedContest& contest) const {
    MarkdownTable table({{.title = "Criteria"},
                         {.title = ModelIn(study_, matchup.a)},
                         {.title = ModelIn(study_, matchup.b)},
                         {.title = "Edge"},
                         {.title = "Measured by"}});
    for (const PublishedRow& row : contest.rows) {
      Markdown edge = EdgeIn(study_, row.edge, matchup.a, matchup.b);
      if (!row.note.empty()) {
        edge += " (" + Markdown::Text(row.note) + ")";
      }
      table.AddRow({Markdown::Text(row.row), Markdown::Text(row.a), Markdown::Text(row.b), edge,
                    MappingCell(row.mapping)});
    }
    return table.Render();
  }

  [[nodiscard]] Markdown SummaryMatrix() const {
    std::vector<MarkdownTable::Column> columns = {{.title = "Matchup"}};
    for (const StudyNames& challenge : study_.challenges) {
      columns.push_back({.title = ChallengeIn(study_, challenge.id)});
    }
    columns.push_back({.title = "Overall"});
    MarkdownTable table(columns);
    for (const PublishedMatchup& matchup : study_.matchups) {
      std::vector<Markdown> cells = {Markdown::Bold(Pair(matchup.a, matchup.b))};
      for (const StudyNames& challenge : study_.challenges) {
        const PublishedContest* const contest = FindContest(matchup, challenge.id);
        cells.push_back(contest == nullptr ? Markdown("—")
                                           : Winner(contest->winner, matchup.a, matchup.b));
      }
      cells.push_back(
          Markdown::Bold(Winner(matchup.winner, matchup.a, matchup.b) + " " + Points(matchup)));
      table.AddRow(std::move(cells));
    }
    return table.empty() ? Markdown() : "### Summary matrix\n\n" + table.Render() + "\n";
  }

  [[nodiscard]] Markdown Places() const {
    Markdown part;
    if (!study_.places.empty()) {
      part += "### Ranking from the matchups\n\n";
      for (std::size_t i = 0; i < study_.places.size(); ++i) {
        part += Markdown::Text(fmt::format("{}", i + 1)) + ". " +
                Markdown::Bold(ModelIn(study_, study_.places[i].model)) + " — " +
                Markdown::Text(study_.places[i].note) + "\n";
      }
      part += "\n";
    }
    return study_.takeaways.empty() ? part
                                    : part + "### Key takeaways\n\n" + Numbered(study_.takeaways);
  }

  [[nodiscard]] Markdown RoundPart(const PublishedRound& round) const {
    MarkdownTable board({{.title = "Task"},
                         {.title = ModelIn(study_, round.a), .align = Align::kRight},
                         {.title = ModelIn(study_, round.b), .align = Align::kRight},
                         {.title = "Winner"},
                         {.title = "Margin", .align = Align::kRight}});
    for (const PublishedScorecard& card : round.challenges) {
      board.AddRow({ChallengeIn(study_, card.challenge), Figure(card.overall.a),
                    Figure(card.overall.b), EdgeIn(study_, card.winner, round.a, round.b),
                    "+" + Figure(card.margin)});
    }
    board.AddRow({"**Average**", Markdown::Bold(Figure(round.averages.a)),
                  Markdown::Bold(Figure(round.averages.b)),
                  EdgeIn(study_, round.winner, round.a, round.b),
                  Markdown::Bold("+" + Figure(round.margin))});
    Markdown part = "## Round " + Figure(round.round) + ": " + Pair(round.a, round.b) + "\n\n" +
                    board.Render() + "\n" + Paragraph(round.verdict);
    for (const PublishedScorecard& card : round.challenges) {
      part += ScorecardPart(round, card);
    }
    if (!round.patterns.empty()) {
      part += "### What separated them\n\n" + PatternTable(round.patterns) + "\n";
    }
    return part + Paragraph(round.hybrid) + Paragraph(round.closing);
  }

  [[nodiscard]] Markdown DimensionTitle(std::string_view challenge, std::string_view id) const {
    const Rubric* const rubric = FindRubric(repository_, challenge);
    const Dimension* const found = rubric == nullptr ? nullptr : FindDimension(*rubric, id);
    return Markdown::Text(found == nullptr ? id : found->title);
  }

  [[nodiscard]] Markdown ScorecardPart(const PublishedRound& round,
                                       const PublishedScorecard& card) const {
    MarkdownTable table({{.title = "Dimension"},
                         {.title = ModelIn(study_, round.a), .align = Align::kRight},
                         {.title = ModelIn(study_, round.b), .align = Align::kRight}});
    for (const DimensionPair& one : card.dimensions) {
      table.AddRow({DimensionTitle(card.challenge, one.dimension), Figure(one.scores.a),
                    Figure(one.scores.b)});
    }
    table.AddRow({"**Overall**", Markdown::Bold(Figure(card.overall.a)),
                  Markdown::Bold(Figure(card.overall.b))});
    Markdown part = "### " + ChallengeIn(study_, card.challenge) + "\n\n" + table.Render() + "\n";
    for (const auto* const all : {&card.strengths, &card.weaknesses}) {
      for (const Findings& findings : *all) {
        part += Markdown::Bold(Markdown::Text(findings.heading)) + "\n\n" + Bullets(findings.items);
      }
    }
    return part;
  }

  [[nodiscard]] Markdown PatternTable(const std::vector<Pattern>& patterns) const {
    std::vector<MarkdownTable::Column> columns = {{.title = "Factor"}};
    for (const auto& [model, text] : patterns.front().cells) {
      columns.push_back({.title = ModelIn(study_, model)});
    }
    columns.push_back({.title = "Measured by"});
    MarkdownTable table(columns);
    for (const Pattern& pattern : patterns) {
      std::vector<Markdown> cells = {Markdown::Bold(Markdown::Text(pattern.factor))};
      for (const auto& [model, text] : pattern.cells) {
        cells.push_back(Markdown::Text(text));
      }
      cells.push_back(MappingCell(pattern.mapping));
      table.AddRow(std::move(cells));
    }
    return table.Render();
  }

  [[nodiscard]] Markdown Ranking() const {
    MarkdownTable table({{.title = "Rank", .align = Align::kRight},
                         {.title = "Model"},
                         {.title = "Average score", .align = Align::kRight},
                         {.title = "Best task"},
                         {.title = "Worst task"},
                         {.title = "Notes"}});
    for (std::size_t i = 0; i < study_.ranking.size(); ++i) {
      const PublishedStanding& standing = study_.ranking[i];
      table.AddRow({Markdown::Text(fmt::format("{}", i + 1)),
                    Markdown::Bold(ModelIn(study_, standing.model)),
                    Markdown::Bold(Figure(standing.average)), Markdown::Text(standing.best.text),
                    Markdown::Text(standing.worst.text), Markdown::Text(standing.notes)});
    }
    return table.empty() ? Markdown() : "## Ranking from the rounds\n\n" + table.Render() + "\n";
  }

  [[nodiscard]] Markdown BreakdownPart() const {
    Markdown part = study_.breakdown.empty() ? Markdown() : Markdown("## Task by task\n\n");
    for (const Breakdown& breakdown : study_.breakdown) {
      part += "### " + ChallengeIn(study_, breakdown.challenge) + "\n\n";
      for (const ModelNote& entry : breakdown.entries) {
        std::vector<Markdown> scores;
        scores.reserve(entry.scores.size());
        for (const double score : entry.scores) {
          scores.push_back(Figure(score));
        }
        part += "- " +
                Markdown::Bold(ModelIn(study_, entry.model) + " (" + Markdown::Join(scores, ", ") +
                               ")") +
                " — " + Markdown::Text(entry.note) + "\n";
      }
      part += "\n";
    }
    return part;
  }

  [[nodiscard]] Markdown Patterns() const {
    Markdown part;
    if (!study_.patterns.empty()) {
      part += "## What separates the tiers\n\n" + PatternTable(study_.patterns) + "\n";
    }
    return study_.decisive_factors.empty()
               ? part
               : part + "### The decisive factors\n\n" + Numbered(study_.decisive_factors);
  }

  [[nodiscard]] Markdown HybridPart() const {
    MarkdownTable table({{.title = "Task"},
                         {.title = "Best algorithm"},
                         {.title = "Best testing"},
                         {.title = "Best analysis"}});
    for (const HybridRow& row : study_.hybrid_rows) {
      table.AddRow({Markdown::Bold(ChallengeIn(study_, row.challenge)),
                    Markdown::Text(row.algorithm.text), Markdown::Text(row.testing.text),
                    Markdown::Text(row.analysis.text)});
    }
    return table.empty()
               ? Markdown()
               : "## The ideal hybrid\n\n" + Paragraph(study_.hybrid) + table.Render() + "\n";
  }

  [[nodiscard]] Markdown Files() const {
    MarkdownTable table({{.title = "File"}, {.title = "Matchup"}, {.title = "Size"}});
    for (const PublishedFile& file : study_.files) {
      table.AddRow(
          {Markdown::Code(file.file), Markdown::Text(file.matchup), Markdown::Text(file.size)});
    }
    return table.empty() ? Markdown()
                         : "## Files of the study\n\n" + table.Render() +
                               "\nThese are not here. What was read of it, by SHA-256:\n\n" +
                               Sources() + "\n";
  }

  [[nodiscard]] Markdown Sources() const {
    MarkdownTable table({{.title = "File"}, {.title = "Holds"}, {.title = "SHA-256"}});
    for (const StudySource& source : study_.sources) {
      table.AddRow({Markdown::Code(source.file), Markdown::Text(source.holds),
                    Markdown::Code(source.sha256)});
    }
    return table.Render();
  }

  [[nodiscard]] Markdown Contradictions() const {
    MarkdownTable table({{.title = "What"}, {.title = "Challenge"}, {.title = "Where"}});
    for (const StudyContradiction& one : study_.contradictions) {
      std::vector<Markdown> passages;
      passages.reserve(one.where.size());
      for (const StudyContradiction::Passage& passage : one.where) {
        passages.push_back(Markdown::Text(passage.in) + ": “" + Markdown::Text(passage.says) + "”");
      }
      table.AddRow({CellLines(one.what),
                    one.challenge.empty() ? Markdown("all") : ChallengeIn(study_, one.challenge),
                    Markdown::Join(passages, "<br>")});
    }
    return table.empty()
               ? Markdown()
               : "## Where the study contradicts itself\n\nThis part is ours; what it quotes "
                 "stands above.\n\n" +
                     table.Render() + "\n";
  }

  const PublishedStudy& study_;
  const Repository& repository_;
};

}  // namespace

Markdown PublishedPage(const std::vector<PublishedStudy>& studies, const Repository& repository) {
  Markdown page = GeneratedNote();
  for (const PublishedStudy& study : studies) {
    page += StudySection(study, repository).Render();
  }
  return page;
}

}  // namespace assay
