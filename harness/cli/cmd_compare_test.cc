// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands_for_test.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(CommandsTest, ComparePrintsColumnsUnlessMarkdownIsAskedFor) {
  RunGrade();
  const auto compare = [&](CompareStyle style) {
    EXPECT_EQ(Run([&] {
                return RunCompare(
                    {.common = common_, .model_a = "right", .model_b = "wrong", .style = style},
                    console_);
              }),
              0);
    return out_.str();
  };
  EXPECT_THAT(compare(CompareStyle::kColumns),
              AllOf(HasSubstr("Adder"), HasSubstr("The right one wins by "), HasSubstr("rows won "),
                    Not(HasSubstr("|")), Not(HasSubstr("**"))));
  EXPECT_THAT(compare(CompareStyle::kMarkdown), HasSubstr("**Winner: The right one**"));
}

TEST_F(CommandsTest, CompareShowsBothModels) {
  RunGrade();
  EXPECT_EQ(Run([&] {
              return RunCompare({.common = common_, .model_a = "right", .model_b = "wrong"},
                                console_);
            }),
            0);
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("The right one"), HasSubstr("The wrong one")));
  EXPECT_EQ(Run([&] {
              return RunCompare({.common = common_, .model_a = "right", .model_b = "nobody"},
                                console_);
            }),
            2);
}

TEST_F(CommandsTest, CompareOfEvidenceWhoseSignatureDoesNotHoldEndsWith2) {
  RunGrade();
  files_.Write(".ci/allowed_signers", "");
  files_.Write("reports/evidence/adder/wrong.json.sig", "none\n");
  EXPECT_EQ(Run([&] {
              return RunCompare({.common = common_, .model_a = "right", .model_b = "wrong"},
                                console_);
            }),
            2);
  EXPECT_THAT(err_.str(), HasSubstr("adder/wrong.json: its signature is none of ssh"));
  EXPECT_EQ(out_.str(), "");
}

}  // namespace
}  // namespace assay
