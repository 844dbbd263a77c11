// SPDX-License-Identifier: Apache-2.0
// The scale's zero, and that being wrong never pays: on the rubrics as they are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <sstream>
#include <string>

#include "base/file.h"
#include "evidence/json.h"
#include "score/scorecard.h"
#include "score/synthetic.h"
#include "score/uncertainty.h"

namespace assay {
namespace {

constexpr double kMostOverall = 3;
constexpr double kMostOfADimension = 5;

const std::filesystem::path& Root() {
  static const std::filesystem::path root(ASSAY_REPOSITORY);
  return root;
}

ChallengeView ReadView(const std::string& id) {
  ChallengeView view;
  auto spec = ReadChallenge(Root() / "challenges" / id);
  EXPECT_TRUE(spec.has_value()) << id;
  view.spec = *std::move(spec);
  auto rubric = ReadRubric(view.spec);
  EXPECT_TRUE(rubric.has_value()) << id;
  view.rubric = *std::move(rubric);
  return view;
}

std::string ReadOrFail(const std::filesystem::path& file) {
  const auto text = ReadFile(file);
  EXPECT_TRUE(text.has_value()) << file;
  return text.value_or("");
}

/// `a,b`; nothing for `-`.
std::vector<std::string> Names(const std::string& list) {
  std::vector<std::string> names;
  std::istringstream words(list == "-" ? "" : list);
  for (std::string name; std::getline(words, name, ',');) {
    names.push_back(name);
  }
  return names;
}

/// A cell of testdata/null/ (testdata/README.md), with the best of all that needs no work.
Evidence NullCell(const std::string& challenge, const std::string& name) {
  Evidence cell = synthetic::MakeCell(name);
  cell.challenge = challenge;
  cell.verdict = Verdict::kWrongAnswer;
  std::istringstream lines(
      ReadOrFail(Root() / "harness/score/testdata/null" / (challenge + "." + name + ".txt")));
  for (std::string what; lines >> what;) {
    if (what == "entry_points") {
      std::string names;
      lines >> names;
      cell.entry_points = Names(names);
    } else if (what == "metric") {
      std::string metric;
      double value = 0;
      lines >> metric >> value;
      cell.suite.metrics[metric] = value;
    } else {
      std::string verdict;
      std::string given_up;
      std::string tags;
      std::string answered;
      CaseEvidence one;
      lines >> verdict >> given_up >> tags >> answered >> one.name;
      one.verdict = VerdictFromString(verdict).value();
      one.given_up = GiveUpCauseFromString(given_up);
      one.tags = Names(tags);
      one.answered = Names(answered);
      cell.suite.cases.push_back(one);
    }
  }
  cell.sanitized_suite.cases = cell.suite.cases;
  cell.statics = {.files = 3,
                  .code_lines = 30,
                  .source_code_lines = 30,
                  .largest_file_share = 0.3,
                  .longest_function_lines = 3,
                  .cognitive_complexity = 0,
                  .parsed_share = 1,
                  .warnings_per_1000_lines = 0,
                  .unused_device_functions = 0,
                  .duplicated_share = 0,
                  .document_sections = 20,
                  .broken_links = 0};
  cell.own_tests.shipped = 1;
  cell.own_tests.passing_on_itself = cell.own_tests.passing_on_baseline = 1;
  return cell;
}

using ChallengeAndName = std::tuple<std::string, std::string>;

struct NullTest : testing::TestWithParam<ChallengeAndName> {};

TEST_P(NullTest, NullScoresNothing) {
  const auto& [challenge, name] = GetParam();
  const ChallengeView view = ReadView(challenge);
  const Scorecard card = ScoreCell(view, NullCell(challenge, name));
  ASSERT_FALSE(card.criteria.empty());
  EXPECT_LE(card.overall.value_or(100), kMostOverall);
  for (const DimensionScore& dimension : card.dimensions) {
    EXPECT_LE(dimension.score.value_or(0), kMostOfADimension) << dimension.dimension;
  }
}

INSTANTIATE_TEST_SUITE_P(
    OfEachChallenge, NullTest,
    testing::Combine(testing::Values("fused_softmax_topk", "kv_cache", "layernorm_backward"),
                     testing::Values("does_nothing", "refuses_everything", "stub")),
    [](const testing::TestParamInfo<ChallengeAndName>& test) {
      return std::get<0>(test.param) + "_" + std::get<1>(test.param);
    });

struct AnchorTest : testing::TestWithParam<std::string> {
  ChallengeView view = ReadView(GetParam());

