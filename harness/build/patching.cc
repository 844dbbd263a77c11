// SPDX-License-Identifier: Apache-2.0
#include "build/patching.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "base/text.h"
#include "build/diagnostics.h"
#include "build/toolchain.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

using Patched = std::expected<SubmissionSpec, StagingRefusal>;

constexpr std::string_view kPatchPath = "/usr/bin/patch";

ToolStep PatchTool(SandboxLevel level, const fs::path& tree, const fs::path& patch, int strip,
                   const fs::path& scratch) {
  ToolStep tool{
      .what = "applying the patch", .argv = {}, .mounts = {}, .output_directory = scratch};
  const std::string directory =
      Show(tool, level, {.outside = tree, .inside = "/submission", .access = Access::kReadWrite});
  const std::string input =
      Show(tool, level, {.outside = patch, .inside = "/patch", .access = Access::kReadOnly});
  // --unified keeps patch(1) from running ed(1) on the scripts that ed-style patches hold.
  tool.argv = {std::string(kPatchPath),
               "--unified",
               "--batch",
               "--forward",
               "--no-backup-if-mismatch",
               "--reject-file=-",
               "--directory=" + directory,
               fmt::format("--strip={}", strip),
               "--input=" + input};
  return tool;
}

}  // namespace

int StripLevel(std::string_view patch) {
  for (const std::string& line : SplitLines(patch)) {
    if (line.starts_with("--- a/") || line.starts_with("+++ b/")) {
      return 1;
    }
  }
  return 0;
}

Result<Patched> ApplyPatch(const SubmissionSpec& submission, const ToolSettings& tools,
                           const fs::path& target) {
  ASSAY_RETURN_IF_ERROR(RequireTool(kPatchPath));
  const std::string& name = submission.patch->file;
  const fs::path raw = target / "raw";
  const fs::path patch_folder = target / "patch";
  const fs::path scratch = target / "scratch";
  ASSAY_RETURN_IF_ERROR(MakeEmptyFolder(scratch));
  for (const auto& [files, to] : {std::pair{AllFiles(submission), raw},
                                  std::pair{std::vector<std::string>{name}, patch_folder}}) {
    ASSAY_ASSIGN_OR_RETURN(const auto staged, Stage(submission.directory, files, to));
    if (!staged) {
      return Patched(std::unexpected(staged.error()));
    }
  }
  ASSAY_ASSIGN_OR_RETURN(const std::string text, ReadFile(patch_folder / name));
  const ToolStep step = PatchTool(tools.level, raw, patch_folder / name, StripLevel(text), scratch);
  ASSAY_ASSIGN_OR_RETURN(const std::vector<SandboxedRun> runs, RunTools(tools, {step}));
  if (!runs.front().succeeded()) {
    return Patched(std::unexpected(StagingRefusal{DescribeFailure(tools, step, runs.front())}));
  }
  // The tree was in the patch's hands: take over regular files alone, as from a submission.
  ASSAY_ASSIGN_OR_RETURN(const std::vector<fs::path> found, ListFiles(raw));
  SubmissionSpec repaired = submission;
  repaired.directory = target / "tree";
  repaired.headers.clear();
  for (const fs::path& file : found) {
    if (IsHeader(file.string())) {
      repaired.headers.push_back(file.string());
    }
  }
  ASSAY_ASSIGN_OR_RETURN(const auto restaged, Stage(raw, AllFiles(repaired), repaired.directory));
  if (!restaged) {
    return Patched(std::unexpected(restaged.error()));
  }
  return Patched(std::move(repaired));
}

}  // namespace assay
