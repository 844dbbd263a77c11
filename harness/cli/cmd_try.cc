// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "base/temporary.h"
#include "base/text.h"
#include "cli/challenge_of_folder.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/json_output.h"
#include "cli/select_cells.h"
#include "cli/shell_word.h"
#include "cli/try_run.h"
#include "cli/try_text.h"
#include "cli/watch_folder.h"
#include "exec/signature_store.h"
#include "process/interrupt.h"
#include "report/plain_text.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// What stays the same from one try to the next.
struct TrySetting {
  fs::path folder;
  Installation installation;
  std::vector<ChallengeSpec> challenges;
  SandboxLevel level = SandboxLevel::kFull;
};

// Challenges are the installation's: a submission that lies in no repository can be tried.
Result<Installation> InstallationFor(const CommonOptions& common) {
  if (common.root.empty()) {
    return ThisInstallation();
  }
  ASSAY_ASSIGN_OR_RETURN(Workplace place, WorkplaceOf(common));
  return std::move(place.installation);
}

Result<fs::path> FolderOf(const TryOptions& options) {
  std::error_code failure;
  fs::path folder = fs::canonical(options.directory, failure);
  if (failure || !fs::is_directory(folder, failure)) {
    return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                 .where = options.directory.string(),
                                 .cause = failure ? "does not exist" : "is no folder",
                                 .remedy = "name the folder that holds submission.yaml"});
  }
  if (!fs::exists(folder / "submission.yaml", failure)) {
    return std::unexpected(
        Error{.kind = ErrorKind::kConfiguration,
              .where = options.directory.string(),
              .cause = "holds no submission.yaml, which names the sources",
              .remedy = "name the folder of a submission, or write there `schema: 1` and `sources: "
                        "[FILE.cc]`"});
  }
  return folder;
}

Result<TrySetting> ReadSetting(const TryOptions& options, const TryServices& services,
                               Console& console) {
  if (options.watch == WatchMode::kOnSave && options.common.format == OutputFormat::kJson) {
    return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                 .where = "--json",
                                 .cause = "is one document, and --watch never ends",
                                 .remedy = "leave one of the two out"});
  }
  TrySetting setting;
  ASSAY_ASSIGN_OR_RETURN(setting.folder, FolderOf(options));
  ASSAY_ASSIGN_OR_RETURN(setting.installation, InstallationFor(options.common));
  const fs::path& sources = setting.installation.sources;
  LoadedRepository loaded = LoadRepository(sources, sources);
  if (const Errors faults = ChallengeFaults(loaded); !faults.empty()) {
    return std::unexpected(faults.front());
  }
  setting.challenges = std::move(loaded.repository.challenges);
  const SandboxCapabilities capabilities = services.detect_capabilities();
  ASSAY_ASSIGN_OR_RETURN(setting.level, ChooseLevel(capabilities, options.sandbox, {}));
  if (setting.level != SandboxLevel::kFull) {
    fmt::print(console.err, "assay: the sandbox is at level {}, not full\n",
               ToString(setting.level));
  }
  return setting;
}

// One try from reading submission.yaml on: between two, everything in the folder may change.
Checked<TryOutcome> TryOnce(const TryOptions& options, const TryServices& services,
                            const TrySetting& setting) {
  const auto fail = [](Error error) { return std::unexpected(Errors{std::move(error)}); };
  auto challenge = ChallengeOfFolder(setting.folder, setting.challenges, options.challenge);
  if (!challenge) {
    return fail(challenge.error());
  }
  auto submission = ReadSubmission(setting.folder, *challenge, "try");
  if (!submission) {
    return std::unexpected(submission.error());
  }
  if (const auto built = services.check_built(setting.installation, *submission); !built) {
    return fail(built.error());
  }
  auto signatures = LoadSignatures(setting.installation.sources, challenge->id);
  if (!signatures) {
    return fail(signatures.error());
  }
  std::error_code failure;
  const fs::path temporary_root = fs::temp_directory_path(failure);
  if (failure) {
    return fail({.kind = ErrorKind::kConfiguration,
                 .where = {},
                 .cause = "the folder for temporary files does not exist",
                 .remedy = "set TMPDIR to one that does"});
  }
  const auto scratch = TemporaryDirectory::Create(temporary_root, "assay-try");
  if (!scratch) {
    return fail(scratch.error());
  }
  auto outcome = TrySubmission({.challenge = *std::move(challenge),
                                .submission = *std::move(submission),
                                .installation = setting.installation,
                                .signatures = *std::move(signatures),
                                .level = setting.level,
                                .seed = options.seed,
                                .case_pattern = options.case_pattern,
                                .scratch = scratch->path()},
                               services);
  if (!outcome) {
    return fail(outcome.error());
  }
  return *std::move(outcome);
}

