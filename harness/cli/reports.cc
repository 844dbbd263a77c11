// SPDX-License-Identifier: Apache-2.0
#include "cli/reports.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "cli/asked_pairs.h"
#include "cli/change_log.h"
#include "cli/select_cells.h"
#include "published/calibration_page.h"
#include "published/published_page.h"
#include "published/study_store.h"

namespace assay {
namespace {

/// Moves cells whose signature does not hold to those whose evidence does not.
void SetAsideRefused(ReportInputs& inputs) {
  for (const CellAttestation& one : inputs.attestations) {
    for (Error& fault : RefusedSignatures({one})) {
      std::erase_if(inputs.cells, [&](const Evidence& cell) {
        return CellId{cell.model, cell.challenge} == one.cell;
      });
      inputs.unsound.push_back({.cell = one.cell, .fault = std::move(fault)});
    }
  }
  std::ranges::sort(inputs.unsound, {}, &UnsoundEvidence::cell);
}

}  // namespace

Checked<ReportInputs> ReadReportInputs(const Workplace& place, Unsound unsound) {
  const std::filesystem::path& root = place.root;
  LoadedRepository loaded = LoadRepository(root, place.installation.sources);
  Errors errors = ChallengeFaults(loaded);
  auto stored = LoadAllEvidence(root);
  if (!stored) {
    errors.push_back(stored.error());
  } else if (unsound == Unsound::kRefused) {
    const Errors faults = FaultsOf(stored->unsound);
    errors.insert(errors.end(), faults.begin(), faults.end());
  }
  auto attestations = ReadAttestations(root, stored ? stored->cells : StoredEvidence().cells);
  if (!attestations) {
    errors.push_back(attestations.error());
  } else if (unsound == Unsound::kRefused) {
    const Errors refused = RefusedSignatures(*attestations);
    errors.insert(errors.end(), refused.begin(), refused.end());
  }
  LoadedStudies studies = LoadStudies(loaded.repository);
  errors.insert(errors.end(), studies.unreadable.begin(), studies.unreadable.end());
  auto asked = ReadAskedPairs(loaded.repository, studies.studies);
  if (!asked) {
    errors.insert(errors.end(), asked.error().begin(), asked.error().end());
  }
  if (!errors.empty()) {
    return std::unexpected(std::move(errors));
  }
  auto views = ReadViews(loaded.repository);
  if (!views) {
    return std::unexpected(Errors{std::move(views).error()});
  }
  ReportInputs inputs;
  inputs.root = root;
  inputs.challenges = *std::move(views);
  inputs.repository = std::move(loaded.repository);
  inputs.cells = std::move(stored->cells);
  inputs.unsound = std::move(stored->unsound);
  inputs.attestations = *std::move(attestations);
  SetAsideRefused(inputs);
  inputs.studies = std::move(studies.studies);
  inputs.asked_pairs = *std::move(asked);
  std::error_code ignored;
  if (std::filesystem::exists(root / "reports" / kChangesPage, ignored)) {
    inputs.others.push_back(ChangesPageEntry());
  }
  return inputs;
}

std::vector<UnsoundCell> UnsoundCellsOf(const ReportInputs& inputs) {
  std::vector<UnsoundCell> unsound;
  unsound.reserve(inputs.unsound.size());
  for (const UnsoundEvidence& one : inputs.unsound) {
    unsound.push_back({.model = one.cell.model,
                       .challenge = one.cell.challenge,
                       .cause = one.fault.cause,
                       .remedy = one.fault.remedy});
  }
  return unsound;
}

OtherPage ChangesPageEntry() {
  return {.path = std::string(kChangesPage),
          .shows = "What each grading changed of published numbers, and what moved them"};
}

RenderedReports RenderReports(const ReportInputs& inputs) {
  const std::string published(kPublishedPage);
  const std::string calibration(kCalibrationPage);
  std::vector<OtherPage> others = inputs.others;
  if (!inputs.studies.empty()) {
    others.push_back(
        {.path = published,
         .shows = "What others published of these models, from the data in published/"});
    others.push_back({.path = calibration,
                      .shows = "The published tables with what is measured beside them, and how "
                               "far the two agree"});
  }
  const Board board =
      MakeBoard(inputs.cells, inputs.challenges, inputs.asked_pairs, UnsoundCellsOf(inputs));
  RenderedReports reports{.pages = RenderAll(board, others), .pictures = PicturesOf(board)};
  if (!inputs.studies.empty()) {
    reports.pages[published] = PublishedPage(inputs.studies, inputs.repository).text();
    reports.pages[calibration] = CalibrationPage(inputs.studies, board).text();
  }
  return reports;
}

}  // namespace assay
