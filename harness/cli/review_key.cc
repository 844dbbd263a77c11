// SPDX-License-Identifier: Apache-2.0
#include "cli/review_key.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "base/file.h"
#include "exec/repository_lock.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

fs::path KeyPath(const fs::path& root) { return StateDirectory(root) / "review.key"; }

Result<std::string> NewKey() {
  std::array<unsigned char, 32> bytes{};
  if (::getentropy(bytes.data(), bytes.size()) != 0) {
    return std::unexpected(SystemError("getentropy", errno));
  }
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

}  // namespace

Result<std::string> ReadReviewKey(const fs::path& root) {
  ASSAY_ASSIGN_OR_RETURN(const bool is_there, IsThere(KeyPath(root)));
  if (!is_there) {
    return "";
  }
  return ReadFile(KeyPath(root));
}

Result<std::string> MakeReviewKey(const fs::path& root) {
  ASSAY_ASSIGN_OR_RETURN(std::string key, ReadReviewKey(root));
  if (!key.empty()) {
    return key;
  }
  ASSAY_ASSIGN_OR_RETURN(key, NewKey());
  ASSAY_RETURN_IF_ERROR(WriteFileAtomically(KeyPath(root), key));
  std::error_code failure;
  fs::permissions(KeyPath(root), fs::perms::owner_read | fs::perms::owner_write, failure);
  if (failure) {
    return std::unexpected(SystemError("chmod " + KeyPath(root).string(), failure.value()));
  }
  return key;
}

}  // namespace assay
