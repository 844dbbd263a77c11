// SPDX-License-Identifier: Apache-2.0
#include "score/format.h"

#include <gtest/gtest.h>

#include <cmath>

#include "score/synthetic.h"

namespace assay {
namespace {

TEST(FormatNumberTest, EveryFormat) {
  EXPECT_EQ(FormatNumber(ValueFormat::kPercent, 1), "100 %");
  EXPECT_EQ(FormatNumber(ValueFormat::kPercent, 14.0 / 15), "93.3 %");
  EXPECT_EQ(FormatNumber(ValueFormat::kCount, 12), "12");
  EXPECT_EQ(FormatNumber(ValueFormat::kCount, 1.25), "1.25");
  EXPECT_EQ(FormatNumber(ValueFormat::kCount, -0.0), "0");
  EXPECT_EQ(FormatNumber(ValueFormat::kRatio, 1.5), "1.50x");
  EXPECT_EQ(FormatNumber(ValueFormat::kScientific, 5.04e-11), "5.04e-11");
  EXPECT_EQ(FormatNumber(ValueFormat::kScientific, 0), "0");
  EXPECT_EQ(FormatNumber(ValueFormat::kBytes, 999), "999 B");
  EXPECT_EQ(FormatNumber(ValueFormat::kBytes, 18'904'104), "18.9 MB");
  EXPECT_EQ(FormatNumber(ValueFormat::kSeconds, 2.5), "2.5 s");
  EXPECT_EQ(FormatNumber(ValueFormat::kSeconds, 0.0025), "2.5 ms");
  EXPECT_EQ(FormatNumber(ValueFormat::kSeconds, 2.5e-6), "2.5 µs");
  EXPECT_EQ(FormatNumber(ValueFormat::kCount, INFINITY), "infinite");
  EXPECT_EQ(FormatNumber(ValueFormat::kCount, NAN), "not a number");
}

TEST(FormatValueTest, EveryState) {
  Criterion criterion = synthetic::MakeCriterion("c", "d", "own_tests(mutants_killed)");
  criterion.unit = "mutants";
  CriterionValue value{.state = CriterionValue::State::kMeasured,
                       .value = 9,
                       .note = "of 14",
                       .note_is = CriterionValue::Note::kOfHowMany};
  EXPECT_EQ(FormatValue(criterion, value), "9 of 14 mutants");
  value.note = "of what it ships";
  value.note_is = CriterionValue::Note::kRemark;
  EXPECT_EQ(FormatValue(criterion, value), "9 mutants (of what it ships)");
  value.note = "why";
  EXPECT_EQ(FormatValue(criterion, value), "9 mutants (why)");
  value.state = CriterionValue::State::kFailed;
  EXPECT_EQ(FormatValue(criterion, value), "failed");
  value.state = CriterionValue::State::kNotMeasured;
  EXPECT_EQ(FormatValue(criterion, value), "—");
  value.note = "no f_cuda";
  value.note_is = CriterionValue::Note::kNotImplemented;
  EXPECT_EQ(FormatValue(criterion, value), "not implemented");
}

TEST(FormatValueTest, AUnitThatCountsIsNotSaidTwice) {
  Criterion criterion = synthetic::MakeCriterion("c", "d", "entry_points(f, g)");
  criterion.unit = "of 2";
  EXPECT_EQ(FormatValue(criterion, {.state = CriterionValue::State::kMeasured,
                                    .value = 1,
                                    .note = "of 2",
                                    .note_is = CriterionValue::Note::kOfHowMany}),
            "1 of 2");
}

TEST(FormatValueTest, OneIsNoPlural) {
  Criterion criterion = synthetic::MakeCriterion("c", "d", "metric(m)");
  const auto text = [&](std::string unit, double value) {
    criterion.unit = std::move(unit);
    return FormatValue(criterion,
                       {.state = CriterionValue::State::kMeasured, .value = value, .note = ""});
  };
  EXPECT_EQ(text("files", 1), "1 file");
  EXPECT_EQ(text("files", 2), "2 files");
  EXPECT_EQ(text("distinct failures", 1), "1 distinct failure");
  EXPECT_EQ(text("launches", 1), "1 launch");
  EXPECT_EQ(text("bytes a block", 1), "1 byte a block");
  EXPECT_EQ(text("of 2 passes in CUDA", 1), "1 of 2 passes in CUDA");
  EXPECT_EQ(text("a row", 1), "1 a row");
}

TEST(FormatValueTest, AUnitThatSaysWhatOneIsSpeaksInWords) {
  Criterion criterion = synthetic::MakeCriterion("c", "d", "metric(m)");
  criterion.unit = "(1 is as handed in)";
  CriterionValue value{.state = CriterionValue::State::kMeasured, .value = 1, .note = ""};
  EXPECT_EQ(FormatValue(criterion, value), "as handed in");
  value.value = 0;
  value.note = "a patch was needed";
  EXPECT_EQ(FormatValue(criterion, value), "not as handed in (a patch was needed)");
}

TEST(FormatValueTest, KillsSpeakInWords) {
  const Criterion criterion = synthetic::MakeCriterion("c", "d", "own_tests(kills:drops_nan)");
  EXPECT_EQ(
      FormatValue(criterion,
                  {.state = CriterionValue::State::kMeasured, .value = 0, .note = "no own tests"}),
      "no own tests");
}

TEST(FormatValueTest, TimesShowTheirInterval) {
  Criterion criterion = synthetic::MakeCriterion("c", "d", "bench_ratio(w)");
  criterion.format = ValueFormat::kRatio;
  const CriterionValue value{.state = CriterionValue::State::kMeasured,
                             .value = 2,
                             .note = "",
                             .interval = RatioEstimate{.ratio = 2, .low = 1.9, .high = 2.11}};
  EXPECT_EQ(FormatValue(criterion, value), "2.00x [1.90x, 2.11x]");
}

TEST(FormatScoreTest, OneDecimal) {
  EXPECT_EQ(FormatScore(88.4), "88.4");
  EXPECT_EQ(FormatScore(100), "100.0");
  EXPECT_EQ(FormatScore(std::nullopt), "—");
}

TEST(FormatTest, ScoresWithTheirUncertainty) {
  EXPECT_EQ(FormatScore(83.2, 1.4), "83.2 ± 1.4");
  EXPECT_EQ(FormatScore(83.2, 0.0), "83.2");
  EXPECT_EQ(FormatScore(83.2, std::nullopt), "83.2");
  EXPECT_EQ(FormatScore(std::nullopt, std::nullopt), "—");
}

TEST(FormatTest, RanksAreIntervals) {
  EXPECT_EQ(FormatRanks({.best = 2, .worst = 2}), "2");
  EXPECT_EQ(FormatRanks({.best = 1, .worst = 3}), "1-3");
}

}  // namespace
}  // namespace assay
