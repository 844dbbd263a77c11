// SPDX-License-Identifier: Apache-2.0
#include "grade/own_tests.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "base/text.h"
#include "build/compile.h"
#include "build/cuda_toolkit.h"
#include "build/diagnostics.h"
#include "build/run_sandboxed.h"
#include "build/staging.h"
#include "cudart/runtime/options.h"
#include "emulator/model/gpu_model.h"
#include "grade/test_checks.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kTestLimit{10};
constexpr std::chrono::seconds kBenchmarkLimit{20};
// Of submissions in CUDA: an emulated GPU is slower than one.
constexpr std::chrono::seconds kCudaTestLimit{60};
constexpr std::chrono::seconds kCudaBenchmarkLimit{120};
constexpr std::uint64_t kDeviceMemory_bytes = std::uint64_t{1} << 30;
constexpr std::int64_t kProgramMemory_bytes = std::int64_t{2} << 30;
constexpr std::int64_t kCudaProgramMemory_bytes = std::int64_t{3} << 30;  // Its device's included.
constexpr std::int64_t kProgramOutput_bytes = std::int64_t{1} << 20;
constexpr std::size_t kDetailOfProgram_bytes = 600;
constexpr int kRounds = 2;                  // So often a mutant must fail to be killed.
constexpr std::size_t kLeastBaselines = 4;  // Runs of the baseline in each.

// What a program is linked with: the objects of the submission itself, or the library of a baseline
// or mutant.
struct Implementation {
  std::vector<fs::path> objects;
  std::vector<fs::path> libraries;
};

struct Program {
  std::string source;
  fs::path object;
  std::chrono::nanoseconds limit;
};

// A program sees when its own file was made, and those of mutants are made one after the other.
Status SetFileTime(const fs::path& file) {
  std::error_code failure;
  fs::last_write_time(file, fs::file_time_type(), failure);
  if (failure) {
    return std::unexpected(SystemError("set the time of " + file.string(), failure.value()));
  }
  return {};
}

// How a program ended with one implementation; of one that did not link, how the linker ended.
struct ProgramRun {
  bool linked = false;
  SandboxedRun run;

  [[nodiscard]] bool passed() const { return linked && run.succeeded(); }
  [[nodiscard]] TestChecks checks() const { return linked ? ReadTestChecks(run) : TestChecks(); }
};

class OwnTests {
 public:
  OwnTests(const OwnTestsInputs& inputs, ProgressSink& progress)
      : inputs_(inputs),
        progress_(progress),
        folder_(inputs.output_directory / "own-tests"),
        cuda_(NeedsNvcc(inputs.build.built)) {
    std::error_code ignored;
    if (fs::exists(inputs.cuda_runtime, ignored)) {
      runtime_ = {.outside = fs::absolute(inputs.cuda_runtime),
                  .inside = "/cuda" / inputs.cuda_runtime.filename(),
                  .access = Access::kReadOnly};
    }
  }

  Result<OwnTestsEvidence> Run() {
    const SubmissionSpec& spec = inputs_.build.built;
    evidence_.shipped = static_cast<int>(spec.tests.size());
    std::vector<std::string> sources = spec.tests;
    for (const BenchmarkSpec& benchmark : spec.benchmarks) {
      evidence_.benchmarks_shipped += benchmark.configurations;
      sources.push_back(benchmark.source);
    }
    total_ = static_cast<int>(sources.size());
    ASSAY_RETURN_IF_ERROR(MakeEmptyFolder(folder_));
    ASSAY_RETURN_IF_ERROR(
        StageTrusted(inputs_.challenge_directory, {"interface.h"}, folder_ / "challenge"));
    ASSAY_ASSIGN_OR_RETURN(const std::vector<Program> programs, Compile(sources));
    for (std::size_t i = 0; i < programs.size(); ++i) {
      if (programs[i].object.empty()) {
        // Its diagnostics are in the detail already.
      } else if (i < spec.tests.size()) {
        ASSAY_RETURN_IF_ERROR(RunTest(programs[i]));
      } else {
        ASSAY_RETURN_IF_ERROR(
            RunBenchmark(programs[i], spec.benchmarks[i - spec.tests.size()].configurations));
      }
      progress_.CaseDone(static_cast<int>(i) + 1, total_, programs[i].source);
    }
    for (const auto& [mutant, library] : inputs_.mutant_libraries) {
      (killed_.contains(mutant) ? evidence_.mutants_killed : evidence_.mutants_survived)
          .push_back(mutant);
    }
    return std::move(evidence_);
  }

