// SPDX-License-Identifier: Apache-2.0
#include "score/format.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

#include "score/synthetic.h"

namespace assay {
namespace {

using Form = ValueUnit::Form;

ValueUnit Counted(std::string many, std::string one) {
  return {.form = Form::kCounted, .many = std::move(many), .one = std::move(one)};
}

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
  criterion.unit = Counted("mutants", "mutant");
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
  criterion.unit = {.form = Form::kOf, .of = 2};
  CriterionValue value{.state = CriterionValue::State::kMeasured,
                       .value = 1,
                       .note = "of 2",
                       .note_is = CriterionValue::Note::kOfHowMany};
  EXPECT_EQ(FormatValue(criterion, value), "1 of 2");
  criterion.unit = {};
  EXPECT_EQ(FormatValue(criterion, value), "1 of 2");
  criterion.unit = Counted("passes", "pass");
  EXPECT_EQ(FormatValue(criterion, value), "1 of 2 passes");
}

TEST(FormatWithUnitTest, ANumberOfEachForm) {
  Criterion criterion = synthetic::MakeCriterion("c", "d", "metric(m)");
  const auto text = [&](ValueUnit unit, double value) {
    criterion.unit = std::move(unit);
    return FormatWithUnit(criterion, value);
  };
  EXPECT_EQ(text({}, 1), "1");
  EXPECT_EQ(text(Counted("launches", "launch"), 1), "1 launch");
  EXPECT_EQ(text(Counted("launches", "launch"), 2), "2 launches");
  EXPECT_EQ(text(Counted("launches", "launch"), 0), "0 launches");
  EXPECT_EQ(text(Counted("a row", "a row"), 1), "1 a row");
  const ValueUnit of{.form = Form::kOf, .of = 2};
  EXPECT_EQ(text(of, 1), "1 of 2");
  const ValueUnit of_passes{.form = Form::kOf, .many = "passes in CUDA", .of = 2};
  EXPECT_EQ(text(of_passes, 1), "1 of 2 passes in CUDA");
  EXPECT_EQ(text(of_passes, 0), "0 of 2 passes in CUDA");
  const ValueUnit yes_or_no{.form = Form::kYesOrNo, .one = "as handed in"};
  EXPECT_EQ(text(yes_or_no, 1), "as handed in");
  EXPECT_EQ(text(yes_or_no, 0), "not as handed in");
}

TEST(FormatWithUnitTest, OneIsWhatIsPrintedAsOne) {
  Criterion criterion = synthetic::MakeCriterion("c", "d", "metric(m)");
  criterion.unit = Counted("launches", "launch");
  EXPECT_EQ(FormatWithUnit(criterion, 0.999), "1 launch");
  EXPECT_EQ(FormatWithUnit(criterion, 1.01), "1.01 launches");
  criterion.unit = {.form = Form::kYesOrNo, .one = "compute"};
  EXPECT_EQ(FormatWithUnit(criterion, 0.999), "not compute");
}

TEST(FormatValueTest, WordsKeepTheirRemark) {
  Criterion criterion = synthetic::MakeCriterion("c", "d", "metric(m)");
  criterion.unit = {.form = Form::kYesOrNo, .one = "as handed in"};
  EXPECT_EQ(FormatValue(criterion, {.state = CriterionValue::State::kMeasured,
                                    .value = 0,
                                    .note = "a patch was needed"}),
            "not as handed in (a patch was needed)");
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
