// SPDX-License-Identifier: Apache-2.0
#include "exec/gpu_check_build.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <system_error>
#include <thread>
#include <utility>

#include "base/file.h"
#include "base/temporary.h"
#include "base/text.h"
#include "exec/gpu_check_plan.h"
#include "exec/list_cases.h"
#include "grade/run_suite.h"
#include "process/interrupt.h"
#include "process/processors.h"
#include "process/run.h"
#include "spec/nearest.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRealHostEnding = "_real_host";
constexpr ChallengeLimits kLimitsOnEmulatedGpu = {.case_time_limit_ms = 120'000,
                                                  .memory_limit_bytes = std::int64_t{4} << 30,
                                                  .output_limit_bytes = std::int64_t{1} << 20};

Error CannotBeBuilt(std::string where, std::string cause, std::string remedy) {
  return {.kind = ErrorKind::kConfiguration,
          .where = std::move(where),
          .cause = std::move(cause),
          .remedy = std::move(remedy)};
}

/// A program's source, and what it says.
struct ProgramSource {
  CheckedProgram program;
  fs::path file;
  ProgramNotes notes;
};

/// By name: programs of kernels/, which print something, and of bugs/, whose clean twins do not.
std::map<std::string, fs::path> ProgramFiles(const fs::path& programs) {
  std::map<std::string, fs::path> files;
  for (const char* const folder : {"bugs", "kernels"}) {
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator(programs / folder, failure)) {
      if (entry.path().extension() == ".cu") {
        files.insert_or_assign(entry.path().stem().string(), entry.path());
      }
    }
  }
  return files;
}

Result<ProgramSource> ReadProgram(const fs::path& programs, const fs::path& file) {
  ProgramSource source{.program = {.name = file.stem().string(),
                                   .expected = {},
                                   .hardware_differs = {},
                                   .launches = {}},
                       .file = file,
                       .notes = {}};
  ASSAY_ASSIGN_OR_RETURN(const std::string text, ReadFile(file));
  source.notes = ReadProgramNotes(text);
  source.program.hardware_differs = source.notes.hardware_differs;
  if (file.parent_path().filename() == "kernels") {
    ASSAY_ASSIGN_OR_RETURN(source.program.expected,
                           ReadFile(programs / "expected" / (source.program.name + ".txt")));
  }
  return source;
}

Status Copy(const fs::path& from, const fs::path& to) {
  std::error_code failure;
  fs::create_directories(to.parent_path(), failure);
  // What stands there may be running, or be another file's name.
  fs::remove(to, failure);
  fs::copy_file(from, to, failure);
  if (failure) {
    return std::unexpected(CannotBeBuilt(
        to.string(), fmt::format("{} cannot be copied there: {}", from.string(), failure.message()),
        "build it, or free disk space"));
  }
  return {};
}

class FolderBuilder {
 public:
  FolderBuilder(const GpuCheckBuild& build, fs::path folder, const BuildListener& say)
      : build_(build),
        programs_(build.installation.sources / "harness/gpu/programs"),
        built_programs_(build.installation.build / "harness/gpu/programs"),
        folder_{std::move(folder)},
        say_(say) {}

  Status Build() {
    ASSAY_RETURN_IF_ERROR(BuildPrograms());
    if (build_.programs.empty()) {
      ASSAY_RETURN_IF_ERROR(BuildChallengesOrNot());
    } else {
      plan_.no_challenges = "only the programs that were named were built";
    }
    ASSAY_RETURN_IF_ERROR(CopyOurselves());
    return WriteFileAtomically(folder_.Plan(), ToJson(plan_));
  }

 private:
  Status BuildPrograms() {
    ASSAY_ASSIGN_OR_RETURN(const std::vector<ProgramSource> sources, Sources());
    ASSAY_RETURN_IF_ERROR(Compile(sources));
    ASSAY_ASSIGN_OR_RETURN(auto launches, CountOnEmulatedGpu(sources));
    for (const ProgramSource& source : sources) {
      plan_.programs.push_back(source.program);
      plan_.programs.back().launches = std::move(launches[source.program.name]);
    }
    return {};
  }

