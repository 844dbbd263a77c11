// SPDX-License-Identifier: Apache-2.0
// What a page of a challenge says of cases, answers, failures and kernel launches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/text.h"
#include "report/report_for_test.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST_F(ReportTest, ShortestFailingCallsAreShownWhole) {
  std::string calls = "create(batch 2)";
  while (calls.size() < 1000) {
    calls += " append(s0) fork(s0->s1) attend(s1)";
  }
  cells[0].suite.cases[4].verdict = Verdict::kWrongAnswer;
  cells[0].suite.cases[4].detail = "out[5] got 1, want 2";
  cells[0].suite.cases[4].reproduction = calls;
  const std::string page = RenderAll(cells, challenges).at("challenges/layernorm_backward.md");
  EXPECT_THAT(page, HasSubstr("The shortest calls found that fail:\n\n- **Edge.HugeOffset**: " +
                              EscapeMarkdown(calls + ": out[5] got 1, want 2")));
  const auto text = RenderExplain(cells[0], challenges.begin()->second, "edge_cases");
  ASSERT_TRUE(text.has_value());
  EXPECT_THAT(*text, HasSubstr("; shortest calls that fail: " + calls));
}

TEST_F(ReportTest, WrongAnswersStandBesideTheOracles) {
  ASSERT_FALSE(cells[1].answers.empty());
  cells[1].answers[0].answered = "7";
  cells[1].answers[0].right = false;
  const std::string page = RenderAll(cells, challenges).at("challenges/layernorm_backward.md");
  EXPECT_THAT(page, HasSubstr("| FLOPs of backward | 8 FLOP | "));
  EXPECT_THAT(page, HasSubstr("| wrong: 7 |"));
}

TEST_F(ReportTest, SkippedCasesAreCountedByTheirReason) {
  for (const std::size_t i : {0U, 1U, 2U}) {
    cells[0].suite.cases[i].verdict = Verdict::kSkipped;
    cells[0].suite.cases[i].detail = i == 1 ? "no CUDA" : "f64 is not implemented";
  }
  const std::string page = RenderAll(cells, challenges).at("challenges/layernorm_backward.md");
  EXPECT_THAT(page, HasSubstr("Skipped, and so not passed:\n\n- 2 cases: f64 is not implemented\n"
                              "- 1 case: no CUDA\n"));
}

TEST_F(ReportTest, ABugThatCostsOnceIsSaidToCostInItsHome) {
  ChallengeView& challenge = challenges.begin()->second;
  challenge.signatures = synthetic::LayerNormSignatures();
  for (int i = 0; i < 8; ++i) {
    const std::string name = "Gradient.OfColumn" + std::to_string(i);
    challenge.signatures->mutants["swapped"].cases[name] = {{Verdict::kWrongAnswer, 3}};
    cells[2].suite.cases.push_back(
        synthetic::MakeCase(name, {"gradient"}, Verdict::kWrongAnswer, "dx[0] is off"));
  }
  challenge.homes = {{"swapped", "gradient_correctness"}};
  const Criterion& home = *FindCriterion(challenge.rubric, "gradient_correctness");
  const std::string costs = "; costs in " + home.title + ", elsewhere as if refused\n";
  EXPECT_THAT(RenderAll(cells, challenges).at("challenges/layernorm_backward.md"),
              AllOf(HasSubstr("- fails like `swapped` (strong"), HasSubstr(costs)));
  EXPECT_THAT(*RenderExplain(cells[2], challenge, std::nullopt),
              AllOf(HasSubstr("  fails like swapped (strong"), HasSubstr(costs)));
  const auto json = nlohmann::json::parse(*ExplainJson(cells[2], challenge, std::nullopt));
  EXPECT_EQ(json["diagnosis"]["fails_like"][0]["costs_in"], "gradient_correctness");
}

TEST_F(ReportTest, FailuresAreSaidToBeLikeKnownBugsWhereTheirSignaturesAreKept) {
  const auto page = [&] {
    return RenderAll(cells, challenges).at("challenges/layernorm_backward.md");
  };
  EXPECT_THAT(page(), HasSubstr("**GLM-5**, 1 case failing: no signatures of mutants are kept."));
  const auto plain = RenderExplain(cells[0], challenges.begin()->second, std::nullopt);
  EXPECT_THAT(*plain, HasSubstr("1 case failing; no signatures of mutants are kept"));
  challenges.begin()->second.signatures = synthetic::LayerNormSignatures();
  EXPECT_THAT(page(), HasSubstr("- fails like `naive_variance` (likely, 0.80: 1 case for, none "
                                "against)\n"));
  EXPECT_THAT(page(), HasSubstr("- 1 case like no known bug\n"));  // MiniMax's Edge.RowOfOne.
  EXPECT_THAT(page(), Not(HasSubstr("**Qwen3.6-27B**, ")));
  const auto json =
      nlohmann::json::parse(*ExplainJson(cells[0], challenges.begin()->second, std::nullopt));
  EXPECT_EQ(json["diagnosis"]["fails_like"][0]["mutants"][0], "naive_variance");
  EXPECT_EQ(json["diagnosis"]["fails_like"][0]["certainty"], "likely");
}

TEST_F(ReportTest, AFailingCaseNamesTheFunctionThatWasAskedLast) {
  auto& cases = cells[0].suite.cases;
  const auto failing = std::ranges::find(cases, Verdict::kWrongAnswer, &CaseEvidence::verdict);
  ASSERT_NE(failing, cases.end());
  failing->failing_operation = "ln_backward_f32";
  EXPECT_THAT(RenderAll(cells, challenges).at("challenges/layernorm_backward.md"),
              HasSubstr("| wrong\\_answer | yes | ln\\_backward\\_f32 | 1.23e+03 |"));
}

TEST_F(ReportTest, CudaIsShownWithItsDeviceAndItsModelledTimesAreSaidToBeModelled) {
  const RenderedFiles files = RenderAll(cells, challenges);
  const std::string& page = files.at("challenges/layernorm_backward.md");
  EXPECT_THAT(page, HasSubstr("<summary>Qwen3.6-27B: 1 kernel launch on an emulated NVIDIA "
                              "A100-SXM4-80GB</summary>"));
  EXPECT_THAT(page, HasSubstr("**MiniMax-M2.7**, found by the emulated GPU's checkers:\n\n"
                              "- racecheck: read after write at layernorm.cu:71"));
  EXPECT_THAT(page, HasSubstr("| Modelled time |"));
  EXPECT_THAT(files.at("scoreboard.md"),
              HasSubstr("CUDA was graded on an emulated NVIDIA A100-SXM4-80GB: "));
  for (Evidence& cell : cells) {
    cell.suite.launches.clear();
    cell.suite.device_findings.clear();
    cell.suite.device_lacks.clear();
  }
  for (const auto& [path, content] : RenderAll(cells, challenges)) {
    EXPECT_THAT(content, Not(HasSubstr("emulated"))) << path;
  }
}

}  // namespace
}  // namespace assay
