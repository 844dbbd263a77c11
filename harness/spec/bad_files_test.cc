// SPDX-License-Identifier: Apache-2.0
// Each way to get a file wrong, and what is said of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

#include "spec/faults_for_test.h"

namespace assay {
namespace {

using ::testing::ElementsAre;

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
                "challenges/adder/challenge.yaml:3: title is empty, not a text; write a text"},
        BadFile{
            "PatternOfCases", kChallenge, "title: Adder",
            "title: Adder\nsecond_process: [Edge, \"Time/*\"]",
            "challenges/adder/challenge.yaml:4: second_process[1] \"Time/*\" is no plain name; "
            "use letters, digits, spaces and . _ - + ( ) :, at most 64 of them; markdown and HTML "
            "are not allowed"},
        BadFile{"CaseForAGroup", kChallenge, "title: Adder",
                "title: Adder\nsecond_process: [Edge.Nan]",
                "challenges/adder/challenge.yaml:4: second_process[0] \"Edge.Nan\" is not the "
                "first word of a case; write what stands before the first / or . of its name: "
                "letters and digits"}));

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
        BadFile{"OneWithoutUnit", kRubric, "tie_within: 20%", "one: line",
                "challenges/adder/rubric.yaml:21: criteria[1].one is there without \"unit\"; "
                "write as \"unit\" what is printed behind any other number"},
        BadFile{"EmptyUnitIsOneFault", kRubric, "tie_within: 20%", "unit: \"\"\n    one: line",
                "challenges/adder/rubric.yaml:21: criteria[1].unit holds 0 bytes, not 1 to 2000; "
                "write a short text"},
        BadFile{"OneOfSeveral", kRubric, "tie_within: 20%", "of: 4\n    unit: lines\n    one: line",
                "challenges/adder/rubric.yaml:23: criteria[1].one is never printed: \"1 of 4\" is "
                "of 4; remove \"one\""},
        BadFile{"OfNone", kRubric, "tie_within: 20%", "of: 0",
                "challenges/adder/rubric.yaml:21: criteria[1].of is 0, which is out of range; "
                "write a whole number from 1 to 1000000"},
        BadFile{"OfOtherThanItsEntryPoints", kRubric,
                "value: static(code_lines)\n    edge: lower\n    tie_within: 20%",
                "value: \"entry_points(add_f32, add_f64)\"\n    edge: lower\n    of: 3",
                "challenges/adder/rubric.yaml:21: criteria[1].of is 3, and its value names 2 entry "
                "points; write \"of: 2\""},
        BadFile{"OneIsWithUnit", kRubric, "tie_within: 20%", "unit: lines\n    one_is: short",
                "challenges/adder/rubric.yaml:22: criteria[1].one_is is printed in place of the "
                "number and its unit; write \"one_is\" alone, without \"unit\", \"one\" and "
                "\"of\""},
        BadFile{"OneIsWithOne", kRubric, "tie_within: 20%", "one: line\n    one_is: short",
                "challenges/adder/rubric.yaml:22: criteria[1].one_is is printed in place of the "
                "number and its unit; write \"one_is\" alone, without \"unit\", \"one\" and "
                "\"of\""},
        BadFile{"OneIsWithOf", kRubric, "tie_within: 20%", "of: 4\n    one_is: short",
                "challenges/adder/rubric.yaml:22: criteria[1].one_is is printed in place of the "
                "number and its unit; write \"one_is\" alone, without \"unit\", \"one\" and "
                "\"of\""},
        BadFile{"OneIsOfAShare", kRubric, "format: percent", "format: percent\n    one_is: short",
                "challenges/adder/rubric.yaml:15: criteria[0].one_is is of counts, and the format "
                "is percent; remove \"one_is\", or the format"},
        BadFile{"OfOfAShare", kRubric, "format: percent", "format: percent\n    of: 4",
                "challenges/adder/rubric.yaml:15: criteria[0].of is of counts, and the format is "
                "percent; remove \"of\", or the format"},
        BadFile{"OneOfAShare", kRubric, "format: percent",
                "format: percent\n    unit: sums\n    one: sum",
                "challenges/adder/rubric.yaml:16: criteria[0].one is of counts, and the format is "
                "percent; remove \"one\", or the format"},
        BadFile{"NegativeWeight", kRubric, "weight: 2", "weight: -2",
                "challenges/adder/rubric.yaml:3: dimensions[0].weight is -2, which is out of "
                "range; write a number from 0 to 1000"},
        BadFile{"UnknownPenalty", kRubric, "penalties: {", "penalties: {late: 3, ",
                "challenges/adder/rubric.yaml:24: unknown key \"penalties.late\"; choose one of "
                "repaired"}));

}  // namespace
}  // namespace assay
