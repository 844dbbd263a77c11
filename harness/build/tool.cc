// SPDX-License-Identifier: Apache-2.0
#include "build/tool.h"

#include <fmt/format.h>

#include <utility>

#include "build/diagnostics.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

Mount OutputMount(const ToolStep& step) {
  return {.outside = step.output_directory, .inside = "/out", .access = Access::kReadWrite};
}

SandboxRequest ToRequest(const ToolSettings& settings, const ToolStep& step) {
  const std::string out = ShowOutput(step, settings.level, "");
  SandboxRequest request{.argv = step.argv,
                         // SOURCE_DATE_EPOCH: __DATE__ and __TIME__ are the same in every build.
                         .environment = {"PATH=/usr/bin:/bin", "LC_ALL=C", "HOME=" + out,
                                         "TMPDIR=" + out, "SOURCE_DATE_EPOCH=0"},
                         .mounts = ToolchainMounts(),
                         .working_directory = out,
                         .fds = {},
                         .policy = SyscallPolicy::kTool,
                         .proc = step.proc,
                         .limits = {.wall = settings.time_limit,
                                    .memory_bytes = settings.memory_limit_bytes,
                                    .file_size_bytes = settings.file_limit_bytes,
                                    .output_bytes = settings.output_limit_bytes,
                                    .processes = 64,
                                    .open_files = 256},
                         .processors = {}};
  request.mounts.insert(request.mounts.end(), step.mounts.begin(), step.mounts.end());
  request.mounts.push_back(OutputMount(step));
  return request;
}

// What the tool printed, with the names that the sandbox shows at level full, and those of the
// submission's files without their folder.
std::string PortableOutput(const ToolSettings& settings, const ToolStep& step, std::string output) {
  std::vector<Mount> mounts = step.mounts;
  mounts.push_back(OutputMount(step));
  std::vector<std::pair<std::string, std::string>> names;
  names.reserve(mounts.size());
  for (const Mount& mount : mounts) {
    names.emplace_back(SeenPath(settings.level, mount).string(), mount.inside.string());
  }
  return ReplacePaths(ReplacePaths(std::move(output), std::move(names)), {{"/submission/", ""}});
}

std::string WhyEnded(const ToolSettings& settings, const ToolStep& step, const SandboxedRun& run) {
  using Kind = ExitStatus::Kind;
  switch (run.status.kind) {
    case Kind::kExited:
      return "";
    case Kind::kTimeLimit:
      return fmt::format("{} took longer than the limit of {:g} s", step.what,
                         std::chrono::duration<double>(settings.time_limit).count());
    case Kind::kMemoryLimit:
      return fmt::format("{} took more memory than the limit of {} MiB", step.what,
                         settings.memory_limit_bytes >> 20);
    case Kind::kOutputLimit:
      return fmt::format("{} wrote more than the limit of {} MiB", step.what,
                         settings.file_limit_bytes >> 20);
    default:
      return fmt::format("{} ended early: {}", step.what, ToString(run.status));
  }
}

// A tool that fails where little room is left may have failed for that: whose fault it was cannot
// be told, so that it must not become a verdict.
Status CheckRoom(const ToolSettings& settings, const ToolStep& step) {
  std::error_code failure;
  const fs::space_info space = fs::space(step.output_directory, failure);
  if (failure || space.available >= static_cast<std::uintmax_t>(settings.file_limit_bytes)) {
    return {};
  }
  return std::unexpected(Error{
      .kind = ErrorKind::kConfiguration,
      .where = step.output_directory.string(),
      .cause = fmt::format("{} failed, and only {} MiB are free", step.what, space.available >> 20),
      .remedy = fmt::format("make room for {} MiB, which one file of a build may take",
                            settings.file_limit_bytes >> 20)});
}

}  // namespace

std::string Show(ToolStep& step, SandboxLevel level, const Mount& mount) {
  step.mounts.push_back(mount);
  return SeenPath(level, mount).string();
}

std::string ShowOutput(const ToolStep& step, SandboxLevel level, const std::string& name) {
  const fs::path folder = SeenPath(level, OutputMount(step));
  return (name.empty() ? folder : folder / name).string();
}

Result<std::vector<SandboxedRun>> RunTools(const ToolSettings& settings,
                                           const std::vector<ToolStep>& steps) {
  std::vector<SandboxRequest> requests;
  requests.reserve(steps.size());
  for (const ToolStep& step : steps) {
    requests.push_back(ToRequest(settings, step));
  }
  ASSAY_ASSIGN_OR_RETURN(std::vector<SandboxedRun> runs,
                         RunSandboxed(settings.level, requests, settings.parallel));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!runs[i].succeeded()) {
      ASSAY_RETURN_IF_ERROR(CheckRoom(settings, steps[i]));
    }
    runs[i].output = PortableOutput(settings, steps[i], std::move(runs[i].output));
  }
  return runs;
}

std::string DescribeFailure(const ToolSettings& settings, const ToolStep& step,
                            const SandboxedRun& run) {
  if (run.succeeded()) {
    return "";
  }
  const std::string why = WhyEnded(settings, step, run);
  const std::string said = FirstDiagnostics(run.output);
  if (why.empty() && said.empty()) {
    return fmt::format("{} failed: {}", step.what, ToString(run.status));
  }
  return why + (why.empty() || said.empty() ? "" : "\n") + said;
}

}  // namespace assay
