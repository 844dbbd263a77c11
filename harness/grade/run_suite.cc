// SPDX-License-Identifier: Apache-2.0
#include "grade/run_suite.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <system_error>

#include "base/file.h"
#include "base/text.h"
#include "process/run.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> Arguments(const SuiteRun& run, const fs::path& results) {
  std::vector<std::string> argv = {
      run.program.string(),
      fmt::format("--assay_host={}", run.host.string()),
      fmt::format("--assay_baseline={}", run.baseline.string()),
      fmt::format("--assay_level={}", ToString(run.level)),
      fmt::format("--assay_flavor={}", ToString(run.flavor)),
      fmt::format("--assay_seed={}", run.seed),
      fmt::format("--assay_results={}", results.string()),
      fmt::format("--assay_case_limit_ms={}", run.limits.case_time_limit_ms),
      fmt::format("--assay_memory_bytes={}", run.limits.memory_limit_bytes),
      fmt::format("--assay_output_bytes={}", run.limits.output_limit_bytes),
  };
  argv.insert(argv.end(), run.arguments.begin(), run.arguments.end());
  return argv;
}

// Ours, without what GoogleTest and Google Benchmark read in it: a filter or a shard of whoever
// called us would leave cases out.
std::vector<std::string> SuiteEnvironment() {
  std::vector<std::string> environment;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (!text.starts_with("GTEST_") && !text.starts_with("BENCHMARK_")) {
      environment.emplace_back(text);
    }
  }
  return environment;
}

// Standard output arrives in pieces that end anywhere.
class ProgressLines {
 public:
  explicit ProgressLines(ProgressSink& progress) : progress_(progress) {}

  void Add(std::string_view piece) {
    pending_ += piece;
    std::size_t end = 0;
    while ((end = pending_.find('\n')) != std::string::npos) {
      if (const auto parsed = ParseCaseProgress(std::string_view(pending_).substr(0, end))) {
        progress_.CaseDone(parsed->done, parsed->total, parsed->name);
      }
      pending_.erase(0, end + 1);
    }
  }

 private:
  ProgressSink& progress_;
  std::string pending_;
};

Error SuiteFailed(const SuiteRun& run, const CommandResult& result, std::string_view what) {
  constexpr std::size_t kShown_bytes = 2000;
  std::string printed = result.output + result.errors;
  if (printed.size() > kShown_bytes) {
    printed.erase(0, printed.size() - kShown_bytes);
  }
  return Error{.kind = ErrorKind::kJudge,
               .where = "",
               .cause = fmt::format("{} {}; it printed last:\n{}", run.program.string(), what,
                                    EscapeCodeBlock(printed)),
               .remedy = "run it again; if it stays, it is a bug of Assay"};
}

std::string HowItEnded(const CommandResult& result) {
  if (result.timed_out) {
    return "did not end in time";
  }
  const bool exited = result.exit.kind == ProcessExit::Kind::kExited;
  return fmt::format("ended with {} {}", exited ? "status" : "signal", result.exit.code_or_signal);
}

}  // namespace

std::optional<CaseProgress> ParseCaseProgress(std::string_view line) {
  constexpr std::string_view kPrefix = "@case ";
  if (!line.starts_with(kPrefix)) {
    return std::nullopt;
  }
  line.remove_prefix(kPrefix.size());
  CaseProgress progress;
  for (int* number : {&progress.done, &progress.total}) {
    const auto [end, failure] = std::from_chars(line.data(), line.data() + line.size(), *number);
    if (failure != std::errc{} || end == line.data() + line.size() || *end != ' ') {
      return std::nullopt;
    }
    line.remove_prefix(static_cast<std::size_t>(end - line.data()) + 1);
  }
  progress.name = line.substr(0, line.find(' '));
  return progress;
}

Result<RunResults> RunSuite(const SuiteRun& run, const fs::path& scratch, ProgressSink& progress) {
  const fs::path results_file =
      scratch / fmt::format("{}_{}.json", run.program.filename().string(), ToString(run.flavor));
  // The results of an earlier run must never pass for those of one that left none.
  if (std::error_code failure; !fs::remove(results_file, failure) && failure) {
    return std::unexpected(SystemError(results_file.string(), failure.value()));
  }
  ProgressLines lines(progress);
  ASSAY_ASSIGN_OR_RETURN(
      const CommandResult result,
      RunToCompletion({.argv = Arguments(run, results_file),
                       .environment = SuiteEnvironment(),
                       .working_directory = scratch,
                       .input = "",
                       .time_limit = run.time_limit,
                       .on_output = [&](std::string_view piece) { lines.Add(piece); }}));
  const auto json = ReadFile(results_file, std::size_t{256} << 20);
  if (!json) {
    return std::unexpected(SuiteFailed(run, result, HowItEnded(result) + " and left no results"));
  }
  ASSAY_ASSIGN_OR_RETURN(RunResults results, RunResultsFromJson(*json, results_file.string()));
  if (!results.judge_error.empty()) {
    return std::unexpected(SuiteFailed(run, result, "failed: " + results.judge_error));
  }
  if (result.timed_out || result.exit.kind != ProcessExit::Kind::kExited ||
      result.exit.code_or_signal != 0) {
    return std::unexpected(SuiteFailed(run, result, HowItEnded(result)));
  }
  return results;
}

}  // namespace assay
