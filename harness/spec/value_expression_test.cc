// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/rubric.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ParseValueExpression, ReadsWhatToStringWrites) {
  for (const char* const text : {"pass_rate(gradient)",
                                 "pass_rate(gradient, forward)",
                                 "right_rate(merge)",
                                 "metric(worst_error_dx_f64)",
                                 "at_largest(reads, logits)",
                                 "worst_of(errors, logits)",
                                 "static(code_lines)",
                                 "own_tests(kills:naive_variance)",
                                 "answers(all)",
                                 "entry_points(f, g, h)",
                                 "sanitizer_findings",
                                 "distinct_failures",
                                 "bench_ratio(backward_f32/8192x*)",
                                 "bench_share(x)",
                                 "claims",
                                 "review",
                                 "device_findings",
                                 "device_findings(racecheck)",
                                 "curve(error_by_offset, 9)",
                                 "own_tests(mutants_killed_share, edge_cases)"}) {
    const auto expression = ParseValueExpression(text);
    ASSERT_TRUE(expression.has_value()) << text;
    EXPECT_EQ(ToString(*expression), text);
  }
}

TEST(ParseValueExpression, SplitsArgumentsAtCommas) {
  const auto expression = ParseValueExpression(" entry_points( f ,g ) ");
  ASSERT_TRUE(expression.has_value());
  EXPECT_EQ(expression->function, ValueFunction::kEntryPoints);
  EXPECT_THAT(expression->arguments, ElementsAre("f", "g"));
}

TEST(ParseValueExpression, RefusesWhatIsNotInTheClosedSet) {
  for (const char* const text :
       {"", "shell(rm)", "pass_rate(a", "metric(a, b)", "pass_rate()", "review(x)",
        "entry_points(a,,b)", "metric(a b)", "metric(a;b)", "device_findings(a, b)", "curve(a)",
        "curve(a, 2, 3)", "own_tests(a, b, c)"}) {
    EXPECT_FALSE(ParseValueExpression(text).has_value()) << text;
  }
}

TEST(ParseValueExpression, SuggestsTheNearestFunction) {
  const auto expression = ParseValueExpression("bench_ration(x)");
  ASSERT_FALSE(expression.has_value());
  EXPECT_THAT(expression.error().remedy, HasSubstr("bench_ratio"));
}

}  // namespace
}  // namespace assay
