// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/temporary.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/json_output.h"
#include "cli/reports.h"
#include "cli/select_cells.h"
#include "exec/evidence_store.h"
#include "exec/git.h"
#include "exec/repository_lock.h"
#include "report/difference.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

bool HoldsEvidence(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_directory(folder / "reports" / "evidence", ignored);
}

Checked<std::vector<Evidence>> ReadFolder(const fs::path& folder) {
  auto stored = LoadAllEvidence(folder);
  if (!stored) {
    return std::unexpected(Errors{std::move(stored).error()});
  }
  if (!stored->unsound.empty()) {
    return std::unexpected(FaultsOf(stored->unsound));
  }
  return std::move(stored->cells);
}

/// Evidence as a commit has it. The folder that it is written to is gone again afterwards.
Checked<std::vector<Evidence>> ReadCommit(const fs::path& root, const std::string& name) {
  const auto fail = [](Error error) { return std::unexpected(Errors{std::move(error)}); };
  const auto git = GitReader::Open(root);
  if (!git) {
    return fail(git.error());
  }
  const auto commit = git->ResolveCommit(name);
  if (!commit) {
    return fail({.kind = ErrorKind::kConfiguration,
                 .where = name,
                 .cause = "is neither a folder that holds reports/evidence nor a commit: " +
                          commit.error().cause,
                 .remedy = "name a folder, or a branch, a tag or the digits of a commit"});
  }
  auto tree = git->ReadTree(*commit);
  if (!tree) {
    return fail(tree.error());
  }
  std::erase_if(*tree, [](const auto& entry) {
    return !entry.first.starts_with("reports/evidence/") || !entry.first.ends_with(".json");
  });
  const auto scratch = TemporaryDirectory::Create(TemporaryRoot(root), "diff");
  if (!scratch) {
    return fail(scratch.error());
  }
  const auto left_out = git->Write(*tree, scratch->path(), kLargestEvidence_bytes);
  if (!left_out) {
    return fail(left_out.error());
  }
  if (!left_out->empty()) {
    return fail({.kind = ErrorKind::kConfiguration,
                 .where = fmt::format("{}:{}", name, left_out->front().path),
                 .cause = left_out->front().why,
                 .remedy = "name another commit"});
  }
  auto cells = ReadFolder(scratch->path());
  if (!cells) {
    for (Error& error : cells.error()) {
      error.where = fmt::format("{}:{}", name,
                                fs::path(error.where).lexically_relative(scratch->path()).string());
    }
  }
  return cells;
}

Checked<std::vector<Evidence>> ReadSide(const fs::path& root, const std::string& name) {
  return HoldsEvidence(name) ? ReadFolder(name) : ReadCommit(root, name);
}

}  // namespace

int RunDiff(const DiffOptions& options, Console& console) {
  const OutputFormat format = options.common.format;
  const auto place = WorkplaceOf(options.common);
  if (!place) {
    return Fail(console, format, {}, {place.error()});
  }
  // A commit's evidence is written below .assay/ to be read.
  if (const Status own = CheckNoLinks(place->root); !own) {
    return Fail(console, format, place->root, {own.error()});
  }
  const auto inputs = ReadReportInputs(*place);
  if (!inputs) {
    return Fail(console, format, place->root, inputs.error());
  }
  const auto before = ReadSide(place->root, options.before);
  if (!before) {
    return Fail(console, format, place->root, before.error());
  }
  const auto after = options.after.empty() ? Checked<std::vector<Evidence>>(inputs->cells)
                                           : ReadSide(place->root, options.after);
  if (!after) {
    return Fail(console, format, place->root, after.error());
  }
  const EvidenceDifference difference = FindDifference(*before, *after, inputs->challenges);
  console.out << (format == OutputFormat::kJson ? DifferenceJson(difference)
                                                : DifferenceText(difference));
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace assay
