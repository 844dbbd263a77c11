// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "spec/faults_for_test.h"

namespace assay {
namespace {

using Form = ValueUnit::Form;

/// Of the criterion `lines` with these members.
ValueUnit UnitOf(const std::string& members) {
  const TemporaryRepository files;
  files.Replace(kRubric, "    tie_within: 20%\n", members);
  const LoadedRepository loaded = LoadRepository(files.root());
  EXPECT_TRUE(loaded.faults.empty());
  const Rubric* const rubric = FindRubric(loaded.repository, "adder");
  const Criterion* const lines = rubric == nullptr ? nullptr : FindCriterion(*rubric, "lines");
  if (lines == nullptr) {
    ADD_FAILURE() << "the rubric is not read";
    return {};
  }
  return lines->unit;
}

TEST(ReadValueUnit, EachFormIsWrittenWithItsMembers) {
  EXPECT_EQ(UnitOf(""), (ValueUnit{.form = Form::kNone}));
  EXPECT_EQ(UnitOf("    unit: lines\n    one: line\n"),
            (ValueUnit{.form = Form::kCounted, .many = "lines", .one = "line"}));
  EXPECT_EQ(UnitOf("    of: 2\n    unit: passes\n"),
            (ValueUnit{.form = Form::kOf, .many = "passes", .of = 2}));
  EXPECT_EQ(UnitOf("    of: 2\n"), (ValueUnit{.form = Form::kOf, .of = 2}));
  EXPECT_EQ(UnitOf("    one_is: short\n"), (ValueUnit{.form = Form::kYesOrNo, .one = "short"}));
}

TEST(ReadValueUnit, WithoutAWordForOneItIsTheSame) {
  EXPECT_EQ(UnitOf("    unit: a row\n"),
            (ValueUnit{.form = Form::kCounted, .many = "a row", .one = "a row"}));
}

// What a unit is stands in its member, not in its words.
TEST(ReadValueUnit, WordsDecideNothing) {
  EXPECT_EQ(UnitOf("    unit: of 4\n").form, Form::kCounted);
  EXPECT_EQ(UnitOf("    unit: (1 is short)\n").form, Form::kCounted);
  EXPECT_EQ(UnitOf("    unit: lines\n").one, "lines");
}

}  // namespace
}  // namespace assay
