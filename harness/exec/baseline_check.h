// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EXEC_BASELINE_CHECK_H_
#define ASSAY_EXEC_BASELINE_CHECK_H_

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "build/cuda_toolkit.h"
#include "build/toolchain.h"
#include "grade/installation.h"
#include "sandbox/level.h"
#include "spec/challenge_spec.h"

namespace assay {

/// Which halves of a baseline are built: baseline.cc, or baseline.cu with it.
enum class BaselineHalves { kCpp, kCppAndCuda };

struct BaselineToCheck {
  ChallengeSpec challenge;
  BaselineHalves halves = BaselineHalves::kCpp;
};

/// Starts a built host at `level` and sees it answer.
using HostAnswers = std::function<Status(const std::filesystem::path& host, SandboxLevel level)>;
/// HostAnswers of this machine: its table of operations, then one empty call. An error is of kind
/// kJudge.
[[nodiscard]] Status AnswersOnce(const std::filesystem::path& host, SandboxLevel level);

/// Where and with what baselines are built: as submissions are.
struct BaselineCheckSettings {
  std::filesystem::path root;  ///< Holds StateDirectory, where good outcomes are kept.
  Installation installation;
  SandboxLevel level = SandboxLevel::kFull;
  std::filesystem::path compiler = kCompilerPath;
  CudaToolkit cuda = InstalledCuda();
  HostAnswers answers = &AnswersOnce;
};

/// A machine on which the baseline compiled and answered.
struct BaselineCheck {
  enum class Source { kMeasured, kKept };
  Source source = Source::kMeasured;
  std::string date;    ///< When it was measured, UTC: `2026-11-22`.
  double seconds = 0;  ///< What that took.
};

/// Hears of each challenge whose baseline is about to be compiled; from any thread, one at a time.
using BaselineCheckStarted = std::function<void(const std::string& challenge)>;

/// Builds each baseline in both flavors exactly as a submission is built: staged with the headers
/// it includes, compiled and linked in the sandbox at `settings.level`, with the same flags and, so
/// that a busy machine is not taken for a broken one, ten times the time; then starts its host. One
/// result for each of `baselines`, in their order.
///
/// A good outcome is kept below StateDirectory for as long as the processor, the compilers with
/// their files and command lines (toolchain_facts.h), the level and the baseline's sources stay the
/// same; a failure is tried again the next time. Builds run two at a time. That a baseline does not
/// compile is a failure of this machine: an error of kind kJudge with the tool's first words.
/// Errors of other kinds are those of BuildHost.
[[nodiscard]] std::vector<Result<BaselineCheck>> CheckBaselines(
    const BaselineCheckSettings& settings, const std::vector<BaselineToCheck>& baselines,
    const BaselineCheckStarted& started);

/// The files of `folder` that its `sources` include, directly or not, and those themselves, sorted.
[[nodiscard]] Result<std::vector<std::string>> FilesIncluded(
    const std::filesystem::path& folder, const std::vector<std::string>& sources);

}  // namespace assay

#endif  // ASSAY_EXEC_BASELINE_CHECK_H_