  [[nodiscard]] Result<std::vector<ProgramSource>> Sources() const {
    const std::map<std::string, fs::path> files = ProgramFiles(programs_);
    std::vector<std::string> known;
    known.reserve(files.size());
    for (const auto& [name, file] : files) {
      known.push_back(name);
    }
    std::vector<ProgramSource> sources;
    for (const std::string& name : build_.programs.empty() ? known : build_.programs) {
      const auto file = files.find(name);
      if (file == files.end()) {
        return std::unexpected(CannotBeBuilt(
            programs_.string(), fmt::format("no program \"{}\" in kernels or bugs", name),
            SuggestOneOf(name, known)));
      }
      ASSAY_ASSIGN_OR_RETURN(ProgramSource source, ReadProgram(programs_, file->second));
      sources.push_back(std::move(source));
    }
    return sources;
  }

  [[nodiscard]] Status CompileOne(const ProgramSource& source) const {
    Command command;
    command.argv = {build_.nvcc.string(),
                    "-std=c++17",
                    "-cudart",
                    "static",
                    "-DCLEAN",
                    "-gencode",
                    "arch=compute_80,code=sm_80",
                    "-gencode",
                    "arch=compute_90,code=[sm_90,compute_90]"};
    command.argv.insert(command.argv.end(), source.notes.flags.begin(), source.notes.flags.end());
    command.argv.insert(command.argv.end(), {"-o", folder_.Program(source.program.name).string(),
                                             source.file.string()});
    ASSAY_ASSIGN_OR_RETURN(const CommandResult compiled, RunToCompletion(command));
    if (!compiled.Succeeded()) {
      return std::unexpected(CannotBeBuilt(
          source.file.string(),
          fmt::format("nvcc does not compile it:\n{}", EscapeCodeBlock(compiled.errors)),
          "use another nvcc (CUDA_HOME), or name the programs that it compiles"));
    }
    return {};
  }

