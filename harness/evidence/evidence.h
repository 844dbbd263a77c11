// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EVIDENCE_EVIDENCE_H_
#define ASSAY_EVIDENCE_EVIDENCE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "evidence/bench_moment.h"
#include "evidence/verdict.h"

namespace assay {

/// All that was measured on one cell: the only source of scores and reports.
///
/// Value types without behaviour. json.h reads and writes them; README.md documents the file.
/// Anything that came from a submission (names, diagnostics, output) is hostile text here too and
/// is escaped where it is printed.

inline constexpr int kEvidenceSchemaVersion = 5;
/// The oldest that is still read: members that came later are optional.
inline constexpr int kOldestEvidenceSchemaVersion = 4;

/// What decides whether evidence still holds: SHA-256 each (base/digest.h).
struct Digests {
  std::string submission;
  std::string challenge;
  std::string reference;
  std::string harness;
  bool operator==(const Digests&) const = default;
};

/// Times compare only between machines of one class: equal cpu_model and cores.
struct Machine {
  std::string cpu_model;
  int cores = 0;
  std::int64_t memory_bytes = 0;
  std::string kernel;
  bool operator==(const Machine&) const = default;
};

struct Environment {
  Machine machine;
  std::string compiler;  ///< First line of `g++ --version`.
  std::string release_flags;
  std::string sanitized_flags;
  std::string sandbox_level;  ///< "full", "reduced" or "none".
  std::uint64_t seed = 0;
  std::string assay_version;
  bool operator==(const Environment&) const = default;
};

/// One compilation of the submission: release, or with sanitizers.
struct BuildEvidence {
  Verdict verdict = Verdict::kSkipped;  ///< accepted, compile_error or a limit.
  std::string diagnostics;              ///< The compiler's first lines, truncated.
  int warnings = 0;
  double seconds = 0;
  bool operator==(const BuildEvidence&) const = default;
};

/// A patch from `patches/` was needed to build. A repaired cell is marked and penalised.
struct Repair {
  std::string patch;
  std::string reason;
  std::string diagnostics;  ///< Why the submission as handed in did not build.
  bool operator==(const Repair&) const = default;
};

/// One case of the suite. `gates` says whether it takes part in the cell's verdict.
struct CaseEvidence {
  std::string name;  ///< GoogleTest's full name: `Gradient.RowOfOne`.
  std::vector<std::string> tags;
  Verdict verdict = Verdict::kSkipped;
  /// Set where it was not run, or not to its end, for what was before it.
  std::optional<GiveUpCause> given_up = {};
  /// Set where it is skipped and was not given up.
  std::optional<SkipCause> skip_cause = {};
  bool gates = true;
  std::string detail;  ///< First failing output and element, signal, or reason for skipping.
  /// The shortest calls found that fail, where the case drew its calls at random.
  std::optional<std::string> reproduction = {};
  std::optional<double> error_over_bound;  ///< Worst over its outputs; <= 1 is right.
  /// Where it failed: the operation that was asked last before that. Unset where none was, and
  /// where its calls were shrunk, since what is asked then is a search's.
  std::optional<std::string> failing_operation = {};
  /// Where it failed by what an array holds: the array's name.
  std::optional<std::string> failing_output = {};
  /// Operations of the submission that returned 0 in it, sorted: of an accepted case, those that
  /// were seen to work.
  std::vector<std::string> answered = {};
  double seconds = 0;
  bool operator==(const CaseEvidence&) const = default;
};

/// One kernel launch that a case kept: what the numbers about traffic and occupancy come from.
struct LaunchEvidence {
  std::string label;  ///< What the case ran: `softmax_topk_f32 64x32768 k=8`.
  /// The operation that was called; absent in evidence from before it was written.
  std::optional<std::string> operation = {};
  std::string kernel;  ///< Demangled. Hostile text.
  std::string gpu;     ///< The GPU that was emulated.
  /// Shape, resources and counters, by Nsight Compute's names where it has one
  /// (gpu/suite/launch_evidence.h has the table).
  std::map<std::string, double> values;
  bool operator==(const LaunchEvidence&) const = default;
};

/// What a checker of the emulated GPU found.
struct DeviceFinding {
  std::string checker;  ///< `memcheck`, `racecheck`, `initcheck` or `synccheck`.
  /// Kind and place: `write after write … at softmax.cu:71 in kernel`. Hostile text.
  std::string text;
  bool operator==(const DeviceFinding&) const = default;
};

/// A run of the suite against one host executable.
struct SuiteEvidence {
  std::vector<CaseEvidence> cases;
  std::map<std::string, double> metrics;  ///< `tensors_saved`, `worst_error_dx_f64`, …
  std::map<std::string, std::vector<std::pair<double, double>>> curves;  ///< (x, y) by name.
  std::vector<LaunchEvidence> launches;
  std::vector<DeviceFinding> device_findings;  ///< Without repetitions.
  /// What the emulated GPU lacks and the submission needs, one line each. Where there is any, the
  /// cell is never accepted.
  std::vector<std::string> device_lacks;
  bool operator==(const SuiteEvidence&) const = default;
};

/// A question of the challenge: what was answered and what is right.
struct AnswerEvidence {
  std::string question;
  std::string answered;  ///< Empty when the submission gave none.
  std::string expected;
  bool right = false;
  bool operator==(const AnswerEvidence&) const = default;
};

/// A number the submission states about itself beside what was measured.
struct ClaimEvidence {
  std::string claim;
  double claimed = 0;
  std::optional<double> measured;
  bool holds = false;
  bool operator==(const ClaimEvidence&) const = default;
};

/// One paired sample: both on the same fresh input, net of the empty round trip.
struct TimePair {
  std::int64_t submission_ns = 0;
  std::int64_t baseline_ns = 0;
  bool operator==(const TimePair&) const = default;
};

/// Pairs of one pair of hosts. Where a process lies in memory decides several percent of its speed
/// for as long as it lives, so pairs of the same hosts are no independent samples: blocks are.
struct TimeBlock {
  std::vector<TimePair> pairs;
  std::optional<int> run = {};  ///< Index in BenchEvidence::runs; none before schema 5.
  bool operator==(const TimeBlock&) const = default;
};

/// One workload of the bench. `ratio` and its 95 % interval are EstimateRatios (statistics.h).
struct WorkloadEvidence {
  std::string name;            ///< `backward_f32/4096x768`
  std::string operation = {};  ///< The timed entry point.
  /// Tags of the cases in which the suite sees whether a submission does what is timed here.
  std::vector<std::string> shown_by = {};
  Verdict verdict = Verdict::kSkipped;
  std::string detail;
  /// The submission declined: it said that this is not supported, or did not offer the operation.
  bool refused = false;
  /// Why it is skipped, where it is: refused, not offered, or not asked for want of time.
  std::optional<SkipCause> skip_cause = {};
  std::vector<TimeBlock> blocks;
  double ratio = 0;
  double ratio_low = 0;
  double ratio_high = 0;
  double least_bytes = 0;                ///< Least traffic of the workload, from the challenge.
  double share_of_bandwidth = 0;         ///< least_bytes / time / measured bandwidth.
  std::optional<double> share_low = {};  ///< 95 % interval of it; none before schema 5.
  std::optional<double> share_high = {};
  bool operator==(const WorkloadEvidence&) const = default;
};

/// One run of the bench, with fresh processes on both sides.
struct BenchRunEvidence {
  BenchMoment after = BenchMoment::kSuite;
  int blocks = 0;          ///< Of workloads.
  int control_blocks = 0;  ///< Of controls.
  /// Root mean square over the controls of the log of their ratio in this run: 0 is even.
  double control_scatter = 0;
  /// STREAM-like limit, measured in this run. None where it was not, or before it was kept by run.
  std::optional<double> bandwidth_bytes_per_second = {};
  bool operator==(const BenchRunEvidence&) const = default;
};

struct BenchEvidence {
  std::vector<WorkloadEvidence> workloads;
  /// STREAM-like limit: geometric mean over its runs. Of runs that have none, the first's.
  double bandwidth_bytes_per_second = 0;
  /// Median empty round trip, subtracted from times; of several runs the median, of p99 the
  /// largest.
  double round_trip_ns = 0;
  double round_trip_p99_ns = 0;
  /// The A/A pair, once for each workload: the baseline on both sides, so that a ratio other than 1
  /// is noise of the machine or a bias of the bench.
  std::vector<WorkloadEvidence> controls;
  std::optional<std::vector<BenchRunEvidence>> runs = {};  ///< None before schema 5.
  bool operator==(const BenchEvidence&) const = default;
};

/// What reading gives: lines and files of all that was handed in, tests and benchmarks too; the
/// rest of the implementation alone, so that tests never cost and never hide. A value is absent
/// when the tool that reads it is missing or failed; those of functions also when there is no
/// function, and then `parsed_share` is there.
struct StaticEvidence {
  int files = 0;
  /// Lines that are neither blank nor comment, as counted by cloc; of a file with more than 12
  /// names and signs a line one for every 12 of them.
  std::optional<int> code_lines;
  /// … of the implementation alone: without tests, benchmarks and what lies beside them
  /// (ImplementationFiles in build/staging.h).
  std::optional<int> source_code_lines = {};
  std::optional<double> largest_file_share;  ///< Of these lines, 0 to 1.
  /// From signature to closing brace, or its statements, where they are more.
  std::optional<int> longest_function_lines;
  std::optional<int> cognitive_complexity;  ///< Worst function.
  /// Of the names and signs of the sources, the share in files that clang-tidy parsed, 0 to 1. The
  /// functions of others, as CUDA, are read by tokens. Absent when clang-tidy is missing.
  std::optional<double> parsed_share = {};
  /// Of the release build, per 1000 code lines of the implementation.
  std::optional<double> warnings_per_1000_lines;
  /// `__device__` functions that are defined and that no host function, kernel or used device
  /// function names; absent without CUDA sources.
  std::optional<int> unused_device_functions;
  /// Of the names and signs of the implementation, the share that is copied within it, 0 to 1
  /// (grade/duplication.h).
  std::optional<double> duplicated_share = {};
  /// Headings in the submission's markdown. Absent when it could not be read.
  std::optional<int> document_sections = {};
  /// Links in it that lead to no file of the submission; absent without markdown.
  std::optional<int> broken_links = {};
  bool operator==(const StaticEvidence&) const = default;
};

/// The submission's own tests: each program against itself, the baseline and every mutant.
struct OwnTestsEvidence {
  int shipped = 0;
  int passing_on_itself = 0;
  int passing_on_baseline = 0;
  int benchmarks_shipped = 0;  ///< Benchmark configurations declared: a word, never counted.
  /// … of them those of programs that run, and no more of one than sizes reached the interface.
  int benchmarks_running = 0;
  std::vector<std::string> mutants_killed;
  std::vector<std::string> mutants_survived;
  std::string detail;
  bool operator==(const OwnTestsEvidence&) const = default;
};

struct Evidence {
  int schema_version = kEvidenceSchemaVersion;
  std::string challenge;
  std::string model;
  std::string model_name;
  bool reconstruction = false;  ///< Written by this project from a published description.
  Verdict verdict = Verdict::kSkipped;
  std::string verdict_detail;
  Digests digests;
  Environment environment;
  BuildEvidence release;
  BuildEvidence sanitized;
  std::optional<Repair> repair;
  std::vector<std::string> entry_points;  ///< Operations the host offers.
  SuiteEvidence suite;
  SuiteEvidence sanitized_suite;
  std::vector<std::string> sanitizer_findings;  ///< One line each: kind and place.
  BenchEvidence bench;
  StaticEvidence statics;
  OwnTestsEvidence own_tests;
  std::vector<AnswerEvidence> answers;
  std::vector<ClaimEvidence> claims;
  bool operator==(const Evidence&) const = default;
};

}  // namespace assay

#endif  // ASSAY_EVIDENCE_EVIDENCE_H_
