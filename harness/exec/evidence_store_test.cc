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
  const StoredEvidence stored = LoadAllEvidence(files.root());
  ASSERT_THAT(stored.faults, SizeIs(1));
  EXPECT_THAT(ToString(stored.faults[0]),
              AllOf(HasSubstr("reports/evidence/adder/wrong.json: suite.cases[0].tags"),
                    HasSubstr("what follows is sum, from Sum.Small in right")));
}

TEST(EvidenceStore, LoadAllKeepsTheSoundAndNamesTheBroken) {
  const TemporaryRepository files;
  ASSERT_TRUE(SaveEvidence(files.root(), EvidenceOf("right")).has_value());
  files.Write("reports/evidence/adder/wrong.json", "{");
  files.Write("reports/evidence/adder/notes.txt", "not ours");
  const StoredEvidence stored = LoadAllEvidence(files.root());
  ASSERT_THAT(stored.cells, SizeIs(1));
  EXPECT_EQ(stored.cells[0].model, "right");
  ASSERT_THAT(stored.faults, SizeIs(1));
  EXPECT_THAT(stored.faults[0].where, HasSubstr("wrong.json"));
}

}  // namespace
}  // namespace assay
