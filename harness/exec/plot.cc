// SPDX-License-Identifier: Apache-2.0
#include "exec/plot.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "process/run.h"

namespace assay {
namespace {

constexpr std::chrono::seconds kLongestDrawing{30};
constexpr std::size_t kLargestPicture_bytes = std::size_t{4} << 20;

Result<CommandResult> RunGnuplot(std::vector<std::string> arguments, std::string_view program) {
  Command command;
  command.argv = {"gnuplot", "--default-settings"};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  command.environment = std::vector<std::string>{"PATH=/usr/local/bin:/usr/bin:/bin",
                                                 "HOME=/nonexistent", "LC_ALL=C.UTF-8"};
  command.input = program;
  command.time_limit = kLongestDrawing;
  command.output_limit_bytes = kLargestPicture_bytes;
  return RunToCompletion(command);
}

}  // namespace

bool HasGnuplot() {
  const auto result = RunGnuplot({"--version"}, "");
  return result && result->Succeeded();
}

Result<std::string> DrawSvg(std::string_view program) {
  ASSAY_ASSIGN_OR_RETURN(const CommandResult result, RunGnuplot({"-"}, program));
  const std::size_t start = result.output.find("<svg");
  const bool is_whole = result.output.find("</svg>") != std::string::npos;
  if (!result.Succeeded() || start == std::string::npos || !is_whole) {
    return std::unexpected(
        Error{.kind = ErrorKind::kConfiguration,
              .where = "gnuplot",
              .cause = fmt::format("draws no picture: {}", result.errors.substr(0, 500)),
              .remedy = "install gnuplot 5.4 or later (scripts/setup does)"});
  }
  return result.output.substr(start);
}

}  // namespace assay
