// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EVIDENCE_FIELDS_H_
#define ASSAY_EVIDENCE_FIELDS_H_

#include <concepts>
#include <type_traits>

#include "evidence/evidence.h"
#include "evidence/json.h"

/// The keys of evidence JSON, one function a type, each used for writing and for reading so that
/// the two cannot drift apart. Private to json.cc, and to the fuzzer of reports, which changes
/// evidence by them. A new member needs one line here and one in README.md.
namespace assay::json_fields {

template <class T, class U>
concept Is = std::same_as<std::remove_const_t<T>, U>;

template <class V>
void Fields(V& visit, Is<Digests> auto& x) {
  visit("submission", x.submission);
  visit("challenge", x.challenge);
  visit("reference", x.reference);
  visit("harness", x.harness);
}

template <class V>
void Fields(V& visit, Is<Machine> auto& x) {
  visit("cpu_model", x.cpu_model);
  visit("cores", x.cores);
  visit("memory_bytes", x.memory_bytes);
  visit("kernel", x.kernel);
}

template <class V>
void Fields(V& visit, Is<Environment> auto& x) {
  visit("machine", x.machine);
  visit("compiler", x.compiler);
  visit("release_flags", x.release_flags);
  visit("sanitized_flags", x.sanitized_flags);
  visit("sandbox_level", x.sandbox_level);
  visit("seed", x.seed);
  visit("assay_version", x.assay_version);
}

template <class V>
void Fields(V& visit, Is<BuildEvidence> auto& x) {
  visit("verdict", x.verdict);
  visit("diagnostics", x.diagnostics);
  visit("warnings", x.warnings);
  visit("seconds", x.seconds);
}

template <class V>
void Fields(V& visit, Is<Repair> auto& x) {
  visit("patch", x.patch);
  visit("reason", x.reason);
  visit("diagnostics", x.diagnostics);
}

template <class V>
void Fields(V& visit, Is<CaseEvidence> auto& x) {
  visit("name", x.name);
  visit("tags", x.tags);
  visit("verdict", x.verdict);
  visit("given_up", x.given_up);
  visit("skip_cause", x.skip_cause);
  visit("gates", x.gates);
  visit("detail", x.detail);
  visit("reproduction", x.reproduction);
  visit("error_over_bound", x.error_over_bound);
  visit("failing_operation", x.failing_operation);
  visit("failing_output", x.failing_output);
  visit("answered", x.answered);
  visit("seconds", x.seconds);
}

template <class V>
void Fields(V& visit, Is<LaunchEvidence> auto& x) {
  visit("label", x.label);
  visit("operation", x.operation);
  visit("kernel", x.kernel);
  visit("gpu", x.gpu);
  visit("values", x.values);
}

template <class V>
void Fields(V& visit, Is<DeviceFinding> auto& x) {
  visit("checker", x.checker);
  visit("text", x.text);
}

template <class V>
void Fields(V& visit, Is<SuiteEvidence> auto& x) {
  visit("cases", x.cases);
  visit("metrics", x.metrics);
  visit("curves", x.curves);
  visit("launches", x.launches);
  visit("device_findings", x.device_findings);
  visit("device_lacks", x.device_lacks);
}

template <class V>
void Fields(V& visit, Is<AnswerEvidence> auto& x) {
  visit("question", x.question);
  visit("answered", x.answered);
  visit("expected", x.expected);
  visit("right", x.right);
}

template <class V>
void Fields(V& visit, Is<ClaimEvidence> auto& x) {
  visit("claim", x.claim);
  visit("claimed", x.claimed);
  visit("measured", x.measured);
  visit("holds", x.holds);
}

template <class V>
void Fields(V& visit, Is<TimePair> auto& x) {
  visit("submission_ns", x.submission_ns);
  visit("baseline_ns", x.baseline_ns);
}

template <class V>
void Fields(V& visit, Is<TimeBlock> auto& x) {
  visit("pairs", x.pairs);
  visit("run", x.run);
}

template <class V>
void Fields(V& visit, Is<WorkloadEvidence> auto& x) {
  visit("name", x.name);
  visit("operation", x.operation);
  visit("shown_by", x.shown_by);
  visit("verdict", x.verdict);
  visit("detail", x.detail);
  visit("refused", x.refused);
  visit("skip_cause", x.skip_cause);
  visit("blocks", x.blocks);
  visit("ratio", x.ratio);
  visit("ratio_low", x.ratio_low);
  visit("ratio_high", x.ratio_high);
  visit("least_bytes", x.least_bytes);
  visit("share_of_bandwidth", x.share_of_bandwidth);
  visit("share_low", x.share_low);
  visit("share_high", x.share_high);
}

template <class V>
void Fields(V& visit, Is<BenchRunEvidence> auto& x) {
  visit("after", x.after);
  visit("blocks", x.blocks);
  visit("control_blocks", x.control_blocks);
  visit("control_scatter", x.control_scatter);
  visit("bandwidth_bytes_per_second", x.bandwidth_bytes_per_second);
}

template <class V>
void Fields(V& visit, Is<BenchEvidence> auto& x) {
  visit("workloads", x.workloads);
  visit("bandwidth_bytes_per_second", x.bandwidth_bytes_per_second);
  visit("round_trip_ns", x.round_trip_ns);
  visit("round_trip_p99_ns", x.round_trip_p99_ns);
  visit("controls", x.controls);
  visit("runs", x.runs);
}

template <class V>
void Fields(V& visit, Is<StaticEvidence> auto& x) {
  visit("files", x.files);
  visit("code_lines", x.code_lines);
  visit("source_code_lines", x.source_code_lines);
  visit("largest_file_share", x.largest_file_share);
  visit("longest_function_lines", x.longest_function_lines);
  visit("cognitive_complexity", x.cognitive_complexity);
  visit("parsed_share", x.parsed_share);
  visit("warnings_per_1000_lines", x.warnings_per_1000_lines);
  visit("unused_device_functions", x.unused_device_functions);
  visit("duplicated_share", x.duplicated_share);
  visit("document_sections", x.document_sections);
  visit("broken_links", x.broken_links);
}

template <class V>
void Fields(V& visit, Is<OwnTestsEvidence> auto& x) {
  visit("shipped", x.shipped);
  visit("passing_on_itself", x.passing_on_itself);
  visit("passing_on_baseline", x.passing_on_baseline);
  visit("benchmarks_shipped", x.benchmarks_shipped);
  visit("benchmarks_running", x.benchmarks_running);
  visit("mutants_killed", x.mutants_killed);
  visit("mutants_survived", x.mutants_survived);
  visit("detail", x.detail);
}

template <class V>
void Fields(V& visit, Is<Evidence> auto& x) {
  visit("schema_version", x.schema_version);
  visit("challenge", x.challenge);
  visit("model", x.model);
  visit("model_name", x.model_name);
  visit("reconstruction", x.reconstruction);
  visit("verdict", x.verdict);
  visit("verdict_detail", x.verdict_detail);
  visit("digests", x.digests);
  visit("environment", x.environment);
  visit("release", x.release);
  visit("sanitized", x.sanitized);
  visit("repair", x.repair);
  visit("entry_points", x.entry_points);
  visit("suite", x.suite);
  visit("sanitized_suite", x.sanitized_suite);
  visit("sanitizer_findings", x.sanitizer_findings);
  visit("bench", x.bench);
  visit("statics", x.statics);
  visit("own_tests", x.own_tests);
  visit("answers", x.answers);
  visit("claims", x.claims);
}

template <class V>
void Fields(V& visit, Is<RunResults::Question> auto& x) {
  visit("value", x.value);
  visit("relative_tolerance", x.relative_tolerance);
  visit("text", x.text);
}

template <class V>
void Fields(V& visit, Is<RunResults> auto& x) {
  visit("suite", x.suite);
  visit("bench", x.bench);
  visit("entry_points", x.entry_points);
  visit("sanitizer_findings", x.sanitizer_findings);
  visit("questions", x.questions);
  visit("places", x.places);
  visit("metric_rules", x.metric_rules);
  visit("judge_error", x.judge_error);
}

}  // namespace assay::json_fields

#endif  // ASSAY_EVIDENCE_FIELDS_H_
