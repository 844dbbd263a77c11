// SPDX-License-Identifier: Apache-2.0
#include "exec/suite_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::Key;
using ::testing::Pair;

constexpr std::string_view kSource = R"(// A suite.
#include "suite_support.h"

class Edge : public Test {};

/// What it asks.
TYPED_TEST(Edge, NanInX) {
  // Why.
  for (int i = 0; i < 4; ++i) {
    Ask();
  }
}

TEST_F(Edge, Short) { Ask({}); }
TEST(VeryLongNameOfASuite,
     AndOfItsCase) {
  Ask();
}
void Ask();
)";

std::string With(std::string_view from, std::string_view to) {
  std::string text(kSource);
  text.replace(text.find(from), from.size(), to);
  return text;
}

TEST(SuiteSource, CasesAreNamedAsTheirMacrosNameThemAndFoundByTheirLine) {
  const SuiteSource source = ReadSuiteSource(kSource);
  EXPECT_THAT(source.case_at_line, ElementsAre(Pair(7, "Edge.NanInX"), Pair(14, "Edge.Short"),
                                               Pair(15, "VeryLongNameOfASuite.AndOfItsCase")));
  EXPECT_THAT(source.digests.cases, ElementsAre(Key("Edge.NanInX"), Key("Edge.Short"),
                                                Key("VeryLongNameOfASuite.AndOfItsCase")));
}

TEST(SuiteSource, AChangeOfACaseIsItsOwn) {
  const SuiteFileDigests before = ReadSuiteSource(kSource).digests;
  const SuiteFileDigests after = ReadSuiteSource(With("i < 4", "i < 5")).digests;
  EXPECT_EQ(after.rest, before.rest);
  EXPECT_NE(after.cases.at("Edge.NanInX"), before.cases.at("Edge.NanInX"));
  EXPECT_EQ(after.cases.at("Edge.Short"), before.cases.at("Edge.Short"));
}

TEST(SuiteSource, AChangeBesideTheCasesIsOfAllElse) {
  const SuiteFileDigests before = ReadSuiteSource(kSource).digests;
  for (const auto& [from, to] :
       {std::pair("class Edge", "class Edges"), std::pair("void Ask();", "void Ask(int);"),
        std::pair("#include", "#include <cmath>\n#include")}) {
    const SuiteFileDigests after = ReadSuiteSource(With(from, to)).digests;
    EXPECT_NE(after.rest, before.rest) << from;
    EXPECT_EQ(after.cases, before.cases) << from;
  }
}

TEST(SuiteSource, CommentsAndBlankLinesAreNothing) {
  const SuiteFileDigests before = ReadSuiteSource(kSource).digests;
  for (const auto& [from, to] : {std::pair("  // Why.", "  // Because."),
                                 std::pair("/// What it asks.", "/// What it asks,\n/// in full."),
                                 std::pair("void Ask", "\nvoid Ask")}) {
    EXPECT_EQ(ReadSuiteSource(With(from, to)).digests, before) << from;
  }
}

}  // namespace
}  // namespace assay
