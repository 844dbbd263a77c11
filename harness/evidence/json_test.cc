// SPDX-License-Identifier: Apache-2.0
#include "evidence/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace assay {
namespace {

using testing::HasSubstr;

/// Every member differs from its default, so that a field that json.cc forgets is noticed.
Evidence FullEvidence() {
  Evidence e;
  e.challenge = "layernorm_backward";
  e.model = "a-model";
  e.model_name = "A \"Model\"\n|";
  e.reconstruction = true;
  e.verdict = Verdict::kWrongAnswer;
  e.verdict_detail = "Gradient.Small: dx[3]";
  e.digests = {.submission = "s", .challenge = "c", .reference = "r", .harness = "h"};
  e.environment = {.machine = {.cpu_model = "cpu", .cores = 2, .memory_bytes = 8, .kernel = "6"},
                   .compiler = "g++",
                   .release_flags = "-O3",
                   .sanitized_flags = "-O1",
                   .sandbox_level = "full",
                   .seed = std::numeric_limits<std::uint64_t>::max(),
                   .assay_version = "0.1"};
  e.release = {.verdict = Verdict::kAccepted, .diagnostics = "w", .warnings = 2, .seconds = 1.5};
  e.sanitized = {
      .verdict = Verdict::kCompileError, .diagnostics = "e", .warnings = 3, .seconds = 2.5};
  e.repair = Repair{.patch = "fix.patch", .reason = "typo", .diagnostics = "no member"};
  e.entry_points = {"f", "g"};
  const CaseEvidence one{.name = "A.B",
                         .tags = {"gradient", "f64"},
                         .verdict = Verdict::kTimeLimit,
                         .given_up = GiveUpCause::kRunLimit,
                         .skip_cause = SkipCause::kRefused,
                         .gates = false,
                         .detail = "10 s",
                         .reproduction = "create(batch 2) append(s1)",
                         .error_over_bound = 0.1,
                         .failing_operation = "f",
                         .failing_output = "y",
                         .answered = {"f"},
                         .seconds = 0.25};
  e.suite = {
      .cases = {one, CaseEvidence{}},
      .metrics = {{"tensors_saved", 3}},
      .curves = {{"offset", {{1, 2}, {3, 1.0 / 3}}}},
      .launches = {{.label = "f 64x32768",
                    .operation = "f",
                    .kernel = "void F<int>(float*)",
                    .gpu = "NVIDIA A100-SXM4-80GB",
                    .values = {{"grid_x", 64}, {"dram__bytes_read.sum", 8388608}}}},
      .device_findings = {{.checker = "racecheck", .text = "read after write at f.cu:3 in F"}},
      .device_lacks = {"tex.2d at f.cu:4"}};
  e.sanitized_suite.cases = {one};
  e.sanitizer_findings = {"heap-buffer-overflow a.cc:3"};
  e.bench = {
      .workloads = {{.name = "backward/8x8",
                     .operation = "backward",
                     .shown_by = {"gradient"},
                     .verdict = Verdict::kAccepted,
                     .detail = "d",
                     .refused = true,
                     .blocks = {{.pairs = {{.submission_ns = 10, .baseline_ns = 5}}, .run = 0}},
                     .ratio = 2,
                     .ratio_low = 1.9,
                     .ratio_high = 2.1,
                     .least_bytes = 64,
                     .share_of_bandwidth = 0.5,
                     .share_low = 0.4,
                     .share_high = 0.6}},
      .bandwidth_bytes_per_second = 1e10,
      .round_trip_ns = 700,
      .round_trip_p99_ns = 900,
      .controls = std::vector<WorkloadEvidence>(2),
      .runs = {{{.after = BenchMoment::kOwnTests,
                 .blocks = 1,
                 .control_blocks = 2,
                 .control_scatter = 0.25,
                 .bandwidth_bytes_per_second = 9e9}}}};
  e.statics = {.files = 3,
               .code_lines = 275,
               .source_code_lines = 200,
               .largest_file_share = 0.6,
               .longest_function_lines = 40,
               .cognitive_complexity = 7,
               .parsed_share = 0.75,
               .warnings_per_1000_lines = 1.25,
               .unused_device_functions = 2,
               .duplicated_share = 0.05,
               .document_sections = 4,
               .broken_links = 1};
  e.own_tests = {.shipped = 2,
                 .passing_on_itself = 1,
                 .passing_on_baseline = 2,
                 .benchmarks_shipped = 8,
                 .benchmarks_running = 7,
                 .mutants_killed = {"naive_variance"},
                 .mutants_survived = {"drops_nan"},
                 .detail = "t"};
  e.answers = {{.question = "q", .answered = "1", .expected = "2", .right = true}};
  e.claims = {{.claim = "c", .claimed = 3, .measured = 3, .holds = true}};
  return e;
}

std::string Replace(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string CauseOf(std::string_view json) {
  const auto result = EvidenceFromJson(json, "x.json");
  if (result.has_value()) {
    return "";
  }
  EXPECT_EQ(result.error().kind, ErrorKind::kConfiguration);
  EXPECT_EQ(result.error().where, "x.json");
  EXPECT_NE(result.error().remedy, "");
  return result.error().cause;
}

TEST(EvidenceJsonTest, FullEvidenceReadsBackEqual) {
  const std::string json = EvidenceToJson(FullEvidence());
  const auto read = EvidenceFromJson(json, "x.json");
  ASSERT_TRUE(read.has_value()) << ToString(read.error());
  EXPECT_EQ(*read, FullEvidence());
  EXPECT_EQ(EvidenceToJson(*read), json);
}

TEST(EvidenceJsonTest, EmptyEvidenceReadsBackEqual) {
  const auto read = EvidenceFromJson(EvidenceToJson(Evidence{}), "x.json");
  ASSERT_TRUE(read.has_value()) << ToString(read.error());
  EXPECT_EQ(*read, Evidence{});
}

TEST(EvidenceJsonTest, NanAndInfinityReadBack) {
  Evidence e;
  e.suite.metrics = {{"a", NAN}, {"b", INFINITY}, {"c", -INFINITY}};
  const auto read = EvidenceFromJson(EvidenceToJson(e), "x.json");
  ASSERT_TRUE(read.has_value()) << ToString(read.error());
  EXPECT_TRUE(std::isnan(read->suite.metrics.at("a")));
  EXPECT_EQ(read->suite.metrics.at("b"), INFINITY);
  EXPECT_EQ(read->suite.metrics.at("c"), -INFINITY);
}

TEST(EvidenceJsonTest, BytesThatAreNoUtf8AreReplaced) {
  Evidence e;
  e.verdict_detail = "a\xff z";
  const auto read = EvidenceFromJson(EvidenceToJson(e), "x.json");
  ASSERT_TRUE(read.has_value()) << ToString(read.error());
  EXPECT_EQ(read->verdict_detail, "a\xef\xbf\xbd z");
}

TEST(EvidenceJsonTest, AnotherSchemaVersionIsRefusedBeforeAnythingElse) {
  EXPECT_EQ(CauseOf(R"({"schema_version": 1})"),
            "schema_version is 1, this version of assay reads 4 to 5");
}

TEST(EvidenceJsonTest, EvidenceFromBeforeItsOptionalMembersReads) {
  Evidence old;
  old.schema_version = 4;
  old.bench.workloads.emplace_back().blocks.emplace_back();
  std::string json = EvidenceToJson(old);
  for (const std::string_view absent :
       {",\n            \"run\": null", ",\n    \"runs\": null", ",\n        \"share_low\": null",
        ",\n        \"share_high\": null"}) {
    json = Replace(json, absent, "");
  }
  const auto read = EvidenceFromJson(json, "x.json");
  ASSERT_TRUE(read.has_value()) << ToString(read.error());
  EXPECT_EQ(*read, old);
}

TEST(EvidenceJsonTest, SchemaVersionThatNestsDeepIsNoVersion) {
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  EXPECT_EQ(CauseOf(R"({"schema_version": )" + deep + "}"),
            "key schema_version is not an integer of its range");
}

TEST(EvidenceJsonTest, FaultsAreShortPrintableLines) {
  const std::string json = EvidenceToJson(FullEvidence());
  EXPECT_EQ(CauseOf(Replace(json, R"("files": 3)", R"("\u001b[2J\n": 1, "files": 3)")),
            "key statics.?[2J? is unknown");
  EXPECT_LT(CauseOf("\"" + std::string(100'000, 'x')).size(), 1000U);
}

TEST(EvidenceJsonTest, MissingSchemaVersionIsAMissingKey) {
  EXPECT_EQ(CauseOf("{}"), "key schema_version is missing");
}

TEST(EvidenceJsonTest, FaultsNameTheKeyPath) {
  const std::string json = EvidenceToJson(FullEvidence());
  EXPECT_EQ(CauseOf(Replace(json, R"("gates": false)", R"("gates": 0)")),
            "key sanitized_suite.cases[0].gates is not true or false");
  EXPECT_EQ(CauseOf(Replace(json, R"("files": 3)", R"("files": 3.5)")),
            "key statics.files is not an integer of its range");
  EXPECT_EQ(CauseOf(Replace(json, R"("files": 3)", R"("files": 3000000000)")),
            "key statics.files is not an integer of its range");
  EXPECT_EQ(CauseOf(Replace(json, R"("files": 3)", R"("filez": 3)")),
            "key statics.files is missing");
  EXPECT_EQ(CauseOf(Replace(json, R"("files": 3)", R"("extra": 1, "files": 3)")),
            "key statics.extra is unknown");
  EXPECT_EQ(CauseOf(Replace(json, R"("verdict": "compile_error")", R"("verdict": "CE")")),
            "key sanitized.verdict is not a verdict");
  EXPECT_EQ(CauseOf(Replace(json, R"("given_up": "run_limit")", R"("given_up": "it hung")")),
            "key sanitized_suite.cases[0].given_up is not a cause of giving up");
  EXPECT_EQ(CauseOf(Replace(json, R"("skip_cause": "refused")", R"("skip_cause": "tired")")),
            "key sanitized_suite.cases[0].skip_cause is not a cause of skipping");
  EXPECT_EQ(CauseOf(Replace(json, R"("after": "own_tests")", R"("after": "lunch")")),
            "key bench.runs[0].after is not a moment of grading");
  EXPECT_EQ(CauseOf(Replace(json, R"("ratio": 2.0)", R"("ratio": "two")")),
            R"(key bench.workloads[0].ratio is not a number, "nan", "inf" or "-inf")");
}

TEST(EvidenceJsonTest, TextThatIsNoJsonOrNoObjectIsAnError) {
  EXPECT_THAT(CauseOf("{\"schema"), HasSubstr("not valid JSON"));
  EXPECT_THAT(CauseOf(""), HasSubstr("not valid JSON"));
  EXPECT_THAT(CauseOf("[]"), HasSubstr("is not an object"));
  EXPECT_THAT(CauseOf(std::string(100'000, '[')), HasSubstr("not valid JSON"));
}

TEST(RunResultsJsonTest, ReadsBackEqual) {
  const Evidence e = FullEvidence();
  const RunResults results{
      .suite = e.suite,
      .bench = e.bench,
      .entry_points = e.entry_points,
      .sanitizer_findings = e.sanitizer_findings,
      .questions = {{"q", {.value = 2, .relative_tolerance = 0.05, .text = "memory"}}},
      .places = {4, 2},
      .metric_rules = {{"largest", MetricRule::kMax}, {"sum", MetricRule::kSum}},
      .judge_error = "disk full"};
  const auto read = RunResultsFromJson(RunResultsToJson(results), "r.json");
  ASSERT_TRUE(read.has_value()) << ToString(read.error());
  EXPECT_EQ(*read, results);
}

TEST(RunResultsJsonTest, MissingKeyIsAnError) {
  const auto read = RunResultsFromJson("{}", "r.json");
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().cause, "key suite is missing");
}

}  // namespace
}  // namespace assay
