// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_COMMANDS_H_
#define ASSAY_CLI_COMMANDS_H_

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line.h"
#include "cli/console.h"
#include "cli/machine_check.h"
#include "cli/try_run.h"
#include "exec/gpu_check_build.h"
#include "exec/gpu_check_run.h"
#include "exec/inputs.h"
#include "exec/list_cases.h"
#include "exec/mutant_runs.h"
#include "gpu/tool/run_cuda.h"
#include "grade/grade_cell.h"
#include "sandbox/capabilities.h"

namespace assay {

/// What `grade` does to the machine: tests bring others.
struct GradeServices {
  std::function<SandboxCapabilities()> detect_capabilities;
  std::function<Result<Environment>(SandboxLevel, std::uint64_t seed)> describe_environment;
  std::function<Status(const Installation&, std::string_view challenge)> check_built;
  /// Whether the challenge's suite is not there since Assay was built without nvcc.
  std::function<bool(const Installation&, std::string_view challenge)> lacks_nvcc_for;
  std::function<InputPlaces(const Installation&)> input_places;
  std::function<Status(InputReader&, const std::string& challenge)> check_stamp;
  FreeBytes free_bytes;
  BaselineChecker check_baselines;
  std::function<Result<Evidence>(const CellRequest&, ProgressSink&)> grade_cell;
};
[[nodiscard]] GradeServices RealGradeServices();

/// What `signatures` does to the machine.
struct SignatureServices {
  std::function<SandboxCapabilities()> detect_capabilities;
  std::function<Result<std::map<std::string, std::filesystem::path>>(const Installation&,
                                                                     std::string_view challenge)>
      mutant_hosts;
  std::function<Status(const Installation&, const std::string& challenge)> check_stamp;
  std::function<Result<std::vector<CaseSource>>(const std::filesystem::path& suite,
                                                const std::filesystem::path& temporary_root)>
      list_cases;
  std::function<std::vector<Result<SuiteEvidence>>(const HostRunsRequest&, const HostRunDone&)>
      run_hosts;
};
[[nodiscard]] SignatureServices RealSignatureServices();

/// What `cuda run` does to the machine.
struct CudaServices {
  std::function<Result<gpu::CudaRun>(const gpu::CudaRunRequest&)> run;
};
[[nodiscard]] CudaServices RealCudaServices();

/// What `cuda check` does to the machine.
struct CudaCheckServices {
  std::function<Result<std::string>()> find_gpu;
  std::function<Result<std::filesystem::path>()> find_nvcc;
  std::function<SandboxCapabilities()> detect_capabilities;
  std::function<Status(const GpuCheckBuild&, const BuildListener&)> build;
  std::function<Result<GpuCheckReport>(const GpuCheckRun&, const GpuCheckListener&)> run;
};
[[nodiscard]] CudaCheckServices RealCudaCheckServices();

enum class PersonsAnswer { kYes, kNo, kNobodyThere };
using AskPerson = std::function<PersonsAnswer(Console& console)>;
/// Asks on the error stream, reads standard input; nobody is there when that is no terminal.
[[nodiscard]] AskPerson TerminalAnswer();

/// One function a command, each in its own file. All return an exit code (exit_code.h).
[[nodiscard]] int RunGrade(const GradeOptions& options, const GradeServices& services,
                           Console& console);
[[nodiscard]] int RunMerge(const MergeOptions& options, const GradeServices& services,
                           Console& console);
[[nodiscard]] int RunReport(const ReportOptions& options, Console& console);
[[nodiscard]] int RunCompare(const CompareOptions& options, Console& console);
[[nodiscard]] int RunDiff(const DiffOptions& options, Console& console);
[[nodiscard]] int RunExplain(const ExplainOptions& options, Console& console);
[[nodiscard]] int RunRobustness(const RobustnessOptions& options, Console& console);
[[nodiscard]] int RunSite(const SiteOptions& options, Console& console);
[[nodiscard]] int RunCheck(const CheckOptions& options, Console& console);
[[nodiscard]] int RunDoctor(const DoctorOptions& options, Console& console);
[[nodiscard]] int RunList(const ListOptions& options, const GradeServices& services,
                          Console& console);
[[nodiscard]] int RunTry(const TryOptions& options, const TryServices& services, Console& console);
[[nodiscard]] int RunInit(const InitOptions& options, Console& console);
[[nodiscard]] int RunNew(const NewOptions& options, Console& console);
[[nodiscard]] int RunCollect(const CollectOptions& options, Console& console);
/// `ask` is called once what would go has been shown, unless the options confirm it.
[[nodiscard]] int RunRemove(const RemoveOptions& options, const AskPerson& ask, Console& console);
[[nodiscard]] int RunDeploy(const DeployOptions& options, Console& console);
[[nodiscard]] int RunReviewNew(const ReviewNewOptions& options, Console& console);
[[nodiscard]] int RunReviewCheck(const ReviewCheckOptions& options, Console& console);
[[nodiscard]] int RunReviewCollect(const ReviewCollectOptions& options, Console& console);
[[nodiscard]] int RunSignatures(const SignaturesOptions& options, const SignatureServices& services,
                                Console& console);
[[nodiscard]] int RunPr(const PrOptions& options, const GradeServices& services, Console& console);
/// Writes nothing to `console.out`: that is the program's.
[[nodiscard]] int RunCuda(const CudaRunOptions& options, const CudaServices& services,
                          Console& console);

[[nodiscard]] int RunCudaCheck(const CudaCheckOptions& options, const CudaCheckServices& services,
                               Console& console);

/// The two trees that a command works with. In a checkout both are the checkout; a package grades
/// repositories that are not its own.
struct Workplace {
  std::filesystem::path root;  ///< Holds submissions/ and reports/, and .assay/.
  Installation installation;   ///< Challenges, reference and what was built.
};

/// Takes the lock of a command that writes. Says on the error stream for whom it waits, if
/// `options` let it.
[[nodiscard]] Result<RepositoryLock> LockRepository(const std::filesystem::path& root,
                                                    const CommonOptions& options, Console& console);

/// Runs `work`, which writes, in the repository of `options` with its lock held: its exit code, or
/// that of having said why there is no repository or no lock.
[[nodiscard]] int InLockedWorkplace(const CommonOptions& options, Console& console,
                                    const std::function<int(const Workplace&)>& work);

/// Where `installation` says what it is made of.
[[nodiscard]] InputPlaces InputPlacesOf(const Installation& installation);

/// The repository is --root, which must be one, or the nearest at or above the working directory;
/// the installation is that of the running `assay`. Where a build tree's `assay` is given a
/// checkout, the challenges are that checkout's.
[[nodiscard]] Result<Workplace> WorkplaceOf(const CommonOptions& options);

/// `installation` with challenges and reference of `root`, where it has any and the installation
/// is a build tree.
[[nodiscard]] Installation InstallationFor(Installation installation,
                                           const std::filesystem::path& root);

/// The installation that the running program is part of.
[[nodiscard]] Result<Installation> ThisInstallation();

/// Whether the sandbox is as strong as asked for: an error of kind kSandbox says how to get there.
/// `wanted` is --sandbox (nothing: the strongest, and none is an error), `required` the least.
[[nodiscard]] Result<SandboxLevel> ChooseLevel(const SandboxCapabilities& capabilities,
                                               std::optional<SandboxLevel> wanted,
                                               std::optional<SandboxLevel> required);

/// After a signal asked the process to stop: 128 + its number. Else `otherwise`.
[[nodiscard]] int ExitCodeAfterInterrupt(int otherwise);

}  // namespace assay

#endif  // ASSAY_CLI_COMMANDS_H_
