// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EXEC_LIST_CASES_H_
#define ASSAY_EXEC_LIST_CASES_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace assay {

/// The cases that `suite --gtest_list_tests` printed, in its order. Names are GoogleTest's full
/// ones, `Edge/f32.NanInX`.
[[nodiscard]] std::vector<std::string> ParseCaseList(std::string_view printed);

/// All cases of a suite, in the order in which it runs them. One that does not start or has none
/// is an error of kind kJudge.
[[nodiscard]] Result<std::vector<std::string>> ListCases(const std::filesystem::path& suite);

}  // namespace assay

#endif  // ASSAY_EXEC_LIST_CASES_H_
