// SPDX-License-Identifier: Apache-2.0
// Times the baseline in this process against what memory allows, and against its peers.
//
// Every iteration times several things on the same cache, one after the other: the limit, a loop
// that does nothing but read the keys and values, as a decode step must; the step; and the same
// step by Eigen and by oneDNN. So a slow moment of the machine hits all of them. All counters are
// medians over the iterations, of ratios the medians of the ratios of each iteration:
//
//   GBps, share          keys and values over time of the step, and over the limit's time
//   eigen, onednn        their share of the limit
//   tokens_per_s         of all sequences together, in one layer
//
// The shape is that of Llama-3-8B's attention: 32 query heads, 8 KV heads of 128.

// g++ 12 takes the undefined vectors inside its own AVX-512 intrinsics, which Eigen calls, for
// variables that someone forgot to initialise (PR 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

#include <benchmark/benchmark.h>

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "baseline.h"
#include "oneapi/dnnl/dnnl.hpp"
#include "paired_times.h"

// Of libgomp, with which oneDNN makes its threads.
extern "C" void omp_set_num_threads(int threads);

namespace assay::kv_baseline {
namespace {

constexpr std::int32_t kQueryHeads = 32;
constexpr std::int32_t kKvHeads = 8;
constexpr std::int32_t kHeadSize = 128;
constexpr std::int32_t kGroup = kQueryHeads / kKvHeads;
constexpr std::size_t kQueryWidth = std::size_t{kQueryHeads} * kHeadSize;
constexpr std::size_t kKvWidth = std::size_t{kKvHeads} * kHeadSize;

/// The baseline, and where the cache that was made last lies in memory.
struct Steps : BaselineSteps {
  static std::shared_ptr<std::byte> Allocate(std::size_t size_bytes) {
    std::shared_ptr<std::byte> memory = BaselineSteps::Allocate(size_bytes);
    last = memory.get();
    return memory;
  }
  static inline std::byte* last = nullptr;
};

std::vector<float> RandomFloats(std::size_t count) {
  std::mt19937 generator(1);
  std::uniform_real_distribution<float> uniform(-1.0F, 1.0F);
  std::vector<float> values(count);
  std::ranges::generate(values, [&] { return uniform(generator); });
  return values;
}

/// A contiguous cache of one layer whose window of `length` tokens is full, so that it stays as
/// long as it is when tokens are added, up to `room`; and a query for each sequence.
class Workload {
 public:
  Workload(std::size_t length, std::size_t sequences, kv_storage storage, std::size_t room)
      : length_(length),
        cache_({.layers = 1,
                .query_heads = kQueryHeads,
                .kv_heads = kKvHeads,
                .head_size = kHeadSize,
                .batch = static_cast<std::int32_t>(sequences),
                .capacity = static_cast<std::int32_t>(length + room),
                .storage = storage,
                .page_size = 0,
                .pages = 0,
                .window = static_cast<std::int32_t>(length)}),
        memory_(Steps::last),
        sequences_(sequences),
        q_(RandomFloats(sequences * kQueryWidth)),
        k_(RandomFloats(sequences * kKvWidth)),
        out_(q_.size()) {
    std::iota(sequences_.begin(), sequences_.end(), 0);
    const std::vector<float> tokens = RandomFloats(kFilledTogether * kKvWidth);
    for (const std::int32_t sequence : sequences_) {
      const std::vector<std::int32_t> same(kFilledTogether, sequence);
      for (std::size_t done = 0; done < length; done += kFilledTogether) {
        cache_.Append(0, std::min(kFilledTogether, length - done), same.data(), tokens.data(),
                      tokens.data());
      }
    }
    for (int thread = 0; thread < 2; ++thread) {
      rows_.push_back(cache_.MakeRows());
    }
  }

  [[nodiscard]] std::size_t length() const { return length_; }
  [[nodiscard]] std::size_t sequences() const { return sequences_.size(); }
  [[nodiscard]] double Bytes() const {
    return 2.0 * sizeof(float) * kKvWidth * static_cast<double>(length_ * sequences());
  }
  float* Query(std::size_t sequence) { return q_.data() + sequence * kQueryWidth; }
  float* Out(std::size_t sequence) { return out_.data() + sequence * kQueryWidth; }
  /// The keys of one sequence and KV head in an f32 cache: [length][head_size].
  float* Keys(std::size_t sequence, std::size_t head) {
    return reinterpret_cast<float*>(memory_) +
           (2 * sequence * kKvHeads + head) * length_ * kHeadSize;
  }
  float* Values(std::size_t sequence, std::size_t head) {
    return Keys(sequence, head) + length_ * kKvWidth;
  }

