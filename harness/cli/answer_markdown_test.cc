// SPDX-License-Identifier: Apache-2.0
#include "cli/answer_markdown.h"

#include <gtest/gtest.h>

#include <string>

namespace assay {
namespace {

// The name of the only block of `markdown`.
std::string NameIn(const std::string& markdown) {
  const auto blocks = ReadMarkdownBlocks(markdown);
  EXPECT_EQ(blocks.size(), 1U) << markdown;
  return blocks.empty() ? "" : blocks[0].name;
}

std::string NameOfInfo(const std::string& info) { return NameIn("```" + info + "\nint a;\n```\n"); }
std::string NameOfFirstLine(const std::string& line) {
  return NameIn("Some text\n\n```cpp\n" + line + "\nint a;\n```\n");
}
std::string NameAfter(const std::string& line) {
  return NameIn("Text of `other.cc` before.\n" + line + "\n\n```cpp\nint a;\n```\n");
}

TEST(AnswerMarkdown, NameInTheInfoString) {
  for (const char* info :
       {"cpp foo.cc", " cpp  foo.cc ", "cpp title=\"foo.cc\"", "cpp title='foo.cc' numbers=on",
        "c++ filename=foo.cc", "cpp file=\"foo.cc\"", "cpp:foo.cc", "foo.cc",
        "{.cpp filename=\"foo.cc\"}", "cpp (foo.cc)", "cpp showLines name=foo.cc"}) {
    EXPECT_EQ(NameOfInfo(info), "foo.cc") << info;
  }
  EXPECT_EQ(NameOfInfo("cpp tests/a_test.cc"), "tests/a_test.cc");
  EXPECT_EQ(NameOfInfo("make Makefile"), "Makefile");
  EXPECT_EQ(NameOfInfo("cpp ../../x.cc"), "../../x.cc");
  for (const char* info : {"", "cpp", "c++20", "cpp std=c++20", "text e.g.", "title=\"A title\""}) {
    EXPECT_EQ(NameOfInfo(info), "") << info;
  }
}

TEST(AnswerMarkdown, NameInTheFirstLine) {
  for (const char* line :
       {"// foo.cc", "//foo.cc", "// File: foo.cc", "/* foo.cc */", "// filename: `foo.cc`",
        "// foo.cc - the cache", "# foo.cc", "<!-- foo.cc -->", "// foo.cc: the cache"}) {
    EXPECT_EQ(NameOfFirstLine(line), "foo.cc") << line;
  }
  for (const char* line : {"foo.cc", "// foo.cc includes this", "// as in foo.cc", "#!foo.sh",
                           "#include \"foo.h\"", "int foo;  // foo.cc", "//"}) {
    EXPECT_EQ(NameOfFirstLine(line), "") << line;
  }
}

TEST(AnswerMarkdown, NameInTheLineBefore) {
  for (const char* line :
       {"### foo.cc", "## 1. `foo.cc`", "### `foo.cc` (the cache)", "**foo.cc**",
        "**`foo.cc`**:", "`foo.cc`", "`foo.cc`:", "File: foo.cc", "**File: `foo.cc`**",
        "The cache is `foo.cc`:", "1. `foo.cc`", "- `foo.cc`", "foo.cc:"}) {
    EXPECT_EQ(NameAfter(line), "foo.cc") << line;
  }
  for (const char* line : {"The file foo.cc has this", "## foo.cc and bar.cc",
                           "Use `foo.cc` well:", "# The cache", "Some text."}) {
    EXPECT_EQ(NameAfter(line), "") << line;
  }
}

TEST(AnswerMarkdown, CommandAboutAFileIsNotThatFile) {
  EXPECT_EQ(NameIn("Compile `foo.cc`\n```bash\ng++ foo.cc\n```\n"), "");
  EXPECT_EQ(NameIn("### `build.sh`\n```bash\ng++ foo.cc\n```\n"), "build.sh");
}

TEST(AnswerMarkdown, InfoGoesBeforeTheFirstLineAndThatBeforeTheLineBefore) {
  EXPECT_EQ(NameIn("### a.cc\n```cpp b.cc\n// c.cc\n```\n"), "b.cc");
  EXPECT_EQ(NameIn("### a.cc\n```cpp\n// c.cc\n```\n"), "c.cc");
}

TEST(AnswerMarkdown, LineBeforeNamesOneBlockAlone) {
  const auto blocks = ReadMarkdownBlocks("### a.cc\n```cpp\n1\n```\n\n```cpp\n2\n```\n");
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_EQ(blocks[0].name, "a.cc");
  EXPECT_EQ(blocks[1].name, "");
  EXPECT_EQ(blocks[1].line, 6);
}

TEST(AnswerMarkdown, FencesAreThoseOfCommonMark) {
  const auto blocks = ReadMarkdownBlocks(
      "````md README.md\nText\n```cpp\nint a;\n```\n````\n"
      "1. item\n\n   ~~~cpp a.cc\n   int a;\r\n     int b;\n  c\n   ~~~\n"
      "Code ```in a line``` of text\n");
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_EQ(blocks[0].content, "Text\n```cpp\nint a;\n```\n");
  EXPECT_EQ(blocks[1].content, "int a;\n  int b;\nc\n");
}

TEST(AnswerMarkdown, BlockThatIsCutOffSaysSo) {
  const auto blocks = ReadMarkdownBlocks("```cpp a.cc\nint a;");
  ASSERT_EQ(blocks.size(), 1U);
  EXPECT_EQ(blocks[0].end, MarkdownBlock::End::kEndOfText);
  EXPECT_EQ(blocks[0].content, "int a;\n");
  EXPECT_TRUE(ReadMarkdownBlocks("").empty());
  EXPECT_EQ(ReadMarkdownBlocks("```").size(), 1U);
}

}  // namespace
}  // namespace assay
