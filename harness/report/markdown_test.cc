// SPDX-License-Identifier: Apache-2.0
#include "report/markdown.h"

#include <gtest/gtest.h>

#include <vector>

namespace assay {
namespace {

TEST(MarkdownTest, TextIsEscaped) {
  EXPECT_EQ(Markdown::Text("a|b`c`\n*d*").text(), "a\\|b\\`c\\` \\*d\\*");
}

TEST(MarkdownTest, SummaryIsEscapedAsHtml) {
  const std::string text = Markdown::Details("<img src=\"x\">\n\n&@", "body\n").text();
  EXPECT_EQ(text,
            "<details><summary>&lt;img src=&quot;x&quot;&gt;  &amp;&#64;</summary>\n\nbody\n\n"
            "</details>\n");
}

TEST(MarkdownTest, CodeBlockCannotBeLeft) {
  EXPECT_EQ(Markdown::CodeBlock("a\n```\n# b\x1b").text(), "```text\na\n`` `\n# b?\n```\n");
}

TEST(MarkdownTest, JoinAndBold) {
  EXPECT_EQ(Markdown::Join({"a", "b"}, ", ").text(), "a, b");
  EXPECT_EQ(Markdown::Bold("a").text(), "**a**");
  EXPECT_EQ(Markdown::Bold(Markdown()).text(), "");
}

TEST(MarkdownTableTest, RowsAreFilledUp) {
  MarkdownTable table({{.title = "A"}, {.title = "B", .align = Align::kRight}});
  table.AddRow({"x"});
  EXPECT_EQ(table.Render().text(), "| A | B |\n|---|---:|\n| x |  |\n");
}

/// On a phone `88.4 ±` stood above `1.2`.
TEST(MarkdownTableTest, ANumberStaysOnOneLine) {
  MarkdownTable table({{.title = "A"}, {.title = "B"}});
  table.AddRow({"**88.4 ± 1.2** (rank 1)", "53.8 % of a % ± b"});
  EXPECT_EQ(table.Render().text(),
            "| A | B |\n|---|---|\n| **88.4\u00a0±\u00a01.2** (rank 1) | 53.8\u00a0% of a % "
            "±\u00a0b |\n");
}

/// 1,000 models, or eight dimensions, would make a table that nobody's screen holds.
TEST(MarkdownTableTest, AWideTableBecomesSeveralThatRepeatWhatARowIsAbout) {
  const std::vector<MarkdownTable::Column> columns = {
      {.title = "Rank"}, {.title = "Model"}, {.title = "A"}, {.title = "B"},
      {.title = "C"},    {.title = "D"},     {.title = "E"}};
  MarkdownTable table(columns, 2);
  table.AddRow({"1", "x", "a", "b", "c", "d", "e"});
  EXPECT_EQ(table.Render().text(),
            "| Rank | Model | A | B |\n|---|---|---|---|\n| 1 | x | a | b |\n\n"
            "| Rank | Model | C | D | E |\n|---|---|---|---|---|\n| 1 | x | c | d | e |\n");
  MarkdownTable narrow({columns.begin(), columns.begin() + MarkdownTable::kMostColumns});
  narrow.AddRow({"1", "x", "a", "b", "c", "d"});
  EXPECT_EQ(narrow.Render().text(),
            "| Rank | Model | A | B | C | D |\n|---|---|---|---|---|---|\n"
            "| 1 | x | a | b | c | d |\n");
}

TEST(MarkdownTest, CodeHoldsNamesAlone) {
  EXPECT_EQ(Markdown::Code("inverted_causal_mask").text(), "`inverted_causal_mask`");
  EXPECT_EQ(Markdown::Code("a`b|c\n").text(), "`a?b?c?`");
}

}  // namespace
}  // namespace assay
