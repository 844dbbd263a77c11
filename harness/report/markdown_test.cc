// SPDX-License-Identifier: Apache-2.0
#include "report/markdown.h"

#include <gtest/gtest.h>

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

TEST(MarkdownTest, CodeHoldsNamesAlone) {
  EXPECT_EQ(Markdown::Code("inverted_causal_mask").text(), "`inverted_causal_mask`");
  EXPECT_EQ(Markdown::Code("a`b|c\n").text(), "`a?b?c?`");
}

}  // namespace
}  // namespace assay
