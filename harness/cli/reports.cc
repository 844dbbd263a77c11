// SPDX-License-Identifier: Apache-2.0
#include "cli/reports.h"

#include <utility>

#include "cli/select_cells.h"
#include "exec/evidence_store.h"
#include "published/calibration_page.h"
#include "published/published_page.h"
#include "published/study_store.h"
#include "report/board.h"

namespace assay {

Checked<ReportInputs> ReadReportInputs(const Workplace& place) {
  const std::filesystem::path& root = place.root;
  LoadedRepository loaded = LoadRepository(root, place.installation.sources);
  Errors errors = ChallengeFaults(loaded);
  StoredEvidence stored = LoadAllEvidence(root);
  errors.insert(errors.end(), stored.faults.begin(), stored.faults.end());
  LoadedStudies studies = LoadStudies(loaded.repository);
  errors.insert(errors.end(), studies.unreadable.begin(), studies.unreadable.end());
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
  inputs.cells = std::move(stored.cells);
  inputs.studies = std::move(studies.studies);
  return inputs;
}

RenderedFiles RenderReports(const ReportInputs& inputs) {
  if (inputs.studies.empty()) {
    return RenderAll(inputs.cells, inputs.challenges);
  }
  const std::string published(kPublishedPage);
  const std::string calibration(kCalibrationPage);
  RenderedFiles files =
      RenderAll(inputs.cells, inputs.challenges,
                {{.path = published,
                  .shows = "What others published of these models, from the data in published/"},
                 {.path = calibration,
                  .shows = "The published tables with what is measured beside them, and how far "
                           "the two agree"}});
  files[published] = PublishedPage(inputs.studies, inputs.repository).text();
  const Board board = MakeBoard(inputs.cells, inputs.challenges);
  files[calibration] = CalibrationPage(inputs.studies, board).text();
  return files;
}

}  // namespace assay