  /// One decode step of one layer: a token more for every sequence, and its attention.
  void Decode(std::size_t threads) {
    cache_.Append(0, sequences(), sequences_.data(), k_.data(), k_.data());
    if (threads == 1) {
      cache_.Attend(0, sequences(), sequences_.data(), q_.data(), out_.data());
      return;
    }
    InParallel(threads, [&](std::size_t thread) {
      const std::size_t share = cache_.kv_heads() / threads;
      cache_.AttendHeads(0, sequences(), sequences_.data(), q_.data(), out_.data(), thread * share,
                         (thread + 1) * share, rows_[thread]);
    });
  }

  /// Reads what one Decode of an f32 cache has to read, the way it is fastest.
  void ReadAll(std::size_t threads) {
    InParallel(threads, [&](std::size_t thread) {
      const std::size_t share = kKvHeads / threads;
      Vector sum = hn::Zero(Floats());
      for (std::size_t sequence = 0; sequence < sequences(); ++sequence) {
        for (std::size_t head = thread * share; head < (thread + 1) * share; ++head) {
          sum = hn::Add(sum, Sum(Keys(sequence, head)));
          sum = hn::Add(sum, Sum(Values(sequence, head)));
        }
      }
      benchmark::DoNotOptimize(hn::GetLane(sum));
    });
  }

 private:
  static constexpr std::size_t kFilledTogether = 256;

  [[nodiscard]] Vector Sum(const float* from) const {
    constexpr std::size_t kStreams = 8;
    Vector sums[kStreams];
    std::fill_n(sums, kStreams, hn::Zero(Floats()));
    for (std::size_t i = 0; i < length_ * kHeadSize; i += kStreams * kLanes) {
      for (std::size_t stream = 0; stream < kStreams; ++stream) {
        sums[stream] = hn::Add(sums[stream], hn::LoadU(Floats(), from + i + stream * kLanes));
      }
    }
    return std::accumulate(sums + 1, sums + kStreams, sums[0],
                           [](Vector a, Vector b) { return hn::Add(a, b); });
  }

  template <typename Task>
  static void InParallel(std::size_t threads, Task&& task) {
    std::vector<std::thread> others;
    for (std::size_t thread = 1; thread < threads; ++thread) {
      others.emplace_back([&task, thread] { task(thread); });
    }
    task(std::size_t{0});
    for (std::thread& other : others) {
      other.join();
    }
  }

  std::size_t length_;
  Cache<Steps> cache_;
  std::byte* memory_;
  std::vector<std::int32_t> sequences_;
  std::vector<float> q_, k_, out_;
  std::vector<QueryRows> rows_;
};

/// The attention of a step as one writes it down with Eigen: two products for each KV head.
void AttendWithEigen(Workload& work) {
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto length = static_cast<Eigen::Index>(work.length());
  for (std::size_t sequence = 0; sequence < work.sequences(); ++sequence) {
    for (std::size_t head = 0; head < kKvHeads; ++head) {
      const std::size_t first = head * kGroup * kHeadSize;
      const Eigen::Map<const Matrix> q(work.Query(sequence) + first, kGroup, kHeadSize);
      const Eigen::Map<const Matrix> k(work.Keys(sequence, head), length, kHeadSize);
      const Eigen::Map<const Matrix> v(work.Values(sequence, head), length, kHeadSize);
      Eigen::Map<Matrix> out(work.Out(sequence) + first, kGroup, kHeadSize);
      Matrix weights = q * k.transpose() / std::sqrt(static_cast<float>(kHeadSize));
      weights = (weights.colwise() - weights.rowwise().maxCoeff()).array().exp();
      out.noalias() = weights * v;
      out.array().colwise() /= weights.rowwise().sum().array();
    }
  }
}

/// The same by two batched products and a softmax of oneDNN, made once for this length.
class DnnlAttention {
 public:
  explicit DnnlAttention(Workload& work)
      : engine_(dnnl::engine::kind::cpu, 0),
        stream_(engine_),
        scores_({{kKvHeads, kGroup, Length(work)},
                 dnnl::memory::data_type::f32,
                 dnnl::memory::format_tag::abc},
                engine_),
        head_stride_(work.Keys(0, 1) - work.Keys(0, 0)) {
    using dnnl::memory;
    const memory::desc q({kKvHeads, kGroup, kHeadSize}, memory::data_type::f32,
                         memory::format_tag::abc);
    const memory::desc k({kKvHeads, kHeadSize, Length(work)}, memory::data_type::f32,
                         memory::dims{head_stride_, 1, kHeadSize});
    const memory::desc v({kKvHeads, Length(work), kHeadSize}, memory::data_type::f32,
                         memory::dims{head_stride_, kHeadSize, 1});
    dnnl::primitive_attr scaled;
    scaled.set_output_scales(0, {1 / std::sqrt(static_cast<float>(kHeadSize))});
    score_ = dnnl::matmul({{q, k, scores_.get_desc()}, scaled, engine_});
    softmax_ = dnnl::softmax_forward(
        {{dnnl::prop_kind::forward_inference, scores_.get_desc(), 2}, engine_});
    weigh_ = dnnl::matmul({{scores_.get_desc(), v, q}, engine_});
    q_ = memory(q, engine_, nullptr);
    k_ = memory(k, engine_, nullptr);
    v_ = memory(v, engine_, nullptr);
    out_ = memory(q, engine_, nullptr);
  }

