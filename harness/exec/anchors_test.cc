// SPDX-License-Identifier: Apache-2.0
#include "exec/anchors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "evidence/json.h"
#include "spec/temporary_repository.h"

namespace assay {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

Evidence AnchorOf(const std::string& name) {
  Evidence evidence;
  evidence.model = name;
  evidence.challenge = "adder";
  evidence.verdict = Verdict::kCompileError;
  evidence.verdict_detail = "build: ";
  evidence.release.verdict = Verdict::kCompileError;
  return evidence;
}

TEST(AnchorsTest, AreReadByName) {
  const TemporaryRepository files;
  files.Write("reports/anchors/adder/baseline.json", EvidenceToJson(AnchorOf("baseline")));
  files.Write("reports/anchors/adder/a_null.json", EvidenceToJson(AnchorOf("a_null")));
  files.Write("reports/anchors/adder/notes.md", "not evidence");
  const auto anchors = LoadAnchors(files.root(), "adder");
  ASSERT_TRUE(anchors.has_value()) << ToString(anchors.error());
  ASSERT_EQ(anchors->size(), 2U);
  EXPECT_EQ(anchors->at(0).model, "a_null");
  EXPECT_EQ(anchors->at(1), AnchorOf("baseline"));
}

TEST(AnchorsTest, WhereNoneAreKeptThereAreNone) {
  const TemporaryRepository files;
  const auto anchors = LoadAnchors(files.root(), "adder");
  ASSERT_TRUE(anchors.has_value());
  EXPECT_THAT(*anchors, IsEmpty());
}

TEST(AnchorsTest, WhatContradictsItselfIsRefused) {
  const TemporaryRepository files;
  Evidence edited = AnchorOf("baseline");
  edited.verdict = Verdict::kAccepted;
  files.Write("reports/anchors/adder/baseline.json", EvidenceToJson(edited));
  const auto anchors = LoadAnchors(files.root(), "adder");
  ASSERT_FALSE(anchors.has_value());
  EXPECT_EQ(anchors.error().kind, ErrorKind::kConfiguration);
  EXPECT_THAT(anchors.error().where, HasSubstr("reports/anchors/adder/baseline.json"));
}

TEST(AnchorsTest, FolderThatCannotBeListedIsAnErrorAndNotEmpty) {
  const TemporaryRepository files;
  files.Write("reports/anchors/adder", "no folder");
  const auto anchors = LoadAnchors(files.root(), "adder");
  ASSERT_FALSE(anchors.has_value());
  EXPECT_EQ(anchors.error().kind, ErrorKind::kConfiguration);
  EXPECT_THAT(anchors.error().cause, HasSubstr("cannot be listed"));
}

TEST(AnchorsTest, AnotherCellsEvidenceIsRefused) {
  const TemporaryRepository files;
  files.Write("reports/anchors/adder/baseline.json", EvidenceToJson(AnchorOf("glm-5")));
  const auto anchors = LoadAnchors(files.root(), "adder");
  ASSERT_FALSE(anchors.has_value());
  EXPECT_THAT(anchors.error().cause, HasSubstr("speaks of glm-5/adder"));
}

}  // namespace
}  // namespace assay
