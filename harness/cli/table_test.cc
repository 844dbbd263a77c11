// SPDX-License-Identifier: Apache-2.0
#include "cli/table.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(FormatTable, LinesUpColumnsWithoutTrailingSpaces) {
  EXPECT_EQ(FormatTable({{"CELL", "VERDICT"}, {"a/long_name", "ok"}, {"b"}}),
            "CELL         VERDICT\n"
            "a/long_name  ok\n"
            "b\n");
}

TEST(FormatTable, ControlCharactersDoNotReachTheTerminal) {
  EXPECT_EQ(FormatTable({{"a\x1b[31m\nb", "c"}}), "a?[31m b  c\n");
}

TEST(FormatTable, CharactersOfSeveralBytesTakeOneColumn) {
  EXPECT_EQ(FormatTable({{"—", "b"}, {"ab", "c"}}), "—   b\nab  c\n");
}

TEST(FormatTable, ColoursTakeNoRoom) {
  const auto tone = [](const std::vector<std::string>& row, std::size_t column) {
    return column == 1 && row[1] == "bad" ? std::optional(Tone::kBad) : std::nullopt;
  };
  const std::vector<std::vector<std::string>> rows = {{"a", "bad", "x"}, {"b", "good", "y"}};
  EXPECT_EQ(FormatTable(rows, Colour::kOn, tone),
            "a  \x1b[31mbad\x1b[0m   x\n"
            "b  good  y\n");
  EXPECT_EQ(FormatTable(rows, Colour::kOff, tone), FormatTable(rows));
}

TEST(FormatTable, NothingGivesNothing) { EXPECT_EQ(FormatTable({}), ""); }

}  // namespace
}  // namespace assay
