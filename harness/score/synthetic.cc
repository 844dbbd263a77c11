// SPDX-License-Identifier: Apache-2.0
#include "score/synthetic.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <utility>

namespace assay::synthetic {
namespace {

/// A slip in a test's own data: nothing a test could go on with.
ValueExpression ParseOrDie(std::string_view text) {
  auto parsed = ParseValueExpression(text);
  if (!parsed) {
    std::cerr << ToString(parsed.error()) << '\n';
    std::abort();
  }
  return *parsed;
}

Criterion Row(std::string_view id, std::string_view title, std::string_view dimension,
              CriterionKind kind, std::string_view value, Edge edge, ValueFormat format,
              std::vector<Anchor> score) {
  Criterion criterion = MakeCriterion(id, dimension, value, std::move(score));
  criterion.title = title;
  criterion.kind = kind;
  criterion.edge = edge;
  criterion.format = format;
  return criterion;
}

std::vector<Criterion> LayerNormCriteria() {
  using K = CriterionKind;
  using F = ValueFormat;
  constexpr Edge kUp = Edge::kHigher;
  constexpr Edge kDown = Edge::kLower;
  std::vector<Criterion> rows = {
      Row("gradient_correctness", "Gradient correctness", "correctness", K::kTest,
          "pass_rate(gradient)", kUp, F::kPercent, {{0, 0}, {0.9, 50}, {1, 100}}),
      Row("gradient_precision", "Gradient precision (dx, f64)", "correctness", K::kTest,
          "metric(worst_error_dx_f64)", kDown, F::kScientific, {{1e-15, 100}, {1e-12, 60}}),
      Row("memory_safety", "Memory safety", "correctness", K::kBuild, "sanitizer_findings", kDown,
          F::kCount, {{0, 100}, {1, 0}}),
      Row("tensors_saved", "Cache efficiency", "completeness", K::kTest, "metric(tensors_saved)",
          kDown, F::kCount, {{3, 100}, {4, 90}, {12, 30}}),
      Row("entry_points", "Completeness of the ABI", "completeness", K::kTest,
          "entry_points(ln_forward_f32, ln_backward_f32, ln_check_gradients)", kUp, F::kCount,
          {{0, 0}, {3, 100}}),
      Row("code_lines", "Lines of code", "code_quality", K::kStatic, "static(code_lines)", kDown,
          F::kCount, {{300, 100}, {1200, 40}}),
      Row("files", "File count", "code_quality", K::kStatic, "static(files)", Edge::kText,
          F::kCount, {}),
      Row("edge_cases", "Edge cases", "numerical_stability", K::kTest, "pass_rate(edge)", kUp,
          F::kPercent, {{0, 0}, {1, 100}}),
      Row("gradient_check", "Gradient check", "gradient_check", K::kTest, "pass_rate(gradcheck)",
          kUp, F::kPercent, {{0, 0}, {1, 100}}),
      Row("answers", "Memory analysis", "complexity_analysis", K::kAnswer, "answers(complexity)",
          kUp, F::kPercent, {{0, 0}, {1, 100}}),
      Row("derivations", "Derivations", "complexity_analysis", K::kReview, "review", kUp, F::kText,
          {{0, 0}, {1, 100}}),
      Row("fusion", "GPU fusion scope", "gpu_fusion", K::kGpu, "metric(cuda_kernels)", kUp,
          F::kCount, {{0, 0}, {2, 100}}),
      Row("own_tests", "Own tests: mutants killed", "tests_benchmarks", K::kOwnTests,
          "own_tests(mutants_killed)", kUp, F::kCount, {{0, 0}, {3, 100}}),
      Row("throughput", "Throughput", "tests_benchmarks", K::kBench, "bench_ratio(backward)", kDown,
          F::kRatio, {{1, 100}, {2, 60}, {8, 20}}),
  };
  rows[1].tie_within = {.kind = Tie::Kind::kFactor, .amount = 2};
  rows[5].tie_within = {.kind = Tie::Kind::kShare, .amount = 0.2};
  rows[13].tie_within = {.kind = Tie::Kind::kFactor, .amount = 1.05};
  return rows;
}

struct Shape {
  std::string_view model;
  std::string_view name;
  double precision;
  int tensors_saved;
  int files;
  int code_lines;
  int edge_cases_passed;  ///< Of 3.
  RatioEstimate ratio;
  std::vector<std::string> killed;
  std::vector<std::string> survived;
};

Evidence LayerNormCell(const Shape& shape) {
  Evidence cell = MakeCell(shape.model);
  cell.model_name = shape.name;
  cell.reconstruction = true;
  cell.entry_points = {"ln_forward_f32", "ln_backward_f32"};
  cell.suite.cases = {MakeCase("Gradient.Small", {"gradient"}, Verdict::kAccepted),
                      MakeCase("Gradient.Random", {"gradient"}, Verdict::kAccepted)};
  constexpr std::string_view kEdges[] = {"Edge.ZeroInput", "Edge.RowOfOne", "Edge.HugeOffset"};
  for (int i = 0; i < 3; ++i) {
    const bool passes = i < shape.edge_cases_passed;
    cell.suite.cases.push_back(MakeCase(kEdges[i], {"edge"},
                                        passes ? Verdict::kAccepted : Verdict::kWrongAnswer,
                                        passes ? "" : "dx[3] is nan, expected 0.25"));
    if (!passes) {
      cell.suite.cases.back().error_over_bound = 1234.5;
      cell.verdict = Verdict::kWrongAnswer;
      cell.verdict_detail = kEdges[i];
    }
  }
  for (CaseEvidence& one : cell.suite.cases) {
    if (one.verdict == Verdict::kAccepted) {
      one.answered = {"ln_backward_f32"};
    }
  }
  cell.suite.cases.push_back(
      MakeCase("Check.FindsWrong", {"gradcheck"}, Verdict::kSkipped, "not implemented"));
  cell.suite.cases.back().gates = false;
  cell.suite.cases.back().skip_cause = SkipCause::kNotOffered;
  cell.suite.metrics = {{"worst_error_dx_f64", shape.precision},
                        {"tensors_saved", shape.tensors_saved}};
  cell.suite.curves = {{"error_by_offset", {{1e2, 1e-14}, {1e6, 1e-10}, {1e10, 0.5}}}};
  cell.sanitized_suite.cases = cell.suite.cases;
  cell.statics = {.files = shape.files,
                  .code_lines = shape.code_lines,
                  .source_code_lines = shape.code_lines,
                  .largest_file_share = 0.6,
                  .longest_function_lines = 48,
                  .cognitive_complexity = 9,
                  .warnings_per_1000_lines = 0,
                  .unused_device_functions = std::nullopt};
  cell.bench = {.workloads = {MakeWorkload("backward_f32/1024x768", shape.ratio),
                              MakeWorkload("backward_f32/8192x768", shape.ratio)},
                .bandwidth_bytes_per_second = 1.2e10,
                .round_trip_ns = 640,
                .round_trip_p99_ns = 910,
                .controls = MakeControls(0)};
  cell.own_tests.shipped = shape.killed.empty() ? 0 : 1;
  cell.own_tests.passing_on_itself = cell.own_tests.shipped;
  cell.own_tests.passing_on_baseline = cell.own_tests.shipped;
  cell.own_tests.mutants_killed = shape.killed;
  cell.own_tests.mutants_survived = shape.survived;
  cell.answers = {
      {.question = "complexity_flops", .answered = "8", .expected = "8", .right = true},
      {.question = "complexity_bytes", .answered = "", .expected = "12", .right = false}};
  cell.claims = {{.claim = "tensors_saved",
                  .claimed = static_cast<double>(shape.tensors_saved),
                  .measured = shape.tensors_saved,
                  .holds = true}};
  return cell;
}

}  // namespace

Criterion MakeCriterion(std::string_view id, std::string_view dimension, std::string_view value,
                        std::vector<Anchor> score) {
  Criterion criterion;
  criterion.id = id;
  criterion.title = id;
  criterion.dimension = dimension;
  criterion.kind = CriterionKind::kTest;
  criterion.value = ParseOrDie(value);
  criterion.weight = 1;
  criterion.score = std::move(score);
  return criterion;
}

ChallengeView MakeChallenge(std::vector<Criterion> criteria) {
  ChallengeView view;
  view.spec.id = "sums";
  view.spec.title = "Sums";
  view.rubric.challenge = "sums";
  for (const Criterion& criterion : criteria) {
    if (FindDimension(view.rubric, criterion.dimension) == nullptr) {
      view.rubric.dimensions.push_back(
          {.id = criterion.dimension, .title = criterion.dimension, .weight = 1});
    }
  }
  view.rubric.criteria = std::move(criteria);
  return view;
}

Evidence MakeCell(std::string_view model) {
  Evidence cell;
  cell.challenge = "sums";
  cell.model = model;
  cell.model_name = model;
  cell.verdict = Verdict::kAccepted;
  cell.release.verdict = Verdict::kAccepted;
  cell.sanitized.verdict = Verdict::kAccepted;
  cell.digests = {.submission = std::string("sha-") + std::string(model),
                  .challenge = "c1",
                  .reference = "r1",
                  .harness = "h1"};
  cell.environment = {.machine = {.cpu_model = "Example CPU",
                                  .cores = 2,
                                  .memory_bytes = 8'000'000'000,
                                  .kernel = "Linux 6.1"},
                      .compiler = "g++ 12.2.0",
                      .release_flags = "-O3 -march=native",
                      .sanitized_flags = "-O1",
                      .sandbox_level = "full",
                      .seed = 42,
                      .assay_version = "0.1.0"};
  return cell;
}

CaseEvidence MakeCase(std::string_view name, std::vector<std::string> tags, Verdict verdict,
                      std::string_view detail) {
  CaseEvidence one;
  one.name = name;
  one.tags = std::move(tags);
  one.verdict = verdict;
  one.detail = detail;
  return one;
}

LaunchEvidence MakeLaunch(std::string_view label, std::string_view kernel) {
  return {.label = std::string(label),
          .kernel = std::string(kernel),
          .gpu = "NVIDIA A100-SXM4-80GB",
          .values = {{"launch__grid_size", 64},
                     {"launch__block_size", 256},
                     {"launch__registers_per_thread", 40},
                     {"launch__shared_mem_per_block_static", 1024},
                     {"launch__shared_mem_per_block_dynamic", 7168},
                     {"sm__maximum_warps_per_active_cycle_pct", 75},
                     {"smsp__sass_data_bytes_mem_global_op_ld.sum", 589'824},
                     {"smsp__sass_data_bytes_mem_global_op_st.sum", 196'608},
                     {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 4608},
                     {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 18'432},
                     {"assay__compulsory_bytes_read", 396'288},
                     {"assay__compulsory_bytes_write", 196'608},
                     {"dram__bytes_read.sum", 396'288},
                     {"dram__bytes_write.sum", 196'608},
                     {"assay__barriers", 512},
                     {"assay__modelled_time_ns", 2345.6}}};
}

WorkloadEvidence MakeWorkload(std::string_view name, const RatioEstimate& ratio) {
  WorkloadEvidence workload;
  workload.name = name;
  workload.verdict = Verdict::kAccepted;
  workload.blocks.assign(15, {{{.submission_ns = 1500, .baseline_ns = 1000}}});
  workload.ratio = ratio.ratio;
  workload.ratio_low = ratio.low;
  workload.ratio_high = ratio.high;
  workload.least_bytes = 9'437'184;
  workload.share_of_bandwidth = 0.8 / ratio.ratio;
  return workload;
}

std::vector<WorkloadEvidence> MakeControls(int false_wins) {
  std::vector<WorkloadEvidence> controls(6, MakeWorkload("control", {1, 0.98, 1.02}));
  std::fill_n(controls.begin(), false_wins, MakeWorkload("control", {1.1, 1.05, 1.15}));
  return controls;
}

ChallengeView LayerNormChallenge() {
  ChallengeView view = MakeChallenge(LayerNormCriteria());
  view.spec.id = view.rubric.challenge = "layernorm_backward";
  view.spec.title = "LayerNorm backward";
  view.spec.questions = {{.id = "complexity_flops",
                          .text = "FLOPs of backward",
                          .unit = "FLOP",
                          .group = "complexity"},
                         {.id = "complexity_bytes",
                          .text = "Bytes of backward",
                          .unit = "bytes",
                          .group = "complexity"}};
  view.spec.claims = {{.id = "tensors_saved", .text = "Tensors saved", .metric = "tensors_saved"}};
  constexpr std::string_view kTitles[] = {
      "Correctness",    "Completeness",        "Code Quality", "Numerical Stability",
      "Gradient Check", "Complexity Analysis", "GPU Fusion",   "Tests/Benchmarks"};
  for (std::size_t i = 0; i < view.rubric.dimensions.size(); ++i) {
    view.rubric.dimensions[i].title = kTitles[i];
  }
  view.rubric.penalties.repaired = 10;
  return view;
}

Signatures LayerNormSignatures() {
  Signatures signatures{.shared_digest = "s1", .runs = 3, .mutants = {}};
  const auto fails = [&](const char* mutant, const char* name) {
    signatures.mutants[mutant].cases[name] = {{Verdict::kWrongAnswer, 3}};
  };
  fails("naive_variance", "Edge.HugeOffset");
  fails("dx_missing_gamma", "Gradient.Small");
  fails("dx_missing_gamma", "Gradient.Random");
  return signatures;
}

std::vector<Evidence> LayerNormCells() {
  std::vector<Evidence> cells = {
      LayerNormCell({.model = "glm-5",
                     .name = "GLM-5",
                     .precision = 9.74e-14,
                     .tensors_saved = 3,
                     .files = 1,
                     .code_lines = 275,
                     .edge_cases_passed = 2,
                     .ratio = {.ratio = 1.5, .low = 1.45, .high = 1.56},
                     .killed = {},
                     .survived = {}}),
      LayerNormCell({.model = "minimax-m2.7",
                     .name = "MiniMax-M2.7",
                     .precision = 2.5e-13,
                     .tensors_saved = 12,
                     .files = 1,
                     .code_lines = 1148,
                     .edge_cases_passed = 1,
                     .ratio = {.ratio = 4.2, .low = 4.1, .high = 4.3},
                     .killed = {},
                     .survived = {}}),
      LayerNormCell({.model = "qwen3.6-27b",
                     .name = "Qwen3.6-27B",
                     .precision = 5.04e-14,
                     .tensors_saved = 4,
                     .files = 3,
                     .code_lines = 557,
                     .edge_cases_passed = 3,
                     .ratio = {.ratio = 1.48, .low = 1.4, .high = 1.58},
                     .killed = {"dx_missing_mean_term", "naive_variance"},
                     .survived = {"drops_nan"}})};
  cells[1].repair = Repair{.patch = "patches/fix.patch",
                           .reason = "one name is misspelt",
                           .diagnostics = "layernorm.cc:12: error: 'topp' was not declared"};
  cells[1].suite.device_findings = {
      {.checker = "racecheck", .text = "read after write at layernorm.cu:71 in Backward(float*)"}};
  cells[1].suite.device_lacks = {"tex.2d at layernorm.cu:9"};
  cells[2].suite.launches = {MakeLaunch("ln_backward_cuda_f32 64x768", "void Backward<4>(float*)")};
  cells[1].sanitizer_findings = {"heap-buffer-overflow layernorm.cc:40"};
  for (Evidence& cell : cells) {
    cell.challenge = "layernorm_backward";
  }
  return cells;
}

}  // namespace assay::synthetic
