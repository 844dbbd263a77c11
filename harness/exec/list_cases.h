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

/// A case, and where its macro stands: the name of the source, `suite_edge.cc`, and the line.
struct CaseSource {
  std::string name;
  std::string file;
  int line = 0;
  bool operator==(const CaseSource&) const = default;
};
/// The same of what `--gtest_list_tests --gtest_output=json` wrote; nothing where it is no such
/// document.
[[nodiscard]] std::vector<CaseSource> ParseCaseSources(std::string_view json);

/// The cases of a suite and where they stand, by a file that it writes into the folder `scratch`.
/// Errors as of ListCases.
[[nodiscard]] Result<std::vector<CaseSource>> ListCaseSources(const std::filesystem::path& suite,
                                                              const std::filesystem::path& scratch);

/// All cases of a suite, in the order in which it runs them. One that does not start or has none
/// is an error of kind kJudge.
[[nodiscard]] Result<std::vector<std::string>> ListCases(const std::filesystem::path& suite);

}  // namespace assay

#endif  // ASSAY_EXEC_LIST_CASES_H_
