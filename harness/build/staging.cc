// SPDX-License-Identifier: Apache-2.0
#include "build/staging.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <set>
#include <system_error>

#include "base/unique_fd.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

using Staged = std::expected<void, StagingRefusal>;

std::unexpected<StagingRefusal> Refuse(std::string reason) {
  return std::unexpected(StagingRefusal{std::move(reason)});
}

// Opens `relative` below `root` one name at a time, so that no step can be a symbolic link.
// O_NONBLOCK keeps a named pipe from blocking; it means nothing for a regular file.
UniqueFd OpenBelow(int root, const fs::path& relative) {
  UniqueFd at(::fcntl(root, F_DUPFD_CLOEXEC, 0));
  for (auto name = relative.begin(); at && name != relative.end(); ++name) {
    const bool last = std::next(name) == relative.end();
    at.Reset(::openat(at.get(), name->c_str(),
                      O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (last ? 0 : O_DIRECTORY)));
  }
  return at;
}

bool StaysBelow(const fs::path& relative) {
  return !relative.empty() && relative.is_relative() &&
         std::ranges::none_of(relative, [](const fs::path& name) { return name == ".."; });
}

std::expected<std::int64_t, StagingRefusal> SizeOf(const UniqueFd& file, const std::string& name) {
  struct stat status{};
  if (!file || ::fstat(file.get(), &status) != 0) {
    return Refuse(fmt::format("{} cannot be read: it is missing, or a symbolic link", name));
  }
  if (!S_ISREG(status.st_mode)) {
    return Refuse(fmt::format("{} is not a regular file", name));
  }
  if (status.st_size > static_cast<std::int64_t>(kLargestSource_bytes)) {
    return Refuse(fmt::format("{} has {} bytes; one file may have {}", name, status.st_size,
                              kLargestSource_bytes));
  }
  return status.st_size;
}

Result<std::string> Read(const UniqueFd& file, std::int64_t size_bytes) {
  std::string content(static_cast<std::size_t>(size_bytes), '\0');
  std::size_t have = 0;
  while (have < content.size()) {
    const ssize_t got = ::read(file.get(), content.data() + have, content.size() - have);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return std::unexpected(SystemError("read a file of the submission", errno));
    }
    if (got == 0) {
      break;  // It shrank while we read: what is left is what it holds.
    }
    have += static_cast<std::size_t>(got);
  }
  content.resize(have);
  return content;
}

// Not WriteFileAtomically: the tree is temporary, and syncing each of its files is slow.
Status Write(const fs::path& path, const std::string& content) {
  std::error_code failure;
  fs::create_directories(path.parent_path(), failure);
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream.write(content.data(), static_cast<std::streamsize>(content.size()));
  stream.close();
  if (failure || !stream) {
    return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                 .where = path.string(),
                                 .cause = "cannot write a copy of the submission",
                                 .remedy = "free disk space, or make the folder writable"});
  }
  return {};
}

// Whether `file` lies in `directory` or below it. The empty path is the submission's own folder,
// in which everything lies.
bool LiesIn(const fs::path& file, const fs::path& directory) {
  const auto [end, rest] = std::ranges::mismatch(directory, file);
  return end == directory.end();
}

}  // namespace

Result<Staged> Stage(const fs::path& from, const std::vector<std::string>& files,
                     const fs::path& to) {
  if (files.size() > kLargestSubmission_files) {
    return Staged(Refuse(fmt::format("the submission has {} sources and headers; it may have {}",
                                     files.size(), kLargestSubmission_files)));
  }
  const UniqueFd root(::open(from.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECTORY));
  if (!root) {
    return std::unexpected(SystemError("open " + from.string(), errno));
  }
  std::int64_t total_bytes = 0;
  for (const std::string& name : files) {
    if (!StaysBelow(name)) {
      return Staged(Refuse(fmt::format("{} leads out of the submission", name)));
    }
    const UniqueFd file = OpenBelow(root.get(), name);
    const auto size = SizeOf(file, name);
    if (!size) {
      return Staged(std::unexpected(size.error()));
    }
    total_bytes += *size;
    if (total_bytes > static_cast<std::int64_t>(kLargestSubmission_bytes)) {
      return Staged(Refuse(fmt::format("the submission has more than {} bytes of sources",
                                       kLargestSubmission_bytes)));
    }
    ASSAY_ASSIGN_OR_RETURN(const std::string content, Read(file, *size));
    ASSAY_RETURN_IF_ERROR(Write(to / name, content));
  }
  return Staged();
}

Status StageTrusted(const fs::path& from, const std::vector<std::string>& files,
                    const fs::path& to) {
  ASSAY_ASSIGN_OR_RETURN(const Staged staged, Stage(from, files, to));
  if (!staged) {
    return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                 .where = from.string(),
                                 .cause = staged.error().reason,
                                 .remedy = "restore the file from version control"});
  }
  return {};
}

Status MakeEmptyFolder(const fs::path& folder) {
  std::error_code failure;
  fs::remove_all(folder, failure);
  fs::create_directories(folder, failure);
  if (failure) {
    return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                 .where = folder.string(),
                                 .cause = "cannot make the folder: " + failure.message(),
                                 .remedy = "free disk space, or make its parent writable"});
  }
  return {};
}

std::vector<std::string> ImplementationFiles(const SubmissionSpec& submission) {
  std::set<fs::path> test_folders;
  const auto add_folder = [&](const std::string& program) {
    const fs::path folder = fs::path(program).parent_path();
    if (std::ranges::none_of(submission.sources,
                             [&](const std::string& source) { return LiesIn(source, folder); })) {
      test_folders.insert(folder);
    }
  };
  std::ranges::for_each(submission.tests, add_folder);
  for (const BenchmarkSpec& benchmark : submission.benchmarks) {
    add_folder(benchmark.source);
  }
  std::set<std::string> files(submission.sources.begin(), submission.sources.end());
  for (const std::string& header : submission.headers) {
    if (std::ranges::none_of(test_folders,
                             [&](const fs::path& folder) { return LiesIn(header, folder); })) {
      files.insert(header);
    }
  }
  return {files.begin(), files.end()};
}

std::vector<std::string> AllFiles(const SubmissionSpec& submission) {
  std::set<std::string> files(submission.sources.begin(), submission.sources.end());
  files.insert(submission.headers.begin(), submission.headers.end());
  files.insert(submission.tests.begin(), submission.tests.end());
  for (const BenchmarkSpec& benchmark : submission.benchmarks) {
    files.insert(benchmark.source);
  }
  return {files.begin(), files.end()};
}

}  // namespace assay
