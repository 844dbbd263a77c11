// SPDX-License-Identifier: Apache-2.0
#include "spec/repository.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>
#include <vector>

#include "base/file.h"
#include "spec/temporary_repository.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

std::vector<std::string> Faults(const TemporaryRepository& repository) {
  std::vector<std::string> faults;
  for (const Error& error : CheckRepository(repository.root())) {
    EXPECT_EQ(error.kind, ErrorKind::kConfiguration);
    faults.push_back(ToString(error));
  }
  return faults;
}

constexpr const char* kSubmission = "submissions/right/adder/submission.yaml";
constexpr const char* kChallenge = "challenges/adder/challenge.yaml";
constexpr const char* kRubric = "challenges/adder/rubric.yaml";
constexpr const char* kModel = "submissions/right/model.yaml";

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

// One change to a valid repository, and the one fault that it must give, word for word.
struct BadFile {
  const char* name;
  const char* file;
  const char* from;
  const char* to;
  const char* fault;
};

void PrintTo(const BadFile& bad, std::ostream* out) { *out << bad.name; }

class BadFileTest : public ::testing::TestWithParam<BadFile> {};

TEST_P(BadFileTest, IsOneFaultWithItsLineCauseAndRemedy) {
  const TemporaryRepository files;
  files.Replace(GetParam().file, GetParam().from, GetParam().to);
  EXPECT_THAT(Faults(files), ElementsAre(GetParam().fault));
}

