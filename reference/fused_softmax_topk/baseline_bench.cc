// SPDX-License-Identifier: Apache-2.0
// Times the CPU form in this process against what memory allows, and against naive forms.
//
// Every iteration times two things on the same logits, one after the other: the floor, a loop that
// only reads them, as the function must; and the function. So a slow moment of the machine hits
// both. `GBps`, `floor_GBps` and `share` are medians over those pairs. Bytes are the least traffic,
// every logit once, whatever the function really moved.

#include <benchmark/benchmark.h>

// g++ 12 takes the undefined vectors of its own intrinsics for uninitialised ones (PR 105593).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <Eigen/Core>
#pragma GCC diagnostic pop
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <random>
#include <vector>

#include "baseline_cpu.h"
#include "paired_times.h"

namespace assay::softmax_topk_cpu {
namespace {

/// Logits and outputs of one shape.
struct Workload {
  Workload(std::size_t row_count, std::size_t row_elements, std::size_t result_count)
      : rows(row_count),
        vocabulary(row_elements),
        k(result_count),
        logits(static_cast<Eigen::Index>(rows * vocabulary)),
        probabilities(rows * k),
        indices(rows * k) {
    std::mt19937 generator(1);
    std::normal_distribution<float> normal;
    for (float& logit : logits) {
      logit = normal(generator);
    }
  }

  [[nodiscard]] const float* Row(std::size_t row) const { return logits.data() + row * vocabulary; }

  std::size_t rows, vocabulary, k;
  Eigen::ArrayXf logits;
  std::vector<float> probabilities;
  std::vector<std::int32_t> indices;
};

/// Reads everything once: a maximum in eight chains of vectors, which no unit but memory holds up.
float ReadAll(const Eigen::ArrayXf& values) {
  constexpr std::size_t kChains = 8;
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  FloatVector maxima[kChains];
  for (FloatVector& maximum : maxima) {
    maximum = hn::Set(d, values[0]);
  }
  const auto count = static_cast<std::size_t>(values.size());
  for (std::size_t i = 0; i + kChains * lanes <= count; i += kChains * lanes) {
    for (std::size_t chain = 0; chain < kChains; ++chain) {
      maxima[chain] = hn::Max(maxima[chain], hn::LoadU(d, values.data() + i + chain * lanes));
    }
  }
  for (std::size_t chain = 1; chain < kChains; ++chain) {
    maxima[0] = hn::Max(maxima[0], maxima[chain]);
  }
  return hn::GetLane(hn::MaxOfLanes(d, maxima[0]));
}

/// Times `function` against reading the logits once.
template <typename Function>
void RunAgainstFloor(benchmark::State& state, const Workload& work, Function&& function) {
  RunPairs(
      state, sizeof(float) * static_cast<double>(work.rows * work.vocabulary), "floor_GBps",
      [&] { benchmark::DoNotOptimize(ReadAll(work.logits)); }, function);
}

Workload WorkloadOf(const benchmark::State& state) {
  return {static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)),
          static_cast<std::size_t>(state.range(2))};
}

void BM_Baseline(benchmark::State& state) {
  Workload work = WorkloadOf(state);
  RunAgainstFloor(state, work, [&] {
    SoftmaxTopK<CpuSteps>(work.rows, work.vocabulary, work.k, work.logits.data(), work.vocabulary,
                          work.probabilities.data(), work.indices.data());
  });
}

/// Softmax of a row as one writes it with Eigen, then the k largest with std::partial_sort.
void BM_EigenAndPartialSort(benchmark::State& state) {
  Workload work = WorkloadOf(state);
  Eigen::ArrayXf softmax;
  std::vector<std::int32_t> order(work.vocabulary);
  RunAgainstFloor(state, work, [&] {
    for (std::size_t r = 0; r < work.rows; ++r) {
      const Eigen::Map<const Eigen::ArrayXf> row(work.Row(r),
                                                 static_cast<Eigen::Index>(work.vocabulary));
      softmax = (row - *std::max_element(work.Row(r), work.Row(r) + work.vocabulary)).exp();
      softmax /= softmax.sum();
      std::iota(order.begin(), order.end(), 0);
      const auto middle = order.begin() + static_cast<std::ptrdiff_t>(work.k);
      std::partial_sort(order.begin(), middle, order.end(), [&](std::int32_t a, std::int32_t b) {
        return row[a] > row[b] || (row[a] == row[b] && a < b);
      });
      for (std::size_t i = 0; i < work.k; ++i) {
        work.indices[r * work.k + i] = order[i];
        work.probabilities[r * work.k + i] = softmax[order[i]];
      }
    }
  });
}

/// The same a logit at a time.
void BM_ScalarAndPartialSort(benchmark::State& state) {
  Workload work = WorkloadOf(state);
  std::vector<std::int32_t> order(work.vocabulary);
  RunAgainstFloor(state, work, [&] {
    for (std::size_t r = 0; r < work.rows; ++r) {
      const float* row = work.Row(r);
      const float maximum = *std::max_element(row, row + work.vocabulary);
      float sum = 0;
      for (std::size_t i = 0; i < work.vocabulary; ++i) {
        sum += std::exp(row[i] - maximum);
      }
      std::iota(order.begin(), order.end(), 0);
      const auto middle = order.begin() + static_cast<std::ptrdiff_t>(work.k);
      std::partial_sort(order.begin(), middle, order.end(), [&](std::int32_t a, std::int32_t b) {
        return row[a] > row[b] || (row[a] == row[b] && a < b);
      });
      for (std::size_t i = 0; i < work.k; ++i) {
        work.indices[r * work.k + i] = order[i];
        work.probabilities[r * work.k + i] = std::exp(row[order[i]] - maximum) / sum;
      }
    }
  });
}

void Shapes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"rows", "vocabulary", "k"});
  bench->Args({256, 32000, 5});
  bench->Args({256, 32000, 50});
  bench->Args({64, 128256, 50});
  bench->UseManualTime()->Unit(benchmark::kMillisecond);
}

BENCHMARK(BM_Baseline)->Apply(Shapes);
BENCHMARK(BM_EigenAndPartialSort)->Apply(Shapes);
BENCHMARK(BM_ScalarAndPartialSort)->Apply(Shapes);

}  // namespace
}  // namespace assay::softmax_topk_cpu

BENCHMARK_MAIN();
