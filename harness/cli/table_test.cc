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
  EXPECT_EQ(FormatTable({{"a\x1b[31m\nb", "c"}}), "a[31mb  c\n");
}

TEST(FormatTable, NothingGivesNothing) { EXPECT_EQ(FormatTable({}), ""); }

}  // namespace
}  // namespace assay
