// SPDX-License-Identifier: Apache-2.0
#include "spec/submission_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <system_error>

#include "base/text.h"
#include "spec/submission_spec.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

bool IsPlainComponent(std::string_view component) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '+' || c == '-';
  };
  return !component.empty() && component != "." && component != ".." && component.front() != '-' &&
         std::ranges::all_of(component, is_plain);
}

// A hostile name must not reach a terminal as it is.
std::string Escaped(std::string_view name) {
  std::string escaped;
  for (const char c : name) {
    escaped += IsPrintableAscii(c) ? std::string(1, c)
                                   : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return escaped;
}

class Walk {
 public:
  Walk(const fs::path& directory, FileFaults& faults) : directory_(directory), faults_(faults) {}

  SubmissionTree Run() {
    std::error_code failure;
    fs::recursive_directory_iterator it(directory_, failure);
    for (; !failure && it != fs::recursive_directory_iterator(); it.increment(failure)) {
      if (++entries_ > kLargestSubmission_files) {
        faults_.AddAt(directory_.string(),
                      fmt::format("holds more than {} files", kLargestSubmission_files),
                      "hand in sources alone");
        break;
      }
      Visit(*it);
    }
    if (failure) {
      faults_.AddAt(directory_.string(), "cannot be listed: " + failure.message(),
                    "make every folder in it readable");
    }
    if (size_bytes_ > kLargestSubmission_bytes) {
      faults_.AddAt(directory_.string(),
                    fmt::format("holds {} bytes, more than the {} allowed", size_bytes_,
                                kLargestSubmission_bytes),
                    "hand in sources alone");
    }
    std::ranges::sort(tree_.files);
    return std::move(tree_);
  }

 private:
  void Visit(const fs::directory_entry& entry) {
    std::error_code failure;
    const std::string relative = entry.path().lexically_relative(directory_).string();
    if (!IsPlainPath(relative)) {
      Fault(relative, "has a name that is not plain",
            "rename it; use letters, digits, \".\", \"_\", \"+\" and \"-\", not first \"-\"");
      return;
    }
    const fs::file_status status = entry.symlink_status(failure);
    if (fs::is_symlink(status)) {
      Fault(relative, "is a symbolic link", "replace it by the file that it points to");
    } else if (fs::is_regular_file(status)) {
      VisitFile(relative, entry.file_size(failure));
    } else if (!fs::is_directory(status)) {
      Fault(relative, "is neither a file nor a directory", "remove it");
    }
  }

  void VisitFile(const std::string& relative, std::uintmax_t size_bytes) {
    size_bytes_ += size_bytes;
    if (size_bytes > kLargestSource_bytes) {
      Fault(relative,
            fmt::format("holds {} bytes, more than the {} allowed a file", size_bytes,
                        kLargestSource_bytes),
            "make it smaller or remove it");
    }
    tree_.files.push_back(relative);
  }

  void Fault(const std::string& relative, std::string cause, std::string remedy) {
    faults_.AddAt((directory_ / Escaped(relative)).string(), std::move(cause), std::move(remedy));
  }

  const fs::path& directory_;
  FileFaults& faults_;
  SubmissionTree tree_;
  std::size_t entries_ = 0;
  std::uintmax_t size_bytes_ = 0;
};

}  // namespace

bool IsPlainPath(std::string_view path) {
  while (true) {
    const std::size_t slash = path.find('/');
    if (!IsPlainComponent(path.substr(0, slash))) {
      return false;
    }
    if (slash == std::string_view::npos) {
      return true;
    }
    path.remove_prefix(slash + 1);
  }
}

SubmissionTree WalkSubmission(const fs::path& directory, FileFaults& faults) {
  return Walk(directory, faults).Run();
}

}  // namespace assay
