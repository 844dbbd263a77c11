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

TEST(SelectCells, UnknownWordSuggestsTheNearest) {
  const TemporaryRepository files;
  const LoadedRepository loaded = LoadRepository(files.root());
  const auto model = SelectCells(loaded, {"rigth"});
  ASSERT_FALSE(model.has_value());
  EXPECT_EQ(ToString(model.error()[0]),
            "there is no submission \"rigth\"; did you mean \"right\"?");
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