  void SetUp() override {
    if (!std::filesystem::exists(Root() / "reports/anchors" / GetParam())) {
      GTEST_SKIP() << "not graded yet: run scripts/anchors " << GetParam();
    }
  }

  [[nodiscard]] Scorecard Score(const std::string& anchor) const {
    const std::string file = GetParam() + "/" + anchor + ".json";
    const auto evidence = EvidenceFromJson(ReadOrFail(Root() / "reports/anchors" / file), file);
    EXPECT_TRUE(evidence.has_value()) << file << ": run scripts/anchors";
    const Evidence cell = evidence.value_or(Evidence());
    return ScoreWithUncertainty(view, cell);
  }

  /// From the worst to the best.
  [[nodiscard]] std::vector<std::string> Order() const {
    std::vector<std::string> anchors;
    std::istringstream lines(ReadOrFail(Root() / "reference" / GetParam() / "anchors" / "order"));
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with('#')) {
        anchors.push_back(std::filesystem::path(line).filename().string());
      }
    }
    anchors.emplace_back("baseline");
    return anchors;
  }
};

TEST_P(AnchorTest, WhatDoesNothingAndWhatRefusesEverythingScoreNothing) {
  for (const std::string null : {"does_nothing", "refuses_everything"}) {
    const Scorecard card = Score(null);
    EXPECT_LE(card.overall.value_or(100), kMostOverall) << null;
    for (const DimensionScore& dimension : card.dimensions) {
      EXPECT_LE(dimension.score.value_or(0), kMostOfADimension) << null << dimension.dimension;
    }
  }
}

TEST_P(AnchorTest, TheBaselineScoresAHundred) {
  constexpr double kLeastOverall = 97;
  EXPECT_GE(Score("baseline").overall.value_or(0), kLeastOverall);
}