 private:
  void Note(const std::string& source, const std::string& what, const std::string& said) {
    if (!evidence_.detail.empty()) {
      evidence_.detail += '\n';
    }
    evidence_.detail +=
        Truncate(fmt::format("{} {}{}{}", source, what, said.empty() ? "" : ": ", said),
                 kDetailOfProgram_bytes);
  }

  Result<fs::path> NewFolder() {
    fs::path folder = folder_ / fmt::format("step-{}", ++steps_);
    ASSAY_RETURN_IF_ERROR(MakeEmptyFolder(folder));
    return folder;
  }

  // A program that does not compile has no object.
  Result<std::vector<Program>> Compile(const std::vector<std::string>& sources) {
    std::vector<CompileStep> steps;
    std::vector<ToolStep> tools;
    for (const std::string& source : sources) {
      ASSAY_ASSIGN_OR_RETURN(const fs::path folder, NewFolder());
      steps.push_back({.compiler = kCompilerPath,
                       .root = {.outside = inputs_.build.built.directory,
                                .inside = "/submission",
                                .access = Access::kReadOnly},
                       .source = source,
                       .headers = {{.outside = folder_ / "challenge",
                                    .inside = "/challenge",
                                    .access = Access::kReadOnly}},
                       .defines = {"ASSAY_PROGRAM"},
                       .cuda = cuda_ ? std::optional(InstalledCuda()) : std::nullopt,
                       .output_directory = folder});
      tools.push_back(ToCompileTool(steps.back(), BuildFlavor::kRelease, inputs_.tools.level));
    }
    ASSAY_ASSIGN_OR_RETURN(const auto runs, RunTools(inputs_.tools, tools));
    std::vector<Program> programs;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const bool is_test = i < inputs_.build.built.tests.size();
      programs.push_back({.source = sources[i],
                          .object = runs[i].succeeded() ? ObjectOf(steps[i]) : fs::path(),
                          .limit = Limit(is_test)});
      if (!runs[i].succeeded()) {
        Note(sources[i], "does not compile", DescribeFailure(inputs_.tools, tools[i], runs[i]));
      }
    }
    return programs;
  }

  [[nodiscard]] std::chrono::seconds Limit(bool is_test) const {
    return cuda_ ? (is_test ? kCudaTestLimit : kCudaBenchmarkLimit)
                 : (is_test ? kTestLimit : kBenchmarkLimit);
  }

  // The submission without the object that the program itself was compiled from: one file may be
  // both an implementation and, with ASSAY_PROGRAM, a program.
  [[nodiscard]] Implementation Itself(const Program& program) const {
    Implementation itself;
    for (const ObjectFile& object : inputs_.build.objects) {
      if (object.source != program.source) {
        itself.objects.push_back(object.path);
      }
    }
    return itself;
  }

  Result<std::vector<ProgramRun>> LinkAndRun(const Program& program,
                                             const std::vector<Implementation>& implementations) {
    std::vector<LinkStep> links;
    std::vector<ToolStep> tools;
    for (const Implementation& implementation : implementations) {
      ASSAY_ASSIGN_OR_RETURN(const fs::path folder, NewFolder());
      LinkStep link{.compiler = kCompilerPath,
                    .objects = {program.object},
                    .whole_libraries = implementation.libraries,
                    .libraries = {},
                    .options = {"-s", "-Wl,--build-id=none"},
                    .output_directory = folder};
      link.objects.insert(link.objects.end(), implementation.objects.begin(),
                          implementation.objects.end());
      if (runtime_) {
        // Left out of programs that do not call it.
        link.libraries.push_back(runtime_->outside);
        link.options.push_back("-Wl,-rpath," +
                               SeenPath(inputs_.tools.level, *runtime_).parent_path().string());
      }
      links.push_back(std::move(link));
      tools.push_back(ToLinkTool(links.back(), BuildFlavor::kRelease, inputs_.tools.level,
                                 "linking " + program.source));
    }
    ASSAY_ASSIGN_OR_RETURN(std::vector<SandboxedRun> made, RunTools(inputs_.tools, tools));
    std::vector<ProgramRun> runs(made.size());
    std::vector<SandboxRequest> requests;
    for (std::size_t i = 0; i < made.size(); ++i) {
      runs[i].linked = made[i].succeeded();
      if (runs[i].linked) {
        ASSAY_RETURN_IF_ERROR(SetFileTime(ProgramOf(links[i])));
        requests.push_back(Request(ProgramOf(links[i]), program.limit));
      } else {
        runs[i].run = std::move(made[i]);
      }
    }
    ASSAY_ASSIGN_OR_RETURN(std::vector<SandboxedRun> ran,
                           RunSandboxed(inputs_.tools.level, requests, inputs_.tools.parallel));
    auto next = ran.begin();
    for (ProgramRun& run : runs) {
      if (run.linked) {
        run.run = std::move(*next++);
      }
    }
    return runs;
  }

  [[nodiscard]] SandboxRequest Request(const fs::path& executable,
                                       std::chrono::nanoseconds limit) const {
    const Mount mount{.outside = executable, .inside = "/program", .access = Access::kReadOnly};
    SandboxRequest request;
    request.argv = {SeenPath(inputs_.tools.level, mount).string()};
    request.mounts = RuntimeMounts();
    request.mounts.push_back(mount);
    if (runtime_) {
      request.mounts.push_back(*runtime_);
      request.environment.push_back(DeviceOptionsVariable());
    }
    request.policy = SyscallPolicy::kHost;
    request.limits.wall = limit;
    request.limits.memory_bytes = cuda_ ? kCudaProgramMemory_bytes : kProgramMemory_bytes;
    request.limits.output_bytes = kProgramOutput_bytes;
    return request;
  }

  // The graded GPU. Programs run side by side, so that each takes one core.
  static std::string DeviceOptionsVariable() {
    gpu::runtime::RunOptions options;
    options.device.model = gpu::A100();
    options.device.workers = 1;
    options.device.memory_limit_bytes = kDeviceMemory_bytes;
    return fmt::format("{}={}", gpu::runtime::kOptionsVariable, gpu::runtime::ToJson(options));
  }

  Status RunTest(const Program& program) {
    const Implementation baseline{.objects = {}, .libraries = {inputs_.baseline_library}};
    ASSAY_ASSIGN_OR_RETURN(const auto runs, LinkAndRun(program, {Itself(program), baseline}));
    if (!runs[0].passed()) {
      Note(program.source, "fails on itself", Ending(runs[0]));
    }
    if (!runs[1].passed()) {
      Note(program.source, "fails on the baseline", Ending(runs[1]));
    }
    const ExpectedChecks expected = Expect(runs[0].checks(), runs[1].checks());
    if (expected.can_tell) {
      if (!expected.left_out.empty()) {
        Note(program.source, "is taken at its other checks; left out",
             Join({expected.left_out.begin(), expected.left_out.end()}, ", "));
      }
      return RunOnMutants(program, expected, runs[0].passed());
    }
    evidence_.passing_on_itself += runs[0].passed() ? 1 : 0;
    evidence_.passing_on_baseline += runs[1].passed() ? 1 : 0;
    return {};
  }

  // Each mutant once; those that failed once more. Each time the baseline is run among them, and
  // all in an order drawn anew, so that a program that fails by a coin, by the clock, by the age of
  // a file or every other time fails on the baseline too, and one that fails by chance fails not
  // twice.
  Status RunOnMutants(const Program& program, const ExpectedChecks& expected,
                      bool passes_on_itself) {
    std::vector<std::string> found;
    found.reserve(inputs_.mutant_libraries.size());
    for (const auto& [mutant, library] : inputs_.mutant_libraries) {
      found.push_back(mutant);
    }
    for (int round = 0; round < kRounds; ++round) {
      ASSAY_ASSIGN_OR_RETURN(const std::optional<std::set<std::string>> failed,
                             RunAmongBaselines(program, expected, found));
      if (!failed) {
        evidence_.passing_on_itself += passes_on_itself ? 1 : 0;
        return {};
      }
      found.assign(failed->begin(), failed->end());
    }
    if (found.empty() && !inputs_.mutant_libraries.empty()) {
      Note(program.source, "finds none of the planted bugs: not counted as a test that passes", "");
      return {};
    }
    evidence_.passing_on_itself += passes_on_itself ? 1 : 0;
    ++evidence_.passing_on_baseline;
    killed_.insert(found.begin(), found.end());
    return {};
  }

  // Those of `mutants` that the program fails on; nothing when it fails on the baseline.
  Result<std::optional<std::set<std::string>>> RunAmongBaselines(
      const Program& program, const ExpectedChecks& expected,
      const std::vector<std::string>& mutants) {
    std::vector<std::string> order = mutants;  // The baseline has no name.
    order.resize(mutants.size() + std::max(kLeastBaselines, mutants.size() / 4));
    std::ranges::shuffle(order, random_);
    std::vector<Implementation> implementations;
    implementations.reserve(order.size());
    for (const std::string& mutant : order) {
      implementations.push_back(
          {.objects = {},
           .libraries = {mutant.empty() ? inputs_.baseline_library
                                        : inputs_.mutant_libraries.at(mutant)}});
    }
    ASSAY_ASSIGN_OR_RETURN(const auto runs, LinkAndRun(program, implementations));
    std::set<std::string> failed;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const bool found_bug = FindsBug(expected, runs[i].checks());
      if (order[i].empty() && found_bug) {
        Note(program.source, "passed on the baseline once and then failed", Ending(runs[i]));
        return std::nullopt;
      }
      // A program that cannot even be linked with a mutant has not found its bug.
      if (!order[i].empty() && runs[i].linked && found_bug) {
        failed.insert(order[i]);
      }
    }
    return failed;
  }

  Status RunBenchmark(const Program& program, int configurations) {
    ASSAY_ASSIGN_OR_RETURN(const auto runs, LinkAndRun(program, {Itself(program)}));
    if (runs.front().passed()) {
      evidence_.benchmarks_running += configurations;
    } else {
      Note(program.source, "does not run", Ending(runs.front()));
    }
    return {};
  }

  // How it ended and the last lines it printed.
  static std::string Ending(const ProgramRun& of_program) {
    const SandboxedRun& run = of_program.run;
    if (!of_program.linked) {
      return "does not link: " + FirstDiagnostics(run.output, kDetailOfProgram_bytes);
    }
    constexpr std::size_t kLastLines = 3;
    std::vector<std::string> lines = SplitLines(run.output);
    if (lines.size() > kLastLines) {
      lines.erase(lines.begin(), lines.end() - kLastLines);
    }
    return ToString(run.status) + (lines.empty() ? "" : "; " + Join(lines, " | "));
  }

  const OwnTestsInputs& inputs_;
  ProgressSink& progress_;
  fs::path folder_;
  bool cuda_;                     // Whether a file of the submission needs nvcc.
  std::optional<Mount> runtime_;  // The CUDA runtime, where it is built.
  int steps_ = 0;
  int total_ = 0;
  std::set<std::string> killed_;
  std::mt19937_64 random_{std::random_device()()};  // Of no honest program's result.
  OwnTestsEvidence evidence_;
};

}  // namespace

Result<OwnTestsEvidence> RunOwnTests(const OwnTestsInputs& inputs, ProgressSink& progress) {
  return OwnTests(inputs, progress).Run();
}

}  // namespace assay
