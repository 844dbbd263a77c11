// SPDX-License-Identifier: Apache-2.0
#include "build/toolchain.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <system_error>

#include "base/text.h"
#include "process/run.h"

namespace assay {
namespace {

Error Missing(const std::filesystem::path& tool, const std::string& cause) {
  return Error{.kind = ErrorKind::kConfiguration,
               .where = tool.string(),
               .cause = cause,
               .remedy = "install g++; in a checkout scripts/setup does"};
}

}  // namespace

std::vector<std::string> Words(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) {
      words.emplace_back(text.substr(0, end));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

std::string_view ToString(BuildFlavor flavor) {
  return flavor == BuildFlavor::kRelease ? "release" : "sanitized";
}

const std::vector<std::string>& CompilerFlags(BuildFlavor flavor) {
  static const std::vector<std::string> release = Words(ASSAY_RELEASE_FLAGS);
  static const std::vector<std::string> sanitized = Words(ASSAY_SANITIZED_FLAGS);
  return flavor == BuildFlavor::kRelease ? release : sanitized;
}

Status RequireTool(const std::filesystem::path& tool) {
  std::error_code failure;
  if (!std::filesystem::is_regular_file(tool, failure) || ::access(tool.c_str(), X_OK) != 0) {
    return std::unexpected(Missing(tool, "there is no such program"));
  }
  return {};
}

Result<std::string> CompilerVersion(const std::filesystem::path& compiler) {
  ASSAY_RETURN_IF_ERROR(RequireTool(compiler));
  Command command;
  command.argv = {compiler.string(), "--version"};
  command.environment = {"LC_ALL=C"};
  command.time_limit = std::chrono::seconds(10);
  const auto ran = RunToCompletion(command);
  if (!ran) {
    return std::unexpected(ran.error());
  }
  const std::vector<std::string> lines = SplitLines(ran->output);
  if (ran->exit.kind != ProcessExit::Kind::kExited || ran->exit.code_or_signal != 0 ||
      lines.empty()) {
    return std::unexpected(Missing(compiler, "it does not say its version: " + ran->errors));
  }
  return lines.front();
}

}  // namespace assay