INSTANTIATE_TEST_SUITE_P(
    Submission, BadFileTest,
    ::testing::Values(
        BadFile{"MissingFile", kSubmission, "[add.cc]", "[cache.cpp]",
                "submissions/right/adder/submission.yaml:2: sources[0] \"cache.cpp\" does not "
                "exist; list files relative to this directory"},
        BadFile{"MisspeltFile", kSubmission, "[add.cc]", "[adds.cc]",
                "submissions/right/adder/submission.yaml:2: sources[0] \"adds.cc\" does not "
                "exist; did you mean \"add.cc\"?"},
        BadFile{"ParentFolder", kSubmission, "[add.cc]", "[../../wrong/adder/add.cc]",
                "submissions/right/adder/submission.yaml:2: sources[0] "
                "\"../../wrong/adder/add.cc\" leads out of the submission; list files relative to "
                "this directory"},
        BadFile{"AbsolutePath", kSubmission, "[add.cc]", "[/etc/passwd]",
                "submissions/right/adder/submission.yaml:2: sources[0] \"/etc/passwd\" leads out "
                "of the submission; list files relative to this directory"},
        BadFile{"OptionAsPath", kSubmission, "[add.cc]", "[-fplugin=x.cc]",
                "submissions/right/adder/submission.yaml:2: sources[0] \"-fplugin=x.cc\" is not a "
                "plain path; use letters, digits, \".\", \"_\", \"+\", \"-\" and \"/\""},
        BadFile{"HeaderAsSource", kSubmission, "[add.cc]", "[add.h]",
                "submissions/right/adder/submission.yaml:2: sources[0] \"add.h\" is not a source "
                "file; its name must end with .cc, .cpp, .cxx"},
        BadFile{"DuplicateSource", kSubmission, "[add.cc]", "[add.cc, add.cc]",
                "submissions/right/adder/submission.yaml:2: sources[1] \"add.cc\" is there twice; "
                "list each file once"},
        BadFile{"NoSources", kSubmission, "[add.cc]", "[]",
                "submissions/right/adder/submission.yaml:2: sources is an empty list; list at "
                "least one"},
        BadFile{"UnknownKey", kSubmission, "tests:", "test:",
                "submissions/right/adder/submission.yaml:3: unknown key \"test\"; did you mean "
                "\"tests\"?"},
        BadFile{"TextForList", kSubmission, "[add.cc]", "add.cc",
                "submissions/right/adder/submission.yaml:2: sources is a single value, not a "
                "list; write a list: [a, b]"},
        BadFile{"NoConfigurations", kSubmission, "configurations: 2", "configurations: 0",
                "submissions/right/adder/submission.yaml:5: benchmarks[0].configurations is 0, "
                "which is out of range; write a whole number from 1 to 10000"},
        BadFile{"UnknownQuestion", kSubmission, "cost_flops: 1", "cost_flop: 1",
                "submissions/right/adder/submission.yaml:6: adder has no question \"cost_flop\"; "
                "did you mean \"cost_flops\"?"},
        BadFile{"UnknownClaim", kSubmission, "tensors_saved: 0", "speed: 9",
                "submissions/right/adder/submission.yaml:7: adder has no claim \"speed\"; choose "
                "one of tensors_saved"},
        BadFile{"ClaimWithoutNumber", kSubmission, "tensors_saved: 0", "tensors_saved: few",
                "submissions/right/adder/submission.yaml:7: claims.tensors_saved \"few\" is not a "
                "number; write a finite number without quotes"},
        BadFile{"InfiniteClaim", kSubmission, "tensors_saved: 0", "tensors_saved: inf",
                "submissions/right/adder/submission.yaml:7: claims.tensors_saved \"inf\" is not a "
                "number; write a finite number without quotes"},
        BadFile{"OtherSchema", kSubmission, "schema: 1", "schema: 2",
                "submissions/right/adder/submission.yaml:1: schema is 2; this Assay reads schema "
                "1; write that, or update Assay"},
        BadFile{"PatchElsewhere", kSubmission,
                "claims:", "patch: {file: add.h, reason: A misspelt name}\nclaims:",
                "submissions/right/adder/submission.yaml:7: patch.file \"add.h\" is not in "
                "patches/; move it there, so that nobody takes it for a source"},
        BadFile{"AliasBomb", kSubmission, "claims:", "x: &a [1]\ny: *a\nclaims:",
                "submissions/right/adder/submission.yaml:8: an alias (\"*name\") is not allowed; "
                "write the value out"},
        BadFile{"DuplicateKey", kSubmission, "claims:", "schema: 1\nclaims:",
                "submissions/right/adder/submission.yaml:7: the key \"schema\" is already in line "
                "1; keep one of the two"},
        BadFile{"Tag", kSubmission, "[add.cc]", "!!python/object [add.cc]",
                "submissions/right/adder/submission.yaml:2: the tag "
                "\"tag:yaml.org,2002:python/object\" is not allowed; remove it"},
        BadFile{"BrokenSyntax", kSubmission, "[add.cc]", "[add.cc",
                "submissions/right/adder/submission.yaml:3: is not valid YAML: end of sequence "
                "flow not found; correct the syntax"},
        BadFile{"SecondDocument", kSubmission, "schema: 1", "a: 1\n---\nschema: 1",
                "submissions/right/adder/submission.yaml: holds more than one document; keep the "
                "first; remove the rest"},
        BadFile{"ControlCharacter", kSubmission, "memory}", "\"mem\x1b[2Jory\"}",
                "submissions/right/adder/submission.yaml:6: holds the control character U+001B; "
                "remove it; files are UTF-8 without control characters"},
        BadFile{"ReorderingCharacter", kSubmission, "memory}", "mem\xe2\x80\xaeory}",
                "submissions/right/adder/submission.yaml:6: holds the control character U+202E; "
                "remove it; files are UTF-8 without control characters"},
        BadFile{"NotUtf8", kSubmission, "memory}", "mem\xffory}",
                "submissions/right/adder/submission.yaml:6: holds bytes that are not UTF-8; "
                "remove it; files are UTF-8 without control characters"},
        BadFile{"EscapedControlCharacter", kSubmission, "memory}", "\"mem\\e[2Jory\"}",
                "submissions/right/adder/submission.yaml:6: a text holds the control character "
                "U+001B; remove the escape"},
        BadFile{"EscapedControlCharacterInAKey", kSubmission, "claims:", "\"\\x9b\": 1\nclaims:",
                "submissions/right/adder/submission.yaml:7: a text holds the control character "
                "U+009B; remove the escape"}));

INSTANTIATE_TEST_SUITE_P(
    Model, BadFileTest,
    ::testing::Values(
        BadFile{"MarkdownInName", kModel, "The right one", "\"**The** [best](http://x)\"",
                "submissions/right/model.yaml:2: name \"**The** [best](http://x)\" is no plain "
                "name; use letters, digits, spaces and . _ - + ( ) :, at most 64 of them; "
                "markdown and HTML are not allowed"},
        BadFile{"FlagAsText", kModel, "reconstruction: false", "reconstruction: no",
                "submissions/right/model.yaml:3: reconstruction \"no\" is neither true nor false; "
                "write true or false without quotes"},
        BadFile{"MissingKey", kModel, "source: A test.\n", "",
                "submissions/right/model.yaml:1: source is missing; add it"}));

