// SPDX-License-Identifier: Apache-2.0
#include "cli/pr_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "build/staging.h"
#include "cli/select_cells.h"
#include "exec/evidence_store.h"
#include "exec/input_changes.h"
#include "pr/paths.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

std::string FolderOf(const CellId& cell) {
  return fmt::format("submissions/{}/{}/", cell.model, cell.challenge);
}

/// Whether `changes` of what judges a cell (ChangesBetween) are of its challenge's files, and not
/// of the harness alone, which judges every cell.
bool TouchesChallenge(const std::vector<std::string>& changes, const std::string& challenge) {
  const std::string prompt_and_suite = fmt::format("challenges/{}/", challenge);
  const std::string oracle_and_baseline = fmt::format("reference/{}/", challenge);
  return std::ranges::any_of(changes, [&](const std::string& change) {
    return change.starts_with(prompt_and_suite) || change.starts_with(oracle_and_baseline);
  });
}

/// Both sides of a change, and what of it is known.
class CellFinder {
 public:
  CellFinder(const GitChange& git, const PrRoots& roots, const PrOptions& options,
             const GradeServices& services, const Installation& installation)
      : git_(git),
        roots_(roots),
        options_(options),
        before_(LoadRepository(roots.base, InstallationFor(installation, roots.base).sources)),
        after_(LoadRepository(roots.graded, InstallationFor(installation, roots.graded).sources)),
        base_judge_(services.input_places(InstallationFor(installation, roots.base))),
        own_judge_(services.input_places(InstallationFor(installation, roots.merged))) {}

  Result<FoundChange> Find() {
    ASSAY_ASSIGN_OR_RETURN(StoredEvidence stored, LoadAllEvidence(roots_.base));
    for (const auto& [cell, fault] : stored.unsound) {
      change_.notes.push_back("Evidence of the base does not hold and is taken for missing: " +
                              fault.cause);
      Forget(fs::path(fault.where).lexically_relative(roots_.base));
    }
    evidence_ = std::move(stored.cells);
    Describe();
    ASSAY_RETURN_IF_ERROR(FindTouched());
    ASSAY_RETURN_IF_ERROR(FindReached());
    std::ranges::sort(change_.cells, {}, &ChangedCell::cell);
    for (const ChangedCell& cell : change_.cells) {
      Forget(EvidencePath("", cell.cell));
    }
    return FoundChange{.change = std::move(change_), .before = std::move(evidence_)};
  }

 private:
  void Forget(const fs::path& evidence) const {
    std::error_code ignored;
    if (!evidence.empty() && *evidence.begin() == "reports") {
      fs::remove(roots_.graded / evidence, ignored);
    }
  }

  // What the paths of the change are.
  void Describe() {
    change_.base = options_.base;
    change_.head = options_.head;
    change_.base_commit = git_.base_commit;
    change_.head_commit = git_.head_commit;
    change_.judge = options_.judge;
    std::set<std::string> models;
    for (const std::string& path : PathsOf(git_)) {
      const ChangedPath changed = Classify(path);
      switch (changed.kind) {
        case PathKind::kSubmission:
          candidates_.insert(changed.cell);
          models.insert(changed.cell.model);
          break;
        case PathKind::kModel:
          AddCellsOf(changed.cell.model);
          models.insert(changed.cell.model);
          break;
        case PathKind::kEvidence:
          change_.evidence.push_back(path);
          break;
        case PathKind::kJudge:
          touches_judge_ = true;
          break;
        case PathKind::kOther:
          break;
      }
      if (changed.kind != PathKind::kSubmission && changed.kind != PathKind::kModel) {
        change_.outside.push_back(path);
      }
    }
    for (const std::string& path : git_.changes.elsewhere) {
      change_.outside.push_back("../" + path);
    }
    change_.models.assign(models.begin(), models.end());
  }

  // model.yaml decides whether any of them can be graded.
  void AddCellsOf(const std::string& model) {
    for (const LoadedRepository* const side : {&before_, &after_}) {
      for (const SubmissionSpec& submission : side->repository.submissions) {
        if (submission.model == model) {
          candidates_.insert({submission.model, submission.challenge});
        }
      }
    }
  }

  [[nodiscard]] bool HasFiles(const CellId& cell) const {
    std::error_code ignored;
    return fs::exists(roots_.graded / FolderOf(cell), ignored) ||
           std::ranges::any_of(roots_.left_out, [&](const LeftOut& left_out) {
             return left_out.path.starts_with(FolderOf(cell));
           });
  }

  [[nodiscard]] std::optional<Evidence> EvidenceOf(const CellId& cell) const {
    const auto found = std::ranges::find_if(evidence_, [&](const Evidence& evidence) {
      return evidence.model == cell.model && evidence.challenge == cell.challenge;
    });
    return found == evidence_.end() ? std::nullopt : std::optional(*found);
  }

  // Faults of what the cell hands in now, as far as the base's challenges can tell.
  [[nodiscard]] Errors FaultsOf(const CellId& cell) const {
    Errors faults;
    for (const LeftOut& left_out : roots_.left_out) {
      if (left_out.path.starts_with(FolderOf(cell))) {
        faults.push_back({.kind = ErrorKind::kConfiguration,
                          .where = left_out.path,
                          .cause = left_out.why,
                          .remedy = "hand in regular files"});
      }
    }
    if (const auto selected = SelectCells(after_, {ToString(cell)}); !selected) {
      faults.insert(faults.end(), selected.error().begin(), selected.error().end());
    }
    return faults;
  }

