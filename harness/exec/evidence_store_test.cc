// SPDX-License-Identifier: Apache-2.0
#include "exec/evidence_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "spec/temporary_repository.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

Evidence EvidenceOf(const std::string& model) {
  Evidence evidence;
  evidence.model = model;
  evidence.challenge = "adder";
  evidence.verdict = Verdict::kAccepted;
  evidence.release.verdict = Verdict::kAccepted;
  evidence.suite.cases = {{.name = "Sum.Small",
                           .tags = {"sum"},
                           .verdict = Verdict::kAccepted,
                           .gates = true,
                           .detail = "",
                           .error_over_bound = {},
                           .seconds = 0}};
  return evidence;
}

TEST(EvidenceStore, LoadsWhatItSaved) {
  const TemporaryRepository files;
  ASSERT_TRUE(SaveEvidence(files.root(), EvidenceOf("right")).has_value());
  const auto loaded = LoadEvidence(files.root(), {"right", "adder"});
  ASSERT_TRUE(loaded.has_value() && loaded->has_value());
  EXPECT_EQ(**loaded, EvidenceOf("right"));
}

TEST(EvidenceStore, CellNeverGradedIsNothing) {
  const TemporaryRepository files;
  const auto loaded = LoadEvidence(files.root(), {"right", "adder"});
  ASSERT_TRUE(loaded.has_value());
  EXPECT_FALSE(loaded->has_value());
}

TEST(EvidenceStore, EvidenceOfAnotherCellIsRefused) {
  const TemporaryRepository files;
  ASSERT_TRUE(SaveEvidence(files.root(), EvidenceOf("right")).has_value());
  fs::rename(EvidencePath(files.root(), {"right", "adder"}),
             EvidencePath(files.root(), {"wrong", "adder"}));
  const auto loaded = LoadEvidence(files.root(), {"wrong", "adder"});
  ASSERT_FALSE(loaded.has_value());
  EXPECT_EQ(loaded.error().kind, ErrorKind::kConfiguration);
  EXPECT_THAT(ToString(loaded.error()), HasSubstr("speaks of right/adder"));
}

TEST(EvidenceStore, EvidenceEditedByHandIsRefused) {
  const TemporaryRepository files;
  Evidence edited = EvidenceOf("right");
  edited.suite.cases[0].verdict = Verdict::kWrongAnswer;
  edited.suite.cases[0].detail = "y[0] is off";
  ASSERT_TRUE(SaveEvidence(files.root(), edited).has_value());
  const auto loaded = LoadEvidence(files.root(), {"right", "adder"});
  ASSERT_FALSE(loaded.has_value());
  EXPECT_EQ(loaded.error().kind, ErrorKind::kConfiguration);
  EXPECT_THAT(ToString(loaded.error()),
              AllOf(HasSubstr("reports/evidence/adder/right.json: verdict says accepted; what "
                              "follows is wrong_answer, from Sum.Small: y[0] is off"),
                    HasSubstr("assay grade --force")));
}

TEST(EvidenceStore, CasesThatTheOtherModelsOfThatJudgeDoNotHaveAreNamed) {
  const TemporaryRepository files;
  ASSERT_TRUE(SaveEvidence(files.root(), EvidenceOf("right")).has_value());
  Evidence edited = EvidenceOf("wrong");
  edited.suite.cases[0].tags = {};
  ASSERT_TRUE(SaveEvidence(files.root(), edited).has_value());
  const auto stored = LoadAllEvidence(files.root());
  ASSERT_TRUE(stored.has_value());
  ASSERT_THAT(stored->unsound, SizeIs(1));
  EXPECT_EQ(stored->unsound[0].cell, (CellId{.model = "wrong", .challenge = "adder"}));
  EXPECT_THAT(ToString(stored->unsound[0].fault),
              AllOf(HasSubstr("reports/evidence/adder/wrong.json: suite.cases[0].tags"),
                    HasSubstr("what follows is sum, from Sum.Small in right")));
  ASSERT_THAT(stored->cells, SizeIs(1));
  EXPECT_EQ(stored->cells[0].model, "right");
}