INSTANTIATE_TEST_SUITE_P(
    Challenge, BadFileTest,
    ::testing::Values(
        BadFile{"OtherId", kChallenge, "id: adder", "id: subtracter",
                "challenges/adder/challenge.yaml:2: id \"subtracter\" is not the name of the "
                "directory, \"adder\"; make them equal"},
        BadFile{"LimitWithUnit", kChallenge, "case_time_limit_ms: 1000", "case_time_limit_ms: 1s",
                "challenges/adder/challenge.yaml:7: limits.case_time_limit_ms \"1s\" is not a "
                "whole number; write a whole number from 1 to 600000"},
        BadFile{"DuplicateEntryPoint", kChallenge, "add_f64", "add_f32",
                "challenges/adder/challenge.yaml:13: entry_points[1] \"add_f32\" is there twice; "
                "give each its own id"},
        BadFile{"UnknownLanguage", kChallenge, "languages: [c++]", "languages: [cobol]",
                "challenges/adder/challenge.yaml:5: languages[0] \"cobol\" is unknown; choose one "
                "of c++, cuda"},
        BadFile{"EmptyValue", kChallenge, "title: Adder", "title:",
                "challenges/adder/challenge.yaml:3: title is empty, not a text; write a text"}));

INSTANTIATE_TEST_SUITE_P(
    Rubric, BadFileTest,
    ::testing::Values(
        BadFile{"UnknownDimension", kRubric, "dimension: quality", "dimension: qualty",
                "challenges/adder/rubric.yaml:15: criteria[1].dimension \"qualty\" is unknown; "
                "did you mean \"quality\"?"},
        BadFile{"DimensionWithoutCriteria", kRubric, "dimension: quality", "dimension: correctness",
                "challenges/adder/rubric.yaml:3: the weights of the criteria of \"quality\" sum "
                "to 0; give at least one of them a weight above 0, or the dimension a weight of 0"},
        BadFile{"NoWeights", kRubric,
                "title: Correctness, weight: 2}\n  - {id: quality, title: Code Quality, weight: 1}",
                "title: Correctness, weight: 0}\n  - {id: quality, title: Code Quality, weight: 0}",
                "challenges/adder/rubric.yaml:3: the weights of the dimensions sum to 0; give at "
                "least one a weight above 0"},
        BadFile{"UnknownFunction", kRubric, "pass_rate(sum)", "passrate(sum)",
                "challenges/adder/rubric.yaml:10: criteria[0].value: the value function "
                "\"passrate\" is unknown; did you mean \"pass_rate\"?"},
        BadFile{"MissingArgument", kRubric, "pass_rate(sum)", "pass_rate",
                "challenges/adder/rubric.yaml:10: criteria[0].value: pass_rate does not take 0 "
                "arguments; write \"pass_rate(name, ...)\""},
        BadFile{"UnknownField", kRubric, "static(code_lines)", "static(lines_of_code)",
                "challenges/adder/rubric.yaml:19: criteria[1].value: static knows no "
                "\"lines_of_code\"; choose one of files, code_lines, source_code_lines, "
                "code_lines_per_operation, largest_file_share, largest_file_lines, "
                "longest_function_lines, cognitive_complexity, "
                "warnings_per_1000_lines, "
                "unused_device_functions, duplicated_share, document_sections, "
                "broken_links"},
        BadFile{"HomeOfNoCriterion", kRubric, "pass_rate(sum)",
                "own_tests(mutants_killed_share, summs)",
                "challenges/adder/rubric.yaml:10: criteria[0].value: \"summs\" is no criterion of "
                "the rubric; did you mean \"sums\"?"},
        BadFile{"HomeOfAnotherField", kRubric, "pass_rate(sum)", "own_tests(shipped, sums)",
                "challenges/adder/rubric.yaml:10: criteria[0].value: own_tests knows no "
                "\"shipped\"; choose one of mutants_killed_share"},
        BadFile{"CurveOfNoPoints", kRubric, "pass_rate(sum)", "curve(error, 0)",
                "challenges/adder/rubric.yaml:10: criteria[0].value: \"0\" is no number of points; "
                "write how many the suite measures, from 1 to 1000"},
        BadFile{"UnknownChecker", kRubric, "pass_rate(sum)", "device_findings(raceheck)",
                "challenges/adder/rubric.yaml:10: criteria[0].value: device_findings knows no "
                "\"raceheck\"; did you mean \"racecheck\"?"},
        BadFile{
            "NeedsNoEntryPoint", kRubric, "format: percent", "needs: [add_f32, add_f65]",
            "challenges/adder/rubric.yaml:14: criteria[0].needs[1] \"add_f65\" is no entry point "
            "of adder; did you mean \"add_f64\"?"},
        BadFile{"NeedsCasesOfNoTag", kRubric, "format: percent", "needs_cases: [sum]",
                "challenges/adder/rubric.yaml:14: criteria[0].needs_cases is a list, not a text; "
                "write a text"},
        BadFile{"WorkOfNoTag", kRubric, "penalties: {", "work: [a|b]\npenalties: {",
                "challenges/adder/rubric.yaml:24: work[0] \"a|b\" is no plain name; use letters, "
                "digits, "
                "spaces and . _ - + ( ) :, at most 64 of them; markdown and HTML are not allowed"},
        BadFile{"UnknownEntryPoint", kRubric, "pass_rate(sum)",
                "\"entry_points(add_f32, add_f16)\"",
                "challenges/adder/rubric.yaml:10: criteria[0].value: entry_points knows no "
                "\"add_f16\"; did you mean \"add_f32\"?"},
        BadFile{"UnknownQuestionGroup", kRubric, "pass_rate(sum)", "answers(costs)",
                "challenges/adder/rubric.yaml:10: criteria[0].value: answers knows no \"costs\"; "
                "did you mean \"cost\"?"},
        BadFile{"ValuesDescend", kRubric, "[[0, 0], [1, 100]]", "[[1, 0], [0, 100]]",
                "challenges/adder/rubric.yaml:6: criteria[0].score has values that do not ascend; "
                "order the anchors by value, each value once"},
        BadFile{"ScoresGoUpAndDown", kRubric, "[[0, 0], [1, 100]]", "[[0, 0], [1, 100], [2, 50]]",
                "challenges/adder/rubric.yaml:6: criteria[0].score goes up and down; let scores "
                "only rise, or only fall, with the value"},
        BadFile{"ScoreOver100", kRubric, "[1, 100]", "[1, 101]",
                "challenges/adder/rubric.yaml:13: criteria[0].score[1][1] is 101, which is out of "
                "range; write a number from 0 to 100"},
        BadFile{
            "WeightOfATimeOfOneCall", kRubric, "format: percent", "format: seconds",
            "challenges/adder/rubric.yaml:6: criteria[0] has a weight and is a time of one call, "
            "which is noise to tens of percent; set its weight to 0: it is shown; what is scored "
            "is timed by a workload"},
        BadFile{"NoAnchors", kRubric, "    score: [[0, 0], [1, 100]]\n", "",
                "challenges/adder/rubric.yaml:6: criteria[0].score is missing although the "
                "criterion has a weight; add anchors, or set its weight to 0"},
        BadFile{"ReviewByKindAlone", kRubric, "kind: test", "kind: review",
                "challenges/adder/rubric.yaml:10: criteria[0] has one of \"kind: review\" and "
                "\"value: review\" alone; write both or neither"},
        BadFile{"ReviewWithoutScale", kRubric, "kind: test\n    value: pass_rate(sum)",
                "kind: review\n    value: review",
                "challenges/adder/rubric.yaml:6: criteria[0].scale has 0 texts, not 5; say what "
                "each mark means, from 0 to 4"},
        BadFile{"ScaleOfNoReview", kRubric, "    format: percent\n",
                "    format: percent\n    scale: [none, all]\n",
                "challenges/adder/rubric.yaml:6: criteria[0].scale is of reviews alone; remove it"},
        BadFile{"DuplicateCriterion", kRubric, "id: lines", "id: sums",
                "challenges/adder/rubric.yaml:15: criteria[1] \"sums\" is there twice; give each "
                "its own id"},
        BadFile{"BadTie", kRubric, "20%", "a fifth",
                "challenges/adder/rubric.yaml:21: criteria[1].tie_within \"a fifth\" is no "
                "margin; write a difference (5), a factor of at least 1 (2x) or a share (20%)"},
        BadFile{"NegativeWeight", kRubric, "weight: 2", "weight: -2",
                "challenges/adder/rubric.yaml:3: dimensions[0].weight is -2, which is out of "
                "range; write a number from 0 to 1000"},
        BadFile{"UnknownPenalty", kRubric, "penalties: {", "penalties: {late: 3, ",
                "challenges/adder/rubric.yaml:24: unknown key \"penalties.late\"; choose one of "
                "repaired"}));

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

