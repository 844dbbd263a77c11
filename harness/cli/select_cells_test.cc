// SPDX-License-Identifier: Apache-2.0
#include "cli/select_cells.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/temporary_repository.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr const char* kBroken = "submissions/wrong/adder/submission.yaml";

TEST(SelectCells, NoWordsMeanAllCells) {
  const TemporaryRepository files;
  EXPECT_THAT(SelectCells(LoadRepository(files.root()), {}).value(),
              ElementsAre(CellId{"right", "adder"}, CellId{"wrong", "adder"}));
}

TEST(SelectCells, ModelAndCellAreNamedOnce) {
  const TemporaryRepository files;
  EXPECT_THAT(SelectCells(LoadRepository(files.root()), {"right", "right/adder"}).value(),
              ElementsAre(CellId{"right", "adder"}));
}

TEST(SelectCells, ChallengeMeansItsCellsOfAllModels) {
  const TemporaryRepository files;
  EXPECT_THAT(SelectCells(LoadRepository(files.root()), {"adder"}).value(),
              ElementsAre(CellId{"right", "adder"}, CellId{"wrong", "adder"}));
}

TEST(SelectCells, ModelNamedAsAChallengeGoesFirst) {
  const TemporaryRepository files;
  std::filesystem::rename(files.root() / "submissions/wrong", files.root() / "submissions/adder");
  EXPECT_THAT(SelectCells(LoadRepository(files.root()), {"adder"}).value(),
              ElementsAre(CellId{"adder", "adder"}));
  EXPECT_THAT(SelectCells(LoadRepository(files.root()), {"*/adder"}).value(), SizeIs(2));
}

TEST(SelectCells, WildcardsAreThoseOfAShell) {
  const TemporaryRepository files;
  const LoadedRepository loaded = LoadRepository(files.root());
  EXPECT_THAT(SelectCells(loaded, {"*/adder"}).value(), SizeIs(2));
  EXPECT_THAT(SelectCells(loaded, {"*"}).value(), SizeIs(2));
  EXPECT_THAT(SelectCells(loaded, {"a?der"}).value(), SizeIs(2));
  EXPECT_THAT(SelectCells(loaded, {"right/*"}).value(), ElementsAre(CellId{"right", "adder"}));
  EXPECT_THAT(SelectCells(loaded, {"[rs]*"}).value(), ElementsAre(CellId{"right", "adder"}));
}

TEST(SelectCells, WordThatFitsNothingSaysWhatIsMissing) {
  const TemporaryRepository files;
  LoadedRepository loaded = LoadRepository(files.root());
  const auto pattern = SelectCells(loaded, {"left/*"});
  ASSERT_FALSE(pattern.has_value());
  EXPECT_THAT(ToString(pattern.error()[0]), HasSubstr("no submission fits \"left/*\"; assay list"));
  loaded.repository.submissions.clear();
  loaded.repository.models.clear();
  const auto challenge = SelectCells(loaded, {"adder"});
  ASSERT_FALSE(challenge.has_value());
  EXPECT_EQ(
      ToString(challenge.error()[0]),
      "no model has a submission to \"adder\"; assay new MODEL adder writes one to begin with");
}

TEST(SelectCells, FaultsStandInTheWayOfThePatternsThatTheyFit) {
  const TemporaryRepository files;
  files.Replace(kBroken, "[add.cc]", "[none.cc]");
  const LoadedRepository loaded = LoadRepository(files.root());
  for (const std::string word : {"adder", "*/adder", "wr*", "*"}) {
    EXPECT_FALSE(SelectCells(loaded, {word}).has_value()) << word;
  }
  EXPECT_TRUE(SelectCells(loaded, {"r*"}).has_value());
}

TEST(SelectCells, ModelFileAtFaultConcernsCellsOfThatModelAlone) {
  const TemporaryRepository files;
  files.Write("submissions/idle/model.yaml", "schema: 9\n");
  const LoadedRepository loaded = LoadRepository(files.root());
  EXPECT_TRUE(SelectCells(loaded, {"*/adder"}).has_value());
  EXPECT_FALSE(SelectCells(loaded, {"idle"}).has_value());
  files.Write("submissions/right/model.yaml", "schema: 9\n");
  EXPECT_FALSE(SelectCells(LoadRepository(files.root()), {"*/adder"}).has_value());
}

TEST(SelectCells, UnknownWordSuggestsTheNearest) {
  const TemporaryRepository files;
  const LoadedRepository loaded = LoadRepository(files.root());
  const auto model = SelectCells(loaded, {"rigth"});
  ASSERT_FALSE(model.has_value());
  EXPECT_EQ(ToString(model.error()[0]),
            "there is no submission \"rigth\"; did you mean \"right\"?");
  EXPECT_THAT(SelectCells(loaded, {"addr"}).error()[0].remedy, HasSubstr("\"adder\""));
  const auto cell = SelectCells(loaded, {"right/addr"});
  ASSERT_FALSE(cell.has_value());
  EXPECT_THAT(cell.error()[0].remedy, HasSubstr("right/adder"));
}

TEST(SelectCells, FaultOfASelectedCellStandsInTheWay) {
  const TemporaryRepository files;
  files.Replace(kBroken, "[add.cc]", "[none.cc]");
  const LoadedRepository loaded = LoadRepository(files.root());
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{}, {"wrong"}, {"wrong/adder"}}) {
    const auto cells = SelectCells(loaded, words);
    ASSERT_FALSE(cells.has_value());
    EXPECT_THAT(cells.error(), SizeIs(1));
    EXPECT_THAT(cells.error()[0].where, HasSubstr(kBroken));
  }
}

TEST(SelectCells, FaultOfAnotherCellDoesNot) {
  const TemporaryRepository files;
  files.Replace(kBroken, "[add.cc]", "[none.cc]");
  EXPECT_TRUE(SelectCells(LoadRepository(files.root()), {"right"}).has_value());
}

TEST(SelectCells, FaultOfItsChallengeDoes) {
  const TemporaryRepository files;
  files.Replace("challenges/adder/rubric.yaml", "edge: higher", "edge: up");
  EXPECT_FALSE(SelectCells(LoadRepository(files.root()), {"right/adder"}).has_value());
}

}  // namespace
}  // namespace assay
