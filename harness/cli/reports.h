// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_REPORTS_H_
#define ASSAY_CLI_REPORTS_H_

#include <filesystem>
#include <vector>

#include "cli/attestations.h"
#include "cli/commands.h"
#include "evidence/evidence.h"
#include "exec/evidence_store.h"
#include "published/study.h"
#include "report/board.h"
#include "report/picture.h"
#include "report/report.h"
#include "score/challenge_view.h"
#include "spec/checked.h"
#include "spec/repository.h"

namespace assay {

/// What reports are made of.
struct ReportInputs {
  std::filesystem::path root;
  Repository repository;
  Challenges challenges;
  std::vector<Evidence> cells;
  std::vector<UnsoundEvidence> unsound;       ///< Shown with why, and in no ranking.
  std::vector<CellAttestation> attestations;  ///< Of all evidence that holds by itself.
  std::vector<PublishedStudy> studies;
  std::vector<ModelPair> asked_pairs;
  std::vector<OtherPage> others;  ///< Pages of `reports/` that RenderAll does not make.
};

/// What becomes of evidence that does not hold, or whose signature does not.
enum class Unsound {
  kRefused,   ///< Each is an error.
  kSetAside,  ///< It is in `unsound`, and all else goes on without it.
};

/// Reads what reports of a repository need: faults of challenges, and signatures of mutants and
/// studies that cannot be read, are errors; faults of submissions are not, since reports come from
/// evidence alone.
[[nodiscard]] Checked<ReportInputs> ReadReportInputs(const Workplace& place,
                                                     Unsound unsound = Unsound::kRefused);

/// What the board has to know of them: their models have no average and no rank over all.
[[nodiscard]] std::vector<UnsoundCell> UnsoundCellsOf(const ReportInputs& inputs);

/// `reports/CHANGES.md`, for the table of contents.
[[nodiscard]] OtherPage ChangesPageEntry();

/// All of `reports/` that is made of them: pages, and pictures that are yet to be drawn
/// (picture_files.h).
struct RenderedReports {
  RenderedFiles pages;
  std::vector<Picture> pictures;
};
[[nodiscard]] RenderedReports RenderReports(const ReportInputs& inputs);

}  // namespace assay

#endif  // ASSAY_CLI_REPORTS_H_
