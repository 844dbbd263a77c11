// SPDX-License-Identifier: Apache-2.0
#include "grade/own_programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "build/compile.h"
#include "build/cuda_toolkit.h"
#include "build/diagnostics.h"
#include "build/staging.h"
#include "cudart/runtime/options.h"
#include "emulator/model/gpu_model.h"
#include "grade/size_recorder.h"

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
constexpr std::size_t kDiagnostics_bytes = 600;
constexpr std::size_t kLastLines = 3;

// A program sees when its own file was made, and those of mutants are made one after the other.
Status SetFileTime(const fs::path& file) {
  std::error_code failure;
  fs::last_write_time(file, fs::file_time_type(), failure);
  if (failure) {
    return std::unexpected(SystemError("set the time of " + file.string(), failure.value()));
  }
  return {};
}

// The graded GPU. Programs run side by side, so that each takes one core.
std::string DeviceOptionsVariable() {
  gpu::runtime::RunOptions options;
  options.device.model = gpu::A100();
  options.device.workers = 1;
  options.device.memory_limit_bytes = kDeviceMemory_bytes;
  return fmt::format("{}={}", gpu::runtime::kOptionsVariable, gpu::runtime::ToJson(options));
}

}  // namespace

std::string Ending(const OwnProgramRun& of_program) {
  const SandboxedRun& run = of_program.run;
  if (!of_program.linked) {
    return "does not link: " + FirstDiagnostics(run.output, kDiagnostics_bytes);
  }
  std::vector<std::string> lines = SplitLines(run.output);
  if (lines.size() > kLastLines) {
    lines.erase(lines.begin(), lines.end() - kLastLines);
  }
  return ToString(run.status) + (lines.empty() ? "" : "; " + Join(lines, " | "));
}

OwnPrograms::OwnPrograms(const OwnTestsInputs& inputs)
    : inputs_(inputs),
      folder_(inputs.output_directory / "own-tests"),
      cuda_(NeedsNvcc(inputs.build.built)) {
  std::error_code ignored;
  if (fs::exists(inputs.cuda_runtime, ignored)) {
    runtime_ = {.outside = fs::absolute(inputs.cuda_runtime),
                .inside = "/cuda" / inputs.cuda_runtime.filename(),
                .access = Access::kReadOnly};
  }
}

Status OwnPrograms::Prepare() {
  ASSAY_RETURN_IF_ERROR(MakeEmptyFolder(folder_));
  return StageTrusted(inputs_.challenge_directory, {"interface.h"}, folder_ / "challenge");
}

bool OwnPrograms::IsTest(std::size_t program) const {
  return program < inputs_.build.built.tests.size();
}

std::chrono::seconds OwnPrograms::Limit(std::size_t program) const {
  return cuda_ ? (IsTest(program) ? kCudaTestLimit : kCudaBenchmarkLimit)
               : (IsTest(program) ? kTestLimit : kBenchmarkLimit);
}

Result<fs::path> OwnPrograms::NewFolder() {
  fs::path folder = folder_ / fmt::format("step-{}", ++steps_);
  ASSAY_RETURN_IF_ERROR(MakeEmptyFolder(folder));
  return folder;
}

Result<std::vector<OwnProgram>> OwnPrograms::Compile() {
  std::vector<std::string> sources = inputs_.build.built.tests;
  for (const BenchmarkSpec& benchmark : inputs_.build.built.benchmarks) {
    sources.push_back(benchmark.source);
  }
  std::vector<CompileStep> steps;
  std::vector<ToolStep> tools;
  for (const std::string& source : sources) {
    ASSAY_ASSIGN_OR_RETURN(const fs::path folder, NewFolder());
    CompileStep step{.compiler = kCompilerPath,
                     .root = {.outside = inputs_.build.built.directory,
                              .inside = "/submission",
                              .access = Access::kReadOnly},
                     .source = source,
                     .headers = {{.outside = folder_ / "challenge",
                                  .inside = "/challenge",
                                  .access = Access::kReadOnly}},
                     .defines = {"ASSAY_PROGRAM"},
                     .options = {},
                     .cuda = cuda_ ? std::optional(InstalledCuda()) : std::nullopt,
                     .output_directory = folder};
    if (!IsTest(steps.size())) {
      step.options = {std::string(kBenchmarkOption)};
    }
    steps.push_back(std::move(step));
    tools.push_back(ToCompileTool(steps.back(), BuildFlavor::kRelease, inputs_.tools.level));
  }
  ASSAY_ASSIGN_OR_RETURN(const auto runs, RunTools(inputs_.tools, tools));
  std::vector<OwnProgram> programs;
  programs.reserve(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    programs.push_back({.source = sources[i],
                        .object = runs[i].succeeded() ? ObjectOf(steps[i]) : fs::path(),
                        .diagnostics = DescribeFailure(inputs_.tools, tools[i], runs[i]),
                        .limit = Limit(i)});
  }
  return programs;
}