  void Run(Workload& work) {
    for (std::size_t sequence = 0; sequence < work.sequences(); ++sequence) {
      q_.set_data_handle(work.Query(sequence));
      k_.set_data_handle(work.Keys(sequence, 0));
      v_.set_data_handle(work.Values(sequence, 0));
      out_.set_data_handle(work.Out(sequence));
      score_.execute(stream_,
                     {{DNNL_ARG_SRC, q_}, {DNNL_ARG_WEIGHTS, k_}, {DNNL_ARG_DST, scores_}});
      softmax_.execute(stream_, {{DNNL_ARG_SRC, scores_}, {DNNL_ARG_DST, scores_}});
      weigh_.execute(stream_,
                     {{DNNL_ARG_SRC, scores_}, {DNNL_ARG_WEIGHTS, v_}, {DNNL_ARG_DST, out_}});
    }
    stream_.wait();
  }

 private:
  static dnnl::memory::dim Length(const Workload& work) {
    return static_cast<dnnl::memory::dim>(work.length());
  }

  dnnl::engine engine_;
  dnnl::stream stream_;
  dnnl::memory scores_;
  dnnl::memory::dim head_stride_;
  dnnl::matmul score_, weigh_;
  dnnl::softmax_forward softmax_;
  dnnl::memory q_, k_, v_, out_;
};

/// Times of several functions that take turns.
class Turns {
 public:
  /// The first function is the one that the others are compared with.
  explicit Turns(std::vector<std::function<void()>> functions)
      : functions_(std::move(functions)), seconds_(functions_.size()) {
    for (const auto& function : functions_) {
      function();
    }
  }

  /// Runs each once; the time of the second.
  double Run() {
    for (std::size_t i = 0; i < functions_.size(); ++i) {
      seconds_[i].push_back(assay::Seconds(functions_[i]));
    }
    return seconds_[1].back();
  }

  [[nodiscard]] double Seconds(std::size_t i) const { return Median(seconds_[i]); }
  /// Time of the first over that of the i-th.
  [[nodiscard]] double Speed(std::size_t i) const {
    std::vector<double> ratios(seconds_[i].size());
    std::ranges::transform(seconds_[0], seconds_[i], ratios.begin(), std::divides<>());
    return Median(ratios);
  }

 private:
  std::vector<std::function<void()>> functions_;
  std::vector<std::vector<double>> seconds_;
};

/// Enough turns for a median; few where one takes long.
std::int64_t TurnsFor(double bytes) {
  return std::clamp(static_cast<std::int64_t>(20e9 / bytes), std::int64_t{9}, std::int64_t{301});
}

void BM_Decode(benchmark::State& state) {
  const auto threads = static_cast<std::size_t>(state.range(2));
  Workload work(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)),
                KV_F32, static_cast<std::size_t>(state.max_iterations) + 1);
  std::unique_ptr<DnnlAttention> onednn;
  std::vector<std::function<void()>> functions = {[&] { work.ReadAll(threads); },
                                                  [&] { work.Decode(threads); }};
  if (threads == 1) {
    onednn = std::make_unique<DnnlAttention>(work);
    functions.emplace_back([&] { AttendWithEigen(work); });
    functions.emplace_back([&] { onednn->Run(work); });
  }
  Turns turns(std::move(functions));
  for (auto _ : state) {
    state.SetIterationTime(turns.Run());
  }
  state.counters["GBps"] = work.Bytes() / turns.Seconds(1) * 1e-9;
  state.counters["limit_GBps"] = work.Bytes() / turns.Seconds(0) * 1e-9;
  state.counters["share"] = turns.Speed(1);
  state.counters["tokens_per_s"] = static_cast<double>(work.sequences()) / turns.Seconds(1);
  if (threads == 1) {
    state.counters["eigen"] = turns.Speed(2);
    state.counters["onednn"] = turns.Speed(3);
  }
}

