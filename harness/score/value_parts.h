// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SCORE_VALUE_PARTS_H_
#define ASSAY_SCORE_VALUE_PARTS_H_

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "score/value.h"

/// What the functions that make values are written with; of no use outside score.
namespace assay {

[[nodiscard]] inline CriterionValue Measured(double value, std::string note = "") {
  return {.state = CriterionValue::State::kMeasured, .value = value, .note = std::move(note)};
}

/// A part of `whole`.
[[nodiscard]] inline CriterionValue MeasuredOf(double part, std::ptrdiff_t whole) {
  return {.state = CriterionValue::State::kMeasured,
          .value = part,
          .note = fmt::format("of {}", whole),
          .note_is = CriterionValue::Note::kOfHowMany};
}

[[nodiscard]] inline CriterionValue NotMeasured(std::string why) {
  return {.state = CriterionValue::State::kNotMeasured, .note = std::move(why)};
}

[[nodiscard]] inline CriterionValue Failed(std::string why) {
  return {.state = CriterionValue::State::kFailed, .note = std::move(why)};
}

/// The argument of a function of one argument; empty when the rubric gives none.
[[nodiscard]] inline std::string_view Argument(const Criterion& criterion) {
  return criterion.value.arguments.empty() ? std::string_view()
                                           : std::string_view(criterion.value.arguments.front());
}

[[nodiscard]] inline CriterionValue CountOf(std::size_t part, std::size_t whole) {
  return Measured(static_cast<double>(part) / static_cast<double>(whole),
                  fmt::format("{} of {}", part, whole));
}

[[nodiscard]] inline bool Contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Whether a row that counts cases is about this one: it has one of the row's tags.
[[nodiscard]] inline bool IsAbout(const Criterion& criterion,
                                  const std::vector<std::string>& tags) {
  return std::ranges::any_of(criterion.value.arguments,
                             [&](const std::string& tag) { return Contains(tags, tag); });
}

}  // namespace assay

#endif  // ASSAY_SCORE_VALUE_PARTS_H_
