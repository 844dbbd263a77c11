// SPDX-License-Identifier: Apache-2.0
// libFuzzer: whatever evidence says, it survives its file, and reports of it are markdown and JSON
// in which its texts stay where they were put.
//
// Input: edits of a cell (evidence_edit.h).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/text.h"
#include "evidence/json.h"
#include "fuzz/fuzz_input.h"
#include "report/evidence_edit.h"
#include "report/markdown_checks.h"
#include "report/plain_text.h"
#include "report/report.h"
#include "score/synthetic.h"

namespace assay {
namespace {

using fuzz::Require;

constexpr std::size_t kLargestPage_bytes = 1'000'000;

void CheckMarkdown(const std::string& page) {
  Require(PlainLines(page) == page, "a page holds no control characters, and all of it is seen");
  Require(page.size() <= kLargestPage_bytes, "a page is no larger than can be read");
  bool in_code = false;
  std::size_t columns = 0;
  for (const std::string& line : SplitLines(page)) {
    if (line.starts_with("```")) {
      in_code = !in_code;
      columns = 0;
    } else if (!in_code) {
      const std::string raw = RawPartOf(line);
      Require(!raw.contains('<') && !raw.contains('@'), "no text becomes HTML or names a user");
      columns = !line.starts_with('|') ? 0 : columns == 0 ? CellsOf(line) : columns;
      Require(columns == 0 || CellsOf(line) == columns, "each row of a table has its columns");
    }
  }
  Require(!in_code, "each fence is closed");
}

void CheckReports(std::vector<Evidence> cells, const Challenges& challenges) {
  const RenderedFiles files = RenderAll(cells, challenges);
  for (const auto& [path, content] : files) {
    Require(!path.contains("../") && !path.starts_with('/'), "pages lie in the folder of reports");
    CheckMarkdown(content);
  }
  for (const Evidence& cell : cells) {
    for (const auto& text : {RenderExplain(cell, challenges.begin()->second, std::nullopt),
                             RenderExplain(cell, challenges.begin()->second, "throughput")}) {
      Require(text && PlainLines(*text) == *text, "an explanation can be printed");
    }
    const auto json = ExplainJson(cell, challenges.begin()->second, std::nullopt);
    Require(json && nlohmann::json::accept(*json), "an explanation as JSON is JSON");
  }
  const std::string scoreboard = RenderScoreboardText(cells, challenges);
  Require(PlainLines(scoreboard) == scoreboard, "the scoreboard can be printed");
  Require(nlohmann::json::accept(ScoreboardJson(cells, challenges)), "its JSON is JSON");
  std::ranges::reverse(cells);
  Require(RenderAll(cells, challenges) == files, "the order of cells does not matter");
}

}  // namespace
}  // namespace assay

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using assay::Evidence;
  using assay::fuzz::Require;
  static const std::vector<Evidence> kCells = assay::synthetic::LayerNormCells();
  static const assay::Challenges kChallenges = [] {
    assay::ChallengeView view = assay::synthetic::LayerNormChallenge();
    view.signatures = assay::synthetic::LayerNormSignatures();
    return assay::Challenges{{view.spec.id, std::move(view)}};
  }();
  assay::fuzz::FuzzInput input(data, size);
  Evidence cell = kCells[input.Number<std::uint8_t>() % kCells.size()];
  const std::string model = cell.model;
  assay::fuzz::EditEvidence(input, cell);

  const std::string json = EvidenceToJson(cell);
  auto read = assay::EvidenceFromJson(json, "x.json");
  Require(read.has_value(), "what was written can be read");
  Require(EvidenceToJson(*read) == json, "what was written is read without a change");

  // Reports are of what files hold, at most one cell for each model. Two, since three take thrice
  // the time.
  std::vector<Evidence> cells = {std::move(*read)};
  const auto other = std::ranges::find_if(kCells, [&](const Evidence& one) {
    return one.model != model && one.model != cells.front().model;
  });
  cells.push_back(*other);
  assay::CheckReports(std::move(cells), kChallenges);
  return 0;
}
