// SPDX-License-Identifier: Apache-2.0
#include "client/threads.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>

namespace assay {
namespace {

/// `tid (name) R …`; the name is the host's own choice and may hold anything, parentheses too.
bool IsRunnable(const std::filesystem::path& stat_file) {
  std::ifstream file(stat_file);
  // Not by istreambuf_iterator, which throws when the thread ends while its file is read.
  std::ostringstream content;
  content << file.rdbuf();
  const std::string text = std::move(content).str();
  const std::size_t name_end = text.rfind(") ");
  return name_end != std::string::npos && text[name_end + 2] == 'R';
}

}  // namespace

bool HasRunnableThread(pid_t pid) {
  std::error_code error;
  std::filesystem::directory_iterator tasks("/proc/" + std::to_string(pid) + "/task", error);
  for (; !error && tasks != std::filesystem::directory_iterator(); tasks.increment(error)) {
    if (IsRunnable(tasks->path() / "stat")) {
      return true;
    }
  }
  return false;
}

}  // namespace assay
