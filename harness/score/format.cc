// SPDX-License-Identifier: Apache-2.0
#include "score/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace assay {
namespace {

/// With `digits` decimals, less trailing zeros: 100, 93.3. Minus zero prints as 0.
std::string Trimmed(double value, int digits) {
  std::string text = fmt::format("{:.{}f}", value, digits);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) {
      text.pop_back();
    }
  }
  return text == "-0" ? "0" : text;
}

std::string Bytes(double value) {
  constexpr std::array<std::string_view, 5> kUnits = {"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  while (std::abs(value) >= 1000 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{} {}", Trimmed(value, 1), kUnits[unit]);
}

std::string Seconds(double value) {
  if (std::abs(value) >= 1 || value == 0) {
    return fmt::format("{} s", Trimmed(value, 2));
  }
  if (std::abs(value) >= 1e-3) {
    return fmt::format("{} ms", Trimmed(value * 1e3, 2));
  }
  return fmt::format("{} µs", Trimmed(value * 1e6, 2));
}

std::string Infinity(double value) {
  if (std::isnan(value)) {
    return "not a number";
  }
  return value > 0 ? "infinite" : "-infinite";
}

/// `own_tests(kills:<mutant>)`: its note says it in words.
bool IsYesOrNo(const Criterion& criterion) {
  return criterion.value.function == ValueFunction::kOwnTests &&
         !criterion.value.arguments.empty() &&
         criterion.value.arguments.front().starts_with("kills:");
}

std::string Interval(ValueFormat format, const RatioEstimate& interval) {
  return fmt::format("[{}, {}]", FormatNumber(format, interval.low),
                     FormatNumber(format, interval.high));
}

}  // namespace

std::string FormatNumber(ValueFormat format, double value) {
  if (!std::isfinite(value)) {
    return Infinity(value);
  }
  switch (format) {
    case ValueFormat::kPercent:
      return Trimmed(value * 100, 1) + " %";
    case ValueFormat::kRatio:
      return fmt::format("{:.2f}x", value);
    case ValueFormat::kScientific:
      return value == 0 ? "0" : fmt::format("{:.2e}", value);
    case ValueFormat::kBytes:
      return Bytes(value);
    case ValueFormat::kSeconds:
      return Seconds(value);
    case ValueFormat::kCount:
    case ValueFormat::kText:
      return Trimmed(value, 2);
  }
  return Trimmed(value, 2);
}

std::string FormatWithUnit(const Criterion& criterion, double value) {
  const ValueUnit& unit = criterion.unit;
  std::string number = FormatNumber(criterion.format, value);
  switch (unit.form) {
    case ValueUnit::Form::kNone:
      return number;
    case ValueUnit::Form::kCounted:
      // By what is printed: 0.999 reads as 1.
      return fmt::format("{} {}", number, number == "1" ? unit.one : unit.many);
    case ValueUnit::Form::kOf:
      return fmt::format("{} of {}{}{}", number, unit.of, unit.many.empty() ? "" : " ", unit.many);
    case ValueUnit::Form::kYesOrNo:
      return value == 1 ? unit.one : fmt::format("not {}", unit.one);
  }
  return number;
}

std::string FormatValue(const Criterion& criterion, const CriterionValue& value) {
  switch (value.state) {
    case CriterionValue::State::kNotMeasured:
      if (value.note_is == CriterionValue::Note::kShownNotScored) {
        return value.note;
      }
      return value.note_is == CriterionValue::Note::kNotImplemented ? "not implemented" : "—";
    case CriterionValue::State::kFailed:
      return "failed";
    case CriterionValue::State::kMeasured:
      break;
  }
  if (IsYesOrNo(criterion)) {
    return value.note;
  }
  const bool counts = value.note_is == CriterionValue::Note::kOfHowMany;
  std::string text = FormatWithUnit(criterion, value.value);
  // "3 of 5 tests" reads; "3 tests (of 5)" does not.
  if (counts) {
    text = fmt::format("{} {}{}{}", FormatNumber(criterion.format, value.value), value.note,
                       criterion.unit.many.empty() ? "" : " ", criterion.unit.many);
  }
  if (value.interval.has_value()) {
    text += " " + Interval(criterion.format, *value.interval);
  }
  if (!counts && !value.note.empty()) {
    text += fmt::format(" ({})", value.note);
  }
  return text;
}

std::string FormatScore(std::optional<double> score) {
  return score.has_value() ? fmt::format("{:.1f}", *score) : "—";
}

std::string FormatScore(std::optional<double> score, std::optional<double> uncertainty) {
  return score.has_value() && uncertainty.value_or(0) > 0
             ? fmt::format("{:.1f} ± {:.1f}", *score, *uncertainty)
             : FormatScore(score);
}

std::string FormatRanks(const RankInterval& ranks) {
  return ranks.best == ranks.worst ? fmt::format("{}", ranks.best)
                                   : fmt::format("{}-{}", ranks.best, ranks.worst);
}

}  // namespace assay
