// SPDX-License-Identifier: Apache-2.0
#include "cli/answer_reader.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <memory>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/temporary.h"
#include "build/staging.h"
#include "cli/answer.h"
#include "cli/answer_markdown.h"
#include "report/plain_text.h"
#include "spec/submission_spec.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// Of an archive as it lies on the disk, compressed or not.
constexpr std::size_t kLargestArchive_bytes = std::size_t{64} << 20;
constexpr std::size_t kArchiveBlock_bytes = std::size_t{64} << 10;

Error AnswerError(const fs::path& path, std::string cause, std::string remedy) {
  return {.kind = ErrorKind::kConfiguration,
          .where = path.string(),
          .cause = std::move(cause),
          .remedy = std::move(remedy)};
}

// --- a folder ---------------------------------------------------------------------------------

// The regular files whose names a submission may hold; the rest is refused in `intake`.
Result<std::vector<std::string>> ListAnswer(const fs::path& folder, AnswerIntake& intake) {
  std::vector<std::string> names;
  std::error_code failure;
  std::size_t entries = 0;
  fs::recursive_directory_iterator it(folder, failure);
  for (; !failure && it != fs::recursive_directory_iterator(); it.increment(failure)) {
    if (++entries > kLargestSubmission_files) {
      return std::unexpected(
          AnswerError(folder, fmt::format("holds more than {} files", kLargestSubmission_files),
                      "hand in sources, tests and documents alone"));
    }
    const std::string name = it->path().lexically_relative(folder).string();
    const fs::file_status status = it->symlink_status(failure);
    if (fs::is_directory(status)) {
      if (it->path().filename().string().starts_with('.')) {
        intake.Refuse(name, "hidden");  // And all that is in it.
        it.disable_recursion_pending();
      }
    } else if (!fs::is_regular_file(status)) {
      intake.Refuse(name, fs::is_symlink(status) ? "a link" : "no regular file");
    } else if (const auto refusal = RefusalOfName(name)) {
      intake.Refuse(name, *refusal);
    } else {
      names.push_back(name);
    }
  }
  if (failure) {
    return std::unexpected(
        AnswerError(folder, "cannot be listed: " + failure.message(), "make it readable"));
  }
  return names;
}

Result<FileContents> ReadFolder(const fs::path& folder, const fs::path& temporary_root) {
  AnswerIntake intake;
  ASSAY_ASSIGN_OR_RETURN(const auto names, ListAnswer(folder, intake));
  ASSAY_ASSIGN_OR_RETURN(const TemporaryDirectory copy,
                         TemporaryDirectory::Create(temporary_root, "answer"));
  ASSAY_ASSIGN_OR_RETURN(const auto staged, Stage(folder, names, copy.path()));
  if (!staged) {
    return std::unexpected(
        AnswerError(folder, staged.error().reason, "hand in sources, tests and documents alone"));
  }
  for (const std::string& name : names) {
    ASSAY_ASSIGN_OR_RETURN(std::string content, ReadFile(copy.path() / name));
    intake.Add(name, EntryKind::kFile, std::move(content));
  }
  return intake.Finish(folder.string());
}

// --- an archive -------------------------------------------------------------------------------

struct ArchiveCloser {
  void operator()(archive* handle) const { archive_read_free(handle); }
};
using Archive = std::unique_ptr<archive, ArchiveCloser>;

Error ArchiveError(const fs::path& path, archive* handle) {
  const char* const what = archive_error_string(handle);
  return AnswerError(path,
                     "cannot be unpacked: " + PlainLine(what == nullptr ? "it is damaged" : what),
                     "make it anew, as .tar, .tar.gz or .zip without a password");
}

std::string NameOf(archive_entry* entry) {
  const char* name = archive_entry_pathname(entry);
  name = name == nullptr ? archive_entry_pathname_utf8(entry) : name;
  return name == nullptr ? "" : name;
}

EntryKind KindOf(archive_entry* entry) {
  if (archive_entry_hardlink(entry) != nullptr || archive_entry_symlink(entry) != nullptr ||
      archive_entry_filetype(entry) == AE_IFLNK) {
    return EntryKind::kLink;
  }
  return archive_entry_filetype(entry) == AE_IFREG ? EntryKind::kFile : EntryKind::kOther;
}

// What the archive holds here, and no more of it than is needed to see that it is too much.
Result<std::string> ContentOf(archive* handle, const fs::path& path) {
  std::string content;
  std::array<char, kArchiveBlock_bytes> block;
  while (content.size() < AnswerIntake::MostBytesOfAFile()) {
    const la_ssize_t count = archive_read_data(handle, block.data(), block.size());
    if (count < 0) {
      return std::unexpected(ArchiveError(path, handle));
    }
    if (count == 0) {
      break;
    }
    content.append(block.data(), static_cast<std::size_t>(count));
  }
  return content;
}