TEST(EvidenceStore, WhatMostModelsSayOfTheCasesHoldsWhoeverComesFirst) {
  Evidence edited = EvidenceOf("a");
  edited.suite.cases[0].tags = {};
  const std::vector<Evidence> cells = {edited, EvidenceOf("b"), EvidenceOf("c")};
  const std::vector<UnsoundEvidence> unsound = CheckAgainstEachOther("", cells);
  ASSERT_THAT(unsound, SizeIs(1));
  EXPECT_EQ(unsound[0].cell.model, "a");
  EXPECT_THAT(unsound[0].fault.cause, HasSubstr("from Sum.Small in b"));
}

TEST(EvidenceStore, WhoRanOneSuiteAloneSpeaksForThoseWhoRanBoth) {
  Evidence edited = EvidenceOf("a");
  edited.suite.cases[0].tags = {};
  Evidence both = EvidenceOf("b");
  both.sanitized_suite.cases = both.suite.cases;
  const std::vector<UnsoundEvidence> unsound =
      CheckAgainstEachOther("", {edited, both, EvidenceOf("c")});
  ASSERT_THAT(unsound, SizeIs(1));
  EXPECT_EQ(unsound[0].cell.model, "a");
}

TEST(EvidenceStore, CellsOfAnotherJudgeOrWithoutASuiteContradictNobody) {
  Evidence of_another = EvidenceOf("a");
  of_another.digests.reference = "another";
  of_another.suite.cases[0].tags = {};
  Evidence not_run = EvidenceOf("b");
  not_run.suite.cases.clear();
  EXPECT_TRUE(CheckAgainstEachOther("", {of_another, not_run, EvidenceOf("c")}).empty());
}

TEST(EvidenceStore, LoadAllKeepsTheSoundAndNamesTheBroken) {
  const TemporaryRepository files;
  ASSERT_TRUE(SaveEvidence(files.root(), EvidenceOf("right")).has_value());
  files.Write("reports/evidence/adder/wrong.json", "{");
  files.Write("reports/evidence/adder/notes.txt", "not ours");
  files.Write("reports/evidence/notes", "not ours either");
  const auto stored = LoadAllEvidence(files.root());
  ASSERT_TRUE(stored.has_value());
  ASSERT_THAT(stored->cells, SizeIs(1));
  EXPECT_EQ(stored->cells[0].model, "right");
  ASSERT_THAT(stored->unsound, SizeIs(1));
  EXPECT_THAT(stored->unsound[0].fault.where, HasSubstr("wrong.json"));
}

// Taken for none, evidence in a folder without permissions took its reports away with it. A link to
// itself cannot be listed by root either.
TEST(EvidenceStore, FolderThatCannotBeListedIsAnErrorAndNotEmpty) {
  for (const char* const folder : {"reports/evidence", "reports/evidence/adder"}) {
    const TemporaryRepository files;
    fs::create_directories((files.root() / folder).parent_path());
    fs::create_directory_symlink(fs::path(folder).filename(), files.root() / folder);
    const auto stored = LoadAllEvidence(files.root());
    ASSERT_FALSE(stored.has_value()) << folder;
    EXPECT_EQ(stored.error().kind, ErrorKind::kConfiguration);
    EXPECT_EQ(stored.error().where, files.root() / folder);
    EXPECT_THAT(stored.error().cause, HasSubstr("cannot be listed"));
    EXPECT_FALSE(LoadEvidence(files.root(), {"right", "adder"}).has_value()) << folder;
  }
}

TEST(EvidenceStore, WhereNothingWasGradedThereIsNoneAndNoError) {
  const TemporaryRepository files;
  const auto stored = LoadAllEvidence(files.root());
  ASSERT_TRUE(stored.has_value());
  EXPECT_TRUE(stored->cells.empty());
}

}  // namespace
}  // namespace assay
