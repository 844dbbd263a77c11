// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "report/challenge_sections.h"
#include "report/words.h"
#include "score/format.h"

namespace assay {

Markdown AnchorSection(const ChallengeBoard& challenge) {
  if (challenge.anchors.empty()) {
    return {};
  }
  const Rubric& rubric = challenge.view->rubric;
  std::vector<MarkdownTable::Column> columns = {{.title = "Anchor"},
                                                {.title = "Overall", .align = Align::kRight}};
  for (const Dimension& dimension : rubric.dimensions) {
    columns.push_back({.title = Markdown::Text(dimension.title), .align = Align::kRight});
  }
  MarkdownTable table(std::move(columns));
  bool is_of_another_version = false;
  for (const AnchorCard& anchor : challenge.anchors) {
    Markdown name = Markdown::Text(anchor.card.model_name);
    if (anchor.version == AnchorCard::Version::kAnother) {
      name += " §";
      is_of_another_version = true;
    }
    std::vector<Markdown> row = {
        std::move(name),
        Markdown::Bold(Markdown::Text(FormatScore(anchor.card.overall, anchor.card.uncertainty)))};
    for (const DimensionScore& score : anchor.card.dimensions) {
      row.push_back(Markdown::Text(FormatScore(score.score, score.uncertainty)));
    }
    table.AddRow(std::move(row));
  }
  Markdown section = table.Render() +
                     "\nThe zero and the hundred of the scale, graded as submissions are: what "
                     "does nothing, what refuses everything, and the baseline with right answers "
                     "and the tests of a submission. They have no rank.\n";
  if (is_of_another_version) {
    section += "\n§ Of another version of the challenge: run `scripts/anchors` again.\n";
  }
  return section;
}

}  // namespace assay
