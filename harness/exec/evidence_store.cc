// SPDX-License-Identifier: Apache-2.0
#include "exec/evidence_store.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <string>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "evidence/consistency.h"
#include "evidence/json.h"
#include "exec/attestation.h"
#include "exec/input_changes.h"
#include "score/time_rows.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> SortedEntries(const fs::path& directory) {
  std::vector<fs::path> entries;
  std::error_code failure;
  for (fs::directory_iterator it(directory, failure), end; !failure && it != end;
       it.increment(failure)) {
    entries.push_back(it->path());
  }
  std::ranges::sort(entries);
  return entries;
}

Error NotAsGraded(const fs::path& file, const Contradiction& contradiction) {
  std::string cause = ToString(contradiction);
  // Text of a submission can stand in it: one line that a terminal shows as it is.
  std::ranges::replace_if(cause, [](char c) { return c < ' ' || c > '~'; }, '?');
  constexpr std::size_t kLongest_bytes = 700;
  if (cause.size() > kLongest_bytes) {
    cause.replace(kLongest_bytes, std::string::npos, "...");
  }
  return {.kind = ErrorKind::kConfiguration,
          .where = file.string(),
          .cause = std::move(cause),
          .remedy =
              "evidence is not edited: take the file back as it was, or grade the cell again "
              "with `assay grade --force`"};
}

}  // namespace

Errors CheckAgainstEachOther(const fs::path& root, const std::vector<Evidence>& cells) {
  Errors faults;
  for (std::size_t i = 1; i < cells.size(); ++i) {
    const Evidence& cell = cells[i];
    for (std::size_t j = 0; j < i; ++j) {
      if (cells[j].challenge != cell.challenge) {
        continue;
      }
      if (const auto found = FindContradiction(cell, cells[j])) {
        faults.push_back(NotAsGraded(EvidencePath(root, {cell.model, cell.challenge}), *found));
        break;
      }
    }
  }
  return faults;
}

Result<std::optional<Evidence>> LoadEvidence(const fs::path& root, const CellId& cell) {
  const fs::path path = EvidencePath(root, cell);
  std::error_code failure;
  if (!fs::exists(fs::symlink_status(path, failure))) {
    return std::nullopt;
  }
  ASSAY_ASSIGN_OR_RETURN(const std::string json, ReadFile(path, kLargestEvidence_bytes));
  ASSAY_ASSIGN_OR_RETURN(Evidence evidence, ParseEvidence(json, path, cell));
  return evidence;
}

Result<Evidence> ParseEvidence(std::string_view json, const fs::path& path, const CellId& cell) {
  ASSAY_ASSIGN_OR_RETURN(Evidence evidence, EvidenceFromJson(json, path.string()));
  if (evidence.model != cell.model || evidence.challenge != cell.challenge) {
    return std::unexpected(
        Error{.kind = ErrorKind::kConfiguration,
              .where = path.string(),
              .cause = fmt::format("speaks of {}/{}", evidence.model, evidence.challenge),
              .remedy = "remove it and grade the cell again"});
  }
  if (const auto found = FindContradiction(evidence)) {
    return std::unexpected(NotAsGraded(path, *found));
  }
  return evidence;
}

Status SaveEvidence(const fs::path& root, const Evidence& evidence) {
  const fs::path path = EvidencePath(root, {evidence.model, evidence.challenge});
  std::error_code failure;
  if (!fs::remove(AttestationPath(path), failure) && failure) {
    return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                 .where = AttestationPath(path).string(),
                                 .cause = "cannot be removed: " + failure.message(),
                                 .remedy = "make the folder writable and run again"});
  }
  return WriteFileAtomically(path, EvidenceToJson(evidence));
}

Status CheckEvidenceWritable(const fs::path& root, const CellId& cell) {
  const fs::path folder = EvidencePath(root, cell).parent_path();
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (!failure && ::access(folder.c_str(), W_OK | X_OK) != 0) {
    failure.assign(errno, std::generic_category());
  }
  if (failure) {
    return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                 .where = folder.string(),
                                 .cause = "cannot be written to: " + failure.message(),
                                 .remedy = "make it a writable folder and run again"});
  }
  return {};
}

StoredEvidence LoadAllEvidence(const fs::path& root) {
  StoredEvidence stored;
  for (const fs::path& challenge : SortedEntries(root / "reports" / "evidence")) {
    for (const fs::path& file : SortedEntries(challenge)) {
      const CellId cell{.model = file.stem().string(), .challenge = challenge.filename().string()};
      if (file.extension() != ".json" || !IsId(cell.model) || !IsId(cell.challenge)) {
        continue;  // Not written by Assay; `assay report --check` names it.
      }
      auto evidence = LoadEvidence(root, cell);
      if (!evidence) {
        stored.faults.push_back(std::move(evidence).error());
      } else if (*evidence) {
        stored.cells.push_back(std::move(**evidence));
      }
    }
  }
  for (Error& fault : CheckAgainstEachOther(root, stored.cells)) {
    stored.faults.push_back(std::move(fault));
  }
  return stored;
}

std::optional<std::string> WhyStale(const Evidence& evidence,
                                    const std::vector<std::string>& changes, const Environment& now,
                                    std::optional<std::uint64_t> seed) {
  const Environment& then = evidence.environment;
  if (evidence.verdict == Verdict::kJudgeError) {
    return "its last grading failed by our fault";
  }
  if (!changes.empty()) {
    return Summary(changes);
  }
  if (then.assay_version != now.assay_version) {
    return fmt::format("it was graded by Assay {}", then.assay_version);
  }
  if (!AreOfOneClass(then.machine, now.machine)) {
    return fmt::format("its times are of another class of machine: {}, {} cores",
                       then.machine.cpu_model, then.machine.cores);
  }
  if (then.compiler != now.compiler || then.release_flags != now.release_flags ||
      then.sanitized_flags != now.sanitized_flags) {
    return "the compiler or its flags changed";
  }
  if (then.sandbox_level != now.sandbox_level) {
    return fmt::format("it was graded at sandbox level {}", then.sandbox_level);
  }
  if (seed && then.seed != *seed) {
    return fmt::format("it was graded with seed {}", then.seed);
  }
  return std::nullopt;
}

}  // namespace assay
