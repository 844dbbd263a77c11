// SPDX-License-Identifier: Apache-2.0
// Times the baseline in this process against what memory allows, and against a naive form.
//
// Every iteration times two things on the same buffers, one after the other: the limit, a loop that
// does nothing but read two matrices and write one, as the kernel must; and the kernel. So a slow
// moment of the machine hits both. `GBps`, `limit_GBps` and `share` are medians over those pairs.
// Bytes are the least traffic: three matrices, whatever the kernel really moved.

#include <benchmark/benchmark.h>

#include <Eigen/Core>
#include <cstddef>
#include <cstring>
#include <random>
#include <string_view>
#include <vector>

#include "baseline.h"
#include "paired_times.h"

namespace assay::layernorm_baseline {
namespace {

/// Aligned to a vector, as buffers are when the harness times.
using Buffer = Eigen::ArrayXf;

/// The saved tensors of interface.h, in this process.
struct Saved {
  Buffer xhat;
  Buffer rstd;
  Buffer gamma;

  Buffer& Named(std::string_view name) {
    return name == "xhat" ? xhat : name == "rstd" ? rstd : gamma;
  }
};

void* SaveTo(void* context, const char* name, std::size_t bytes) {
  Buffer& tensor = static_cast<Saved*>(context)->Named(name);
  tensor.resize(static_cast<Eigen::Index>(bytes / sizeof(float)));
  return tensor.data();
}

const void* LoadFrom(void* context, const char* name, std::size_t* bytes) {
  const Buffer& tensor = static_cast<Saved*>(context)->Named(name);
  *bytes = static_cast<std::size_t>(tensor.size()) * sizeof(float);
  return tensor.data();
}

/// Inputs, saved tensors and outputs of one shape.
struct Workload {
  Workload(std::size_t row_count, std::size_t feature_count)
      : rows(row_count),
        features(feature_count),
        x(Elements()),
        dy(Elements()),
        y(Elements()),
        dx(Elements()),
        gamma(Columns()),
        beta(Columns()),
        dgamma(Columns()),
        dbeta(Columns()) {
    std::mt19937 generator(1);
    std::uniform_real_distribution<float> uniform(-1.0F, 1.0F);
    for (Buffer* tensor : {&x, &dy, &gamma, &beta}) {
      for (float& value : *tensor) {
        value = uniform(generator);
      }
    }
    RunForward(1);
  }

  [[nodiscard]] Eigen::Index Columns() const { return static_cast<Eigen::Index>(features); }
  [[nodiscard]] Eigen::Index Elements() const { return static_cast<Eigen::Index>(rows * features); }

  void RunForward(std::size_t threads) {
    Forward<BaselineSteps, float>(rows, features, x.data(), gamma.data(), beta.data(), 1e-5F,
                                  y.data(), SaveTo, &saved, threads);
  }

  void RunBackward(std::size_t threads) {
    Backward<BaselineSteps, float>(rows, features, dy.data(), LoadFrom, &saved, dx.data(),
                                   dgamma.data(), dbeta.data(), threads);
  }

