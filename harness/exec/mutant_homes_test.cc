// SPDX-License-Identifier: Apache-2.0
#include "exec/mutant_homes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/temporary_repository.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

struct MutantHomesTest : ::testing::Test {
  MutantHomesTest() {
    rubric.challenge = "adder";
    rubric.criteria = {
        Row("carry", ValueFunction::kRightRate, 1), Row("sums", ValueFunction::kPassRate, 2),
        Row("shown", ValueFunction::kPassRate, 0), Row("lines", ValueFunction::kStatic, 1)};
    signatures.mutants["a_hang"] = {};
    signatures.mutants["carries_wrong"] = {};
  }

  static Criterion Row(const char* id, ValueFunction function, double weight) {
    Criterion criterion;
    criterion.id = id;
    criterion.value.function = function;
    criterion.weight = weight;
    return criterion;
  }

  void Write(const std::string& text) { repository.Write("reference/adder/mutants.yaml", text); }

  /// `12: cause` of each fault.
  [[nodiscard]] std::vector<std::string> Faults() const {
    std::vector<std::string> faults;
    const auto homes = LoadMutantHomes(repository.root(), rubric, signatures);
    const std::string file = MutantHomesPath(repository.root(), "adder").string();
    for (const Error& error : homes ? Errors() : homes.error()) {
      EXPECT_TRUE(error.where.starts_with(file)) << error.where;
      faults.push_back(error.where.substr(file.size()) + ": " + error.cause);
    }
    return faults;
  }

  TemporaryRepository repository;
  Rubric rubric;
  Signatures signatures;
};

TEST_F(MutantHomesTest, EachMutantHasAHome) {
  Write(
      "schema: 1\nmutants:\n  - {mutant: carries_wrong, home: carry}\n"
      "  - {mutant: a_hang, home: sums}\n");
  const auto homes = LoadMutantHomes(repository.root(), rubric, signatures);
  ASSERT_TRUE(homes) << ToString(homes.error().front());
  EXPECT_THAT(*homes, ElementsAre(Pair("a_hang", "sums"), Pair("carries_wrong", "carry")));
}

TEST_F(MutantHomesTest, AChallengeWithoutSignaturesNeedsNone) {
  const auto homes = LoadMutantHomes(repository.root(), rubric, std::nullopt);
  ASSERT_TRUE(homes);
  EXPECT_THAT(*homes, IsEmpty());
}

TEST_F(MutantHomesTest, AMissingFileIsAFault) {
  EXPECT_THAT(Faults(), ElementsAre(": does not exist, and 2 mutants have signatures"));
}

TEST_F(MutantHomesTest, AMutantWithoutAHomeIsNamed) {
  Write("schema: 1\nmutants:\n  - {mutant: carries_wrong, home: carry}\n");
  EXPECT_THAT(Faults(), ElementsAre(":3: the mutant a_hang has no home"));
}

TEST_F(MutantHomesTest, AHomeHasToCountCasesAndHaveAWeight) {
  for (const char* const home : {"no_such", "shown", "lines"}) {
    Write(std::string("schema: 1\nmutants:\n  - {mutant: carries_wrong, home: carry}\n"
                      "  - {mutant: a_hang, home: ") +
          home + "}\n");
    EXPECT_THAT(Faults(), ElementsAre(std::string(":4: mutants[1].home \"") + home +
                                      "\" is no criterion with a weight that counts cases"));
  }
}

TEST_F(MutantHomesTest, TheHomeOfNoMutantAndASecondHomeAreNamed) {
  Write(
      "schema: 1\nmutants:\n  - {mutant: carries_wrong, home: carry}\n"
      "  - {mutant: a_hang, home: sums}\n  - {mutant: a_hung, home: sums}\n"
      "  - {mutant: a_hang, home: carry}\n");
  EXPECT_THAT(Faults(), ElementsAre(":5: mutants[2].mutant \"a_hung\" has no signature",
                                    ":6: mutants[3] \"a_hang\" is there twice"));
}

}  // namespace
}  // namespace assay
