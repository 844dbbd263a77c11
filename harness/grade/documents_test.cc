// SPDX-License-Identifier: Apache-2.0
#include "grade/documents.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "base/file.h"
#include "base/temporary.h"

namespace assay {
namespace {

DocumentMeasures Measure(std::string_view markdown, const std::string& path = "README.md") {
  return MeasureDocument(markdown, path, [](const std::string& file) {
    return file == "a.cc" || file == "docs" || file == "docs/it is.md";
  });
}

TEST(DocumentsTest, SectionsAreHeadingsOfEitherForm) {
  EXPECT_EQ(Measure("# One\n\ntext\n\n## Two ##\n   ### Three\n").sections, 3);
  EXPECT_EQ(Measure("One\n===\n\nTwo\r\n---\r\n").sections, 2);
}

TEST(DocumentsTest, WhatOnlyLooksLikeAHeadingIsNone) {
  EXPECT_EQ(Measure("#one\n####### seven\n#\n# \n    # code\n").sections, 0);
  EXPECT_EQ(Measure("```sh\n# a comment\n```\n~~~~\n# a\n~~~\n# b\n~~~~\n").sections, 0);
  EXPECT_EQ(Measure("\n---\n- item\n---\n| a |\n---\n").sections, 0);
}

TEST(DocumentsTest, LinksThatLeadToAFileOrFolderAreWhole) {
  EXPECT_EQ(Measure("[a](a.cc) ![b](./docs/../a.cc) [c](docs/) [d](<docs/it is.md>)\n"
                    "[e](docs/it%20is.md#part \"title\")\n\n[f]: a.cc\n[g]: <a.cc>\n")
                .broken_links,
            0);
  EXPECT_EQ(Measure("[a](../a.cc) [b](it%20is.md)\n", "docs/x.md").broken_links, 0);
}

TEST(DocumentsTest, LinksThatLeadNowhereOrOutAreBroken) {
  EXPECT_EQ(Measure("[a](b.cc) [b](../a.cc) [c](/a.cc) ![d](docs/plot.png)\n\n[e]: none.md\n")
                .broken_links,
            5);
  EXPECT_EQ(Measure("[a](a.cc%00)\n").broken_links, 1);
}

TEST(DocumentsTest, LinksToTheWebAndWithinThePageAreNotLookedAt) {
  EXPECT_EQ(Measure("[a](https://example.org/x) [b](mailto:a@b) [c](#part) [d](//host/x)\n"
                    "[^1]: a footnote\n")
                .broken_links,
            0);
}

TEST(DocumentsTest, CodeHasNoLinks) {
  EXPECT_EQ(Measure("`x[i](none)` and ``a ` [b](none)`` and \\[c\\](none)\n"
                    "```\n[d](none)\n```\n")
                .broken_links,
            0);
  EXPECT_EQ(Measure("a ` that stays open [b](none)\n").broken_links, 1);
}

// A quarter of a mebibyte of what has to be looked at again and again by a reader that goes back.
TEST(DocumentsTest, HostileTextIsReadInTimeThatGrowsWithItsLength) {
  constexpr std::size_t kBytes = std::size_t{1} << 18;
  const auto start = std::chrono::steady_clock::now();
  for (const std::string_view part : {"](<", "](", "`", "` `` ``` ", "[", "]:", "#", "%", "\\",
                                      "~~~\n", "[a](b", "-\n", "=\n", "a\n---\n"}) {
    std::string text;
    while (text.size() < kBytes) {
      text += part;
    }
    const DocumentMeasures measures = Measure(text);
    EXPECT_GE(measures.sections, 0);
    EXPECT_GE(measures.broken_links, 0);
  }
  std::string runs;
  for (std::size_t length = 1; runs.size() < kBytes; ++length) {
    runs += std::string(length, '`') + "a";
  }
  EXPECT_EQ(Measure(runs).broken_links, 0);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

TEST(DocumentsTest, OfASubmissionAllDocumentsAddUp) {
  const auto folder =
      TemporaryDirectory::Create(std::filesystem::temp_directory_path(), "documents");
  ASSERT_TRUE(folder);
  const std::filesystem::path submission = folder->path() / "submission";
  std::filesystem::create_directories(submission / "docs");
  ASSERT_TRUE(WriteFileAtomically(submission / "README.md", "# A\n[b](docs/b.md) [c](c.md)\n"));
  ASSERT_TRUE(WriteFileAtomically(submission / "docs/b.md", "# B\n[a](../README.md)\n"));
  SubmissionSpec spec;
  spec.directory = submission;
  StaticEvidence evidence;
  ASSERT_TRUE(MeasureDocuments(spec, folder->path() / "out", evidence));
  EXPECT_EQ(evidence.document_sections, 0);
  EXPECT_EQ(evidence.broken_links, std::nullopt);
  spec.documents = {"README.md", "docs/b.md"};
  ASSERT_TRUE(MeasureDocuments(spec, folder->path() / "out", evidence));
  EXPECT_EQ(evidence.document_sections, 2);
  EXPECT_EQ(evidence.broken_links, 1);
  spec.documents = {"gone.md"};
  evidence = StaticEvidence{};
  ASSERT_TRUE(MeasureDocuments(spec, folder->path() / "out", evidence));
  EXPECT_EQ(evidence.document_sections, std::nullopt);
}

}  // namespace
}  // namespace assay
