// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_COMMAND_LINE_H_
#define ASSAY_CLI_COMMAND_LINE_H_

#include <cstdint>
#include <expected>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/attestations.h"
#include "cli/colour.h"
#include "cli/command_description.h"
#include "cli/completions.h"
#include "cli/console.h"
#include "exec/executor.h"
#include "exec/gpu_check_build.h"
#include "exec/merge.h"
#include "exec/repository_lock.h"
#include "exec/shard.h"
#include "gpu/tool/run_cuda.h"
#include "gpu/tool/run_document.h"
#include "pr/assess.h"
#include "report/report.h"
#include "sandbox/level.h"
#include "score/robustness.h"

namespace assay {

/// What every command takes.
struct CommonOptions {
  std::filesystem::path root = {};  ///< Empty: found from the working directory upwards.
  OutputFormat format = OutputFormat::kText;
  WhenHeld when_held = WhenHeld::kRefuse;  ///< Of commands that write in the repository.
  WhenColour colour = WhenColour::kAuto;
};

enum class ProgressStyle { kShown, kHidden };

/// Whether `grade` fails when a cell is not accepted.
enum class AcceptanceGate { kOff, kEveryCell };

struct GradeOptions {
  CommonOptions common = {};
  std::vector<std::string> cells = {};  ///< `MODEL` or `MODEL/CHALLENGE`; empty: all.
  Reuse reuse = Reuse::kWhenItHolds;
  std::optional<std::uint64_t> seed = {};             ///< Nothing: a fresh one.
  std::optional<SandboxLevel> sandbox = {};           ///< Nothing: the strongest there is.
  std::optional<SandboxLevel> required_sandbox = {};  ///< Fail below this.
  ProgressStyle progress = ProgressStyle::kShown;
  AcceptanceGate gate = AcceptanceGate::kOff;
  std::filesystem::path out = {};   ///< Evidence goes below it; empty: into the repository.
  std::optional<Shard> shard = {};  ///< Of the cells, those of one machine.
  Attesting attesting = Attesting::kOff;
};

struct MergeOptions {
  CommonOptions common = {};
  std::vector<std::filesystem::path> folders = {};  ///< What `grade --out` wrote.
  Unsigned is_unsigned = Unsigned::kTaken;
};

enum class ReportMode { kWrite, kCheck };
struct ReportOptions {
  CommonOptions common = {};
  ReportMode mode = ReportMode::kWrite;
  SignedGate gate = SignedGate::kOff;
};

enum class CompareStyle { kColumns, kMarkdown };
struct CompareOptions {
  CommonOptions common = {};
  std::string model_a;
  std::string model_b;
  CompareStyle style = CompareStyle::kColumns;
};

/// Two sets of evidence: folders that hold reports/evidence, or commits.
struct DiffOptions {
  CommonOptions common = {};
  std::string before;
  std::string after;  ///< Empty: the repository's own.
};

struct ExplainOptions {
  CommonOptions common = {};
  std::string cell;
  std::optional<std::string> criterion = {};
  ExplainedRows rows = ExplainedRows::kLargest;
};

struct RobustnessOptions {
  CommonOptions common = {};
  std::vector<std::string> challenges = {};  ///< Empty: all, and over all.
  int weight_draws = kWeightDraws;
};

struct SiteOptions {
  CommonOptions common = {};
  std::filesystem::path directory = {};
  /// What harness/site was built to; without it that of this installation.
  std::optional<std::filesystem::path> page = {};
};

struct CheckOptions {
  CommonOptions common = {};
  SignedGate gate = SignedGate::kOff;
};

struct DoctorOptions {
  CommonOptions common = {};
  std::optional<SandboxLevel> required_sandbox = {};
};

struct ListOptions {
  CommonOptions common = {};
};

enum class SignaturesMode {
  kUpdate,      ///< Compute those that no longer hold.
  kComputeAll,  ///< Compute all.
  kCheck,       ///< Write nothing.
};
struct SignaturesOptions {
  CommonOptions common = {};
  std::vector<std::string> challenges = {};  ///< Empty: all.
  SignaturesMode mode = SignaturesMode::kUpdate;
};

struct CudaRunOptions {
  CommonOptions common = {};
  gpu::CudaRunRequest request = {};  ///< Without library_folder and keep.
  gpu::SourceLines lines = gpu::SourceLines::kHidden;
  gpu::KernelNames names = gpu::KernelNames::kShort;
  std::optional<int> error_exit_code = {};              ///< Of a run with findings.
  std::optional<std::filesystem::path> json_file = {};  ///< Beside the text on the error stream.
};

/// What of `cuda check` is done: all of it, or a part of it on each of two machines.
enum class CudaCheckStage { kHere, kBuildOnly, kRunOnly };
struct CudaCheckOptions {
  CommonOptions common = {};
  std::vector<std::string> programs = {};  ///< Empty: all, and the challenges.
  CudaCheckStage stage = CudaCheckStage::kHere;
  std::filesystem::path folder = {};  ///< That is made or run; with kHere none.
  CheckedMutants mutants = CheckedMutants::kAll;
};

struct InitOptions {
  CommonOptions common = {};
  std::filesystem::path directory = {};
};

struct NewOptions {
  CommonOptions common = {};
  std::string model;
  std::vector<std::string> challenges = {};  ///< Empty: all.
};

struct CollectOptions {
  CommonOptions common = {};
  std::filesystem::path answer = {};
  std::string cell;  ///< `MODEL/CHALLENGE`.
};

/// Whether `rm` may go on.
enum class Confirmation { kAskTheTerminal, kGiven };
struct RemoveOptions {
  CommonOptions common = {};
  std::string cell;  ///< `MODEL` or `MODEL/CHALLENGE`.
  Confirmation confirmation = Confirmation::kAskTheTerminal;
};

struct DeployOptions {
  CommonOptions common = {};
  std::string model;
  std::vector<std::string> challenges = {};  ///< Empty: all.
  std::filesystem::path directory = {};
};

/// What a change may touch.
enum class ChangeReach { kAnything, kOneModel };
struct PrOptions {
  CommonOptions common = {};
  std::string base;
  std::string head = "HEAD";
  std::filesystem::path out = {};  ///< Empty: `.assay/pr` in the repository.
  ChangeGate gate = ChangeGate::kCorrectness;
  JudgeOf judge = JudgeOf::kBase;
  ChangeReach reach = ChangeReach::kAnything;
  std::string only_model = {};                        ///< With kOneModel; empty: any one.
  std::optional<std::uint64_t> seed = {};             ///< Nothing: a fresh one.
  std::optional<SandboxLevel> sandbox = {};           ///< Nothing: the strongest there is.
  std::optional<SandboxLevel> required_sandbox = {};  ///< Fail below this.
  ProgressStyle progress = ProgressStyle::kShown;
};

enum class WatchMode { kOnce, kOnSave };
struct TryOptions {
  CommonOptions common = {};
  std::filesystem::path directory = {};
  std::optional<std::string> challenge = {};     ///< Nothing: found from the folder.
  std::optional<std::string> case_pattern = {};  ///< Nothing: telling cases.
  std::uint64_t seed = 1;  ///< The same each time, so that what changes is the submission.
  std::optional<SandboxLevel> sandbox = {};
  WatchMode watch = WatchMode::kOnce;
};

struct ReviewNewOptions {
  CommonOptions common = {};
  std::string reviewer;                      ///< Id.
  std::vector<std::string> challenges = {};  ///< Empty: all.
  std::vector<std::string> models = {};      ///< Empty: all.
  std::filesystem::path folder = {};
};

struct ReviewCheckOptions {
  CommonOptions common = {};
  std::vector<std::filesystem::path> files = {};  ///< Empty: all below reports/reviews/.
};

struct ReviewCollectOptions {
  CommonOptions common = {};
  std::filesystem::path folder = {};
};

struct CompletionOptions {
  Shell shell = Shell::kBash;
};

struct ManualOptions {};

using CommandOptions =
    std::variant<GradeOptions, ReportOptions, CompareOptions, DiffOptions, ExplainOptions,
                 CheckOptions, DoctorOptions, ListOptions, InitOptions, NewOptions, CollectOptions,
                 RemoveOptions, DeployOptions, SignaturesOptions, CudaRunOptions, CudaCheckOptions,
                 CompletionOptions, ManualOptions, MergeOptions, PrOptions, TryOptions,
                 ReviewNewOptions, ReviewCheckOptions, ReviewCollectOptions, RobustnessOptions,
                 SiteOptions>;

/// Nothing to run: help or version (exit code 0, `out`), or wrong usage (exit code 2, `err`).
struct NoCommand {
  int exit_code = 0;
  std::string out;
  std::string err;
};

/// `arguments` without the program's name. Prints nothing, throws nothing.
[[nodiscard]] std::expected<CommandOptions, NoCommand> ParseCommandLine(
    std::vector<std::string> arguments);

/// What ParseCommandLine takes: of it completions and the manual page are made.
[[nodiscard]] CommandDescription DescribeCommandLine();

}  // namespace assay

#endif  // ASSAY_CLI_COMMAND_LINE_H_
