// SPDX-License-Identifier: Apache-2.0
#include "grade/tool_output.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "spec/submission_spec.h"

namespace assay {
namespace {

// More lines than a submission has bytes are no count, whoever wrote it.
constexpr int kMostLines = static_cast<int>(kLargestSubmission_bytes);

// The count that stands between `before` and `after` in `line`, if they are there.
std::optional<int> NumberBetween(std::string_view line, std::string_view before,
                                 std::string_view after) {
  const std::size_t found = line.find(before);
  if (found == std::string_view::npos || line.front() == ' ') {
    return std::nullopt;
  }
  line.remove_prefix(found + before.size());
  int number = 0;
  const auto [end, failure] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (failure != std::errc() || number < 0 || number > kMostLines ||
      !line.substr(static_cast<std::size_t>(end - line.data())).starts_with(after)) {
    return std::nullopt;
  }
  return number;
}

}  // namespace

std::optional<LineCounts> ParseLineCounts(std::string_view cloc_json) {
  const nlohmann::json json = nlohmann::json::parse(cloc_json, nullptr, false);
  if (!json.is_object()) {
    return std::nullopt;
  }
  LineCounts counts;
  int total = 0;
  for (const auto& [name, entry] : json.items()) {
    // Two entries are about the run and not about a file; paths of files are absolute.
    if (name == "header" || name == "SUM") {
      continue;
    }
    const auto code = entry.find("code");
    if (code == entry.end() || !code->is_number_unsigned() ||
        code->get<std::uint64_t>() > static_cast<std::uint64_t>(kMostLines - total)) {
      return std::nullopt;
    }
    total += code->get<int>();
    counts[name] = code->get<int>();
  }
  return counts;
}

FunctionMeasures ParseFunctionMeasures(std::string_view clang_tidy_output) {
  FunctionMeasures worst;
  for (const std::string& line : SplitLines(clang_tidy_output)) {
    if (line.empty()) {
      continue;
    }
    if (const auto lines = NumberBetween(
            line, ": note: ", " lines including whitespace and comments (threshold ")) {
      // clang-tidy counts line breaks: a function on one line has none.
      worst.longest_lines = std::max(worst.longest_lines, *lines + 1);
    }
    if (const auto complexity =
            NumberBetween(line, " has cognitive complexity of ", " (threshold ")) {
      worst.cognitive_complexity = std::max(worst.cognitive_complexity, *complexity);
    }
  }
  return worst;
}

std::string WithoutSuppressions(std::string source) {
  // What g++ has not, or answers otherwise. static_analysis.cc defines what g++ has.
  constexpr std::array<std::string_view, 13> kSuppressions = {"NOLINT",
                                                              "__clang",
                                                              "__llvm",
                                                              "__has_feature",
                                                              "__has_extension",
                                                              "__has_builtin",
                                                              "__GNU",
                                                              "__apple_build_version",
                                                              "__has_warning",
                                                              "__has_declspec_attribute",
                                                              "__has_constexpr_builtin",
                                                              "__is_identifier",
                                                              "__building_module"};
  for (const std::string_view suppression : kSuppressions) {
    for (std::size_t at = source.find(suppression); at != std::string::npos;
         at = source.find(suppression, at)) {
      source[at] = 'X';
    }
  }
  return source;
}

}  // namespace assay
