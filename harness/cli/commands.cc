// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "process/interrupt.h"
#include "spec/repository.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

Error BelowLevel(SandboxLevel wanted, const SandboxCapabilities& capabilities,
                 std::string_view otherwise) {
  return {.kind = ErrorKind::kSandbox,
          .where = {},
          .cause = fmt::format("sandbox level {} is wanted and this machine reaches {}",
                               ToString(wanted), ToString(capabilities.level)),
          .remedy =
              fmt::format("{}{}; assay doctor shows the rest", capabilities.next_level, otherwise)};
}

// The repository that `options` mean.
Result<fs::path> RootOf(const CommonOptions& options) {
  std::error_code failure;
  if (options.root.empty()) {
    const fs::path here = fs::current_path(failure);
    if (failure) {
      return std::unexpected(
          Error{.kind = ErrorKind::kConfiguration,
                .where = {},
                .cause = "the working directory cannot be found: " + failure.message(),
                .remedy = "change to a folder that is there, or give the repository as --root"});
    }
    return FindRoot(here);
  }
  fs::path root = fs::weakly_canonical(options.root, failure);
  if (failure || !IsRoot(root)) {
    return std::unexpected(
        Error{.kind = ErrorKind::kConfiguration,
              .where = options.root.string(),
              .cause = fs::exists(options.root, failure) ? "holds no folder \"submissions\""
                                                         : "does not exist",
              .remedy = fmt::format("make a repository of submissions with assay init {}",
                                    options.root.string())});
  }
  return root;
}

}  // namespace

Result<RepositoryLock> LockRepository(const fs::path& root, const CommonOptions& options,
                                      Console& console) {
  return RepositoryLock::Acquire(root, options.when_held, [&console](const std::string& holder) {
    console.err << "assay: waiting until " << holder << " ends: it works in this repository\n"
                << std::flush;
  });
}

Result<Workplace> WorkplaceOf(const CommonOptions& options) {
  Workplace place;
  ASSAY_ASSIGN_OR_RETURN(place.root, RootOf(options));
  ASSAY_ASSIGN_OR_RETURN(place.installation, ThisInstallation());
  place.installation = InstallationFor(std::move(place.installation), place.root);
  return place;
}

int InLockedWorkplace(const CommonOptions& options, Console& console,
                      const std::function<int(const Workplace&)>& work) {
  const auto place = WorkplaceOf(options);
  if (!place) {
    return Fail(console, options.format, {}, {place.error()});
  }
  const auto lock = LockRepository(place->root, options, console);
  if (!lock) {
    return ExitCodeAfterInterrupt(Fail(console, options.format, place->root, {lock.error()}));
  }
  return work(*place);
}

Installation InstallationFor(Installation installation, const fs::path& root) {
  std::error_code ignored;
  if (installation.kind == InstallationKind::kBuildTree &&
      fs::is_directory(root / "challenges", ignored)) {
    installation.sources = root;
  }
  return installation;
}

Result<Installation> ThisInstallation() {
  std::error_code failure;
  const fs::path executable = fs::read_symlink("/proc/self/exe", failure);
  if (failure) {
    return std::unexpected(SystemError("read /proc/self/exe", failure.value()));
  }
  return FindInstallation(executable);
}

InputPlaces InputPlacesOf(const Installation& installation) {
  return {.folder = installation.build / "inputs", .sources = installation.sources};
}

Result<SandboxLevel> ChooseLevel(const SandboxCapabilities& capabilities,
                                 std::optional<SandboxLevel> wanted,
                                 std::optional<SandboxLevel> required) {
  if (!wanted && capabilities.level == SandboxLevel::kNone) {
    return std::unexpected(BelowLevel(required.value_or(SandboxLevel::kReduced), capabilities,
                                      ", or grade code that you trust with --sandbox=none"));
  }
  const SandboxLevel level = wanted.value_or(capabilities.level);
  if (level > capabilities.level) {
    return std::unexpected(BelowLevel(level, capabilities, ""));
  }
  if (required && level < *required) {
    return std::unexpected(
        wanted ? Error{.kind = ErrorKind::kSandbox,
                       .where = {},
                       .cause = fmt::format("--sandbox={} is below --require-sandbox={}",
                                            ToString(level), ToString(*required)),
                       .remedy = "change one of the two"}
               : BelowLevel(*required, capabilities, ""));
  }
  return level;
}

int ExitCodeAfterInterrupt(int otherwise) {
  const int signal = InterruptSignal();
  return signal == 0 ? otherwise : 128 + signal;
}

}  // namespace assay
