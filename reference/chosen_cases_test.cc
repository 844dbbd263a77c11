// SPDX-License-Identifier: Apache-2.0
#include "chosen_cases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/temporary.h"
#include "kept_seeds.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAreArray;

class FilesByHand : public testing::Test {
 protected:
  void Write(std::string_view name, const std::string& text) {
    ASSERT_TRUE(WriteFileAtomically(folder_.path() / name, text));
  }
  TemporaryDirectory folder_ =
      TemporaryDirectory::Create(fs::path(testing::TempDir()), "chosen_cases").value();
};

TEST_F(FilesByHand, ControlWithoutTheFileNeedsAllCases) {
  EXPECT_TRUE(CasesOfControl(folder_.path()).All());
  EXPECT_THAT(ArgumentsFor({}), IsEmpty());
}

TEST_F(FilesByHand, CommentsAndBlanksAreNoCases) {
  Write("cases", "# why\n\n  Core.One  # the first\nEdge.Two\n");
  EXPECT_EQ(CasesOfControl(folder_.path()), (CasesNeeded{.named = {"Core.One", "Edge.Two"}}));
  EXPECT_THAT(ArgumentsFor({"Core.One", "Edge.Two"}),
              ElementsAre("--gtest_filter=Core.One:Edge.Two"));
}

TEST_F(FilesByHand, FileThatNamesNoCaseIsAFault) {
  Write("cases", "# nothing yet\n");
  EXPECT_THROW((void)CasesOfControl(folder_.path()), std::runtime_error);
}

TEST_F(FilesByHand, AStarIsAShareOfAllCases) {
  Write("cases", "Core.One\n* # of the rest\n");
  EXPECT_EQ(CasesOfControl(folder_.path()), (CasesNeeded{.named = {"Core.One"}, .share = true}));
  Write("cases", "*\n");
  EXPECT_EQ(CasesOfControl(folder_.path()), (CasesNeeded{.named = {}, .share = true}));
  EXPECT_FALSE(CasesOfControl(folder_.path()).All());
}

// ---- Shares -------------------------------------------------------------------------------------

std::vector<std::string> NumberedCases(int count) {
  std::vector<std::string> cases;
  cases.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    cases.push_back("Core." + std::to_string(i));
  }
  return cases;
}

TEST(Shares, EachCaseIsInOneOfThem) {
  for (std::size_t sharers = 1; sharers <= 5; ++sharers) {
    const std::vector<std::string> cases = NumberedCases(23);
    std::vector<std::string> together;
    for (std::size_t place = 0; place < sharers; ++place) {
      const std::vector<std::string> share = ShareOf(cases, place, sharers);
      EXPECT_GE(share.size(), cases.size() / sharers);
      EXPECT_LE(share.size(), cases.size() / sharers + 1);
      together.insert(together.end(), share.begin(), share.end());
    }
    EXPECT_THAT(together, UnorderedElementsAreArray(cases));
  }
}

TEST(Shares, TypesInTurnComeToEachOfThem) {
  EXPECT_THAT(ShareOf(NumberedCases(8), 0, 2), ElementsAre("Core.0", "Core.3", "Core.4", "Core.7"));
  EXPECT_THAT(ShareOf(NumberedCases(8), 1, 4), ElementsAre("Core.1", "Core.4"));
}

TEST(NamedCases, ThoseThatTheSuiteLacksAreTold) {
  EXPECT_THAT(NamedInVain({"Core.One"}, {"Core.One", "Core.Two"}, "here"), IsEmpty());
  EXPECT_THAT(NamedInVain({"Core.One", "Core.Tow"}, {"Core.One", "Core.Two"}, "controls/x/cases"),
              ElementsAre(HasSubstr("controls/x/cases names the case Core.Tow, which")));
}

// ---- Killers ------------------------------------------------------------------------------------

constexpr int kRuns = 3;
const CaseOutcomes kFailed = {{Verdict::kWrongAnswer, 2}, {Verdict::kRuntimeError, 1}};

MutantSignature FailingAlways(const std::vector<std::string>& names) {
  MutantSignature signature;
  for (const std::string& name : names) {
    signature.cases[name] = kFailed;
  }
  return signature;
}

TEST(Killers, TheCheapestOfEachTagComeFirst) {
  const MutantSignature signature =
      FailingAlways({"Core.A", "Core.B", "Core.C", "Edge/f32.A", "Edge/f64.B", "Long.A"});
  EXPECT_THAT(CheapestKillers(signature, kRuns,
                              {{"Core.A", 0.05},
                               {"Core.B", 0.01},
                               {"Core.C", 0.02},
                               {"Edge/f32.A", 0.1},
                               {"Edge/f64.B", 0.2},
                               {"Long.A", 0.24}}),
              ElementsAre("Core.B", "Edge/f32.A", "Long.A", "Core.C"));
}

TEST(Killers, NoiseOfTimesDoesNotChoose) {
  const MutantSignature signature = FailingAlways({"Core.A", "Core.B"});
  for (const double other : {0.0001, 0.001, 0.0029}) {
    EXPECT_EQ(CheapestKillers(signature, kRuns, {{"Core.A", 0.002}, {"Core.B", other}}).front(),
              "Core.A");
  }
}

TEST(Killers, OnlyWhatFailedInEachRun) {
  MutantSignature signature = FailingAlways({"Core.Always", "Core.Gone"});
  signature.cases["Core.Sometimes"] = {{Verdict::kWrongAnswer, 2}};
  signature.cases["Core.Skipped"] = {{Verdict::kSkipped, 3}};
  EXPECT_THAT(CheapestKillers(signature, kRuns,
                              {{"Core.Always", 1}, {"Core.Sometimes", 0.1}, {"Core.Skipped", 0.1}}),
              ElementsAre("Core.Always"));
}

