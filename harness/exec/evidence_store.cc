// SPDX-License-Identifier: Apache-2.0
#include "exec/evidence_store.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <iterator>
#include <map>
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

/// Cells of one challenge that say the same of its cases.
struct Witnesses {
  const Evidence* first;
  std::size_t count = 1;
  std::size_t supporters = 0;  ///< Cells that say nothing else, their own and others.
};

/// Of one judge, with the same suites run and no contradiction: whatever contradicts one of them
/// contradicts the other, so that each cell is held against a few and not against all.
bool SayTheSame(const Evidence& a, const Evidence& b) {
  return a.digests.challenge == b.digests.challenge && a.digests.reference == b.digests.reference &&
         a.digests.harness == b.digests.harness && a.suite.cases.empty() == b.suite.cases.empty() &&
         a.sanitized_suite.cases.empty() == b.sanitized_suite.cases.empty() &&
         !FindContradiction(a, b);
}

/// By challenge, in the order of their first.
using AllWitnesses = std::map<std::string_view, std::vector<Witnesses>>;

AllWitnesses GatherWitnesses(const std::vector<Evidence>& cells) {
  AllWitnesses gathered;
  for (const Evidence& cell : cells) {
    std::vector<Witnesses>& groups = gathered[cell.challenge];
    const auto same = std::ranges::find_if(
        groups, [&](const Witnesses& group) { return SayTheSame(*group.first, cell); });
    if (same == groups.end()) {
      groups.push_back({.first = &cell});
    } else {
      ++same->count;
    }
  }
  for (auto& [challenge, groups] : gathered) {
    for (Witnesses& group : groups) {
      // Those that ran but one of the two suites speak for whoever says the same of that one.
      for (const Witnesses& other : groups) {
        group.supporters += FindContradiction(*group.first, *other.first) ? 0 : other.count;
      }
    }
  }
  return gathered;
}

/// What those say against `cell` who have more supporters than who says what it says, or as many
/// and come first.
std::optional<Contradiction> FindOutvoted(const Evidence& cell,
                                          const std::vector<Witnesses>& groups) {
  const auto own = std::ranges::find_if(
      groups, [&](const Witnesses& group) { return SayTheSame(*group.first, cell); });
  for (auto other = groups.begin(); other != groups.end(); ++other) {
    const bool counts_more = other->supporters > own->supporters ||
                             (other->supporters == own->supporters && other < own);
    if (counts_more) {
      if (auto found = FindContradiction(cell, *other->first)) {
        return found;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

Result<std::vector<fs::path>> ListEvidenceFolder(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code failure;
  for (fs::directory_iterator it(folder, failure), end; !failure && it != end;
       it.increment(failure)) {
    entries.push_back(it->path());
  }
  if (failure && failure != std::errc::no_such_file_or_directory) {
    return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                 .where = folder.string(),
                                 .cause = "cannot be listed: " + failure.message(),
                                 .remedy = "make it a readable folder and run again"});
  }
  std::ranges::sort(entries);
  return entries;
}

Errors FaultsOf(const std::vector<UnsoundEvidence>& unsound) {
  Errors faults;
  for (const UnsoundEvidence& one : unsound) {
    faults.push_back(one.fault);
  }
  return faults;
}

std::vector<UnsoundEvidence> CheckAgainstEachOther(const fs::path& root,
                                                   const std::vector<Evidence>& cells) {
  const AllWitnesses witnesses = GatherWitnesses(cells);
  std::vector<UnsoundEvidence> unsound;
  for (const Evidence& cell : cells) {
    if (const auto found = FindOutvoted(cell, witnesses.at(cell.challenge))) {
      const CellId id{.model = cell.model, .challenge = cell.challenge};
      unsound.push_back({.cell = id, .fault = NotAsGraded(EvidencePath(root, id), *found)});
    }
  }
  return unsound;
}

Result<std::optional<Evidence>> LoadEvidence(const fs::path& root, const CellId& cell) {
  const fs::path path = EvidencePath(root, cell);
  // What cannot be looked at is there, as far as anyone knows: reading it says why it cannot.
  if (!IsThere(path).value_or(true)) {
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

Result<StoredEvidence> LoadChallengeEvidence(const fs::path& root, const std::string& challenge) {
  StoredEvidence stored;
  if (!IsId(challenge)) {
    return stored;
  }
  ASSAY_ASSIGN_OR_RETURN(const std::vector<fs::path> files,
                         ListEvidenceFolder(root / "reports" / "evidence" / challenge));
  for (const fs::path& file : files) {
    const CellId cell{.model = file.stem().string(), .challenge = challenge};
    if (file.extension() != ".json" || !IsId(cell.model)) {
      continue;  // Not written by Assay; `assay report --check` names it.
    }
    auto evidence = LoadEvidence(root, cell);
    if (!evidence) {
      stored.unsound.push_back({.cell = cell, .fault = std::move(evidence).error()});
    } else if (*evidence) {
      stored.cells.push_back(std::move(**evidence));
    }
  }
  for (UnsoundEvidence& contradicted : CheckAgainstEachOther(root, stored.cells)) {
    std::erase_if(stored.cells, [&](const Evidence& cell) {
      return CellId{cell.model, cell.challenge} == contradicted.cell;
    });
    stored.unsound.push_back(std::move(contradicted));
  }
  return stored;
}

Result<StoredEvidence> LoadAllEvidence(const fs::path& root) {
  StoredEvidence stored;
  ASSAY_ASSIGN_OR_RETURN(const std::vector<fs::path> entries,
                         ListEvidenceFolder(root / "reports" / "evidence"));
  for (const fs::path& entry : entries) {
    std::error_code failure;
    if (fs::is_regular_file(fs::symlink_status(entry, failure))) {
      continue;  // Not written by Assay, as a note beside the folders of challenges.
    }
    ASSAY_ASSIGN_OR_RETURN(StoredEvidence of_one,
                           LoadChallengeEvidence(root, entry.filename().string()));
    std::ranges::move(of_one.cells, std::back_inserter(stored.cells));
    std::ranges::move(of_one.unsound, std::back_inserter(stored.unsound));
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
