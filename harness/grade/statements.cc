// SPDX-License-Identifier: Apache-2.0
#include "grade/statements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

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

std::optional<double> ParseNumber(const std::string& text) {
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

bool IsRight(const std::string& answered, const RunResults::Question& question) {
  if (!question.text.empty()) {
    return Normalised(answered) == Normalised(question.text);
  }
  const auto value = ParseNumber(answered);
  return value && std::fabs(*value - question.value) <=
                      question.relative_tolerance * std::fabs(question.value);
}

std::string Expected(const RunResults::Question& question) {
  return question.text.empty() ? fmt::format("{:.6g}", question.value) : question.text;
}

}  // namespace

Result<std::vector<AnswerEvidence>> CheckAnswers(
    const ChallengeSpec& challenge, const SubmissionSpec& submission,
    const std::map<std::string, RunResults::Question>& right) {
  std::vector<AnswerEvidence> rows;
  for (const Question& question : challenge.questions) {
    const auto expected = right.find(question.id);
    if (expected == right.end()) {
      return std::unexpected(
          Error{.kind = ErrorKind::kJudge,
                .where = (challenge.directory / "challenge.yaml").string(),
                .cause = fmt::format("the suite has no right answer to question {}", question.id),
                .remedy = "register it in the suite (RegisterQuestion, client/case.h)"});
    }
    AnswerEvidence row;
    row.question = question.id;
    row.expected = Expected(expected->second);
    if (const auto answer = submission.answers.find(question.id);
        answer != submission.answers.end()) {
      row.answered = answer->second;
      row.right = IsRight(answer->second, expected->second);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<ClaimEvidence> CheckClaims(const ChallengeSpec& challenge,
                                       const SubmissionSpec& submission,
                                       const std::map<std::string, double>& metrics) {
  std::vector<ClaimEvidence> rows;
  for (const ClaimKind& kind : challenge.claims) {
    const auto claimed = submission.claims.find(kind.id);
    if (claimed == submission.claims.end()) {
      continue;
    }
    ClaimEvidence row;
    row.claim = kind.id;
    row.claimed = claimed->second;
    if (const auto metric = metrics.find(kind.metric); metric != metrics.end()) {
      row.measured = metric->second;
      row.holds = std::fabs(claimed->second - metric->second) <=
                  kClaimTolerance * std::fabs(metric->second);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace assay
