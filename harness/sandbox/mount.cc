// SPDX-License-Identifier: Apache-2.0
#include "sandbox/mount.h"

#include <string>
#include <string_view>
#include <system_error>

namespace assay {
namespace {

namespace fs = std::filesystem;

void AddIfPresent(std::vector<Mount>& mounts, const fs::path& path) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(path, error))) {
    mounts.push_back({.outside = path, .inside = path, .access = Access::kReadOnly});
  }
}

void AddMatching(std::vector<Mount>& mounts, const fs::path& directory, std::string_view prefix) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, error)) {
    if (entry.path().filename().string().starts_with(prefix)) {
      AddIfPresent(mounts, entry.path());
    }
  }
}

}  // namespace

fs::path SeenPath(SandboxLevel level, const Mount& mount) {
  return level == SandboxLevel::kFull ? mount.inside : mount.outside;
}

std::vector<Mount> RuntimeMounts() {
  std::vector<Mount> mounts;
  for (const char* path : {"/usr/lib", "/usr/lib64", "/lib", "/lib64", "/etc/ld.so.cache"}) {
    AddIfPresent(mounts, path);
  }
  std::error_code ignored;
  if (const fs::path package = "/usr/lib/assay"; fs::is_directory(package, ignored)) {
    mounts.push_back({.outside = package, .inside = package, .access = Access::kHidden});
  }
  return mounts;
}

std::vector<Mount> ToolchainMounts() {
  std::vector<Mount> mounts = RuntimeMounts();
  for (const char* path : {"/usr/bin", "/usr/include", "/usr/libexec", "/usr/share/perl",
                           "/usr/share/perl5", "/usr/share/cloc", "/bin", "/etc/alternatives"}) {
    AddIfPresent(mounts, path);
  }
  AddMatching(mounts, "/usr/local", "cuda");
  return mounts;
}

}  // namespace assay