  /// As many at once as there are processors.
  Status Compile(const std::vector<ProgramSource>& sources) {
    std::error_code failure;
    fs::create_directories(folder_.root / "bin", failure);
    std::vector<Status> results(sources.size());
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      for (std::size_t k = next++; k < sources.size(); k = next++) {
        results[k] = CompileOne(sources[k]);
      }
    };
    {
      std::vector<std::jthread> others;
      for (std::size_t i = 1; i < UsableProcessors().size(); ++i) {
        others.emplace_back(work);
      }
      work();
    }
    ASSAY_RETURN_IF_ERROR(CheckInterrupt());
    for (Status& result : results) {
      ASSAY_RETURN_IF_ERROR(std::move(result));
    }
    return {};
  }

  /// By program; none of those whose counters vary, or that are not built for the emulated GPU.
  Result<std::map<std::string, std::vector<EmulatedLaunch>>> CountOnEmulatedGpu(
      const std::vector<ProgramSource>& sources) {
    std::map<std::string, std::vector<EmulatedLaunch>> none;
    const fs::path counters = built_programs_ / "gpu_counters";
    std::error_code failure;
    if (!fs::is_regular_file(counters, failure)) {
      plan_.no_counters = fmt::format(
          "{} was not there when the programs were built; "
          "scripts/build release builds it",
          counters.string());
      say_(plan_.no_counters);
      return none;
    }
    Command command;
    command.argv = {counters.string()};
    for (const ProgramSource& source : sources) {
      const fs::path emulated = built_programs_ / "kernels" / source.program.name;
      if (!source.notes.counters_vary && fs::is_regular_file(emulated, failure)) {
        command.argv.push_back(emulated.string());
      }
    }
    command.output_limit_bytes = std::size_t{256} << 20;
    ASSAY_ASSIGN_OR_RETURN(const CommandResult counted, RunToCompletion(command));
    if (!counted.Succeeded()) {
      return std::unexpected(
          Error{.kind = ErrorKind::kJudge,
                .where = counters.string(),
                .cause = fmt::format("failed: {}", EscapeCodeBlock(counted.errors)),
                .remedy = "build it again; if it stays, it is a bug of Assay"});
    }
    return ReadEmulatedCounters(counted.output);
  }

  Status BuildChallengesOrNot() {
    const Status built = BuildChallenges();
    if (built) {
      return {};
    }
    ASSAY_RETURN_IF_ERROR(CheckInterrupt());
    if (build_.without_challenges == WithoutChallenges::kAnError) {
      return built;
    }
    plan_.challenges.clear();
    plan_.no_challenges = "they cannot be built here: " + ToString(built.error());
    say_(fmt::format("the CUDA challenges {}", plan_.no_challenges));
    return {};
  }

  Status CMake(std::vector<std::string> arguments) {
    Command command;
    command.argv = std::move(arguments);
    command.argv.insert(command.argv.begin(), build_.cmake);
    command.time_limit = std::chrono::hours(4);
    command.on_output = [this](std::string_view piece) {
      pending_ += piece;
      for (std::size_t end = pending_.find('\n'); end != std::string::npos;
           end = pending_.find('\n')) {
        say_(std::string_view(pending_).substr(0, end));
        pending_.erase(0, end + 1);
      }
    };
    ASSAY_ASSIGN_OR_RETURN(const CommandResult ran, RunToCompletion(command));
    if (!ran.Succeeded()) {
      return std::unexpected(CannotBeBuilt(
          "", fmt::format("{} fails: {}", Join(command.argv, " "), EscapeCodeBlock(ran.errors)),
          "it says why above"));
    }
    return {};
  }

  Status CMakeTargets(const std::vector<std::string>& targets) {
    std::vector<std::string> arguments = {"--build", build_.installation.build.string(),
                                          "--target"};
    arguments.insert(arguments.end(), targets.begin(), targets.end());
    return CMake(std::move(arguments));
  }

  Status BuildChallenges() {
    ASSAY_RETURN_IF_ERROR(CMake({"-S", build_.installation.sources.string(), "-B",
                                 build_.installation.build.string(), "-DASSAY_REAL_GPU=ON"}));
    ASSAY_RETURN_IF_ERROR(CMakeTargets({"assay_real_hosts", "real_bench"}));
    std::vector<std::string> targets;
    for (const std::string& id : Challenges()) {
      targets.push_back(id + "_suite");
      targets.push_back(id + "_baseline_host");
      for (const auto& [name, host] : RealHosts(id)) {
        if (name != "baseline") {
          targets.push_back(fmt::format("{}_mutant_{}_host", id, name));
        }
      }
    }
    if (targets.empty()) {
      return std::unexpected(CannotBeBuilt(build_.installation.build.string(),
                                           "no CUDA challenge is in this build",
                                           "configure it where nvcc is found"));
    }
    ASSAY_RETURN_IF_ERROR(CMakeTargets(targets));
    for (const std::string& id : Challenges()) {
      ASSAY_RETURN_IF_ERROR(BuildChallenge(id));
    }
    return CarryChallenges();
  }

  /// Those of this checkout with a baseline for a real GPU.
  [[nodiscard]] std::vector<std::string> Challenges() const {
    std::vector<std::string> ids;
    std::error_code failure;
    for (const auto& entry :
         fs::directory_iterator(build_.installation.sources / "challenges", failure)) {
      const std::string id = entry.path().filename().string();
      if (RealHosts(id).contains("baseline")) {
        ids.push_back(id);
      }
    }
    std::ranges::sort(ids);
    return ids;
  }

  [[nodiscard]] fs::path BuiltChallenge(const std::string& id) const {
    return build_.installation.build / "reference" / id;
  }

  /// By name of baseline or mutant.
  [[nodiscard]] std::map<std::string, fs::path> RealHosts(const std::string& id) const {
    std::map<std::string, fs::path> hosts;
    for (const fs::path& folder : {BuiltChallenge(id), BuiltChallenge(id) / "mutants"}) {
      std::error_code failure;
      for (const auto& entry : fs::directory_iterator(folder, failure)) {
        std::string name = entry.path().filename().string();
        if (name.ends_with(kRealHostEnding)) {
          name.resize(name.size() - kRealHostEnding.size());
          if (name == "baseline" || build_.mutants == CheckedMutants::kAll) {
            hosts.emplace(std::move(name), entry.path());
          }
        }
      }
    }
    return hosts;
  }

  Status BuildChallenge(const std::string& id) {
    const fs::path suite = build_.installation.Suite(id);
    ASSAY_RETURN_IF_ERROR(Copy(suite, folder_.Suite(id)));
    ASSAY_RETURN_IF_ERROR(Copy(SandboxInit(), folder_.Challenge(id) / SandboxInit().filename()));
    ASSAY_ASSIGN_OR_RETURN(const std::vector<std::string> cases, ListCases(suite));
    CheckedChallenge challenge{.id = id, .filter = FilterOfCudaCases(cases), .hosts = {}};
    for (const auto& [name, host] : RealHosts(id)) {
      ASSAY_RETURN_IF_ERROR(Copy(host, folder_.Host(id, name)));
      say_(fmt::format("emulated GPU: {} {}", id, name));
      CheckedHost checked{.name = name, .emulated = {}};
      if (const auto run = RunOnEmulatedGpu(challenge, host)) {
        for (const CaseEvidence& one : run->cases) {
          checked.emulated.emplace(one.name, one.verdict);
        }
      } else {
        ASSAY_RETURN_IF_ERROR(CheckInterrupt());
        say_(ToString(run.error()));
      }
      challenge.hosts.push_back(std::move(checked));
    }
    plan_.challenges.push_back(std::move(challenge));
    return {};
  }

  [[nodiscard]] Result<SuiteEvidence> RunOnEmulatedGpu(const CheckedChallenge& challenge,
                                                       const fs::path& real_host) const {
    // `mutants/x_real_host` and `mutants/x_host` are one implementation.
    std::string name = real_host.filename().string();
    name.resize(name.size() - kRealHostEnding.size());
    ASSAY_ASSIGN_OR_RETURN(const TemporaryDirectory scratch,
                           TemporaryDirectory::Create(folder_.Temporary(), name));
    NoProgress progress;
    ASSAY_ASSIGN_OR_RETURN(RunResults results,
                           RunSuite({.program = build_.installation.Suite(challenge.id),
                                     .host = real_host.parent_path() / (name + "_host"),
                                     .baseline = build_.installation.BaselineHost(challenge.id),
                                     .limits = kLimitsOnEmulatedGpu,
                                     .level = build_.level,
                                     .seed = 1,
                                     .arguments = {"--gtest_filter=" + challenge.filter},
                                     .time_limit = std::chrono::hours(1)},
                                    scratch.path(), progress));
    return std::move(results.suite);
  }

  [[nodiscard]] fs::path SandboxInit() const {
    return build_.installation.build / "harness/sandbox/assay_sandbox_init";
  }

  Status CarryChallenges() {
    const fs::path bench = build_.installation.build / "harness/gpu/real/real_bench";
    ASSAY_RETURN_IF_ERROR(Copy(bench, folder_.RealBench()));
    ASSAY_RETURN_IF_ERROR(Copy(SandboxInit(), folder_.root / SandboxInit().filename()));
    std::vector<fs::path> executables = {bench};
    for (const CheckedChallenge& challenge : plan_.challenges) {
      executables.push_back(build_.installation.Suite(challenge.id));
    }
    return CarryLibrariesOf(executables);
  }

  Status CopyOurselves() {
    ASSAY_RETURN_IF_ERROR(
        Copy(build_.installation.sources / "scripts/gpu_check", folder_.root / "gpu_check"));
    const fs::path assay = build_.installation.build / "bin/assay";
    ASSAY_RETURN_IF_ERROR(Copy(assay, folder_.root / "assay"));
    return CarryLibrariesOf({assay});
  }

  /// What the executables are linked with, apart from what every machine has.
  Status CarryLibrariesOf(const std::vector<fs::path>& executables) {
    Command command;
    command.argv = {"ldd"};
    for (const fs::path& executable : executables) {
      command.argv.push_back(executable.string());
    }
    ASSAY_ASSIGN_OR_RETURN(const CommandResult listed, RunToCompletion(command));
    for (const fs::path& library : LibrariesToCarry(listed.output)) {
      ASSAY_RETURN_IF_ERROR(Copy(library, folder_.Libraries() / library.filename()));
    }
    return {};
  }

  const GpuCheckBuild& build_;
  fs::path programs_;
  fs::path built_programs_;
  GpuCheckFolder folder_;
  const BuildListener& say_;
  GpuCheckPlan plan_;
  std::string pending_;  // Of CMake's output, the line without an end yet.
};

}  // namespace

Status BuildGpuCheck(const GpuCheckBuild& build, const BuildListener& say) {
  if (build.installation.kind != InstallationKind::kBuildTree) {
    return std::unexpected(CannotBeBuilt(build.installation.sources.string(),
                                         "a package has no programs of the emulated GPU",
                                         "run scripts/gpu_check in a checkout of Assay"));
  }
  std::error_code failure;
  return FolderBuilder(build, fs::absolute(build.folder, failure), say).Build();
}

}  // namespace assay
