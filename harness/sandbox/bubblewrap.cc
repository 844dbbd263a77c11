// SPDX-License-Identifier: Apache-2.0
#include "sandbox/bubblewrap.h"

#include <initializer_list>
#include <system_error>

namespace assay {
namespace {

namespace fs = std::filesystem;

void Append(std::vector<std::string>& argv, std::initializer_list<std::string> arguments) {
  argv.insert(argv.end(), arguments);
}

void AppendMount(std::vector<std::string>& argv, const Mount& mount) {
  if (mount.access == Access::kHidden) {
    Append(argv, {"--tmpfs", mount.inside.string(), "--remount-ro", mount.inside.string()});
    return;
  }
  std::error_code error;
  if (fs::is_symlink(mount.outside, error)) {
    const fs::path target = fs::read_symlink(mount.outside, error);
    Append(argv, {"--symlink", target.string(), mount.inside.string()});
    return;
  }
  const bool writable = mount.access == Access::kReadWrite;
  Append(argv, {writable ? "--bind" : "--ro-bind", mount.outside.string(), mount.inside.string()});
}

}  // namespace

std::vector<std::string> BubblewrapCommand(const fs::path& bubblewrap, const fs::path& init,
                                           const SandboxRequest& request) {
  std::vector<std::string> argv = {bubblewrap.string()};
  Append(argv, {"--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc",
                "--unshare-uts", "--unshare-cgroup-try", "--die-with-parent", "--new-session",
                "--as-pid-1", "--cap-drop", "ALL", "--hostname", "sandbox"});
  // Nobody, even when root grades: files outside the mounts are not there, files inside belong to
  // the real user, and no capability is left.
  Append(argv, {"--uid", "65534", "--gid", "65534"});
  for (const char* device : {"/dev/null", "/dev/zero", "/dev/urandom"}) {
    Append(argv, {"--dev-bind", device, device});
  }
  if (request.proc == ProcAccess::kOwn) {
    Append(argv, {"--proc", "/proc"});
  }
  if (request.policy == SyscallPolicy::kTool) {
    Append(argv, {"--size", std::to_string(kTemporary_bytes), "--tmpfs", "/tmp"});
  }
  for (const Mount& mount : request.mounts) {
    AppendMount(argv, mount);
  }
  Append(argv, {"--ro-bind", init.string(), kInitInside});
  Append(argv,
         {"--remount-ro", "/", "--chdir", request.working_directory.string(), "--", kInitInside});
  return argv;
}

}  // namespace assay
