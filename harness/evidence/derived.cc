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

std::string Normalised(std::string_view text) {
  const auto is_space = [](unsigned char c) { return std::isspace(c) != 0; };
  const auto first = std::find_if_not(text.begin(), text.end(), is_space);
  const auto last = std::find_if_not(text.rbegin(), text.rend(), is_space).base();
  std::string result;
  for (auto it = first; it < last; ++it) {
    result += static_cast<char>(std::tolower(static_cast<unsigned char>(*it)));
  }
  return result;
}

}  // namespace

bool WasGivenUp(const CaseEvidence& one) {
  return one.verdict == Verdict::kSkipped && one.given_up.has_value();
}

std::string ToString(const DeviceFinding& finding) { return finding.checker + ": " + finding.text; }

bool SameWords(std::string_view a, std::string_view b) { return Normalised(a) == Normalised(b); }

std::optional<double> NumberOf(std::string_view text) {
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
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
