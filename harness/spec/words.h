// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SPEC_WORDS_H_
#define ASSAY_SPEC_WORDS_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "spec/nearest.h"
#include "spec/rubric.h"

namespace assay {

/// The words that rubric.yaml uses for the values of an enum: one table for both directions.
template <class Enum, std::size_t kCount>
using Words = std::array<std::pair<Enum, std::string_view>, kCount>;

inline constexpr Words<CriterionKind, 9> kCriterionKinds = {
    {{CriterionKind::kTest, "test"},
     {CriterionKind::kBench, "bench"},
     {CriterionKind::kGpu, "gpu"},
     {CriterionKind::kBuild, "build"},
     {CriterionKind::kStatic, "static"},
     {CriterionKind::kOwnTests, "own_tests"},
     {CriterionKind::kClaim, "claim"},
     {CriterionKind::kAnswer, "answer"},
     {CriterionKind::kReview, "review"}}};

inline constexpr Words<Edge, 3> kEdges = {
    {{Edge::kHigher, "higher"}, {Edge::kLower, "lower"}, {Edge::kText, "text"}}};

inline constexpr Words<ValueFormat, 7> kValueFormats = {{{ValueFormat::kPercent, "percent"},
                                                         {ValueFormat::kCount, "count"},
                                                         {ValueFormat::kRatio, "ratio"},
                                                         {ValueFormat::kScientific, "scientific"},
                                                         {ValueFormat::kBytes, "bytes"},
                                                         {ValueFormat::kSeconds, "seconds"},
                                                         {ValueFormat::kText, "text"}}};

template <class Enum, std::size_t kCount>
[[nodiscard]] std::string_view WordOf(const Words<Enum, kCount>& words, Enum value) {
  const auto found = std::ranges::find(words, value, [](const auto& pair) { return pair.first; });
  return found == words.end() ? std::string_view("?") : found->second;
}

template <class Enum, std::size_t kCount>
[[nodiscard]] std::vector<std::string> WordList(const Words<Enum, kCount>& words) {
  return NamesOf(words, [](const auto& pair) { return pair.second; });
}

}  // namespace assay

#endif  // ASSAY_SPEC_WORDS_H_
