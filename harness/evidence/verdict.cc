// SPDX-License-Identifier: Apache-2.0
#include "evidence/verdict.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace assay {
namespace {

template <class T, std::size_t kCount>
using Names = std::array<std::pair<T, std::string_view>, kCount>;

constexpr Names<Verdict, 10> kVerdicts = {{
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

constexpr Names<GiveUpCause, 4> kGiveUpCauses = {{
    {GiveUpCause::kJudge, "judge"},
    {GiveUpCause::kDeadHosts, "dead_hosts"},
    {GiveUpCause::kLimits, "limits"},
    {GiveUpCause::kRunLimit, "run_limit"},
}};

constexpr Names<SkipCause, 5> kSkipCauses = {{
    {SkipCause::kNotOffered, "not_offered"},
    {SkipCause::kNotReported, "not_reported"},
    {SkipCause::kRefused, "refused"},
    {SkipCause::kDeviceLacks, "device_lacks"},
    {SkipCause::kNotAsked, "not_asked"},
}};

/// `otherwise` for what is not a value of the enumeration: a fault of ours.
template <class T, std::size_t kCount>
std::string_view NameOf(T value, const Names<T, kCount>& names, std::string_view otherwise) {
  const auto found = std::ranges::find(names, value, &std::pair<T, std::string_view>::first);
  return found == names.end() ? otherwise : found->second;
}

template <class T, std::size_t kCount>
std::optional<T> ValueOf(std::string_view name, const Names<T, kCount>& names) {
  const auto found = std::ranges::find(names, name, &std::pair<T, std::string_view>::second);
  return found == names.end() ? std::nullopt : std::optional(found->first);
}

}  // namespace

std::string_view ToString(Verdict verdict) { return NameOf(verdict, kVerdicts, "judge_error"); }

std::optional<Verdict> VerdictFromString(std::string_view text) { return ValueOf(text, kVerdicts); }

std::string_view ToString(GiveUpCause cause) { return NameOf(cause, kGiveUpCauses, "judge"); }

std::optional<GiveUpCause> GiveUpCauseFromString(std::string_view text) {
  return ValueOf(text, kGiveUpCauses);
}

std::string_view ToString(SkipCause cause) { return NameOf(cause, kSkipCauses, "not_asked"); }

std::optional<SkipCause> SkipCauseFromString(std::string_view text) {
  return ValueOf(text, kSkipCauses);
}

}  // namespace assay