std::string CommandAgain(const TryOptions& options) {
  std::string command = "assay try " + ShellWord(options.directory.string());
  if (!options.common.root.empty()) {
    command += " --root " + ShellWord(options.common.root.string());
  }
  if (options.challenge) {
    command += " --challenge " + ShellWord(*options.challenge);
  }
  if (options.seed != TryOptions().seed) {
    command += fmt::format(" --seed {}", options.seed);
  }
  return command;
}

void Print(const TryOptions& options, const TryOutcome& outcome, Console& console) {
  if (options.common.format == OutputFormat::kJson) {
    console.out << Dump(TryToJson(outcome));
  } else {
    console.out << RenderTry(outcome, CommandAgain(options), console.colour) << std::flush;
  }
}

int ExitCodeFor(const TryOutcome& outcome) {
  return static_cast<int>(IsFine(outcome) ? ExitCode::kDone : ExitCode::kGateFailed);
}

/// Tries again on each save until a signal ends it.
class Watcher {
 public:
  Watcher(const TryOptions& options, const TryServices& services, const TrySetting& setting,
          Console& console)
      : options_(options), services_(services), setting_(setting), console_(console) {}

  int Run() {
    auto watch = FolderWatch::Start(setting_.folder);
    if (!watch) {
      return Fail(console_, OutputFormat::kText, {}, {watch.error()});
    }
    files_ = DigestFiles(setting_.folder);
    TryAgain();
    while (InterruptSignal() == 0) {
      console_.out << "\nwaiting for a save; Ctrl-C ends\n" << std::flush;
      if (!WaitForSave(*watch)) {
        break;
      }
      TryAgain();
    }
    return ExitCodeAfterInterrupt(last_exit_code_);
  }

 private:
  // False when it is over.
  bool WaitForSave(FolderWatch& watch) {
    for (;;) {
      const auto waited = watch.Wait();
      if (InterruptSignal() != 0) {
        return false;
      }
      if (!waited) {
        last_exit_code_ = Fail(console_, OutputFormat::kText, {}, {waited.error()});
        return false;
      }
      FileDigests now = DigestFiles(setting_.folder);
      const std::vector<std::string> changed = ChangedFiles(files_, now);
      files_ = std::move(now);
      if (!changed.empty()) {
        fmt::print(console_.out, "\nsaved: {}\n", PlainLine(Join(changed, ", ")));
        return true;
      }
    }
  }

  void TryAgain() {
    auto outcome = TryOnce(options_, services_, setting_);
    if (InterruptSignal() != 0) {
      return;
    }
    if (!outcome) {
      last_exit_code_ =
          Fail(console_, OutputFormat::kText, setting_.folder.parent_path(), outcome.error());
      return;
    }
    Print(options_, *outcome, console_);
    if (before_) {
      for (const std::string& difference : DifferencesBetween(*before_, *outcome)) {
        fmt::print(console_.out, "{}\n", difference);
      }
    }
    last_exit_code_ = ExitCodeFor(*outcome);
    before_ = *std::move(outcome);
  }

  const TryOptions& options_;
  const TryServices& services_;
  const TrySetting& setting_;
  Console& console_;
  FileDigests files_;
  std::optional<TryOutcome> before_;
  int last_exit_code_ = 0;
};

}  // namespace

int RunTry(const TryOptions& options, const TryServices& services, Console& console) {
  const OutputFormat format = options.common.format;
  const auto setting = ReadSetting(options, services, console);
  if (!setting) {
    return ExitCodeAfterInterrupt(Fail(console, format, {}, {setting.error()}));
  }
  if (options.watch == WatchMode::kOnSave) {
    return Watcher(options, services, *setting, console).Run();
  }
  const auto outcome = TryOnce(options, services, *setting);
  if (!outcome) {
    return ExitCodeAfterInterrupt(
        Fail(console, format, setting->folder.parent_path(), outcome.error()));
  }
  Print(options, *outcome, console);
  return ExitCodeAfterInterrupt(ExitCodeFor(*outcome));
}

}  // namespace assay