// Its one cheap case saw a bug of the thousandth call by what ran before it, and then did not.
TEST(Killers, OneThatTakesLongStandsBehindALoneCheapOne) {
  EXPECT_THAT(CheapestKillers(FailingAlways({"Leaks.A", "Leaks.B", "Memory.A"}), kRuns,
                              {{"Leaks.A", 9}, {"Leaks.B", 0.1}, {"Memory.A", 17}}),
              ElementsAre("Leaks.B", "Memory.A"));
}

TEST(Killers, OneThatTakesLongIsEnough) {
  const MutantSignature signature = FailingAlways({"Leaks.A", "Leaks.B", "Memory.A"});
  EXPECT_THAT(CheapestKillers(signature, kRuns, {{"Leaks.A", 9}, {"Leaks.B", 8}, {"Memory.A", 17}}),
              ElementsAre("Leaks.A"));
  EXPECT_THAT(
      CheapestKillers(signature, kRuns, {{"Leaks.A", 9}, {"Leaks.B", 0.1}, {"Memory.A", 0.2}}),
      ElementsAre("Leaks.B", "Memory.A"));
}

TEST(Killers, WhatHangsOnlyWhereNothingElseKills) {
  MutantSignature signature = FailingAlways({"Core.A"});
  signature.cases["Edge.Hangs"] = {{Verdict::kTimeLimit, 1}, {Verdict::kWrongAnswer, 2}};
  signature.cases["Large.Hangs"] = {{Verdict::kTimeLimit, 3}};
  const CaseSeconds seconds = {{"Core.A", 5}, {"Edge.Hangs", 0.1}, {"Large.Hangs", 0.1}};
  EXPECT_THAT(CheapestKillers(signature, kRuns, seconds), ElementsAre("Core.A"));
  signature.cases.erase("Core.A");
  EXPECT_THAT(CheapestKillers(signature, kRuns, seconds), ElementsAre("Edge.Hangs"));
}

/// Kernels on the wrong stream showed in each case with a chance of one half, by the stream that
/// the case drew: the four cheapest of those that had failed in three of three runs found nothing.
TEST(Killers, MoreOfThemWhereTheBugShowsByChance) {
  MutantSignature signature;
  CaseSeconds seconds;
  for (char name = 'A'; name <= 'Z'; ++name) {
    const std::string one = std::string("Core.") + name;
    signature.cases[one] = kFailed;
    seconds[one] = 0.1;
  }
  EXPECT_EQ(CheapestKillers(signature, kRuns, seconds).size(), kKillers);
  signature.cases["Core.Z"] = {{Verdict::kWrongAnswer, 2}};
  EXPECT_EQ(CheapestKillers(signature, kRuns, seconds).size(), kKillersOfChance);
  for (auto& one : seconds) {
    one.second = 1;
  }
  EXPECT_EQ(CheapestKillers(signature, kRuns, seconds).size(), kKillersOfChance);
}

// ---- Many seeds ---------------------------------------------------------------------------------

TEST(SeedsFor, ACheapCaseTakesAllAndADearOneAsManyAsTakeAsLong) {
  EXPECT_EQ(SeedsFor(0, 10'000), 10'000U);
  EXPECT_EQ(SeedsFor(kSecondsOfASeed, 10'000), 10'000U);
  EXPECT_EQ(SeedsFor(4 * kSecondsOfASeed, 10'000), 2'500U);
  EXPECT_EQ(SeedsFor(60, 10'000), 1U);
}

// ---- Kept seeds ---------------------------------------------------------------------------------

TEST_F(FilesByHand, NoFileKeepsNoSeed) { EXPECT_THAT(KeptSeedsIn(folder_.path()), IsEmpty()); }

TEST_F(FilesByHand, KeptSeedsHaveASubjectAndCases) {
  Write("kept_seeds",
        "# What fresh seeds found.\n"
        "3912 baseline Random.Appends Random.Forks  # a page too few\n"
        "18446744073709551615 drops_nan\n"
        "7 wrong_answer/zeros Core.One\n");
  const std::vector<KeptSeed> seeds = KeptSeedsIn(folder_.path());
  EXPECT_THAT(seeds, ElementsAre(KeptSeed{3912, "baseline", {"Random.Appends", "Random.Forks"}},
                                 KeptSeed{18'446'744'073'709'551'615U, "drops_nan", {}},
                                 KeptSeed{7, "wrong_answer/zeros", {"Core.One"}}));
  EXPECT_FALSE(IsOfControl(seeds[0]));
  EXPECT_TRUE(IsOfControl(seeds[2]));
}

TEST_F(FilesByHand, LineThatIsNoKeptSeedIsAFault) {
  for (const char* line : {"baseline", "12", "-3 baseline", "12x baseline", "0x1f baseline"}) {
    Write("kept_seeds", line);
    EXPECT_THROW((void)KeptSeedsIn(folder_.path()), std::runtime_error) << line;
  }
}

TEST(OneOfEachType, TakesTheNextTypeForTheNextName) {
  EXPECT_THAT(OneOfEachType({"Edge/f32.A", "Edge/f32.B", "Edge/f64.A", "Edge/f64.B", "Core.A",
                             "Traffic.A", "Sweep.K/3"}),
              ElementsAre("Edge/f32.A", "Edge/f64.B", "Core.A", "Traffic.A", "Sweep.K/3"));
  EXPECT_THAT(OneOfEachType({}), IsEmpty());
}

}  // namespace
}  // namespace assay