TEST(CheckRepository, SymbolicLinkIsRefusedWhereverItPoints) {
  const TemporaryRepository files;
  const fs::path directory = files.root() / "submissions/right/adder";
  fs::create_symlink("/etc/passwd", directory / "secret.h");
  fs::create_symlink("add.cc", directory / "same.cc");
  EXPECT_THAT(Faults(files), ElementsAre(HasSubstr("is a symbolic link; replace it by the file"),
                                         HasSubstr("is a symbolic link; replace it by the file")));
}

TEST(CheckRepository, DirectoriesThatAreLinksAreRefused) {
  const TemporaryRepository files;
  const fs::path submissions = files.root() / "submissions";
  fs::create_directory_symlink(submissions / "right", submissions / "same");
  fs::remove_all(submissions / "right/adder");
  fs::create_directory_symlink(submissions / "wrong/adder", submissions / "right/adder");
  EXPECT_THAT(Faults(files),
              ElementsAre("submissions/right/adder: is a symbolic link; replace it by the "
                          "directory that it points to",
                          "submissions/same: is a symbolic link; replace it by the directory that "
                          "it points to"));
}

TEST(CheckRepository, SubmissionYamlThatIsALinkIsNotRead) {
  const TemporaryRepository files;
  const fs::path yaml = files.root() / kSubmission;
  files.Write("secret.yaml", "password: hunter2\n");
  fs::remove(yaml);
  fs::create_symlink(files.root() / "secret.yaml", yaml);
  for (const std::string& fault : Faults(files)) {
    EXPECT_THAT(fault, HasSubstr("is a symbolic link"));
  }
  EXPECT_THAT(Faults(files), SizeIs(2));
}

