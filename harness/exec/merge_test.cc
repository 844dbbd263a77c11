// SPDX-License-Identifier: Apache-2.0
#include "exec/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/temporary.h"
#include "evidence/json.h"
#include "exec/evidence_store.h"
#include "exec/input_changes.h"
#include "spec/temporary_repository.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Action = MergedCell::Action;

class MergeTest : public ::testing::Test {
 protected:
  MergeTest() {
    files_.Write("reference/adder/oracle.cc", "// oracle\n");
    files_.Write("build/inputs/adder.sources", "reference/adder/oracle.cc\n");
  }

  [[nodiscard]] InputPlaces Places() const {
    return {.folder = files_.root() / "build/inputs", .sources = files_.root()};
  }
  [[nodiscard]] Evidence Graded(const std::string& model) const {
    const LoadedRepository loaded = LoadRepository(files_.root());
    InputReader reader(Places());
    const CellId id{model, "adder"};
    Evidence evidence;
    evidence.model = model;
    evidence.challenge = "adder";
    evidence.model_name = FindModel(loaded.repository, model)->name;
    evidence.verdict = Verdict::kAccepted;
    evidence.release.verdict = Verdict::kAccepted;
    evidence.suite.cases = {{.name = "Sum.Small",
                             .tags = {"sum"},
                             .verdict = Verdict::kAccepted,
                             .gates = true,
                             .detail = "",
                             .error_over_bound = {},
                             .seconds = 0}};
    evidence.digests =
        ToDigests(*reader.Read(files_.root(), *FindSubmission(loaded.repository, id)));
    return evidence;
  }
  // What `grade --out` leaves in the folder `name`.
  fs::path Shard(const std::string& name, const std::vector<Evidence>& cells) const {
    const fs::path folder = shards_.path() / name;
    const LoadedRepository loaded = LoadRepository(files_.root());
    InputReader reader(Places());
    for (const Evidence& cell : cells) {
      EXPECT_TRUE(SaveEvidence(folder, cell).has_value());
      const SubmissionSpec& submission =
          *FindSubmission(loaded.repository, {cell.model, cell.challenge});
      EXPECT_TRUE(SaveInputs(folder, *reader.Read(files_.root(), submission)).has_value());
    }
    return folder;
  }
  [[nodiscard]] Checked<MergePlan> Plan(const std::vector<fs::path>& folders,
                                        Unsigned is_unsigned = Unsigned::kTaken) const {
    const LoadedRepository loaded = LoadRepository(files_.root());
    InputReader reader(Places());
    return PlanMerge(loaded.repository, reader, folders, is_unsigned);
  }
  // The faults of merging, one a line.
  [[nodiscard]] std::string FaultsOf(const std::vector<fs::path>& folders,
                                     Unsigned is_unsigned = Unsigned::kTaken) const {
    const auto plan = Plan(folders, is_unsigned);
    std::string faults;
    for (const Error& fault : plan ? Errors{} : plan.error()) {
      faults += ToString(fault) + "\n";
    }
    return faults;
  }
  static void Write(const fs::path& path, const std::string& content) {
    ASSERT_TRUE(WriteFileAtomically(path, content).has_value());
  }

  TemporaryRepository files_;
  TemporaryDirectory shards_ = *TemporaryDirectory::Create(fs::temp_directory_path(), "shards");
};

TEST_F(MergeTest, TakesTheCellsOfAllFoldersWithWhatTheyWereMadeFrom) {
  const auto plan = Plan({Shard("a", {Graded("right")}), Shard("b", {Graded("wrong")})});
  ASSERT_TRUE(plan.has_value());
  EXPECT_THAT(plan->cells, SizeIs(2));
  EXPECT_FALSE(fs::exists(files_.root() / "reports")) << "planning writes nothing";
  ASSERT_TRUE(CarryOut(files_.root(), *plan).has_value());
  const auto stored = LoadAllEvidence(files_.root());
  ASSERT_TRUE(stored.has_value());
  EXPECT_THAT(stored->unsound, IsEmpty());
  ASSERT_THAT(stored->cells, SizeIs(2));
  EXPECT_EQ(stored->cells[0], Graded("right"));
  // Of five lists two are empty, and one file.
  EXPECT_EQ(ListFiles(files_.root() / "reports")->size(), 2U + 4U);
  EXPECT_EQ(Plan({shards_.path() / "a"})->cells[0].action, Action::kSame);
}

TEST_F(MergeTest, CellInTwoFoldersMustBeTheSame) {
  Evidence other = Graded("right");
  const fs::path a = Shard("a", {other});
  EXPECT_EQ(FaultsOf({a, Shard("b", {other})}), "");
  other.environment.seed = 8;
  EXPECT_THAT(FaultsOf({a, Shard("c", {other})}), HasSubstr("one cell was graded twice"));
}

TEST_F(MergeTest, EvidenceMadeFromOtherFilesIsRefusedAndNamesTheFile) {
  const fs::path a = Shard("a", {Graded("right")});
  files_.Write("reference/adder/oracle.cc", "// edited\n");
  EXPECT_THAT(FaultsOf({a}), HasSubstr("right.json: was made from other files than are here: "
                                       "reference/adder/oracle.cc changed"));
}