/// Neighbours may change places within their uncertainty: on a machine too noisy to time on,
/// nothing tells one that is slow from one that is slower. Who stands two places higher scores
/// more.
TEST_P(AnchorTest, WhatIsBetterScoresMore) {
  const std::vector<std::string> order = Order();
  ASSERT_GE(order.size(), 5U);
  for (std::size_t i = 1; i < order.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Scorecard better = Score(order[i]);
      const Scorecard worse = Score(order[j]);
      const double lead = better.overall.value_or(0) - worse.overall.value_or(100);
      const double uncertainty =
          std::hypot(better.uncertainty.value_or(0), worse.uncertainty.value_or(0));
      const bool both_are_nothing = worse.overall.value_or(100) <= kMostOverall &&
                                    better.overall.value_or(100) <= kMostOverall;
      EXPECT_TRUE(lead > (j + 1 == i ? -uncertainty : 0) || both_are_nothing)
          << order[i] << " should score more than " << order[j] << ": " << lead << " ± "
          << uncertainty;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OfEachChallenge, AnchorTest,
                         testing::Values("fused_softmax_topk", "kv_cache", "layernorm_backward"));

struct RubricTest : testing::TestWithParam<std::string> {};

// The same submission timed twice went from 100 to 65 where a step lay between.
TEST_P(RubricTest, TimesScoreContinuously) {
  constexpr double kLittle = 1.01;
  constexpr double kMostPoints = 1;
  for (const Criterion& criterion : ReadView(GetParam()).rubric.criteria) {
    const bool is_time = criterion.kind == CriterionKind::kBench;
    for (double ratio = 0.5; is_time && criterion.weight > 0 && ratio < 20; ratio *= kLittle) {
      EXPECT_NEAR(ScoreOf(criterion, ratio).value(), ScoreOf(criterion, ratio * kLittle).value(),
                  kMostPoints)
          << criterion.id << " at " << ratio;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OfEachChallenge, RubricTest,
                         testing::Values("fused_softmax_topk", "kv_cache", "layernorm_backward"));

/// Real evidence, with cases turned from right to refused to wrong.
struct HonestyTest : testing::TestWithParam<ChallengeAndName> {
  ChallengeView view = ReadView(std::get<0>(GetParam()));
  Evidence cell = ReadCell();

  HonestyTest() {
    // How many bugs the failing cases are like is no matter of one case.
    std::erase_if(view.rubric.criteria, [](const Criterion& criterion) {
      return criterion.value.function == ValueFunction::kDistinctFailures;
    });
  }

  static Evidence ReadCell() {
    const auto& [challenge, model] = GetParam();
    const std::string file = challenge + "/" + model + ".json";
    auto read = EvidenceFromJson(ReadOrFail(Root() / "reports/evidence" / file), file);
    EXPECT_TRUE(read.has_value()) << file;
    return *std::move(read);
  }

  [[nodiscard]] double Overall() const { return ScoreCell(view, cell).overall.value(); }
};

void Refuse(CaseEvidence& one) {
  one.verdict = Verdict::kSkipped;
  one.answered.clear();
  one.given_up.reset();
  one.skip_cause = SkipCause::kRefused;
}

bool IsWrong(const CaseEvidence& one) {
  return one.verdict == Verdict::kWrongAnswer || one.verdict == Verdict::kTimeLimit ||
         one.verdict == Verdict::kRuntimeError;
}

TEST_P(HonestyTest, WrongNeverPaysMoreThanRefusingNorThatMoreThanRight) {
  constexpr int kRounds = 24;
  constexpr double kTenth = 0.1001;  // Scores are rounded.
  std::mt19937 random(7);
  for (int round = 0; round < kRounds; ++round) {
    const double right = Overall();
    // Few at first, all that is left at last.
    const std::size_t few = cell.suite.cases.size() / kRounds + 1;
    std::vector<CaseEvidence*> turned;
    for (CaseEvidence& one : cell.suite.cases) {
      if (one.verdict == Verdict::kAccepted &&
          random() % cell.suite.cases.size() < few * static_cast<std::size_t>(round)) {
        turned.push_back(&one);
      }
    }
    for (CaseEvidence* one : turned) {
      Refuse(*one);
    }
    const double refused = Overall();
    for (CaseEvidence* one : turned) {
      one->verdict = Verdict::kWrongAnswer;
    }
    const double wrong = Overall();
    EXPECT_LE(refused, right + kTenth) << "round " << round;
    EXPECT_LE(wrong, refused + kTenth) << "round " << round;
  }
}

// Who is wrong and refuses that instead is honest, and has done no more.
TEST_P(HonestyTest, RefusingWhatIsWrongPaysNextToNothing) {
  constexpr double kMostGain = 2;
  const double wrong = Overall();
  for (CaseEvidence& one : cell.suite.cases) {
    if (IsWrong(one)) {
      Refuse(one);
    }
  }
  EXPECT_GE(Overall(), wrong);
  EXPECT_LE(Overall(), wrong + kMostGain);
}

INSTANTIATE_TEST_SUITE_P(OfEachCell, HonestyTest,
                         testing::Combine(testing::Values("fused_softmax_topk", "kv_cache",
                                                          "layernorm_backward"),
                                          testing::Values("glm-5", "minimax-m2.7", "qwen3.6-27b")),
                         [](const testing::TestParamInfo<ChallengeAndName>& test) {
                           std::string name =
                               std::get<0>(test.param) + "_" + std::get<1>(test.param);
                           std::erase_if(name, [](char c) { return c == '-' || c == '.'; });
                           return name;
                         });

}  // namespace
}  // namespace assay
