// SPDX-License-Identifier: Apache-2.0
#include "published/page_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "report/matchup_parts.h"
#include "report/words.h"
#include "score/format.h"

namespace assay {

Markdown ModelIn(const PublishedStudy& study, std::string_view model) {
  return Markdown::Text(NameIn(study.models, model));
}

Markdown ChallengeIn(const PublishedStudy& study, std::string_view challenge) {
  return Markdown::Text(NameIn(study.challenges, challenge));
}

Markdown Figure(double number) { return Markdown::Text(fmt::format("{:g}", number)); }

Markdown Bullets(const std::vector<std::string>& items) {
  Markdown list;
  for (const std::string& item : items) {
    list += "- " + Markdown::Text(item) + "\n";
  }
  return items.empty() ? list : list + "\n";
}

Markdown Bullets(const std::vector<Statement>& items) {
  std::vector<std::string> texts;
  std::ranges::transform(items, std::back_inserter(texts), &Statement::text);
  return Bullets(texts);
}

Markdown Numbered(const std::vector<Statement>& items) {
  Markdown list;
  for (std::size_t i = 0; i < items.size(); ++i) {
    list += Markdown::Text(fmt::format("{}", i + 1)) + ". " + Markdown::Text(items[i].text) + "\n";
  }
  return items.empty() ? list : list + "\n";
}

Markdown Paragraph(std::string_view text) {
  return text.empty() ? Markdown() : Markdown::Text(text) + "\n\n";
}

Markdown EdgeIn(const PublishedStudy& study, RowEdge edge, std::string_view a, std::string_view b) {
  switch (edge) {
    case RowEdge::kA:
      return Markdown::Bold(ModelIn(study, a));
    case RowEdge::kB:
      return Markdown::Bold(ModelIn(study, b));
    case RowEdge::kTie:
      return "Tie";
    case RowEdge::kSplit:
      return "Split";
    case RowEdge::kUnresolved:
    case RowEdge::kNone:
      return "—";
  }
  return "";
}

Markdown ShortValue(const Criterion& criterion, const CriterionValue& value) {
  if (value.state != CriterionValue::State::kMeasured) {
    return CellText(FormatValue(criterion, value));
  }
  return Markdown::Text(FormatWithUnit(criterion, value.value));
}

Markdown Sentences(const std::vector<std::string>& texts) {
  std::vector<Markdown> said;
  for (const std::string& text : texts) {
    if (!text.empty()) {
      said.push_back(Markdown::Text(text));
    }
  }
  return Markdown::Join(said, " ");
}

Markdown MeasuredTotal(const Board& board, std::string_view a, std::string_view b) {
  const std::vector<Sides> sides = SidesOf(board, a, b);
  return sides.empty() ? Markdown("\n") : "\n  - Measured: " + TotalLine(sides) + "\n";
}

const Scorecard* CardOf(const Board& board, std::string_view model, std::string_view challenge) {
  const auto found = std::ranges::find_if(board.cards, [&](const Scorecard& card) {
    return card.model == model && card.challenge == challenge;
  });
  return found == board.cards.end() ? nullptr : &*found;
}

Markdown MappingCell(const RowMapping& mapping) {
  std::vector<Markdown> ids;
  ids.reserve(mapping.measured_by.size());
  for (const std::string& id : mapping.measured_by) {
    ids.push_back(Markdown::Code(id));
  }
  return ids.empty() ? "nothing: " + Markdown::Text(mapping.unmeasured)
                     : Markdown::Join(ids, "<br>");
}

}  // namespace assay