TEST_F(MergeTest, EvidenceOfNoSubmissionOrOfAnotherNameIsRefused) {
  const fs::path a = Shard("a", {Graded("right")});
  Evidence stranger = Graded("right");
  stranger.model = "stranger";
  ASSERT_TRUE(SaveEvidence(a, stranger).has_value());
  EXPECT_THAT(FaultsOf({a}), HasSubstr("that this repository does not have"));
  Evidence renamed = Graded("right");
  renamed.model_name = "# The best";
  EXPECT_THAT(FaultsOf({Shard("b", {renamed})}), HasSubstr("does not name its model"));
}

TEST_F(MergeTest, SubmissionAtFaultIsNotCalledOneThatIsNotThere) {
  const fs::path a = Shard("a", {Graded("right")});
  files_.Write("submissions/right/adder/submission.yaml", "schema: 1\n");
  EXPECT_THAT(FaultsOf({a}), HasSubstr("is of a submission that is at fault here"));
}

TEST_F(MergeTest, EditedEvidenceIsRefused) {
  Evidence edited = Graded("right");
  edited.suite.cases[0].detail = "off";
  EXPECT_THAT(FaultsOf({Shard("a", {edited})}), HasSubstr("suite.cases[0].verdict says accepted"));
  const fs::path b = Shard("b", {Graded("right")});
  Write(b / "reports/evidence/adder/right.json", EvidenceToJson(Graded("right")) + "\n");
  EXPECT_THAT(FaultsOf({b}), HasSubstr("is not written as Assay writes evidence"));
  Evidence other_tags = Graded("wrong");
  other_tags.suite.cases[0].tags = {};
  EXPECT_THAT(FaultsOf({Shard("c", {Graded("right"), other_tags})}), HasSubstr("tags"));
}

TEST_F(MergeTest, WhatGradeDoesNotWriteIsRefused) {
  const fs::path a = Shard("a", {Graded("right")});
  const fs::path evidence = a / "reports/evidence";
  for (const char* name : {"adder/run.sh", "adder/right.json.tmp.aBcDeF", "x/y/z.json", "notes.txt",
                           "adder/wrong.json.sig", "inputs/0123.txt"}) {
    Write(evidence / name, "#!/bin/sh\n");
    EXPECT_NE(FaultsOf({a}), "") << name;
    fs::remove_all(evidence / "x");
    fs::remove(evidence / name);
  }
  EXPECT_EQ(FaultsOf({a}), "");
  fs::create_symlink("/etc/passwd", evidence / "adder/wrong.json");
  EXPECT_THAT(FaultsOf({a}), HasSubstr("is no regular file"));
  fs::remove(evidence / "adder/wrong.json");
  fs::rename(evidence, a / "elsewhere");
  fs::create_directory_symlink(a / "elsewhere", evidence);
  EXPECT_THAT(FaultsOf({a}), HasSubstr("is no folder"));
}

TEST_F(MergeTest, FolderThatIsNotThereIsRefusedAndOneWithoutEvidenceIsAnEmptyShard) {
  EXPECT_THAT(FaultsOf({shards_.path() / "nowhere"}), HasSubstr("nowhere: is no folder"));
  const auto plan = Plan({shards_.path()});
  ASSERT_TRUE(plan.has_value());
  EXPECT_THAT(plan->cells, IsEmpty());
}

TEST_F(MergeTest, UnsignedEvidenceIsRefusedOnRequest) {
  EXPECT_THAT(FaultsOf({Shard("a", {Graded("right")})}, Unsigned::kRefused),
              HasSubstr("right.json: is not signed"));
}

TEST_F(MergeTest, SignatureThatDoesNotHoldIsRefused) {
  const fs::path a = Shard("a", {Graded("right")});
  Write(a / "reports/evidence/adder/right.json.sig", "none");
  files_.Write(".ci/allowed_signers", "");
  EXPECT_THAT(FaultsOf({a}), HasSubstr("is refused: its signature is none of ssh"));
}

TEST_F(MergeTest, FailureOfTheJudgeReplacesNoEvidenceThatHolds) {
  ASSERT_TRUE(SaveEvidence(files_.root(), Graded("right")).has_value());
  Evidence failed = Graded("right");
  failed.verdict = Verdict::kJudgeError;
  failed.verdict_detail = "the suite died";
  const auto plan = Plan({Shard("a", {failed})});
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->cells[0].action, Action::kLeftOut);
  EXPECT_THAT(plan->files, IsEmpty());
}

TEST_F(MergeTest, SignatureOfWhatIsReplacedGoes) {
  Evidence old = Graded("right");
  old.environment.seed = 8;
  ASSERT_TRUE(SaveEvidence(files_.root(), old).has_value());
  const std::string signature = "reports/evidence/adder/right.json.sig";
  files_.Write(signature, "old");
  const auto plan = Plan({Shard("a", {Graded("right")})});
  ASSERT_TRUE(plan.has_value());
  ASSERT_TRUE(CarryOut(files_.root(), *plan).has_value());
  EXPECT_FALSE(fs::exists(files_.root() / signature));
}

TEST_F(MergeTest, WhereOneFileCannotBeWrittenNoneIs) {
  const auto plan = Plan({Shard("a", {Graded("right")})});
  ASSERT_TRUE(plan.has_value());
  files_.Write("reports/evidence/inputs", "in the way");
  EXPECT_FALSE(CarryOut(files_.root(), *plan).has_value());
  EXPECT_FALSE(fs::exists(files_.root() / "reports/evidence/adder/right.json"));
  EXPECT_EQ(ListFiles(files_.root() / "reports")->size(), 1U);
}

}  // namespace
}  // namespace assay
