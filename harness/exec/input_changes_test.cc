// SPDX-License-Identifier: Apache-2.0
#include "exec/input_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/file.h"
#include "spec/temporary_repository.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string Of(const std::string& content) { return Sha256(content); }

CellInputs SomeInputs() {
  return {
      .submission = {{"submissions/right/adder/add.cc", Of("s")}},
      .challenge = {{"challenges/adder/suite.cc", Of("c")}},
      .reference = {{"reference/adder/oracle.cc", Of("r")}},
      .harness = {{"harness/client/compare.cc", Of("h")}, {"harness/client/compare.h", Of("i")}}};
}

Evidence MadeFrom(const CellInputs& inputs) {
  Evidence evidence;
  evidence.digests = ToDigests(inputs);
  return evidence;
}

class InputChangesTest : public ::testing::Test {
 protected:
  InputChangesTest() { EXPECT_TRUE(SaveInputs(files_.root(), then_).has_value()); }

  std::vector<std::string> Changes(const CellInputs& now) {
    return ChangesSince(files_.root(), MadeFrom(then_), now);
  }
  fs::path Kept(const std::string& digest) {
    return files_.root() / "reports/evidence/inputs" / (digest + ".txt");
  }

  TemporaryRepository files_;
  CellInputs then_ = SomeInputs();
};

TEST_F(InputChangesTest, SameInputsAreNoChange) { EXPECT_THAT(Changes(then_), IsEmpty()); }

TEST_F(InputChangesTest, EachFileIsNamedWithWhatBecameOfIt) {
  CellInputs now = then_;
  now.reference["reference/adder/oracle.cc"] = Of("other");
  now.harness.erase("harness/client/compare.h");
  now.harness["harness/client/words.h"] = Of("w");
  EXPECT_THAT(Changes(now),
              ElementsAre("reference/adder/oracle.cc changed", "harness/client/compare.h is gone",
                          "harness/client/words.h is new"));
}

TEST_F(InputChangesTest, SummaryNamesTheFirstAndCountsTheRest) {
  EXPECT_EQ(Summary({"a.cc changed"}), "a.cc changed");
  EXPECT_EQ(Summary({"a.cc is gone", "b.cc changed", "c.cc is new"}), "a.cc is gone, and 2 more");
}

TEST_F(InputChangesTest, WithoutWhatWasKeptTheChangedPartIsNamed) {
  CellInputs now = then_;
  now.challenge["challenges/adder/suite.cc"] = Of("other");
  fs::remove(Kept(ToDigests(then_).challenge));
  EXPECT_THAT(Changes(now), ElementsAre("the challenge changed"));
}

TEST_F(InputChangesTest, KeptTextThatIsNotWhatItsNameSaysIsNotBelieved) {
  CellInputs now = then_;
  now.challenge["challenges/adder/suite.cc"] = Of("other");
  const fs::path kept = Kept(ToDigests(then_).challenge);
  ASSERT_TRUE(WriteFileAtomically(kept, ToText({{"harness/other.cc", Of("x")}})).has_value());
  EXPECT_THAT(Changes(now), ElementsAre("the challenge changed"));
  ASSERT_TRUE(SaveInputs(files_.root(), then_).has_value());
  EXPECT_THAT(Changes(now), ElementsAre("challenges/adder/suite.cc changed"));
}

TEST_F(InputChangesTest, EvidenceWithForeignDigestsIsOfUnknownInputs) {
  Evidence evidence;
  evidence.digests = {.submission = "../../../etc/passwd",
                      .challenge = "",
                      .reference = "x",
                      .harness = std::string(64, '0')};
  EXPECT_THAT(ChangesSince(files_.root(), evidence, then_),
              ElementsAre("what it was made from is not on record"));
}

TEST_F(InputChangesTest, OnlyUnusedTextsOfOursAreRemoved) {
  CellInputs now = then_;
  now.harness["harness/client/compare.cc"] = Of("other");
  ASSERT_TRUE(SaveInputs(files_.root(), now).has_value());
  files_.Write("reports/evidence/inputs/notes.txt", "not ours");
  files_.Write("reports/evidence/inputs/" + std::string(64, '0') + ".txt", "not what it says");
  ASSERT_TRUE(RemoveUnusedInputs(files_.root(), {MadeFrom(now)}).has_value());
  EXPECT_FALSE(fs::exists(Kept(ToDigests(then_).harness)));
  EXPECT_TRUE(fs::exists(Kept(ToDigests(now).harness)));
  EXPECT_TRUE(fs::exists(Kept(ToDigests(then_).challenge)));
  EXPECT_TRUE(fs::exists(Kept("notes")));
  EXPECT_TRUE(fs::exists(Kept(std::string(64, '0'))));
}

TEST_F(InputChangesTest, NoFolderIsNothingToRemove) {
  fs::remove_all(files_.root() / "reports");
  EXPECT_TRUE(RemoveUnusedInputs(files_.root(), {}).has_value());
}

}  // namespace
}  // namespace assay
