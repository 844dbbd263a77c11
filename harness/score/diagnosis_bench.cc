// SPDX-License-Identifier: Apache-2.0
// What a diagnosis takes, of a suite and signatures as large as a challenge's: a cell that has some
// of the mutants' bugs, and fails a few cases by none of them. A report makes one of each cell.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstddef>
#include <random>
#include <string>

#include "score/diagnosis.h"
#include "score/synthetic.h"

namespace assay {
namespace {

constexpr int kMutants = 60;
constexpr std::size_t kCases = 400;
constexpr int kRuns = 3;

std::string NameOf(std::size_t one) { return fmt::format("Suite.Case{:03}", one); }

/// Mutants that fail 2 to 120 cases each, some of them in one run of three.
Signatures MakeSignatures(std::mt19937_64& random) {
  Signatures signatures;
  signatures.runs = kRuns;
  for (int i = 0; i < kMutants; ++i) {
    MutantSignature& mutant = signatures.mutants[fmt::format("mutant_{:02}", i)];
    const std::size_t failing = 2 + random() % 119;
    const std::size_t first = random() % kCases;
    for (std::size_t k = 0; k < failing; ++k) {
      const std::size_t one = random() % 4 == 0 ? random() % kCases : (first + k) % kCases;
      mutant.cases[NameOf(one)] = {{Verdict::kWrongAnswer, random() % 8 == 0 ? 1 : kRuns}};
    }
  }
  return signatures;
}

SuiteEvidence MakeSuite(const Signatures& signatures, std::int64_t bugs, std::mt19937_64& random) {
  SuiteEvidence suite;
  for (std::size_t one = 0; one < kCases; ++one) {
    bool failed = random() % 50 == 0;
    auto mutant = signatures.mutants.begin();
    for (std::int64_t bug = 0; bug < bugs; ++bug, ++mutant) {
      failed = failed || mutant->second.cases.contains(NameOf(one));
    }
    suite.cases.push_back(
        synthetic::MakeCase(NameOf(one), {}, failed ? Verdict::kWrongAnswer : Verdict::kAccepted));
  }
  return suite;
}

void DiagnoseBugs(benchmark::State& state) {
  std::mt19937_64 random(1);
  const Signatures signatures = MakeSignatures(random);
  const SuiteEvidence suite = MakeSuite(signatures, state.range(0), random);
  std::size_t matches = 0;
  for ([[maybe_unused]] auto iteration : state) {
    matches = Diagnose(suite, signatures).matches.size();
  }
  state.counters["matches"] = static_cast<double>(matches);
}
BENCHMARK(DiagnoseBugs)->Arg(0)->Arg(1)->Arg(3)->Arg(6)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace assay

BENCHMARK_MAIN();
