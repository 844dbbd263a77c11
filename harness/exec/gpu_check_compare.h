// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EXEC_GPU_CHECK_COMPARE_H_
#define ASSAY_EXEC_GPU_CHECK_COMPARE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "evidence/evidence.h"
#include "exec/gpu_check_plan.h"

namespace assay {

struct CommandResult;

/// What a program did on the GPU, beside what it must. All but kAgrees is a difference.
enum class ProgramVerdict {
  kAgrees,
  kDiffers,  ///< Exited with 0 and printed something else.
  kFailed,   ///< Another exit code, or a signal.
  kTimedOut,
  kOutputCut,  ///< Printed more than is kept.
  kMissing,    ///< It is not there, or does not start.
};
[[nodiscard]] std::string_view ToString(ProgramVerdict verdict);

struct ProgramOutcome {
  std::string name;
  ProgramVerdict verdict = ProgramVerdict::kAgrees;
  int exit_code = 0;   ///< 128 + the signal that ended it, as a shell has it.
  std::string detail;  ///< First line that differs, last lines of errors.
  bool operator==(const ProgramOutcome&) const = default;
};
/// `run`: an error where it did not start.
[[nodiscard]] ProgramOutcome CompareProgram(const CheckedProgram& program,
                                            const Result<CommandResult>& run);

/// A counter of the emulated GPU and how far ncu's may be off: machine code is not PTX.
struct ComparedCounter {
  std::string_view name;
  std::span<const std::string_view> metrics;  ///< Of ncu, whose sum it is.
  double percent = 0;
  std::uint64_t absolute = 0;
};
[[nodiscard]] std::span<const ComparedCounter> ComparedCounters();

/// What ncu counted: by launch and counter.
using MeasuredLaunches = std::map<std::uint64_t, std::map<std::string, std::uint64_t>>;
/// The rows of `ncu --csv` in what it and the program printed; unknown metrics are passed over.
[[nodiscard]] MeasuredLaunches ReadNcuCsv(std::string_view printed);

struct CounterDifference {
  std::uint64_t launch = 0;
  std::string kernel;
  std::string counter;
  std::uint64_t measured = 0;
  std::uint64_t emulated = 0;
  bool operator==(const CounterDifference&) const = default;
};

enum class CounterVerdict {
  kAgree,
  kDiffer,
  kNotCompared,  ///< Its source says why (`// HARDWARE:`). No difference.
  kNotMeasured,  ///< ncu gave no counters, or not all.
};
[[nodiscard]] std::string_view ToString(CounterVerdict verdict);

struct CounterOutcome {
  std::string name;
  CounterVerdict verdict = CounterVerdict::kAgree;
  std::vector<CounterDifference> differences = {};
  std::string reason = {};  ///< Of kNotCompared and kNotMeasured.
  bool operator==(const CounterOutcome&) const = default;
};
/// `ncu`: its run over the program.
[[nodiscard]] CounterOutcome CompareCounters(const CheckedProgram& program,
                                             const Result<CommandResult>& ncu);

/// A case that is right (accepted or skipped) on one GPU and not on the other.
struct CaseDifference {
  std::string name;
  Verdict emulated = Verdict::kSkipped;
  Verdict here = Verdict::kSkipped;
  bool operator==(const CaseDifference&) const = default;
};

/// Cases that are not right, of how many.
struct CaseCount {
  std::size_t failed = 0;
  std::size_t total = 0;
  bool operator==(const CaseCount&) const = default;
};

struct HostOutcome {
  std::string challenge;
  std::string host;
  CaseCount emulated = {};
  CaseCount here = {};
  std::vector<CaseDifference> differences = {};
  /// Why this is a failure; empty: it is none. Hardware hides some bugs (races, reads past an end),
  /// so that a mutant may pass; a baseline must, and no suite may break.
  std::string failure = {};
  bool operator==(const HostOutcome&) const = default;
};
/// `suite`: of its run on this GPU.
[[nodiscard]] HostOutcome CompareHost(const std::string& challenge, const CheckedHost& host,
                                      const Result<SuiteEvidence>& suite);

enum class BenchVerdict { kTimed, kFailed };
struct BenchOutcome {
  std::string challenge;
  std::string name;
  BenchVerdict verdict = BenchVerdict::kTimed;
  std::string printed = {};  ///< By real_bench.
  bool operator==(const BenchOutcome&) const = default;
};
[[nodiscard]] BenchOutcome JudgeBench(const std::string& challenge, const std::string& name,
                                      const Result<CommandResult>& run);

struct GpuCheckReport {
  std::string gpu;  ///< Name and driver, by nvidia-smi.
  std::vector<ProgramOutcome> programs = {};
  std::vector<CounterOutcome> counters = {};
  std::string no_counters = {};  ///< Why they were not compared; empty: they were.
  std::vector<HostOutcome> hosts = {};
  std::vector<BenchOutcome> benches = {};
  std::string no_challenges = {};  ///< Why none was run.
  bool operator==(const GpuCheckReport&) const = default;
};

/// Whether an outcome is none of a difference or failure.
[[nodiscard]] bool Agrees(const ProgramOutcome& outcome);
[[nodiscard]] bool Agrees(const CounterOutcome& outcome);
[[nodiscard]] bool Agrees(const HostOutcome& outcome);
[[nodiscard]] bool Agrees(const BenchOutcome& outcome);
/// Whether all do.
[[nodiscard]] bool Agrees(const GpuCheckReport& report);

}  // namespace assay

#endif  // ASSAY_EXEC_GPU_CHECK_COMPARE_H_
