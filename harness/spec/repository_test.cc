// SPDX-License-Identifier: Apache-2.0
#include "spec/repository.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "spec/faults_for_test.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

TEST(Repository, ReadsAllThatIsThere) {
  const TemporaryRepository files;
  const LoadedRepository loaded = LoadRepository(files.root());
  ASSERT_THAT(loaded.faults, IsEmpty());
  const Repository& repository = loaded.repository;
  ASSERT_THAT(repository.submissions, SizeIs(2));
  const SubmissionSpec& submission = repository.submissions[0];
  EXPECT_EQ(submission.model, "right");
  EXPECT_EQ(submission.challenge, "adder");
  EXPECT_THAT(submission.sources, ElementsAre("add.cc"));
  EXPECT_THAT(submission.headers, ElementsAre("add.h"));
  EXPECT_THAT(submission.tests, ElementsAre("tests/add_test.cc"));
  EXPECT_THAT(submission.benchmarks, ElementsAre(BenchmarkSpec{"tests/add_bench.cc", 2}));
  EXPECT_EQ(submission.answers.at("cost_flops"), "1");
  EXPECT_EQ(submission.claims.at("tensors_saved"), 0);
  const ChallengeSpec* const challenge = FindChallenge(repository, "adder");
  ASSERT_NE(challenge, nullptr);
  EXPECT_EQ(challenge->limits.case_time_limit_ms, 1000);
  EXPECT_EQ(FindQuestion(*challenge, "cost_flops")->group, "cost");
  const Rubric* const rubric = FindRubric(repository, "adder");
  ASSERT_NE(rubric, nullptr);
  const Criterion* const lines = FindCriterion(*rubric, "lines");
  ASSERT_NE(lines, nullptr);
  EXPECT_EQ(lines->tie_within, (Tie{Tie::Kind::kShare, 0.2}));
  EXPECT_THAT(lines->score, ElementsAre(Anchor{10, 100}, Anchor{1000, 0}));
  EXPECT_EQ(rubric->penalties.repaired, 10);
  EXPECT_EQ(FindModel(repository, "wrong")->name, "The wrong one");
  EXPECT_EQ(FindSubmission(repository, {"nobody", "adder"}), nullptr);
}

TEST(CheckRepository, ReportsAllFaultsOfAllFilesAtOnce) {
  const TemporaryRepository files;
  files.Replace(kSubmission, "sources: [add.cc]", "sources: [../x.cc, none.cc]");
  files.Replace(kSubmission, "claims:", "claim:");
  files.Replace(kModel, "The right one", "a|b");
  files.Replace("submissions/wrong/model.yaml", "reconstruction: false\n", "");
  EXPECT_THAT(Faults(files),
              ElementsAre(HasSubstr("submissions/right/model.yaml:2: name"),
                          HasSubstr("submission.yaml:2: sources[0] \"../x.cc\" leads out"),
                          HasSubstr("submission.yaml:2: sources[1] \"none.cc\" does not exist"),
                          HasSubstr("submission.yaml:7: unknown key \"claim\""),
                          HasSubstr("submissions/wrong/model.yaml:1: reconstruction is missing")));
}

TEST(CheckRepository, KeepsWhatIsSoundBesideAFault) {
  const TemporaryRepository files;
  files.Replace(kSubmission, "[add.cc]", "[none.cc]");
  const LoadedRepository loaded = LoadRepository(files.root());
  EXPECT_EQ(FindSubmission(loaded.repository, {"right", "adder"}), nullptr);
  EXPECT_NE(FindSubmission(loaded.repository, {"wrong", "adder"}), nullptr);
}

TEST(CheckRepository, MissingSubmissionYamlNamesTheFile) {
  const TemporaryRepository files;
  fs::remove(files.root() / kSubmission);
  EXPECT_THAT(Faults(files),
              ElementsAre("submissions/right/adder/submission.yaml: cannot be read: No such file "
                          "or directory; create it or correct its path"));
}

TEST(CheckRepository, MissingChallengeFileIsNamed) {
  const TemporaryRepository files;
  fs::remove(files.root() / "challenges/adder/rubric.yaml");
  EXPECT_THAT(Faults(files),
              ElementsAre("challenges/adder/rubric.yaml: a challenge needs this file and it is "
                          "missing; add it; see challenges/README.md"));
}