// Opened with the formats that we document and no others: each is code that reads hostile bytes.
Result<Archive> OpenArchive(const fs::path& path) {
  std::error_code failure;
  if (!fs::is_regular_file(path, failure) || fs::file_size(path, failure) > kLargestArchive_bytes) {
    return std::unexpected(
        AnswerError(path, fmt::format("is no file of at most {} bytes", kLargestArchive_bytes),
                    "hand in sources, tests and documents alone"));
  }
  Archive handle(archive_read_new());
  archive_read_support_filter_gzip(handle.get());
  archive_read_support_format_tar(handle.get());
  archive_read_support_format_zip(handle.get());
  if (archive_read_open_filename(handle.get(), path.c_str(), kArchiveBlock_bytes) != ARCHIVE_OK) {
    return std::unexpected(ArchiveError(path, handle.get()));
  }
  return handle;
}

Result<FileContents> ReadArchive(const fs::path& path) {
  ASSAY_ASSIGN_OR_RETURN(const Archive handle, OpenArchive(path));
  AnswerIntake intake;
  std::size_t folders = 0;  // Packed they take next to nothing: a bomb too.
  archive_entry* entry = nullptr;
  int status = archive_read_next_header(handle.get(), &entry);
  for (; status == ARCHIVE_OK || status == ARCHIVE_WARN;
       status = archive_read_next_header(handle.get(), &entry)) {
    const std::string name = NameOf(entry);
    const EntryKind kind = KindOf(entry);
    if (kind == EntryKind::kOther && archive_entry_filetype(entry) == AE_IFDIR) {
      if (++folders > kLargestSubmission_files) {
        return std::unexpected(
            AnswerError(path, fmt::format("holds more than {} folders", kLargestSubmission_files),
                        "hand in sources, tests and documents alone"));
      }
      continue;
    }
    std::string content;
    if (kind == EntryKind::kFile) {
      ASSAY_ASSIGN_OR_RETURN(content, ContentOf(handle.get(), path));
    }
    const bool is_bomb = content.size() >= AnswerIntake::MostBytesOfAFile();
    intake.Add(name, kind, std::move(content));
    if (!intake.HasRoom() || is_bomb) {
      return intake.Finish(path.string());  // The rest of it is not unpacked.
    }
  }
  if (status != ARCHIVE_EOF) {
    return std::unexpected(ArchiveError(path, handle.get()));
  }
  ASSAY_ASSIGN_OR_RETURN(FileContents files, intake.Finish(path.string()));
  return WithoutCommonFolder(std::move(files));
}

// --- markdown ---------------------------------------------------------------------------------

Result<Answer> ReadMarkdown(const fs::path& path) {
  ASSAY_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  Answer answer;
  AnswerIntake intake;
  for (MarkdownBlock& block : ReadMarkdownBlocks(text)) {
    if (block.end == MarkdownBlock::End::kEndOfText) {
      return std::unexpected(
          AnswerError(fmt::format("{}:{}", path.string(), block.line),
                      "the code block that begins here does not end: the answer was cut off",
                      "ask the model for the whole of it, or write the fence that is missing"));
    }
    if (block.name.empty()) {
      answer.unnamed_lines.push_back(block.line);
    } else {
      intake.Add(block.name, EntryKind::kFile, std::move(block.content));
    }
  }
  ASSAY_ASSIGN_OR_RETURN(answer.files, intake.Finish(path.string()));
  if (answer.files.empty()) {
    return std::unexpected(AnswerError(
        path, "has no code block that says which file it is",
        "write the name behind the fence: ```cpp kv_cache.cc; assay collect --help has more"));
  }
  if (!RefusalOfContent(text) && text.size() <= kLargestSource_bytes) {
    answer.files.emplace("ANSWER.md", text);
  }
  return answer;
}

bool EndsWith(const std::string& name, std::initializer_list<std::string_view> endings) {
  for (const std::string_view ending : endings) {
    if (name.ends_with(ending)) {
      return true;
    }
  }
  return false;
}

}  // namespace

Result<Answer> ReadAnswer(const fs::path& path, const fs::path& temporary_root) {
  std::error_code failure;
  const std::string name = path.filename().string();
  if (fs::is_directory(path, failure)) {
    Answer answer;
    ASSAY_ASSIGN_OR_RETURN(answer.files, ReadFolder(path, temporary_root));
    return answer;
  }
  if (!fs::exists(path, failure)) {
    return std::unexpected(AnswerError(path, "does not exist",
                                       "name a folder, an archive or a "
                                       "markdown file"));
  }
  if (EndsWith(name, {".tar", ".tar.gz", ".tgz", ".zip"})) {
    Answer answer;
    ASSAY_ASSIGN_OR_RETURN(answer.files, ReadArchive(path));
    return answer;
  }
  if (EndsWith(name, {".md", ".markdown", ".txt"})) {
    return ReadMarkdown(path);
  }
  return std::unexpected(AnswerError(path,
                                     "is neither a folder, an archive nor markdown by its name",
                                     "name a folder, a .tar, .tar.gz, .tgz or .zip, or a .md"));
}

}  // namespace assay
