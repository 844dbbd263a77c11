// SPDX-License-Identifier: Apache-2.0
#include "evidence/derived.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <string>
#include <system_error>

namespace assay {
namespace {

constexpr double kClaimTolerance = 0.01;

bool IsSpace(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

std::string_view WithoutBlanks(std::string_view text) {
  const auto first = std::find_if_not(text.begin(), text.end(), IsSpace);
  const auto last = std::find_if_not(text.rbegin(), text.rend(), IsSpace).base();
  return first < last ? std::string_view(first, last) : std::string_view();
}

std::string Normalised(std::string_view text) {
  std::string result(WithoutBlanks(text));
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

/// Without a `+` in front and without each `_` between two digits, which YAML lets a number have.
std::string PlainNumber(std::string_view text) {
  if (text.starts_with('+') && text.size() > 1 && text[1] != '-') {
    text.remove_prefix(1);
  }
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool separates = text[i] == '_' && i > 0 && IsDigit(text[i - 1]) && i + 1 < text.size() &&
                           IsDigit(text[i + 1]);
    if (!separates) {
      plain += text[i];
    }
  }
  return plain;
}

}  // namespace

bool WasGivenUp(const CaseEvidence& one) {
  return one.verdict == Verdict::kSkipped && one.given_up.has_value();
}

std::string ToString(const DeviceFinding& finding) { return finding.checker + ": " + finding.text; }

bool SameWords(std::string_view a, std::string_view b) { return Normalised(a) == Normalised(b); }

std::optional<double> NumberOf(std::string_view text) {
  const std::string plain = PlainNumber(WithoutBlanks(text));
  double value = 0;
  const auto [end, failure] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
  if (failure != std::errc{} || end != plain.data() + plain.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

bool ClaimHolds(double claimed, std::optional<double> measured) {
  return measured && std::fabs(claimed - *measured) <= kClaimTolerance * std::fabs(*measured);
}

double WarningsPer1000Lines(int warnings, int code_lines) {
  return 1000.0 * warnings / std::max(code_lines, 1);
}

}  // namespace assay
