// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SANDBOX_OBSTACLE_H_
#define ASSAY_SANDBOX_OBSTACLE_H_

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace assay {

/// What keeps a machine from a level of the sandbox. Each has one cause in words and one remedy, a
/// command where there is one.
enum class Obstacle {
  kNothing,
  // Of level full.
  kNoBubblewrap,
  kAppArmor,           ///< It takes the capabilities of user namespaces away (Ubuntu 23.10 on).
  kNamespacesOff,      ///< kernel.unprivileged_userns_clone is 0 (Debian's and Ubuntu's kernels).
  kNoNamespaceLeft,    ///< user.max_user_namespaces is 0, or as many are in use.
  kChangedRoot,        ///< This process is in a chroot, where the kernel makes none.
  kContainer,          ///< A filter or profile that a container lays over this process refuses.
  kNoNamespaces,       ///< The kernel was built without them.
  kNamespacesRefused,  ///< For a reason that is not known here.
  // Of level reduced.
  kNoLandlock,   ///< The kernel has none.
  kLandlockOff,  ///< The kernel has it, and started without it.
  kNoSeccomp,
  /// The parts are there, and no program ran.
  kOther,
};

/// The word of `assay doctor --json`: `nothing`, `no_bubblewrap`, `apparmor`, …
[[nodiscard]] std::string_view ToString(Obstacle obstacle);
/// Why the level is not there, for a person; empty for kNothing.
[[nodiscard]] std::string CauseOf(Obstacle obstacle);
/// The one command that takes the obstacle away, or what else does; empty for kNothing.
[[nodiscard]] std::string RemedyFor(Obstacle obstacle);

/// How it went to take a user namespace and, with the capabilities which that should give, network
/// and mount namespaces, and to change a mount there.
struct NamespaceTrial {
  enum class Step { kUser, kOthers };
  Step step = Step::kUser;  ///< The one that failed.
  int error_number = 0;     ///< 0: all were given.
};

/// What of a machine decides why user namespaces are refused. No value: it has no such setting.
struct NamespaceSettings {
  std::optional<int> apparmor_restricts;  ///< kernel.apparmor_restrict_unprivileged_userns
  std::optional<int> unprivileged_clone;  ///< kernel.unprivileged_userns_clone
  bool filtered = false;                  ///< A system call filter lies over this process.
  bool confined = false;                  ///< An AppArmor profile does.
  bool changed_root = false;              ///< Its root is not that of its mount namespace.
};

/// Reads them below `proc`, where the kernel mounts its own; tests bring others.
[[nodiscard]] NamespaceSettings ReadNamespaceSettings(const std::filesystem::path& proc = "/proc");

[[nodiscard]] Obstacle WhyNoNamespaces(const NamespaceTrial& trial,
                                       const NamespaceSettings& settings);

/// Why the kernel did not say its Landlock ABI.
[[nodiscard]] Obstacle WhyNoLandlock(int error_number);

}  // namespace assay

#endif  // ASSAY_SANDBOX_OBSTACLE_H_
