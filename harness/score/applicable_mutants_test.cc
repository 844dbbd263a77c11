// SPDX-License-Identifier: Apache-2.0
#include "score/applicable_mutants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "score/synthetic.h"
#include "score/value.h"

namespace assay {
namespace {

using testing::ElementsAre;

class ApplicableMutantsTest : public testing::Test {
 protected:
  ApplicableMutantsTest() {
    challenge.signatures =
        Signatures{.shared_digest = "",
                   .runs = 1,
                   .mutants = {{"int4_bug", {"", {{"Int4.Decode", {{Verdict::kWrongAnswer, 1}}}}}},
                               {"core_bug",
                                {"",
                                 {{"Core.One", {{Verdict::kWrongAnswer, 1}}},
                                  {"Int4.Decode", {{Verdict::kWrongAnswer, 1}}}}}}}};
    cell.own_tests.mutants_killed = {"core_bug"};
    cell.own_tests.mutants_survived = {"int4_bug", "of_no_signature"};
    cell.suite.cases = {synthetic::MakeCase("Core.One", {"core"}, Verdict::kWrongAnswer),
                        synthetic::MakeCase("Int4.Decode", {"int4"}, Verdict::kSkipped)};
  }

  ChallengeView challenge = synthetic::MakeChallenge({});
  Evidence cell = synthetic::MakeCell("a");
};

TEST_F(ApplicableMutantsTest, BugOfWhatIsNotThereDoesNotApply) {
  EXPECT_THAT(ApplicableMutants(challenge, cell), ElementsAre("core_bug", "of_no_signature"));
}

// A case that was given up was not left out: else an endless loop would shorten the list.
TEST_F(ApplicableMutantsTest, CaseThatWasGivenUpCounts) {
  cell.suite.cases[1].given_up = GiveUpCause::kLimits;
  EXPECT_THAT(ApplicableMutants(challenge, cell),
              ElementsAre("core_bug", "int4_bug", "of_no_signature"));
}

TEST_F(ApplicableMutantsTest, WithoutSignaturesOrCasesAllApply) {
  cell.suite.cases.clear();
  EXPECT_EQ(ApplicableMutants(challenge, cell).size(), 3U);
  challenge.signatures.reset();
  EXPECT_EQ(ApplicableMutants(challenge, cell).size(), 3U);
}

TEST_F(ApplicableMutantsTest, OfOneHomeAreThoseThatItIsTheHomeOf) {
  challenge.homes = {{"core_bug", "core"}, {"of_no_signature", "core"}, {"int4_bug", "int4"}};
  EXPECT_THAT(ApplicableMutantsOf("core", challenge, cell),
              ElementsAre("core_bug", "of_no_signature"));
  const auto share = [&](std::string_view expression) {
    return Evaluate(synthetic::MakeCriterion("c", "d", expression), challenge, cell);
  };
  EXPECT_EQ(share("own_tests(mutants_killed_share, core)").value, 0.5);
  EXPECT_EQ(share("own_tests(mutants_killed_share, core)").note, "1 of 2");
  const CriterionValue none = share("own_tests(mutants_killed_share, int4)");
  EXPECT_EQ(none.state, CriterionValue::State::kNotMeasured);
  EXPECT_EQ(none.note, "no mutant of int4 applies");
  cell.own_tests.mutants_killed.emplace_back("core_bug");  // Found by another program too.
  EXPECT_EQ(share("own_tests(mutants_killed_share, core)").value, 0.5);
}

// Of few mutants a share says little.
TEST_F(ApplicableMutantsTest, ShareIsOfTenAtLeast) {
  const auto share = [&] {
    return Evaluate(synthetic::MakeCriterion("c", "d", "own_tests(mutants_killed_share)"),
                    challenge, cell);
  };
  EXPECT_EQ(share().value, 0.1);
  EXPECT_EQ(share().note, "1 of 2 that apply");
  for (int i = 0; i < 18; ++i) {
    (i < 9 ? cell.own_tests.mutants_killed : cell.own_tests.mutants_survived)
        .push_back("another" + std::to_string(i));
  }
  EXPECT_EQ(share().value, 0.5);
}

// Else who refuses what is wrong would lose a kill, and being wrong would pay more.
TEST_F(ApplicableMutantsTest, KillCountsWhateverTheSubmissionLeavesOut) {
  cell.own_tests.mutants_killed = {"int4_bug"};
  cell.own_tests.mutants_survived = {"core_bug"};
  EXPECT_THAT(ApplicableMutants(challenge, cell), ElementsAre("core_bug", "int4_bug"));
}

}  // namespace
}  // namespace assay