/// One sequence in each storage; times of f32 over those of the others.
void BM_DecodeStorage(benchmark::State& state) {
  const auto length = static_cast<std::size_t>(state.range(0));
  std::vector<std::unique_ptr<Workload>> works;
  std::vector<std::function<void()>> functions;
  for (const kv_storage storage : {KV_F32, KV_F16, KV_INT8, KV_INT4}) {
    works.push_back(std::make_unique<Workload>(length, 1, storage,
                                               static_cast<std::size_t>(state.max_iterations) + 1));
    functions.emplace_back([work = works.back().get()] { work->Decode(1); });
  }
  Turns turns(std::move(functions));
  for (auto _ : state) {
    state.SetIterationTime(turns.Run());
  }
  state.counters["f32_ms"] = turns.Seconds(0) * 1e3;
  state.counters["f16"] = turns.Speed(1);
  state.counters["int8"] = turns.Speed(2);
  state.counters["int4"] = turns.Speed(3);
}

/// Prefill of one sequence, beside a product of matrices by Eigen: what arithmetic allows.
void BM_Prefill(benchmark::State& state) {
  const auto tokens = static_cast<std::size_t>(state.range(0));
  Cache<Steps> cache({.layers = 1,
                      .query_heads = kQueryHeads,
                      .kv_heads = kKvHeads,
                      .head_size = kHeadSize,
                      .batch = 1,
                      .capacity = static_cast<std::int32_t>(tokens),
                      .storage = static_cast<std::int32_t>(state.range(1)),
                      .page_size = 0,
                      .pages = 0,
                      .window = 0});
  const std::vector<float> q = RandomFloats(tokens * kQueryWidth);
  const std::vector<float> k = RandomFloats(tokens * kKvWidth);
  std::vector<float> out(q.size());
  constexpr Eigen::Index kSide = 768;
  const Eigen::MatrixXf left = Eigen::MatrixXf::Random(kSide, kSide);
  const Eigen::MatrixXf right = Eigen::MatrixXf::Random(kSide, kSide);
  Eigen::MatrixXf product(kSide, kSide);
  Turns turns({[&] { product.noalias() = left * right; },
               [&] {
                 cache.Free(0);
                 cache.Prefill(0, 0, tokens, q.data(), k.data(), k.data(), out.data());
               }});
  for (auto _ : state) {
    state.SetIterationTime(turns.Run());
  }
  const double seen = static_cast<double>(tokens * (tokens + 1)) / 2;
  state.counters["GFLOPS"] = 4.0 * kQueryWidth * seen / turns.Seconds(1) * 1e-9;
  state.counters["eigen_product_GFLOPS"] = 2.0 * kSide * kSide * kSide / turns.Seconds(0) * 1e-9;
}

void DecodeShapes(std::int64_t length, std::int64_t sequences) {
  const double bytes =
      2.0 * sizeof(float) * kKvWidth * static_cast<double>(length) * static_cast<double>(sequences);
  constexpr double kMost_bytes = 6e9;
  if (bytes > kMost_bytes) {
    return;
  }
  benchmark::RegisterBenchmark("Decode", BM_Decode)
      ->ArgNames({"length", "sequences", "threads"})
      ->Args({length, sequences, 1})
      ->Args({length, sequences, 2})
      ->Iterations(TurnsFor(bytes))
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

}  // namespace
}  // namespace assay::kv_baseline

int main(int argc, char** argv) {
  using namespace assay::kv_baseline;  // NOLINT(google-build-using-namespace): its own main.
  ::omp_set_num_threads(1);  // For oneDNN: it is compared with one thread of the baseline.
  for (const std::int64_t length : {512, 4096, 32768}) {
    for (const std::int64_t sequences : {1, 8, 32}) {
      DecodeShapes(length, sequences);
    }
  }
  for (const std::int64_t length : {4096, 32768}) {
    benchmark::RegisterBenchmark("DecodeStorage", BM_DecodeStorage)
        ->ArgName("length")
        ->Arg(length)
        ->Iterations(51)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
  for (const std::int64_t storage : {KV_F32, KV_INT8, KV_INT4}) {
    benchmark::RegisterBenchmark("Prefill", BM_Prefill)
        ->ArgNames({"tokens", "storage"})
        ->Args({2048, storage})
        ->Iterations(9)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
