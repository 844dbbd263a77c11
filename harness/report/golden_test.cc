// SPDX-License-Identifier: Apache-2.0
// Whole pages against testdata/. `ASSAY_UPDATE_GOLDENS=1 report_test` rewrites them; read the
// difference before it is committed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/file.h"
#include "report/report.h"
#include "score/synthetic.h"

namespace assay {
namespace {

void ExpectGolden(const std::filesystem::path& name, const std::string& content) {
  const std::filesystem::path path = std::filesystem::path(ASSAY_TESTDATA) / name;
  if (std::getenv("ASSAY_UPDATE_GOLDENS") != nullptr) {
    const Status written = WriteFileAtomically(path, content);
    ASSERT_TRUE(written.has_value()) << ToString(written.error());
    return;
  }
  const Result<std::string> expected = ReadFile(path);
  ASSERT_TRUE(expected.has_value()) << ToString(expected.error());
  EXPECT_EQ(content, *expected) << path;
}

/// With the signatures of its mutants.
ChallengeView DiagnosedChallenge() {
  ChallengeView challenge = synthetic::LayerNormChallenge();
  challenge.signatures = synthetic::LayerNormSignatures();
  return challenge;
}

TEST(GoldenTest, ThreeModelsLikeThePublishedOnes) {
  const Challenges challenges = {{"layernorm_backward", DiagnosedChallenge()}};
  for (const auto& [path, content] : RenderAll(synthetic::LayerNormCells(), challenges)) {
    ExpectGolden(std::filesystem::path("three_models") / path, content);
  }
}

TEST(GoldenTest, ExplanationOfACell) {
  const Result<std::string> text =
      RenderExplain(synthetic::LayerNormCells()[1], DiagnosedChallenge(), std::nullopt);
  ASSERT_TRUE(text.has_value());
  ExpectGolden("explanation.txt", *text);
}

TEST(GoldenTest, CellsWithoutScoresAndWithoutBuilds) {
  std::vector<Evidence> cells = synthetic::LayerNormCells();
  cells[0].verdict = Verdict::kJudgeError;
  cells[0].verdict_detail = "the suite ran out of disk";
  cells[1].repair.reset();
  cells[1].verdict = cells[1].release.verdict = Verdict::kCompileError;
  cells[1].release.diagnostics =
      "layernorm.cc:12: error: 'topp' was not declared\n```\n# no heading";
  cells[1].suite = cells[1].sanitized_suite = {};
  cells[1].bench = {};
  cells[2].environment.sandbox_level = "reduced";
  const Challenges challenges = {{"layernorm_backward", synthetic::LayerNormChallenge()}};
  for (const auto& [path, content] : RenderAll(cells, challenges)) {
    ExpectGolden(std::filesystem::path("without_scores") / path, content);
  }
}

}  // namespace
}  // namespace assay
