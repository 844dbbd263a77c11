// SPDX-License-Identifier: Apache-2.0
#include "review/shown_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "review/visible.h"

namespace assay {

std::vector<ShownFile> ShowFiles(const std::map<std::string, std::string>& files,
                                 const Blinder& blinder) {
  std::vector<ShownFile> shown;
  std::set<std::string> taken;
  for (const auto& [path, content] : files) {
    ShownFile file{.path = path,
                   .shown_path = MakeVisible(blinder.Blind(path)),
                   .lines = SplitLines(content),
                   .shown_lines = SplitLines(MakeVisible(blinder.Blind(content)))};
    // `glm_a.cc` and `qwen_a.cc` of one submission.
    for (int copy = 2; !taken.insert(file.shown_path).second; ++copy) {
      file.shown_path = fmt::format("{} ({})", MakeVisible(blinder.Blind(path)), copy);
    }
    shown.push_back(std::move(file));
  }
  return shown;
}

const ShownFile* FindShownFile(const std::vector<ShownFile>& files, std::string_view path) {
  // What the dossier says comes first: a hostile path may be what it calls another file.
  auto found = std::ranges::find(files, path, &ShownFile::shown_path);
  if (found == files.end()) {
    found = std::ranges::find(files, path, &ShownFile::path);
  }
  return found == files.end() ? nullptr : &*found;
}

bool Quotes(const ShownFile& file, int line, std::string_view quote) {
  const auto holds = [&](const std::vector<std::string>& lines) {
    return line >= 1 && static_cast<std::size_t>(line) <= lines.size() &&
           lines[static_cast<std::size_t>(line) - 1].find(quote) != std::string::npos;
  };
  return holds(file.shown_lines) || holds(file.lines);
}

}  // namespace assay
