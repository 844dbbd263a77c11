// SPDX-License-Identifier: Apache-2.0
#include "sandbox/obstacle.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <sstream>
#include <utility>

namespace assay {
namespace {

namespace fs = std::filesystem;

struct Words {
  Obstacle obstacle;
  std::string_view word;
  std::string_view cause;
  std::string_view remedy;
};

// The profile is the one that Ubuntu documents: bwrap alone may make user namespaces, and the
// restriction stays for every other program.
constexpr std::string_view kAllowBubblewrap =
    "printf '%s\\n' 'abi <abi/4.0>,' 'include <tunables/global>' 'profile bwrap /usr/bin/bwrap "
    "flags=(unconfined) { userns, }' | sudo tee /etc/apparmor.d/bwrap && sudo apparmor_parser "
    "--replace /etc/apparmor.d/bwrap";

// Docker's own filter and profile refuse unshare and mount, and what it hides of /proc keeps a new
// one from being mounted.
constexpr std::string_view kOpenContainer =
    "docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined "
    "--security-opt systempaths=unconfined …";

constexpr std::string_view kStartLandlock =
    "echo \"GRUB_CMDLINE_LINUX=\\\"\\$GRUB_CMDLINE_LINUX lsm=landlock,$(cat "
    "/sys/kernel/security/lsm)\\\"\" | sudo tee /etc/default/grub.d/landlock.cfg && sudo "
    "update-grub && sudo reboot";

constexpr Words kWords[] = {
    {Obstacle::kNothing, "nothing", "", ""},
    {Obstacle::kNoBubblewrap, "no_bubblewrap", "bubblewrap (bwrap) is not installed",
     "sudo apt-get install bubblewrap"},
    {Obstacle::kAppArmor, "apparmor",
     "AppArmor takes their capabilities from user namespaces "
     "(kernel.apparmor_restrict_unprivileged_userns is 1)",
     kAllowBubblewrap},
    {Obstacle::kNamespacesOff, "namespaces_off",
     "the kernel makes user namespaces for root alone (kernel.unprivileged_userns_clone is 0)",
     "sudo sysctl -w kernel.unprivileged_userns_clone=1"},
    {Obstacle::kNoNamespaceLeft, "no_namespace_left",
     "no user namespace may be made (user.max_user_namespaces is 0, here or around this container, "
     "or as many are in use)",
     "sudo sysctl -w user.max_user_namespaces=10000"},
    {Obstacle::kChangedRoot, "chroot",
     "this is a chroot, and the kernel makes no user namespace in one",
     "sudo bwrap --bind FOLDER / --dev-bind /dev /dev --dev-bind /proc /proc bash, in place of "
     "sudo "
     "chroot FOLDER"},
    {Obstacle::kContainer, "container",
     "a filter or profile refuses user namespaces or what is done in them, as a container's does",
     kOpenContainer},
    {Obstacle::kNoNamespaces, "no_namespaces", "the kernel has no user namespaces",
     "use a kernel with CONFIG_USER_NS, as Debian's and Ubuntu's are"},
    {Obstacle::kNamespacesRefused, "namespaces_refused", "the kernel refuses user namespaces",
     "run it as another user, or in a virtual machine of its own"},
    {Obstacle::kNoLandlock, "no_landlock", "the kernel has no Landlock",
     "use Linux 5.13 or later with CONFIG_SECURITY_LANDLOCK, as Debian 12's is"},
    {Obstacle::kLandlockOff, "landlock_off", "the kernel was started without Landlock",
     kStartLandlock},
    {Obstacle::kNoSeccomp, "no_seccomp", "the kernel has no system call filters that kill",
     "use Linux 4.14 or later with CONFIG_SECCOMP_FILTER, as Debian's and Ubuntu's are"},
    {Obstacle::kOther, "other", "its parts are there, and no program runs in it",
     "report this with the output of `assay doctor`"},
};

const Words& WordsOf(Obstacle obstacle) {
  return *std::ranges::find(kWords, obstacle, &Words::obstacle);
}

std::optional<int> ReadSetting(const fs::path& path) {
  std::ifstream file(path);
  int value = 0;
  return file >> value ? std::optional(value) : std::nullopt;
}

// `Seccomp:	2` of /proc/self/status: filters; 1 is the strict mode, in which we could not run.
bool IsFiltered(const fs::path& status) {
  std::ifstream file(status);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("Seccomp:")) {
      return line.ends_with('2');
    }
  }
  return false;
}