TEST(CheckRepository, SubmissionToAnUnknownChallengeSuggestsTheNearest) {
  const TemporaryRepository files;
  fs::rename(files.root() / "submissions/right/adder", files.root() / "submissions/right/addr");
  EXPECT_THAT(Faults(files), ElementsAre("submissions/right/addr: there is no challenge \"addr\"; "
                                         "did you mean \"adder\"?"));
}

TEST(CheckRepository, FloodOfFaultsIsCutShort) {
  const TemporaryRepository files;
  std::string yaml = "schema: 1\nsources: [add.cc]\n";
  for (int i = 0; i < 1000; ++i) {
    yaml += "k" + std::to_string(i) + ": 1\n";
  }
  files.Write(kSubmission, yaml);
  const auto faults = Faults(files);
  ASSERT_THAT(faults, SizeIs(51));
  EXPECT_THAT(faults.back(), HasSubstr("has more than 50 faults"));
}

TEST(CheckRepository, HugeYamlIsNotParsed) {
  const TemporaryRepository files;
  files.Write(kSubmission, std::string(300 << 10, '#'));
  EXPECT_THAT(Faults(files), ElementsAre(HasSubstr("is larger than 262144 bytes")));
}

TEST(CheckRepository, DeepNestingIsAFault) {
  const TemporaryRepository files;
  files.Write(kSubmission, "x: " + std::string(2000, '[') + std::string(2000, ']') + "\n");
  EXPECT_THAT(Faults(files), Not(IsEmpty()));
}

TEST(Repository, SubmissionsAreReadToTheChallengesOfAnotherFolder) {
  const TemporaryRepository sources;
  const TemporaryRepository files;
  fs::remove_all(files.root() / "challenges");
  EXPECT_THAT(LoadRepository(files.root()).faults, Not(IsEmpty()));
  const LoadedRepository loaded = LoadRepository(files.root(), sources.root());
  EXPECT_THAT(loaded.faults, IsEmpty());
  EXPECT_THAT(loaded.repository.submissions, SizeIs(2));
  EXPECT_EQ(loaded.repository.root, files.root());
  EXPECT_EQ(loaded.repository.sources, sources.root());
}

TEST(Repository, FaultsOfEitherFolderAreNamedBelowIt) {
  const TemporaryRepository sources;
  const TemporaryRepository files;
  sources.Replace(kRubric, "weight: 2", "weight: -2");
  files.Replace(kModel, "schema: 1", "schema: 7");
  std::vector<std::string> places;
  for (const Error& fault : LoadRepository(files.root(), sources.root()).faults) {
    places.push_back(fault.where.substr(0, fault.where.find(':')));
  }
  EXPECT_THAT(places, ElementsAre(kRubric, kModel));
}

TEST(FindRoot, RepositoryOfSubmissionsNeedsNoChallenges) {
  const TemporaryRepository files;
  fs::remove_all(files.root() / "challenges");
  EXPECT_EQ(FindRoot(files.root() / "submissions/right").value(), fs::canonical(files.root()));
}

TEST(FindRoot, WalksUpToTheFolderWithChallenges) {
  const TemporaryRepository files;
  const auto root = FindRoot(files.root() / "submissions/right/adder");
  ASSERT_TRUE(root.has_value());
  EXPECT_EQ(*root, fs::canonical(files.root()));
  const auto none = FindRoot("/proc");
  ASSERT_FALSE(none.has_value());
  EXPECT_THAT(none.error().remedy, AllOf(HasSubstr("--root"), HasSubstr("assay init")));
}

TEST(Repository, FaultsAreShortPrintableLines) {
  const TemporaryRepository files;
  std::string name = "x";
  for (int i = 0; i < 100; ++i) {
    name += "\xc3\xa9";  // So that a cut after an even number of bytes halves one.
  }
  files.Replace(kModel, "The right one", name);
  files.Replace(kSubmission, "schema: 1", "schema: !<" + std::string(5000, 't') + "> 1");
  const std::vector<std::string> faults = Faults(files);
  ASSERT_THAT(faults, SizeIs(2));
  EXPECT_THAT(faults[0], HasSubstr("\xc3\xa9?...\" is no plain name"));
  EXPECT_LT(faults[1].size(), 1000U);
}

}  // namespace
}  // namespace assay
