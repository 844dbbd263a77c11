// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_BASE_FILE_H_
#define ASSAY_BASE_FILE_H_

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace assay {

/// The largest text file that Assay reads whole (YAML, JSON, sources): 16 MiB.
inline constexpr std::size_t kLargestTextFile_bytes = std::size_t{16} << 20;

/// Whether anything lies at `path`, be it a link. An error of kind kConfiguration where nobody can
/// tell, as below a folder without permissions.
[[nodiscard]] Result<bool> IsThere(const std::filesystem::path& path);

/// The content of the regular file `path`. A missing file, a directory, a device or a file over
/// `limit_bytes` is an error of kind kConfiguration that names the path.
[[nodiscard]] Result<std::string> ReadFile(const std::filesystem::path& path,
                                           std::size_t limit_bytes = kLargestTextFile_bytes);

/// Replaces `path` with `content` as one step: temporary file beside it, fsync, rename. A reader,
/// or a crash at any time, sees the old file whole or the new file whole. Creates the parent
/// folders. On failure (disk full, read-only folder) the old file is untouched, the temporary is
/// gone and the error, of kind kConfiguration, names the path, the cause and the remedy.
[[nodiscard]] Status WriteFileAtomically(const std::filesystem::path& path,
                                         std::string_view content);

/// Every regular file below `directory`, relative to it, sorted by bytes. Symbolic links are not
/// followed and not listed. More than `limit` files is an error of kind kConfiguration.
[[nodiscard]] Result<std::vector<std::filesystem::path>> ListFiles(
    const std::filesystem::path& directory, std::size_t limit = 10'000);

}  // namespace assay

#endif  // ASSAY_BASE_FILE_H_
