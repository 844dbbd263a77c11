// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "cli/asked_pairs.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/json_output.h"
#include "cli/select_cells.h"
#include "exec/anchors.h"
#include "exec/evidence_store.h"
#include "exec/mutant_homes.h"
#include "exec/signature_store.h"
#include "published/calibration.h"
#include "published/study_store.h"
#include "report/board.h"
#include "review/review_store.h"
#include "spec/repository.h"

namespace assay {
namespace {

/// What is wrong with the homes of the challenges' mutants.
Errors HomeFaults(const Repository& repository) {
  Errors faults;
  for (const Rubric& rubric : repository.rubrics) {
    const auto signatures = LoadSignatures(repository.sources, rubric.challenge);
    if (!signatures) {
      faults.push_back(signatures.error());
      continue;
    }
    const auto homes = LoadMutantHomes(repository.sources, rubric, *signatures);
    if (!homes) {
      faults.insert(faults.end(), homes.error().begin(), homes.error().end());
    }
  }
  return faults;
}

/// What is wrong with the reviews of submissions, and with the anchors of the challenges' scales.
Errors ReviewAndAnchorFaults(const Repository& repository) {
  Errors faults;
  const auto add = [&faults](const Errors& more) {
    faults.insert(faults.end(), more.begin(), more.end());
  };
  const auto records = ReadRecords(repository.root);
  if (!records) {
    add(records.error());
  }
  for (const Rubric& rubric : repository.rubrics) {
    if (records) {
      const auto reviews = LoadReviews(repository, *records, rubric.challenge);
      add(reviews ? Errors() : reviews.error());
    }
    const auto anchors = LoadAnchors(repository.sources, rubric.challenge);
    add(anchors ? Errors() : Errors{anchors.error()});
  }
  return faults;
}

/// What is wrong with published studies, and with the pairs that reports are asked for. Edges are
/// compared when all else holds.
Errors StudyFaults(const LoadedRepository& loaded, const std::vector<Evidence>& cells) {
  const LoadedStudies studies = LoadStudies(loaded.repository);
  Errors faults = studies.unreadable;
  faults.insert(faults.end(), studies.unfit.begin(), studies.unfit.end());
  const auto asked = ReadAskedPairs(loaded.repository, studies.studies);
  if (!asked) {
    faults.insert(faults.end(), asked.error().begin(), asked.error().end());
  }
  if (studies.studies.empty() || !faults.empty() || !loaded.faults.empty()) {
    return faults;
  }
  const auto challenges = ReadViews(loaded.repository);
  if (!challenges) {
    return {challenges.error()};
  }
  const Board board = MakeBoard(cells, *challenges, *asked);
  for (const PublishedStudy& study : studies.studies) {
    const Errors of_study = CheckCalibration(study, board);
    faults.insert(faults.end(), of_study.begin(), of_study.end());
  }
  return faults;
}

}  // namespace

int RunCheck(const CheckOptions& options, Console& console) {
  const OutputFormat format = options.common.format;
  const auto place = WorkplaceOf(options.common);
  if (!place) {
    return Fail(console, format, {}, {place.error()});
  }
  LoadedRepository loaded = LoadRepository(place->root, place->installation.sources);
  const Errors of_homes = HomeFaults(loaded.repository);
  loaded.faults.insert(loaded.faults.end(), of_homes.begin(), of_homes.end());
  auto read = LoadAllEvidence(place->root);
  const Errors of_evidence = read ? FaultsOf(read->unsound) : Errors{read.error()};
  loaded.faults.insert(loaded.faults.end(), of_evidence.begin(), of_evidence.end());
  const StoredEvidence stored = read ? *std::move(read) : StoredEvidence();
  const Errors of_reviews = ReviewAndAnchorFaults(loaded.repository);
  loaded.faults.insert(loaded.faults.end(), of_reviews.begin(), of_reviews.end());
  const Errors of_studies = StudyFaults(loaded, stored.cells);
  loaded.faults.insert(loaded.faults.end(), of_studies.begin(), of_studies.end());
  const auto attestations = ReadAttestations(place->root, stored.cells);
  if (attestations) {
    const Errors refused = RefusedSignatures(*attestations);
    loaded.faults.insert(loaded.faults.end(), refused.begin(), refused.end());
  } else {
    loaded.faults.push_back(attestations.error());
  }
  if (!loaded.faults.empty()) {
    const int exit_code = Fail(console, format, place->root, loaded.faults);
    if (format == OutputFormat::kText) {
      fmt::print(console.err, "{} fault{} found\n", loaded.faults.size(),
                 loaded.faults.size() == 1 ? "" : "s");
    }
    return exit_code;
  }
  const Repository& repository = loaded.repository;
  if (format == OutputFormat::kJson) {
    console.out << Dump(
        {{"errors", nlohmann::json::array()}, {"signatures", AttestationsToJson(*attestations)}});
  } else {
    PrintAttestations(place->root, *attestations, console);
    fmt::print(console.out,
               "No faults; challenges: {}, models: {}, submissions: {}, cells graded: {}\n",
               repository.challenges.size(), repository.models.size(),
               repository.submissions.size(), stored.cells.size());
  }
  return CheckSigned(*attestations, options.gate, console);
}

}  // namespace assay
