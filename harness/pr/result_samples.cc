// SPDX-License-Identifier: Apache-2.0
// Writes result sets of changes that nobody made, for the tests that hold them against the schemas
// of their formats: pr_result_samples DIR writes DIR/<sample>/junit.xml and results.sarif.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <string>

#include "base/file.h"
#include "pr/result_set.h"
#include "pr/synthetic_change.h"
#include "score/synthetic.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

ChangedCell CellOf(const std::string& model, Verdict verdict) {
  ChangedCell cell = SyntheticCell(model, "sums");
  cell.after->verdict = verdict;
  if (verdict == Verdict::kCompileError) {
    cell.after->suite.cases.clear();
    cell.after->verdict_detail = "the release build: add.cc:3:1: error: expected ';'";
    cell.after->release.verdict = verdict;
    cell.after->release.diagnostics = "add.cc:3:1: error: expected ';'\nadd.cc:9: error: b < a\n";
  }
  if (verdict == Verdict::kAccepted) {
    cell.after = synthetic::MakeCell(model);
    cell.after->challenge = "sums";
  }
  return cell;
}

/// A cell of every verdict, and those that have none.
SyntheticChange EveryOutcome() {
  SyntheticChange change = OneFailingCell();
  change.change.cells.clear();
  for (const Verdict verdict :
       {Verdict::kAccepted, Verdict::kWrongAnswer, Verdict::kCompileError, Verdict::kRuntimeError,
        Verdict::kTimeLimit, Verdict::kMemoryLimit, Verdict::kOutputLimit, Verdict::kRejected,
        Verdict::kJudgeError, Verdict::kSkipped}) {
    change.change.cells.push_back(CellOf(fmt::format("m-{}", ToString(verdict)), verdict));
  }
  ChangedCell removed = SyntheticCell("removed", "other");
  removed.change = CellChange::kRemoved;
  removed.after.reset();
  change.change.cells.push_back(removed);
  ChangedCell faulty = removed;
  faulty.cell.model = "faulty";
  faulty.change = CellChange::kNew;
  faulty.faults = {{.kind = ErrorKind::kConfiguration,
                    .where = "submissions/faulty/other/submission.yaml:7",
                    .cause = "sources[0] \"add.cpp\" does not exist",
                    .remedy = "list files relative to this directory"}};
  change.change.cells.push_back(faulty);
  return change;
}

SyntheticChange NothingToGrade() {
  SyntheticChange change = OneFailingCell();
  change.change.cells.clear();
  return change;
}

Status Write(const fs::path& folder, const SyntheticChange& sample) {
  const Assessment assessment = sample.AssessIt(ChangeGate::kCorrectness);
  std::error_code ignored;  // What cannot be made cannot be written to either.
  fs::create_directories(folder, ignored);
  ASSAY_RETURN_IF_ERROR(WriteFileAtomically(folder / "junit.xml", JUnitXml(assessment)));
  return WriteFileAtomically(folder / "results.sarif", SarifJson(sample.change, assessment));
}

Status WriteAll(const fs::path& folder) {
  const std::map<std::string, SyntheticChange> samples = {{"every_outcome", EveryOutcome()},
                                                          {"hostile", HostileChange()},
                                                          {"large", LargestChange(64, 8)},
                                                          {"nothing", NothingToGrade()}};
  for (const auto& [name, sample] : samples) {
    ASSAY_RETURN_IF_ERROR(Write(folder / name, sample));
  }
  return {};
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: pr_result_samples DIR\n");
    return 2;
  }
  if (const auto written = assay::WriteAll(argv[1]); !written) {
    fmt::print(stderr, "{}\n", ToString(written.error()));
    return 1;
  }
  return 0;
}
