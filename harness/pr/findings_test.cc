// SPDX-License-Identifier: Apache-2.0
#include "pr/findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "score/synthetic.h"

namespace assay {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::vector<std::string> kFiles = {"add.cc", "src/deep.cu", "b.cc"};

TEST(FindPlace, AsToolsWriteThem) {
  EXPECT_EQ(FindPlace("add.cc:12:3: error: no", kFiles), (Place{"add.cc", 12, 3}));
  EXPECT_EQ(FindPlace("add.cc:12: error: no", kFiles), (Place{"add.cc", 12, 0}));
  EXPECT_EQ(FindPlace("src/deep.cu(7): error: no", kFiles), (Place{"src/deep.cu", 7, 0}));
  EXPECT_EQ(FindPlace("SUMMARY: overflow /tmp/x/src/deep.cu:9:1 in f", kFiles),
            (Place{"src/deep.cu", 9, 1}));
  EXPECT_EQ(FindPlace("in f at add.cc:1, then add.cc:2", kFiles), (Place{"add.cc", 1, 0}));
}

TEST(FindPlace, NamesNothingButFilesOfTheSubmission) {
  EXPECT_EQ(FindPlace("/etc/passwd:1:1: error", kFiles), std::nullopt);
  EXPECT_EQ(FindPlace("glib.cc:4:1: error", kFiles), std::nullopt);  // Ends in b.cc.
  EXPECT_EQ(FindPlace("add.cc: error", kFiles), std::nullopt);
  EXPECT_EQ(FindPlace("add.cc:-4", kFiles), std::nullopt);
  EXPECT_EQ(FindPlace("add.cc:0", kFiles), std::nullopt);
  EXPECT_EQ(FindPlace("add.cc:99999999999999999999", kFiles), std::nullopt);
  EXPECT_EQ(FindPlace("add.cc(4", kFiles), std::nullopt);
  EXPECT_EQ(FindPlace("add.cc:", kFiles), std::nullopt);
  EXPECT_EQ(FindPlace("", kFiles), std::nullopt);
}

ChangedCell CellWith(Evidence evidence) {
  ChangedCell cell;
  cell.cell = {"m", "adder"};
  cell.files = kFiles;
  cell.after = std::move(evidence);
  return cell;
}

TEST(FindingsOf, CompilersErrorsEachAtItsLine) {
  Evidence evidence = synthetic::MakeCell("m");
  evidence.release.verdict = Verdict::kCompileError;
  evidence.release.diagnostics =
      "In file included from add.cc:1:\nadd.cc:3:1: error: one\n  3 | x\nb.cc:5:2: error: two\n";
  const auto findings = FindingsOf(CellWith(evidence), 10);
  ASSERT_THAT(findings, SizeIs(2));
  EXPECT_EQ(findings[0].kind, Finding::Kind::kCompiler);
  EXPECT_EQ(findings[0].place, (Place{"add.cc", 3, 1}));
  EXPECT_EQ(PathOf(findings[1]), "submissions/m/adder/b.cc");
  EXPECT_THAT(FindingsOf(CellWith(evidence), 1), SizeIs(1));
}

TEST(FindingsOf, WhatHasNoLineIsAtTheSheet) {
  Evidence evidence = synthetic::MakeCell("m");
  evidence.release.verdict = Verdict::kTimeLimit;
  const auto findings = FindingsOf(CellWith(evidence), 10);
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].place, (Place{"submission.yaml", 0, 0}));
  EXPECT_EQ(findings[0].message, "time_limit");
}

TEST(FindingsOf, ToolsAndTheFirstFailingCase) {
  Evidence evidence = synthetic::MakeCell("m");
  evidence.sanitizer_findings = {"AddressSanitizer: heap-buffer-overflow (SUMMARY: /w/b.cc:4:2)"};
  evidence.suite.device_findings = {
      {.checker = "racecheck", .text = "write after write at deep.cu:71 in k"}};
  evidence.suite.cases = {synthetic::MakeCase("Sum.One", {"sum"}, Verdict::kAccepted),
                          synthetic::MakeCase("Sum.Two", {"sum"}, Verdict::kWrongAnswer, "off"),
                          synthetic::MakeCase("Sum.Six", {"sum"}, Verdict::kWrongAnswer, "off")};
  const auto findings = FindingsOf(CellWith(evidence), 10);
  ASSERT_THAT(findings, SizeIs(3));
  EXPECT_EQ(findings[0].place, (Place{"b.cc", 4, 2}));
  EXPECT_EQ(findings[1].kind, Finding::Kind::kDevice);
  EXPECT_EQ(findings[1].place, (Place{"src/deep.cu", 71, 0}));
  EXPECT_THAT(findings[2].message, HasSubstr("Sum.Two (wrong_answer): off"));
}

TEST(FindingsOf, AcceptedCellHasNone) {
  EXPECT_THAT(FindingsOf(CellWith(synthetic::MakeCell("m")), 10), IsEmpty());
}

}  // namespace
}  // namespace assay
