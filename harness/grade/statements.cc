// SPDX-License-Identifier: Apache-2.0
#include "grade/statements.h"

#include <fmt/format.h>

#include <cmath>

#include "evidence/derived.h"

namespace assay {
namespace {

bool IsRight(const std::string& answered, const RunResults::Question& question) {
  if (!question.text.empty()) {
    return SameWords(answered, question.text);
  }
  const auto value = NumberOf(answered);
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
    }
    row.holds = ClaimHolds(row.claimed, row.measured);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace assay
