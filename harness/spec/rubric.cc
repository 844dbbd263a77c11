// SPDX-License-Identifier: Apache-2.0
#include "spec/rubric.h"

#include <algorithm>

#include "spec/words.h"

namespace assay {

std::string_view ToString(CriterionKind kind) { return WordOf(kCriterionKinds, kind); }
bool IsAuthored(CriterionKind kind) {
  return kind == CriterionKind::kAnswer || kind == CriterionKind::kClaim ||
         kind == CriterionKind::kOwnTests || kind == CriterionKind::kReview;
}

std::string_view ToString(Edge edge) { return WordOf(kEdges, edge); }
std::string_view ToString(ValueFormat format) { return WordOf(kValueFormats, format); }

const Criterion* FindCriterion(const Rubric& rubric, std::string_view id) {
  const auto found = std::ranges::find(rubric.criteria, id, &Criterion::id);
  return found == rubric.criteria.end() ? nullptr : &*found;
}

const Dimension* FindDimension(const Rubric& rubric, std::string_view id) {
  const auto found = std::ranges::find(rubric.dimensions, id, &Dimension::id);
  return found == rubric.dimensions.end() ? nullptr : &*found;
}

}  // namespace assay
