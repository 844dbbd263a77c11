// SPDX-License-Identifier: Apache-2.0
#include "exec/list_cases.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "process/run.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

std::string_view WithoutComment(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  line = line.substr(0, line.find('#'));
  const std::size_t first = line.find_first_not_of(kBlanks);
  return first == std::string_view::npos
             ? std::string_view()
             : line.substr(first, line.find_last_not_of(kBlanks) - first + 1);
}

Result<CommandResult> List(const fs::path& suite, const std::vector<std::string>& arguments) {
  std::vector<std::string> argv = {suite.string(), "--gtest_list_tests"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return RunToCompletion({.argv = std::move(argv),
                          .environment = {},
                          .working_directory = {},
                          .input = "",
                          .on_output = {}});
}

Error ListsNone(const fs::path& suite, const CommandResult& listed) {
  return {.kind = ErrorKind::kJudge,
          .where = suite.string(),
          .cause = fmt::format("lists no cases: {}", EscapeCodeBlock(listed.errors)),
          .remedy = "build it again; if that does not help, it is a bug of Assay"};
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

std::vector<CaseSource> ParseCaseSources(std::string_view json) {
  std::vector<CaseSource> cases;
  try {
    const auto document = nlohmann::json::parse(json);
    for (const auto& suite : document.at("testsuites")) {
      for (const auto& one : suite.at("testsuite")) {
        cases.push_back({.name = fmt::format("{}.{}", suite.at("name").get<std::string>(),
                                             one.at("name").get<std::string>()),
                         .file = fs::path(one.at("file").get<std::string>()).filename().string(),
                         .line = one.at("line").get<int>()});
      }
    }
  } catch (const nlohmann::json::exception&) {
    return {};
  }
  return cases;
}

Result<std::vector<CaseSource>> ListCaseSources(const fs::path& suite, const fs::path& scratch) {
  const fs::path document = scratch / "cases.json";
  ASSAY_ASSIGN_OR_RETURN(const CommandResult listed,
                         List(suite, {"--gtest_output=json:" + document.string()}));
  const auto json = ReadFile(document);
  std::vector<CaseSource> cases = ParseCaseSources(json ? *json : std::string());
  if (cases.empty()) {
    return std::unexpected(ListsNone(suite, listed));
  }
  return cases;
}

Result<std::vector<std::string>> ListCases(const fs::path& suite) {
  ASSAY_ASSIGN_OR_RETURN(const CommandResult listed, List(suite, {}));
  std::vector<std::string> cases = ParseCaseList(listed.output);
  if (cases.empty()) {
    return std::unexpected(ListsNone(suite, listed));
  }
  return cases;
}

}  // namespace assay
