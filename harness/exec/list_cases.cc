// SPDX-License-Identifier: Apache-2.0
#include "exec/list_cases.h"

#include <fmt/format.h>

#include "base/text.h"
#include "process/run.h"

namespace assay {
namespace {

std::string_view WithoutComment(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  line = line.substr(0, line.find('#'));
  const std::size_t first = line.find_first_not_of(kBlanks);
  return first == std::string_view::npos
             ? std::string_view()
             : line.substr(first, line.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace

std::vector<std::string> ParseCaseList(std::string_view printed) {
  // `Edge/f32.  # TypeParam = float`, and below it, indented, `NanInX  # GetParam() = 3`.
  std::vector<std::string> names;
  std::string suite;
  for (const std::string& line : SplitLines(printed)) {
    const std::string_view name = WithoutComment(line);
    if (!line.starts_with(' ')) {
      suite = name.ends_with('.') ? name : "";
    } else if (!suite.empty() && !name.empty()) {
      names.push_back(suite + std::string(name));
    }
  }
  return names;
}

Result<std::vector<std::string>> ListCases(const std::filesystem::path& suite) {
  ASSAY_ASSIGN_OR_RETURN(const CommandResult listed,
                         RunToCompletion({.argv = {suite.string(), "--gtest_list_tests"},
                                          .environment = {},
                                          .working_directory = {},
                                          .input = "",
                                          .on_output = {}}));
  std::vector<std::string> cases = ParseCaseList(listed.output);
  if (cases.empty()) {
    return std::unexpected(
        Error{.kind = ErrorKind::kJudge,
              .where = suite.string(),
              .cause = fmt::format("lists no cases: {}", EscapeCodeBlock(listed.errors)),
              .remedy = "build it again; if that does not help, it is a bug of Assay"});
  }
  return cases;
}

}  // namespace assay
