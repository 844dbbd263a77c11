// SPDX-License-Identifier: Apache-2.0
#include "published/page_parts.h"

#include <fmt/format.h>

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

Markdown Numbered(const std::vector<std::string>& items) {
  Markdown list;
  for (std::size_t i = 0; i < items.size(); ++i) {
    list += Markdown::Text(fmt::format("{}", i + 1)) + ". " + Markdown::Text(items[i]) + "\n";
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

Markdown MappingCell(const RowMapping& mapping) {
  std::vector<Markdown> ids;
  ids.reserve(mapping.measured_by.size());
  for (const std::string& id : mapping.measured_by) {
    ids.push_back(Markdown::Code(id));
  }
  return ids.empty() ? "nothing: " + Markdown::Text(mapping.unmeasured) : Markdown::Join(ids, ", ");
}

}  // namespace assay
