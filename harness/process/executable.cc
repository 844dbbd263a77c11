// SPDX-License-Identifier: Apache-2.0
#include "process/executable.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>
#include <system_error>

namespace assay {
namespace {

bool IsExecutableFile(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::optional<std::filesystem::path> FindExecutable(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    return IsExecutableFile(name) ? std::optional(std::filesystem::absolute(name)) : std::nullopt;
  }
  const char* variable = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nothing sets it.
  std::string_view rest = variable == nullptr ? "/usr/bin:/bin" : variable;
  while (!rest.empty()) {
    const std::size_t end = rest.find(':');
    const std::filesystem::path directory(rest.substr(0, end));
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    // A relative entry would make the tool depend on the current folder, which a submission's
    // checkout may be.
    if (directory.is_absolute() && IsExecutableFile(directory / name)) {
      return directory / name;
    }
  }
  return std::nullopt;
}

}  // namespace assay
