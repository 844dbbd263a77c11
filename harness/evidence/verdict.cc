// SPDX-License-Identifier: Apache-2.0
#include "evidence/verdict.h"

#include <array>
#include <utility>

namespace assay {
namespace {

constexpr std::array<std::pair<Verdict, std::string_view>, 10> kNames = {{
    {Verdict::kSkipped, "skipped"},
    {Verdict::kAccepted, "accepted"},
    {Verdict::kWrongAnswer, "wrong_answer"},
    {Verdict::kOutputLimit, "output_limit"},
    {Verdict::kTimeLimit, "time_limit"},
    {Verdict::kMemoryLimit, "memory_limit"},
    {Verdict::kRuntimeError, "runtime_error"},
    {Verdict::kCompileError, "compile_error"},
    {Verdict::kRejected, "rejected"},
    {Verdict::kJudgeError, "judge_error"},
}};

}  // namespace

std::string_view ToString(Verdict verdict) {
  for (const auto& [value, name] : kNames) {
    if (value == verdict) {
      return name;
    }
  }
  return "judge_error";  // Not a value of the enumeration: a fault of ours.
}

std::optional<Verdict> VerdictFromString(std::string_view text) {
  for (const auto& [value, name] : kNames) {
    if (name == text) {
      return value;
    }
  }
  return std::nullopt;
}

}  // namespace assay
