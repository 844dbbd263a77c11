// SPDX-License-Identifier: Apache-2.0
#include "sandbox/landlock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <system_error>

namespace assay {
namespace {

namespace fs = std::filesystem;

// The kernel's interface, spelled out because the installed headers may be older than the kernel.
constexpr std::uint64_t kExecute = 1 << 0;
constexpr std::uint64_t kWriteFile = 1 << 1;
constexpr std::uint64_t kReadFile = 1 << 2;
constexpr std::uint64_t kReadDirectory = 1 << 3;
constexpr std::uint64_t kTruncate = 1 << 14;
constexpr std::uint64_t kFileRights = kExecute | kWriteFile | kReadFile | kTruncate;

constexpr std::uint64_t kBindAndConnectTcp = 0b11;
constexpr std::uint64_t kScopeAbstractSocketsAndSignals = 0b11;
constexpr unsigned kQueryVersion = 1;
constexpr int kPathBeneath = 1;

struct RulesetAttributes {
  std::uint64_t file_system = 0;
  std::uint64_t network = 0;
  std::uint64_t scoped = 0;
};

struct [[gnu::packed]] PathBeneathAttributes {
  std::uint64_t allowed = 0;
  std::int32_t parent = -1;
};

/// Every file system right that `abi` knows: those it does not know it would refuse.
std::uint64_t FileSystemRights(int abi) {
  int bits = 13;             // ABI 1
  bits += abi >= 2 ? 1 : 0;  // rename and link across folders
  bits += abi >= 3 ? 1 : 0;  // truncate
  bits += abi >= 5 ? 1 : 0;  // device ioctl
  return (std::uint64_t{1} << bits) - 1;
}

std::size_t AttributesSize(int abi) {
  if (abi >= kLandlockScopeAbi) {
    return sizeof(RulesetAttributes);
  }
  return abi >= 4 ? offsetof(RulesetAttributes, scoped) : offsetof(RulesetAttributes, network);
}

Status AddRule(int ruleset, const Mount& mount, std::uint64_t known_rights) {
  std::error_code error;
  if (fs::is_symlink(mount.outside, error)) {
    return {};  // Its target has a rule of its own, or is not to be seen.
  }
  const UniqueFd path(::open(mount.outside.c_str(), O_PATH | O_CLOEXEC));
  struct stat status = {};
  if (!path || ::fstat(path.get(), &status) != 0) {
    return std::unexpected(SystemError("open " + mount.outside.string() + " for Landlock", errno));
  }
  std::uint64_t rights = kReadFile | kReadDirectory | kExecute;
  if (mount.access == Access::kReadWrite) {
    rights = known_rights;
  }
  if (!S_ISDIR(status.st_mode)) {
    rights &= kFileRights;
  }
  const PathBeneathAttributes attributes{.allowed = rights & known_rights, .parent = path.get()};
  if (::syscall(SYS_landlock_add_rule, ruleset, kPathBeneath, &attributes, 0U) != 0) {
    return std::unexpected(SystemError("Landlock rule for " + mount.outside.string(), errno));
  }
  return {};
}

bool LiesIn(const fs::path& path, const fs::path& folder) {
  const fs::path below = path.lexically_relative(folder);
  return !below.empty() && *below.begin() != "..";
}

/// `mount` without what `later` mounts hide of it. Rules only add rights, so a folder around a
/// hidden one has none itself, and what else lies in it has its own.
std::vector<Mount> WithoutHidden(const Mount& mount, std::span<const Mount> later) {
  bool holds_hidden = false;
  for (const Mount& other : later) {
    if (other.access == Access::kHidden && LiesIn(mount.outside, other.outside)) {
      return {};
    }
    holds_hidden |= other.access == Access::kHidden && LiesIn(other.outside, mount.outside);
  }
  if (!holds_hidden) {
    return {mount};
  }
  std::vector<Mount> parts;
  std::error_code failure;
  for (const fs::directory_entry& entry : fs::directory_iterator(mount.outside, failure)) {
    const Mount part{.outside = entry.path(), .inside = {}, .access = mount.access};
    std::ranges::copy(WithoutHidden(part, later), std::back_inserter(parts));
  }
  return parts;
}

}  // namespace

int LandlockAbi() {
  const long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, std::size_t{0}, kQueryVersion);
  return abi > 0 ? static_cast<int>(abi) : 0;
}

Result<UniqueFd> MakeLandlockRuleset(const std::vector<Mount>& mounts) {
  const int abi = LandlockAbi();
  if (abi == 0) {
    return std::unexpected(
        Error{.kind = ErrorKind::kSandbox,
              .where = {},
              .cause = "the kernel has no Landlock, which sandbox level reduced needs",
              .remedy = "boot Linux 5.13 or later with lsm=landlock, or install bubblewrap for "
                        "level full"});
  }
  RulesetAttributes attributes;
  attributes.file_system = FileSystemRights(abi);
  attributes.network = kBindAndConnectTcp;
  attributes.scoped = kScopeAbstractSocketsAndSignals;
  UniqueFd ruleset(static_cast<int>(
      ::syscall(SYS_landlock_create_ruleset, &attributes, AttributesSize(abi), 0U)));
  if (!ruleset) {
    return std::unexpected(SystemError("landlock_create_ruleset", errno));
  }
  for (std::size_t i = 0; i < mounts.size(); ++i) {
    if (mounts[i].access == Access::kHidden) {
      continue;
    }
    for (const Mount& part : WithoutHidden(mounts[i], std::span(mounts).subspan(i + 1))) {
      ASSAY_RETURN_IF_ERROR(AddRule(ruleset.get(), part, attributes.file_system));
    }
  }
  return ruleset;
}

}  // namespace assay