  std::size_t rows;
  std::size_t features;
  Buffer x, dy, y, dx, gamma, beta, dgamma, dbeta;
  Saved saved;
};

/// c = a + b, the way it is fastest: past the cache where the kernel writes past the cache.
void AddMatrices(const float* a, const float* b, float* c, std::size_t count, std::size_t threads) {
  const StoreKind kind = StoreKindFor(3 * count * sizeof(float));
  InParallel(count, threads, [&](std::size_t, std::size_t first, std::size_t last) {
    const std::size_t head = ElementsToAlignment(c + first);
    ForEachVector<float>(last - first, head, [&](auto part, std::size_t j) {
      part.Store(hn::Add(part.Load(a + first + j), part.Load(b + first + j)), c + first + j, kind);
    });
    hwy::FlushStream();
  });
}

/// One matrix in, two out: the traffic of forward.
void SplitMatrix(const float* a, float* b, float* c, std::size_t count, std::size_t threads) {
  const StoreKind kind = StoreKindFor(3 * count * sizeof(float));
  InParallel(count, threads, [&](std::size_t, std::size_t first, std::size_t last) {
    const std::size_t head = ElementsToAlignment(b + first);
    const StoreKind c_kind = IsAligned(c + first + head) ? kind : StoreKind::kCached;
    ForEachVector<float>(last - first, head, [&](auto part, std::size_t j) {
      const auto value = part.Load(a + first + j);
      part.Store(value, b + first + j, kind);
      part.Store(hn::Add(value, value), c + first + j, c_kind);
    });
    hwy::FlushStream();
  });
}

/// What both passes and their limits move.
double BytesOf(const Workload& work) {
  return 3.0 * sizeof(float) * static_cast<double>(work.rows * work.features);
}

void BM_Backward(benchmark::State& state) {
  Workload work(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  const auto threads = static_cast<std::size_t>(state.range(2));
  RunPairs(
      state, BytesOf(work), "limit_GBps",
      [&] {
        AddMatrices(work.dy.data(), work.saved.xhat.data(), work.dx.data(),
                    work.rows * work.features, threads);
      },
      [&] { work.RunBackward(threads); });
}

void BM_Forward(benchmark::State& state) {
  Workload work(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  const auto threads = static_cast<std::size_t>(state.range(2));
  RunPairs(
      state, BytesOf(work), "limit_GBps",
      [&] {
        SplitMatrix(work.x.data(), work.y.data(), work.saved.xhat.data(), work.rows * work.features,
                    threads);
      },
      [&] { work.RunForward(threads); });
}

/// Backward as one writes it down with Eigen: a matrix expression for every term.
void BM_NaiveBackward(benchmark::State& state) {
  Workload work(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  using Matrix = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Row = Eigen::Array<float, 1, Eigen::Dynamic>;
  const auto rows = static_cast<Eigen::Index>(work.rows);
  const auto features = static_cast<Eigen::Index>(work.features);
  const Eigen::Map<const Matrix> dy(work.dy.data(), rows, features);
  const Eigen::Map<const Matrix> xhat(work.saved.xhat.data(), rows, features);
  const Eigen::Map<const Eigen::ArrayXf> rstd(work.saved.rstd.data(), rows);
  const Eigen::Map<const Row> gamma(work.saved.gamma.data(), features);
  Eigen::Map<Matrix> dx(work.dx.data(), rows, features);
  Eigen::Map<Row> dgamma(work.dgamma.data(), features);
  Eigen::Map<Row> dbeta(work.dbeta.data(), features);
  RunPairs(
      state, BytesOf(work), "limit_GBps",
      [&] {
        AddMatrices(work.dy.data(), work.saved.xhat.data(), work.dx.data(),
                    work.rows * work.features, 1);
      },
      [&] {
        const Matrix d = dy.rowwise() * gamma;
        const Eigen::ArrayXf mean_d = d.rowwise().mean();
        const Eigen::ArrayXf mean_dxhat = (d * xhat).rowwise().mean();
        dx = ((d.colwise() - mean_d) - xhat.colwise() * mean_dxhat).colwise() * rstd;
        dgamma = (dy * xhat).colwise().sum();
        dbeta = dy.colwise().sum();
      });
}

void Shapes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"rows", "features", "threads"});
  for (const auto& [rows, features] : {std::pair{1024, 768}, {8192, 768}, {8192, 4096}}) {
    bench->Args({rows, features, 1});
    bench->Args({rows, features, 2});
  }
  bench->UseManualTime()->Unit(benchmark::kMillisecond);
}

void OneThreadShapes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"rows", "features", "threads"});
  for (const auto& [rows, features] : {std::pair{1024, 768}, {8192, 768}, {8192, 4096}}) {
    bench->Args({rows, features, 1});
  }
  bench->UseManualTime()->Unit(benchmark::kMillisecond);
}

BENCHMARK(BM_Backward)->Apply(Shapes);
BENCHMARK(BM_Forward)->Apply(Shapes);
BENCHMARK(BM_NaiveBackward)->Apply(OneThreadShapes);

}  // namespace
}  // namespace assay::layernorm_baseline

BENCHMARK_MAIN();
