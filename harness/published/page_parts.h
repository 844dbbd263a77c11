// SPDX-License-Identifier: Apache-2.0
// Small pieces that the pages of this layer share.
#ifndef ASSAY_PUBLISHED_PAGE_PARTS_H_
#define ASSAY_PUBLISHED_PAGE_PARTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "published/study.h"
#include "report/board.h"
#include "report/markdown.h"

namespace assay {

/// Escaped.
[[nodiscard]] Markdown ModelIn(const PublishedStudy& study, std::string_view model);
[[nodiscard]] Markdown ChallengeIn(const PublishedStudy& study, std::string_view challenge);
/// `65`, `2.5`.
[[nodiscard]] Markdown Figure(double number);
/// `- text` a line, and an empty line; nothing for none.
[[nodiscard]] Markdown Bullets(const std::vector<std::string>& items);
[[nodiscard]] Markdown Bullets(const std::vector<Statement>& items);
[[nodiscard]] Markdown Numbered(const std::vector<Statement>& items);
/// A paragraph; nothing for an empty text.
[[nodiscard]] Markdown Paragraph(std::string_view text);
/// The winner in bold, `Tie` or `Split`; `—` for no edge.
[[nodiscard]] Markdown EdgeIn(const PublishedStudy& study, RowEdge edge, std::string_view a,
                              std::string_view b);
/// `3 tensors`; `—`, `failed`, `not implemented` where there is no number.
[[nodiscard]] Markdown ShortValue(const Criterion& criterion, const CriterionValue& value);
/// The model's cell in the challenge; null where there is none.
/// Texts of the study, those that are there, behind each other.
[[nodiscard]] Markdown Sentences(const std::vector<std::string>& texts);
/// `  - Measured: **GLM-5 wins 3-0**, …`, a line below one that says something of two models;
/// nothing where they have no challenge in common.
[[nodiscard]] Markdown MeasuredTotal(const Board& board, std::string_view a, std::string_view b);
[[nodiscard]] const Scorecard* CardOf(const Board& board, std::string_view model,
                                      std::string_view challenge);
/// The criteria's ids, one below the other, or why there are none.
[[nodiscard]] Markdown MappingCell(const RowMapping& mapping);

}  // namespace assay

#endif  // ASSAY_PUBLISHED_PAGE_PARTS_H_
