// SPDX-License-Identifier: Apache-2.0
// How rendering of reports and of the site's data grows with the models: 1,000 of them in 8
// challenges. Prints seconds, those of all cores together as CPU, files and the most memory that
// the process had, which is that of the largest run before it.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "report/board.h"
#include "report/report.h"
#include "report/site_data.h"
#include "score/synthetic.h"

namespace assay {
namespace {

constexpr int kChallenges = 8;

Challenges MakeChallenges() {
  Challenges challenges;
  for (int i = 0; i < kChallenges; ++i) {
    ChallengeView view = synthetic::LayerNormChallenge();
    view.spec.id = fmt::format("challenge_{}", i);
    challenges.emplace(view.spec.id, std::move(view));
  }
  return challenges;
}

/// Each model is like one of the three, with times of its own.
std::vector<Evidence> MakeCells(std::int64_t models) {
  const std::vector<Evidence> three = synthetic::LayerNormCells();
  std::vector<Evidence> cells;
  for (std::int64_t model = 0; model < models; ++model) {
    for (int i = 0; i < kChallenges; ++i) {
      Evidence& cell =
          cells.emplace_back(three[static_cast<std::size_t>(model + i) % three.size()]);
      cell.model = cell.model_name = fmt::format("model-{}", model);
      cell.challenge = fmt::format("challenge_{}", i);
      cell.suite.metrics["tensors_saved"] = static_cast<double>(model % 11);
    }
  }
  return cells;
}

void RenderModels(benchmark::State& state) {
  const Challenges challenges = MakeChallenges();
  const std::vector<Evidence> cells = MakeCells(state.range(0));
  std::size_t files = 0;
  for ([[maybe_unused]] auto iteration : state) {
    files = RenderAll(cells, challenges).size();
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["files"] = static_cast<double>(files);
  state.counters["seconds_a_model"] = benchmark::Counter(
      static_cast<double>(state.range(0)),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  state.counters["most_MB"] = static_cast<double>(usage.ru_maxrss) / 1000;
}
BENCHMARK(RenderModels)
    ->Arg(30)
    ->Arg(100)
    ->Arg(300)
    ->Arg(1000)
    ->Unit(benchmark::kSecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

/// The data of the site; `model_kB` is a model's part of data/models/.
void RenderSite(benchmark::State& state) {
  const Challenges challenges = MakeChallenges();
  const std::vector<Evidence> cells = MakeCells(state.range(0));
  std::size_t files = 0;
  std::size_t bytes = 0;
  std::size_t bytes_of_models = 0;
  for ([[maybe_unused]] auto iteration : state) {
    files = 0;
    bytes = 0;
    bytes_of_models = 0;
    const Status status =
        RenderSiteData(MakeBoard(cells, challenges),
                       [&](const std::string& path, const std::string& content) -> Status {
                         ++files;
                         bytes += content.size();
                         bytes_of_models += path.starts_with("data/models/") ? content.size() : 0;
                         return {};
                       });
    if (!status) {
      state.SkipWithError(ToString(status.error()).c_str());
    }
  }
  state.counters["files"] = static_cast<double>(files);
  state.counters["MB"] = static_cast<double>(bytes) / 1e6;
  state.counters["model_kB"] =
      static_cast<double>(bytes_of_models) / 1e3 / static_cast<double>(state.range(0));
}
BENCHMARK(RenderSite)
    ->Arg(30)
    ->Arg(100)
    ->Arg(1000)
    ->Unit(benchmark::kSecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

}  // namespace
}  // namespace assay

BENCHMARK_MAIN();
