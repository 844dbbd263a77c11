// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_BUILD_TOOL_H_
#define ASSAY_BUILD_TOOL_H_

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "build/run_sandboxed.h"
#include "sandbox/mount.h"
#include "sandbox/request.h"

namespace assay {

/// How tools that read a submission (g++, ld, patch, cloc, clang-tidy) are run: in the sandbox, for
/// what they read is hostile, and it may try to make them loop, swell or flood.
struct ToolSettings {
  SandboxLevel level = SandboxLevel::kFull;
  std::chrono::nanoseconds time_limit = std::chrono::seconds(120);  ///< Wall time of each run.
  std::int64_t memory_limit_bytes = std::int64_t{4} << 30;
  std::int64_t file_limit_bytes = std::int64_t{256} << 20;  ///< Of each file a tool writes.
  std::int64_t output_limit_bytes = std::int64_t{4} << 20;  ///< Of what it prints.
  int parallel = 2;                                         ///< Runs at the same time; at least 1.
};

/// One run of one tool.
struct ToolStep {
  std::string what;                        ///< For diagnostics: `compiling layernorm.cc`.
  std::vector<std::string> argv;           ///< Names files as the tool sees them: Show, ShowOutput.
  std::vector<Mount> mounts;               ///< Beside ToolchainMounts() and the output folder.
  std::filesystem::path output_directory;  ///< Writable, at /out; temporary files go there too.
  ProcAccess proc = ProcAccess::kNone;
};

/// Adds `mount` to `step` and gives the path at which the tool sees it.
[[nodiscard]] std::string Show(ToolStep& step, SandboxLevel level, const Mount& mount);
/// The path at which the tool sees the file `name` of its output folder.
[[nodiscard]] std::string ShowOutput(const ToolStep& step, SandboxLevel level,
                                     const std::string& name);

/// Runs `steps`, at most settings.parallel at a time, and gives their results in the same order.
/// Their outputs name files of the submission relative to it and all others as level full shows
/// them: no path of this machine is in them. Errors as of RunSandboxed; and of kind kConfiguration
/// when a run failed where less than settings.file_limit_bytes are free.
[[nodiscard]] Result<std::vector<SandboxedRun>> RunTools(const ToolSettings& settings,
                                                         const std::vector<ToolStep>& steps);

/// Why a run failed: names the limit or signal where one ended it, then the tool's first
/// diagnostics. Empty for a run that succeeded.
[[nodiscard]] std::string DescribeFailure(const ToolSettings& settings, const ToolStep& step,
                                          const SandboxedRun& run);

}  // namespace assay

#endif  // ASSAY_BUILD_TOOL_H_