Implementation OwnPrograms::SubmissionFor(const OwnProgram& program) const {
  Implementation itself;
  for (const ObjectFile& object : inputs_.build.objects) {
    if (object.source != program.source) {
      itself.objects.push_back(object.path);
    }
  }
  return itself;
}

Result<std::vector<OwnProgramRun>> OwnPrograms::LinkAndRun(
    const OwnProgram& program, const std::vector<Implementation>& implementations) {
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
  std::vector<OwnProgramRun> runs(made.size());
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
  for (OwnProgramRun& run : runs) {
    if (run.linked) {
      run.run = std::move(*next++);
    }
  }
  return runs;
}

SandboxRequest OwnPrograms::Request(const fs::path& executable,
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

Result<OwnPrograms::Recorded> OwnPrograms::Record() {
  const SandboxLevel level = inputs_.tools.level;
  ASSAY_ASSIGN_OR_RETURN(const fs::path recorder, NewFolder());
  ASSAY_RETURN_IF_ERROR(
      WriteFileAtomically(recorder / "size_recorder.cc", SizeRecorderSource(inputs_.functions)));
  ASSAY_ASSIGN_OR_RETURN(const fs::path output, NewFolder());
  const CompileStep compile{
      .compiler = kCompilerPath,
      .root = {.outside = recorder, .inside = "/recorder", .access = Access::kReadOnly},
      .source = "size_recorder.cc",
      .headers = {{.outside = folder_ / "challenge",
                   .inside = "/challenge",
                   .access = Access::kReadOnly}},
      .defines = {},
      .options = {},
      .cuda = std::nullopt,
      .output_directory = output};
  std::vector<ToolStep> tools = {ToCompileTool(compile, BuildFlavor::kRelease, level)};
  Recorded recorded{.implementation = {.objects = {ObjectOf(compile)}, .libraries = {}},
                    .failure = {}};
  for (const ObjectFile& object : inputs_.build.objects) {
    ASSAY_ASSIGN_OR_RETURN(const fs::path renamed, NewFolder());
    tools.push_back(ToRenameTool(object.path, inputs_.functions, level, renamed));
    recorded.implementation.objects.push_back(CopiedObjectOf(tools.back()));
  }
  ASSAY_ASSIGN_OR_RETURN(std::vector<SandboxedRun> made, RunTools(inputs_.tools, tools));
  const auto failed = std::ranges::find_if_not(made, &SandboxedRun::succeeded);
  if (failed != made.end()) {
    recorded.failure = std::move(*failed);
  }
  return recorded;
}

Result<OwnProgramRun> OwnPrograms::RunRecorded(const OwnProgram& benchmark) {
  if (!recorded_) {
    ASSAY_ASSIGN_OR_RETURN(recorded_, Record());
  }
  // An object may hold names that cannot be told from ours: then that is how the benchmark ends.
  if (recorded_->failure) {
    return OwnProgramRun{.linked = false, .run = *recorded_->failure};
  }
  ASSAY_ASSIGN_OR_RETURN(const fs::path folder, NewFolder());
  const ToolStep weaken = ToWeakenTool(benchmark.object, inputs_.tools.level, folder);
  ASSAY_ASSIGN_OR_RETURN(std::vector<SandboxedRun> made, RunTools(inputs_.tools, {weaken}));
  if (!made.front().succeeded()) {
    return OwnProgramRun{.linked = false, .run = std::move(made.front())};
  }
  OwnProgram weak = benchmark;
  weak.object = CopiedObjectOf(weaken);
  ASSAY_ASSIGN_OR_RETURN(std::vector<OwnProgramRun> runs,
                         LinkAndRun(weak, {recorded_->implementation}));
  return std::move(runs.front());
}

}  // namespace assay