  Status FindTouched() {
    for (const CellId& cell : candidates_) {
      const SubmissionSpec* const then = FindSubmission(before_.repository, cell);
      const SubmissionSpec* const now = FindSubmission(after_.repository, cell);
      ChangedCell changed{.cell = cell,
                          .change = then == nullptr ? CellChange::kNew : CellChange::kChanged,
                          .changes = {},
                          .files = {},
                          .before = then == nullptr ? std::nullopt : EvidenceOf(cell),
                          .after = std::nullopt,
                          .faults = {},
                          .before_is_stale = {}};
      FileDigests files_then;
      FileDigests files_now;
      if (then != nullptr) {
        ASSAY_ASSIGN_OR_RETURN(files_then, ReadSubmissionInputs(roots_.base, *then));
      }
      if (!HasFiles(cell)) {
        if (then == nullptr) {
          continue;  // It never was a submission.
        }
        changed.change = CellChange::kRemoved;
      } else {
        changed.faults = FaultsOf(cell);
      }
      if (now != nullptr) {
        ASSAY_ASSIGN_OR_RETURN(files_now, ReadSubmissionInputs(roots_.graded, *now));
        changed.files = AllFiles(*now);
      }
      changed.changes = ChangesBetween(files_then, files_now);
      if (changed.changes.empty() && changed.faults.empty()) {
        continue;
      }
      if (changed.before && then != nullptr) {
        ASSAY_ASSIGN_OR_RETURN(changed.before_is_stale, WhyBeforeIsStale(*changed.before, *then));
      }
      change_.cells.push_back(std::move(changed));
    }
    NoteLeftOut();
    return {};
  }

  Result<std::string> WhyBeforeIsStale(const Evidence& before, const SubmissionSpec& then) {
    ASSAY_ASSIGN_OR_RETURN(const CellInputs inputs, base_judge_.Read(roots_.base, then));
    const std::vector<std::string> changes = ChangesSince(roots_.base, before, inputs);
    return changes.empty() ? std::string() : Summary(changes);
  }

  // What was left out in no cell's folder: a submodule in place of one.
  void NoteLeftOut() {
    for (const LeftOut& left_out : roots_.left_out) {
      const bool is_new = git_.changes.set.contains(left_out.path);
      if (is_new && Classify(left_out.path).kind != PathKind::kSubmission) {
        change_.notes.push_back(left_out.path + " " + left_out.why + " and was left out");
      }
    }
  }

  // Cells whose judge is another after the change. Those of a challenge that it touches are graded,
  // by the base's judge too: what that says is what the change has to be held against.
  Status FindReached() {
    if (!touches_judge_) {
      return {};
    }
    for (const SubmissionSpec& submission : after_.repository.submissions) {
      const CellId cell{submission.model, submission.challenge};
      if (std::ranges::find(change_.cells, cell, &ChangedCell::cell) != change_.cells.end()) {
        continue;
      }
      ASSAY_ASSIGN_OR_RETURN(const CellInputs then, base_judge_.Read(roots_.graded, submission));
      ASSAY_ASSIGN_OR_RETURN(const CellInputs now, own_judge_.Read(roots_.graded, submission));
      std::vector<std::string> changes = ChangesBetween(then, now);
      const bool is_graded =
          options_.judge == JudgeOf::kChange || TouchesChallenge(changes, cell.challenge);
      const std::string rubric = fmt::format("challenges/{}/rubric.yaml", cell.challenge);
      if (changes.empty() && std::ranges::count(change_.outside, rubric) > 0) {
        change_.reached.push_back({.cell = cell, .why = rubric + " changed"});
      } else if (!changes.empty() && !is_graded) {
        change_.reached.push_back({.cell = cell, .why = Summary(changes)});
      } else if (!changes.empty()) {
        change_.cells.push_back({.cell = cell,
                                 .change = CellChange::kJudged,
                                 .changes = std::move(changes),
                                 .files = AllFiles(submission),
                                 .before = EvidenceOf(cell),
                                 .after = std::nullopt,
                                 .faults = {},
                                 .before_is_stale = {}});
      }
    }
    return {};
  }

  const GitChange& git_;
  const PrRoots& roots_;
  const PrOptions& options_;
  LoadedRepository before_;
  LoadedRepository after_;
  InputReader base_judge_;
  InputReader own_judge_;
  std::vector<Evidence> evidence_;
  std::set<CellId> candidates_;
  bool touches_judge_ = false;
  Change change_;
};

}  // namespace

Result<FoundChange> FindCells(const GitChange& git, const PrRoots& roots, const PrOptions& options,
                              const GradeServices& services, const Installation& installation) {
  return CellFinder(git, roots, options, services, installation).Find();
}

std::vector<std::string> CellsToGrade(const Change& change) {
  std::vector<std::string> words;
  for (const ChangedCell& cell : change.cells) {
    if (cell.change != CellChange::kRemoved && cell.faults.empty()) {
      words.push_back(ToString(cell.cell));
    }
  }
  return words;
}

}  // namespace assay