TEST(CheckRepository, PipesAndOddNamesAreRefusedAndPrintedSafely) {
  const TemporaryRepository files;
  const fs::path directory = files.root() / "submissions/right/adder";
  ASSERT_EQ(::mkfifo((directory / "pipe.h").c_str(), 0600), 0);
  files.Write("submissions/right/adder/a\x1b|b.h", "");
  EXPECT_THAT(Faults(files),
              ::testing::UnorderedElementsAre(
                  "submissions/right/adder/pipe.h: is neither a file nor a directory; remove it",
                  HasSubstr("adder/a\\x1b|b.h: has a name that is not plain")));
}

TEST(CheckRepository, LargeFileIsNamedWithItsSize) {
  const TemporaryRepository files;
  files.Write("submissions/right/adder/big.h", "");
  fs::resize_file(files.root() / "submissions/right/adder/big.h", 200'000'000);
  EXPECT_THAT(Faults(files),
              ElementsAre("submissions/right/adder/big.h: holds 200000000 bytes, more than the "
                          "1048576 allowed a file; make it smaller or remove it",
                          "submissions/right/adder: holds 200000195 bytes, more than the "
                          "16777216 allowed; hand in sources alone"));
}

TEST(CheckRepository, TenThousandFilesAreOneFault) {
  const TemporaryRepository files;
  const fs::path directory = files.root() / "submissions/right/adder/many";
  fs::create_directory(directory);
  for (int i = 0; i <= 10'000; ++i) {
    ASSERT_EQ(::mknod((directory / std::to_string(i)).c_str(), S_IFREG | 0600, 0), 0);
  }
  const auto faults = Faults(files);
  ASSERT_THAT(faults, ::testing::Not(IsEmpty()));
  EXPECT_EQ(faults[0],
            "submissions/right/adder: holds more than 10000 files; hand in sources alone");
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
  EXPECT_THAT(Faults(files), ::testing::Not(IsEmpty()));
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
