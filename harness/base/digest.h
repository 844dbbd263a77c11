// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_BASE_DIGEST_H_
#define ASSAY_BASE_DIGEST_H_

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace assay {

/// SHA-256 of `content` as 64 lower-case hexadecimal digits.
[[nodiscard]] std::string Sha256(std::string_view content);

/// SHA-256 over a tree: for each file that `includes` accepts (relative path), in sorted order,
/// its path, its size and its content. Two trees have the same digest exactly when they hold the
/// same files with the same bytes. Modes, times and symbolic links do not count.
[[nodiscard]] Result<std::string> DigestTree(
    const std::filesystem::path& directory,
    const std::function<bool(const std::filesystem::path&)>& includes =
        [](const std::filesystem::path&) { return true; });

}  // namespace assay

#endif  // ASSAY_BASE_DIGEST_H_
