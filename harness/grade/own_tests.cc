// SPDX-License-Identifier: Apache-2.0
#include "grade/own_tests.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "grade/own_programs.h"
#include "grade/size_recorder.h"
#include "grade/test_checks.h"

namespace assay {
namespace {

constexpr std::size_t kDetailOfProgram_bytes = 600;
constexpr int kRounds = 2;                  // So often a mutant must fail to be killed.
constexpr std::size_t kLeastBaselines = 4;  // Runs of the baseline in each.

class OwnTests {
 public:
  OwnTests(const OwnTestsInputs& inputs, ProgressSink& progress)
      : inputs_(inputs), progress_(progress), programs_(inputs) {}

  Result<OwnTestsEvidence> Run() {
    const SubmissionSpec& spec = inputs_.build.built;
    evidence_.shipped = static_cast<int>(spec.tests.size());
    for (const BenchmarkSpec& benchmark : spec.benchmarks) {
      evidence_.benchmarks_shipped += benchmark.configurations;
    }
    ASSAY_RETURN_IF_ERROR(programs_.Prepare());
    ASSAY_ASSIGN_OR_RETURN(const std::vector<OwnProgram> programs, programs_.Compile());
    for (std::size_t i = 0; i < programs.size(); ++i) {
      if (programs[i].object.empty()) {
        Note(programs[i].source, "does not compile", programs[i].diagnostics);
      } else if (i < spec.tests.size()) {
        ASSAY_RETURN_IF_ERROR(RunTest(programs[i]));
      } else {
        ASSAY_RETURN_IF_ERROR(
            RunBenchmark(programs[i], spec.benchmarks[i - spec.tests.size()].configurations));
      }
      progress_.CaseDone(static_cast<int>(i) + 1, static_cast<int>(programs.size()),
                         programs[i].source);
    }
    for (const auto& [mutant, library] : inputs_.mutant_libraries) {
      (killed_.contains(mutant) ? evidence_.mutants_killed : evidence_.mutants_survived)
          .push_back(mutant);
    }
    return std::move(evidence_);
  }

 private:
  void Note(const std::string& source, const std::string& what, const std::string& said) {
    if (!evidence_.detail.empty()) {
      evidence_.detail += '\n';
    }
    evidence_.detail +=
        Truncate(fmt::format("{} {}{}{}", source, what, said.empty() ? "" : ": ", said),
                 kDetailOfProgram_bytes);
  }

  Status RunTest(const OwnProgram& program) {
    const Implementation baseline{.objects = {}, .libraries = {inputs_.baseline_library}};
    ASSAY_ASSIGN_OR_RETURN(
        const auto runs,
        programs_.LinkAndRun(program, {programs_.SubmissionFor(program), baseline}));
    if (!runs[0].passed()) {
      Note(program.source, "fails on itself", Ending(runs[0]));
    }
    if (!runs[1].passed()) {
      Note(program.source, "fails on the baseline", Ending(runs[1]));
    }
    const ExpectedChecks expected = Expect(runs[0].checks(), runs[1].checks());
    if (expected.can_tell) {
      if (!expected.left_out.empty()) {
        Note(program.source, "is taken at its other checks; left out",
             Join({expected.left_out.begin(), expected.left_out.end()}, ", "));
      }
      return RunOnMutants(program, expected, runs[0].passed());
    }
    evidence_.passing_on_itself += runs[0].passed() ? 1 : 0;
    evidence_.passing_on_baseline += runs[1].passed() ? 1 : 0;
    return {};
  }

  // Each mutant once; those that failed once more. Each time the baseline is run among them, and
  // all in an order drawn anew, so that a program that fails by a coin, by the clock, by the age of
  // a file or every other time fails on the baseline too, and one that fails by chance fails not
  // twice.
  Status RunOnMutants(const OwnProgram& program, const ExpectedChecks& expected,
                      bool passes_on_itself) {
    std::vector<std::string> found;
    found.reserve(inputs_.mutant_libraries.size());
    for (const auto& [mutant, library] : inputs_.mutant_libraries) {
      found.push_back(mutant);
    }
    for (int round = 0; round < kRounds; ++round) {
      ASSAY_ASSIGN_OR_RETURN(const std::optional<std::set<std::string>> failed,
                             RunAmongBaselines(program, expected, found));
      if (!failed) {
        evidence_.passing_on_itself += passes_on_itself ? 1 : 0;
        return {};
      }
      found.assign(failed->begin(), failed->end());
    }
    if (found.empty() && !inputs_.mutant_libraries.empty()) {
      Note(program.source, "finds none of the planted bugs: not counted as a test that passes", "");
      return {};
    }
    evidence_.passing_on_itself += passes_on_itself ? 1 : 0;
    ++evidence_.passing_on_baseline;
    killed_.insert(found.begin(), found.end());
    return {};
  }

  // Those of `mutants` that the program fails on; nothing when it fails on the baseline.
  Result<std::optional<std::set<std::string>>> RunAmongBaselines(
      const OwnProgram& program, const ExpectedChecks& expected,
      const std::vector<std::string>& mutants) {
    std::vector<std::string> order = mutants;  // The baseline has no name.
    order.resize(mutants.size() + std::max(kLeastBaselines, mutants.size() / 4));
    std::ranges::shuffle(order, random_);
    std::vector<Implementation> implementations;
    implementations.reserve(order.size());
    for (const std::string& mutant : order) {
      implementations.push_back(
          {.objects = {},
           .libraries = {mutant.empty() ? inputs_.baseline_library
                                        : inputs_.mutant_libraries.at(mutant)}});
    }
    ASSAY_ASSIGN_OR_RETURN(const auto runs, programs_.LinkAndRun(program, implementations));
    std::set<std::string> failed;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const bool found_bug = FindsBug(expected, runs[i].checks());
      if (order[i].empty() && found_bug) {
        Note(program.source, "passed on the baseline once and then failed", Ending(runs[i]));
        return std::nullopt;
      }
      // A program that cannot even be linked with a mutant has not found its bug.
      if (!order[i].empty() && runs[i].linked && found_bug) {
        failed.insert(order[i]);
      }
    }
    return failed;
  }

  Status RunBenchmark(const OwnProgram& program, int configurations) {
    ASSAY_ASSIGN_OR_RETURN(const OwnProgramRun run, programs_.RunRecorded(program));
    if (!run.passed()) {
      Note(program.source, "does not run", Ending(run));
      return {};
    }
    const int sizes = CountSizes(run.run.output);
    evidence_.benchmarks_running += std::min(configurations, sizes);
    if (sizes < configurations) {
      Note(program.source,
           fmt::format("declares {} configurations and calls the interface with {} sizes",
                       configurations, sizes),
           "");
    }
    return {};
  }

  const OwnTestsInputs& inputs_;
  ProgressSink& progress_;
  OwnPrograms programs_;
  std::set<std::string> killed_;
  std::mt19937_64 random_{std::random_device()()};  // Of no honest program's result.
  OwnTestsEvidence evidence_;
};

}  // namespace

Result<OwnTestsEvidence> RunOwnTests(const OwnTestsInputs& inputs, ProgressSink& progress) {
  return OwnTests(inputs, progress).Run();
}

}  // namespace assay
