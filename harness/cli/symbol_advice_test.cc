// SPDX-License-Identifier: Apache-2.0
#include "cli/symbol_advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

ChallengeSpec Asks(std::vector<EntryPoint> entry_points) {
  ChallengeSpec challenge;
  challenge.id = "norm";
  challenge.entry_points = std::move(entry_points);
  return challenge;
}

const ChallengeSpec kNorm = Asks({{.name = "ln_forward_f32", .required = true},
                                  {.name = "ln_forward_f64", .required = true},
                                  {.name = "ln_extra", .required = false}});

TEST(SymbolAdvice, NothingWhereAllIsDefined) {
  EXPECT_THAT(AdviseOnSymbols(kNorm, {{.source = "a.cc", .defined = {"ln_forward_f32"}},
                                      {.source = "b.cc", .defined = {"ln_forward_f64"}}}),
              IsEmpty());
}

TEST(SymbolAdvice, MisspeltNameIsNamedWithItsSource) {
  const auto advice = AdviseOnSymbols(
      kNorm, {{.source = "a.cc", .defined = {"ln_forward_f32", "ln_foward_f64", "ln_helper"}}});
  ASSERT_THAT(advice, SizeIs(1));
  EXPECT_EQ(advice[0].entry_point.name, "ln_forward_f64");
  EXPECT_THAT(advice[0].text,
              AllOf(HasSubstr("a.cc defines ln_foward_f64"), Not(HasSubstr("C++"))));
}

// A misspelt function does not match its declaration in interface.h, so it is C++ as well.
TEST(SymbolAdvice, MisspeltNameIsFoundThoughItIsMangled) {
  const auto advice = AdviseOnSymbols(
      kNorm, {{.source = "a.cc", .defined = {"ln_forward_f32", "_Z13ln_foward_f64mPKd"}}});
  ASSERT_THAT(advice, SizeIs(1));
  EXPECT_THAT(advice[0].text, AllOf(HasSubstr("ln_foward_f64"), HasSubstr("C++")));
}

// Two functions of a challenge are often one letter apart.
TEST(SymbolAdvice, AnotherFunctionOfTheChallengeIsNoMisspelling) {
  const auto advice =
      AdviseOnSymbols(kNorm, {{.source = "a.cc", .defined = {"ln_forward_f32", "ln_extra"}}});
  ASSERT_THAT(advice, SizeIs(1));
  EXPECT_EQ(advice[0].text, "ln_forward_f64 is required and defined nowhere");
}

TEST(SymbolAdvice, LackingExternCIsNamedAlsoOfWhatIsNotRequired) {
  const auto advice = AdviseOnSymbols(
      kNorm, {{.source = "a.cc",
               .defined = {"_Z14ln_forward_f32mPKf", "ln_forward_f64", "_ZN3ops8ln_extraEv"}}});
  ASSERT_THAT(advice, SizeIs(2));
  EXPECT_THAT(advice[0].text, AllOf(HasSubstr("ln_forward_f32 is defined in a.cc as C++"),
                                    HasSubstr("extern \"C\"")));
  EXPECT_TRUE(advice[0].entry_point.required);
  EXPECT_FALSE(advice[1].entry_point.required);
}

TEST(SymbolAdvice, HelperOfTheSameNameInANamespaceIsNoFault) {
  EXPECT_THAT(
      AdviseOnSymbols(kNorm, {{.source = "a.cc", .defined = {"_ZN3ops14ln_forward_f32Ev"}},
                              {.source = "b.cc", .defined = {"ln_forward_f32", "ln_forward_f64"}}}),
      IsEmpty());
}

TEST(SymbolAdvice, NamesInMangledOnes) {
  EXPECT_THAT(NamesInMangled("_ZN3ops10ln_forwardEPKf"), ElementsAre("ops", "ln_forward"));
  EXPECT_THAT(NamesInMangled("_Z99short"), IsEmpty());
  EXPECT_THAT(NamesInMangled("_Z99999999999999999999999999x"), IsEmpty());
  EXPECT_THAT(NamesInMangled("_Z0"), IsEmpty());
  EXPECT_THAT(NamesInMangled(""), IsEmpty());
}

}  // namespace
}  // namespace assay
