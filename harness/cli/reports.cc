// SPDX-License-Identifier: Apache-2.0
#include "cli/reports.h"

#include <utility>

#include "cli/select_cells.h"
#include "exec/evidence_store.h"

namespace assay {

Checked<ReportInputs> ReadReportInputs(const Workplace& place) {
  const std::filesystem::path& root = place.root;
  LoadedRepository loaded = LoadRepository(root, place.installation.sources);
  Errors errors = ChallengeFaults(loaded);
  StoredEvidence stored = LoadAllEvidence(root);
  errors.insert(errors.end(), stored.faults.begin(), stored.faults.end());
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
  return inputs;
}

}  // namespace assay