// `docker-default (enforce)`. Without AppArmor there is nothing to read, and without a profile of
// its own, or with one that only names a program, a process is `unconfined`.
bool IsConfined(const fs::path& attribute) {
  std::ifstream file(attribute);
  std::string profile;
  std::getline(file, profile);
  return profile.ends_with("(enforce)");
}

using Inode = std::pair<dev_t, ino_t>;

std::optional<Inode> InodeAt(const fs::path& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 ? std::optional(Inode(status.st_dev, status.st_ino))
                                            : std::nullopt;
}

// The kernel shows the mounts below the root of the process. In a chroot to a plain folder none of
// them is the root itself; a chroot to a mount can be told only by who may see that the first
// process, in the same mount namespace, has another root.
bool HasChangedRoot(const fs::path& proc) {
  std::ifstream file(proc / "self/mountinfo");
  bool any = false;
  bool root_is_mount = false;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string number;
    std::string parent;
    std::string device;
    std::string source;
    std::string place;
    if (words >> number >> parent >> device >> source >> place) {
      any = true;
      root_is_mount = root_is_mount || place == "/";
    }
  }
  if (any && !root_is_mount) {
    return true;
  }
  // Whoever may not look at the first process learns nothing. std::filesystem::equivalent would not
  // tell that from another root.
  const std::optional<Inode> namespace_of_first = InodeAt(proc / "1/ns/mnt");
  const std::optional<Inode> root_of_first = InodeAt(proc / "1/root");
  return namespace_of_first && namespace_of_first == InodeAt(proc / "self/ns/mnt") &&
         root_of_first && root_of_first != InodeAt(proc / "self/root");
}

}  // namespace

std::string_view ToString(Obstacle obstacle) { return WordsOf(obstacle).word; }
std::string CauseOf(Obstacle obstacle) { return std::string(WordsOf(obstacle).cause); }
std::string RemedyFor(Obstacle obstacle) { return std::string(WordsOf(obstacle).remedy); }

NamespaceSettings ReadNamespaceSettings(const fs::path& proc) {
  const fs::path kernel = proc / "sys/kernel";
  return {.apparmor_restricts = ReadSetting(kernel / "apparmor_restrict_unprivileged_userns"),
          .unprivileged_clone = ReadSetting(kernel / "unprivileged_userns_clone"),
          .filtered = IsFiltered(proc / "self/status"),
          .confined = IsConfined(proc / "self/attr/current"),
          .changed_root = HasChangedRoot(proc)};
}

// In the order in which the kernel asks: a filter before the call, the limit, the chroot, then who
// may. On Ubuntu the first step succeeds and leads into a profile that takes all capabilities, so
// that the others fail; where that profile is not loaded, the first step fails.
Obstacle WhyNoNamespaces(const NamespaceTrial& trial, const NamespaceSettings& settings) {
  const bool first = trial.step == NamespaceTrial::Step::kUser;
  switch (trial.error_number) {
    case 0:
      return Obstacle::kNothing;
    case ENOSPC:
    case EUSERS:
      return Obstacle::kNoNamespaceLeft;
    case EINVAL:
    case ENOSYS:
      return settings.filtered ? Obstacle::kContainer : Obstacle::kNoNamespaces;
    default:
      break;
  }
  if (first && settings.changed_root) {
    return Obstacle::kChangedRoot;
  }
  if (first && settings.unprivileged_clone == 0) {
    return Obstacle::kNamespacesOff;
  }
  if (settings.confined || (first && settings.filtered)) {
    return Obstacle::kContainer;
  }
  if (settings.apparmor_restricts == 1) {
    return Obstacle::kAppArmor;
  }
  return settings.filtered ? Obstacle::kContainer : Obstacle::kNamespacesRefused;
}

Obstacle WhyNoLandlock(int error_number) {
  switch (error_number) {
    case EOPNOTSUPP:
      return Obstacle::kLandlockOff;
    case EPERM:
      return Obstacle::kContainer;
    default:
      return Obstacle::kNoLandlock;
  }
}

}  // namespace assay
