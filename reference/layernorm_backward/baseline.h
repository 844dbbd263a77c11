// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_LAYERNORM_BACKWARD_BASELINE_H_
#define ASSAY_REFERENCE_LAYERNORM_BACKWARD_BASELINE_H_

// The baseline of layernorm_backward: the implementation of interface.h that speed is measured
// against, and the body of every mutant.
//
// Theory of operation. Both passes are bound by memory: about ten operations for each twelve bytes.
// So every element is brought from memory once, and what needs a second look (the variance after
// the mean, dx after the two row sums) takes it from cache. Forward goes a row at a time. Backward
// goes a block of rows at a time: a first sweep over dy and xhat gathers the sums of each row, a
// second one, from cache, writes dx and adds the whole block to the sums of each column, so that
// these are loaded and stored once a block. Column sums are kept in lanes of T for kRowsPerFlush
// rows, then moved to double: the error of a long column grows with rows / kRowsPerFlush, not with
// rows, in double.
//
// What forward saves is the least: xhat, rstd and gamma. x would be as large as xhat and would need
// the mean too.
//
// Backward, f32, share of the limit (baseline_bench.cc: two matrices read, one written, in the same
// run) at 8192x768 and 8192x4096, on a virtual machine with 2 cores of an AMD EPYC of family 26
// (limit 47 to 58 GB/s on one thread), by
//
//     build/release/reference/layernorm_backward/baseline_bench --benchmark_filter=Backward
//
//   version                                                       one thread    two threads
//   Eigen, an expression a term                                   0.15  0.05
//   v1  blocks of 4 rows, row and column sums in the first sweep  0.48  0.61    0.61  0.86
//   v2  dx of one block in the loop of the next one's sums        0.55  0.53    0.76  0.69
//   v3  column sums in the second sweep, which is from cache;
//       the first row of the next block asked for early           0.66  0.68    0.80  0.79
//
// v2 was dropped: loads from memory between streamed stores are slower than one after the other.
// Without effect on v3, or slower: asking early for two or all four rows of the next block, or in
// the first sweep; blocks of 8 rows; stores that are not streamed.
// What is left to gain on one thread is that overlap: a first sweep only reads, a second one only
// writes, and neither keeps a core's line buffers as full as a loop that does both.
//
// Every term of the formula is one function of BaselineSteps. A mutant replaces one of them.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

// One target, the one of the compiler's flags: no dispatch at run time.
#define HWY_COMPILE_ONLY_STATIC
#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "interface.h"

namespace assay::layernorm_baseline {

namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
using Lanes = hn::ScalableTag<T>;
template <typename T>
using Vector = hn::Vec<Lanes<T>>;

template <typename T>
inline std::size_t LaneCount() {
  return hn::Lanes(Lanes<T>());
}

/// `value`, kept from the compiler, which would fuse a product into the sum that follows.
template <typename V>
inline V Rounded(V value) {
  asm("" : "+v"(value.raw));
  return value;
}

/// The formula, term by term. `T` is float or double, `V` a vector of them.
struct BaselineSteps {
  /// How many rows are visited: all.
  static std::size_t VisitedRows(std::size_t rows) { return rows; }

  /// How many columns the loops over a row visit: all, the last ones with a masked vector.
  template <typename T>
  static std::size_t VisitedColumns(std::size_t features) {
    return features;
  }

  /// Where row `row` of an input begins.
  template <typename T>
  static const T* Row(const T* matrix, std::size_t row, std::size_t features) {
    return matrix + row * features;
  }

  template <typename T>
  static T Mean(T sum, std::size_t features) {
    return sum / static_cast<T>(features);
  }

  /// What is subtracted from x before squares are taken: the mean, so that an offset of the row
  /// cancels before it is squared.
  template <typename T>
  static T Pivot(T mean) {
    return mean;
  }

  /// Biased variance from sums of deviations from the pivot. `offset` is the mean deviation: what
  /// rounding left of the mean; its square corrects the sum of squares.
  template <typename T>
  static T Variance(T sum_of_squares, T offset, std::size_t features) {
    const T variance = sum_of_squares / static_cast<T>(features) - offset * offset;
    return variance < 0 ? 0 : variance;  // Keeps a NaN, as std::max would not.
  }

  template <typename T>
  static T ReciprocalStd(T variance, T eps) {
    return 1 / std::sqrt(variance + eps);
  }

  template <typename V>
  static V Normalize(V deviation, V offset, V rstd) {
    return hn::Mul(hn::Sub(deviation, offset), rstd);
  }

  template <typename V>
  static V Affine(V xhat, V gamma, V beta) {
    return hn::MulAdd(xhat, gamma, beta);
  }

  /// Memory that backward will see under `name`; null when there is none.
  static void* Save(ln_save_fn save, void* context, const char* name, std::size_t bytes) {
    return save(context, name, bytes);
  }

  /// What forward saved under `name`; null unless it is there and has that size.
  static const void* Load(ln_load_fn load, void* context, const char* name, std::size_t bytes) {
    std::size_t saved_bytes = 0;
    const void* saved = load(context, name, &saved_bytes);
    return saved_bytes == bytes ? saved : nullptr;
  }

  /// d = dL/dxhat, rounded: with one feature d - mean(d) is 0 and not what rounding took from d.
  template <typename V>
  static V ScaledGradient(V dy, V gamma) {
    return Rounded(hn::Mul(dy, gamma));
  }

  template <typename V>
  static V GammaTerm(V dy, V xhat, V /*gamma*/) {
    return hn::Mul(dy, xhat);
  }

  template <typename V>
  static V BetaTerm(V dy, V /*gamma*/) {
    return dy;
  }

  /// dx = rstd * (d - mean(d) - xhat * mean(d * xhat)).
  template <typename V>
  static V InputGradient(V d, V xhat, V mean_d, V mean_dxhat, V rstd) {
    return hn::Mul(rstd, hn::NegMulAdd(xhat, mean_dxhat, hn::Sub(d, mean_d)));
  }

  /// Moves the partial sum of a column to its accumulator.
  template <typename T>
  static double Accumulate(double accumulator, T partial) {
    return accumulator + static_cast<double>(partial);
  }

  /// The accumulators of one kind of column sum, for one thread.
  static std::vector<double> ColumnAccumulators(std::size_t features) {
    return std::vector<double>(features, 0.0);
  }

  template <typename T>
  static void StoreColumn(T& output, double sum) {
    output = static_cast<T>(sum);
  }

  /// Which sums become dgamma, and which dbeta.
  static std::pair<const double*, const double*> ColumnOutputs(const double* gamma_sums,
                                                               const double* beta_sums,
                                                               std::size_t /*features*/) {
    return {gamma_sums, beta_sums};
  }
};

/// Column sums stay in lanes of T for so many rows.
inline constexpr std::size_t kRowsPerFlush = 64;
/// Rows of one block of backward: at 4096 features dy and xhat of a block take 128 KiB, a fraction
/// of a second-level cache.
inline constexpr std::size_t kRowsPerBlock = 4;
static_assert(kRowsPerFlush % kRowsPerBlock == 0);
/// Above so many bytes of traffic outputs do not fit in the last-level cache beside the inputs, and
/// are written past it: no line is read only to be overwritten.
inline constexpr std::size_t kStreamAbove_bytes = std::size_t{32} << 20;

enum class StoreKind { kCached, kStreamed };

/// All lanes of a vector.
template <typename T>
struct FullVector {
  static Vector<T> Load(const T* from) { return hn::LoadU(Lanes<T>(), from); }
  static void Store(Vector<T> value, T* to) { hn::StoreU(value, Lanes<T>(), to); }
  /// `to` is aligned to a vector when `kind` is kStreamed.
  static void Store(Vector<T> value, T* to, StoreKind kind) {
    if (kind == StoreKind::kStreamed) {
      hn::Stream(value, Lanes<T>(), to);
    } else {
      hn::StoreU(value, Lanes<T>(), to);
    }
  }
  static Vector<T> KeepOrZero(Vector<T> value) { return value; }
};

/// The first lanes of a vector; the others are neither read nor written, and load as zero.
template <typename T>
struct PartialVector {
  explicit PartialVector(std::size_t count) : mask(hn::FirstN(Lanes<T>(), count)) {}
  Vector<T> Load(const T* from) const { return hn::MaskedLoad(mask, Lanes<T>(), from); }
  void Store(Vector<T> value, T* to) const { hn::BlendedStore(value, mask, Lanes<T>(), to); }
  void Store(Vector<T> value, T* to, StoreKind /*kind*/) const { Store(value, to); }
  Vector<T> KeepOrZero(Vector<T> value) const { return hn::IfThenElseZero(mask, value); }
  hn::Mask<Lanes<T>> mask;
};

/// Calls body(part, column) so that the parts cover [0, columns), with the first `head` columns
/// apart, so that a pointer that is misaligned by `head` elements is aligned in the full vectors.
template <typename T, typename Body>
inline void ForEachVector(std::size_t columns, std::size_t head, Body&& body) {
  const std::size_t lanes = LaneCount<T>();
  std::size_t column = head < columns ? head : columns;
  if (column > 0) {
    body(PartialVector<T>(column), std::size_t{0});
  }
  for (; column + lanes <= columns; column += lanes) {
    body(FullVector<T>(), column);
  }
  if (column < columns) {
    body(PartialVector<T>(columns - column), column);
  }
}

template <typename T>
inline std::size_t ElementsToAlignment(const T* pointer) {
  const std::size_t vector_bytes = LaneCount<T>() * sizeof(T);
  const std::size_t past = reinterpret_cast<std::uintptr_t>(pointer) % vector_bytes;
  return past == 0 ? 0 : (vector_bytes - past) / sizeof(T);
}

template <typename T>
inline bool IsAligned(const T* pointer) {
  return ElementsToAlignment(pointer) == 0;
}

template <typename T>
inline T Sum(Vector<T> value) {
  return hn::GetLane(hn::SumOfLanes(Lanes<T>(), value));
}

inline StoreKind StoreKindFor(std::size_t traffic_bytes) {
  return traffic_bytes > kStreamAbove_bytes ? StoreKind::kStreamed : StoreKind::kCached;
}

/// Runs task(first, last) on `threads` contiguous parts of [0, rows), the first on this thread.
template <typename Task>
inline void InParallel(std::size_t rows, std::size_t threads, Task&& task) {
  const std::size_t share = (rows + threads - 1) / threads;
  std::vector<std::thread> others;
  for (std::size_t thread = 1; thread < threads; ++thread) {
    const std::size_t first = std::min(rows, thread * share);
    const std::size_t last = std::min(rows, first + share);
    others.emplace_back([&task, thread, first, last] { task(thread, first, last); });
  }
  task(std::size_t{0}, std::size_t{0}, std::min(rows, share));
  for (std::thread& other : others) {
    other.join();
  }
}

// -------------------------------------------------------------------------------------- forward

template <typename T>
struct RowStatistics {
  T pivot;   ///< Subtracted first: the mean, rounded.
  T offset;  ///< Subtracted next: mean of x - pivot.
  T rstd;
};

template <class Steps, typename T>
inline RowStatistics<T> ComputeStatistics(const T* x, std::size_t features, T eps) {
  const std::size_t columns = Steps::template VisitedColumns<T>(features);
  Vector<T> sum = hn::Zero(Lanes<T>());
  ForEachVector<T>(columns, 0,
                   [&](auto part, std::size_t j) { sum = hn::Add(sum, part.Load(x + j)); });
  const T pivot = Steps::Pivot(Steps::Mean(Sum<T>(sum), features));
  const Vector<T> pivots = hn::Set(Lanes<T>(), pivot);
  Vector<T> deviations = hn::Zero(Lanes<T>());
  Vector<T> squares = hn::Zero(Lanes<T>());
  ForEachVector<T>(columns, 0, [&](auto part, std::size_t j) {
    const Vector<T> deviation = part.KeepOrZero(hn::Sub(part.Load(x + j), pivots));
    deviations = hn::Add(deviations, deviation);
    squares = hn::MulAdd(deviation, deviation, squares);
  });
  const T offset = Steps::Mean(Sum<T>(deviations), features);
  const T variance = Steps::Variance(Sum<T>(squares), offset, features);
  return {pivot, offset, Steps::ReciprocalStd(variance, eps)};
}

/// y and xhat of one row. Asks for the next one meanwhile.
template <class Steps, typename T>
inline void NormalizeRow(const T* x, const RowStatistics<T>& statistics, const T* gamma,
                         const T* beta, std::size_t features, StoreKind kind, T* y, T* xhat) {
  const Vector<T> pivot = hn::Set(Lanes<T>(), statistics.pivot);
  const Vector<T> offset = hn::Set(Lanes<T>(), statistics.offset);
  const Vector<T> rstd = hn::Set(Lanes<T>(), statistics.rstd);
  const std::size_t head = kind == StoreKind::kStreamed ? ElementsToAlignment(y) : 0;
  const StoreKind xhat_kind = IsAligned(xhat + head) ? kind : StoreKind::kCached;
  ForEachVector<T>(
      Steps::template VisitedColumns<T>(features), head, [&](auto part, std::size_t j) {
        const Vector<T> deviation = hn::Sub(part.Load(x + j), pivot);
        const Vector<T> normal = Steps::Normalize(deviation, offset, rstd);
        part.Store(normal, xhat + j, xhat_kind);
        part.Store(Steps::Affine(normal, part.Load(gamma + j), part.Load(beta + j)), y + j, kind);
      });
}

/// ln_forward_f32 and ln_forward_f64 of interface.h, on `threads` threads.
template <class Steps, typename T>
int Forward(std::size_t rows, std::size_t features, const T* x, const T* gamma, const T* beta,
            T eps, T* y, ln_save_fn save, void* context, std::size_t threads) {
  if (features == 0) {
    return LN_INVALID_ARGUMENT;
  }
  if (rows == 0) {
    return LN_OK;
  }
  const std::size_t row_bytes = features * sizeof(T);
  T* xhat = static_cast<T*>(Steps::Save(save, context, "xhat", rows * row_bytes));
  T* rstd = static_cast<T*>(Steps::Save(save, context, "rstd", rows * sizeof(T)));
  T* saved_gamma = static_cast<T*>(Steps::Save(save, context, "gamma", row_bytes));
  if (xhat == nullptr || rstd == nullptr || saved_gamma == nullptr) {
    return LN_OUT_OF_MEMORY;
  }
  std::memcpy(saved_gamma, gamma, row_bytes);
  const StoreKind kind = StoreKindFor(3 * rows * row_bytes);
  InParallel(Steps::VisitedRows(rows), threads,
             [&](std::size_t /*thread*/, std::size_t first, std::size_t last) {
               for (std::size_t i = first; i < last; ++i) {
                 const T* row = Steps::Row(x, i, features);
                 const RowStatistics<T> statistics = ComputeStatistics<Steps>(row, features, eps);
                 rstd[i] = statistics.rstd;
                 NormalizeRow<Steps>(row, statistics, gamma, beta, features, kind, y + i * features,
                                     xhat + i * features);
               }
               hwy::FlushStream();
             });
  return LN_OK;
}

// ------------------------------------------------------------------------------------- backward

/// What backward reads.
template <typename T>
struct BackwardInputs {
  std::size_t rows;
  std::size_t features;
  const T* dy;
  const T* xhat;
  const T* rstd;
  const T* gamma;
};

/// The column sums of one thread, in lanes of T for some rows and in double for all.
template <class Steps, typename T>
class ColumnSums {
 public:
  explicit ColumnSums(std::size_t features)
      : gamma_(features, T{0}),
        beta_(features, T{0}),
        gamma_sums_(Steps::ColumnAccumulators(features)),
        beta_sums_(Steps::ColumnAccumulators(features)) {}

  T* gamma() { return gamma_.data(); }
  T* beta() { return beta_.data(); }
  const std::vector<double>& gamma_sums() const { return gamma_sums_; }
  const std::vector<double>& beta_sums() const { return beta_sums_; }

  void Flush() {
    Flush(gamma_, gamma_sums_);
    Flush(beta_, beta_sums_);
  }

 private:
  static void Flush(std::vector<T>& partial, std::vector<double>& sums) {
    for (std::size_t j = 0; j < partial.size(); ++j) {
      sums[j] = Steps::Accumulate(sums[j], partial[j]);
      partial[j] = 0;
    }
  }

  std::vector<T> gamma_;
  std::vector<T> beta_;
  std::vector<double> gamma_sums_;
  std::vector<double> beta_sums_;
};

/// What dx takes from its whole row.
template <typename T>
struct RowMeans {
  T d;
  T dxhat;
};

/// First sweep over a row: its means.
template <class Steps, typename T>
inline RowMeans<T> ComputeMeans(const BackwardInputs<T>& in, std::size_t row) {
  const T* dy = Steps::Row(in.dy, row, in.features);
  const T* xhat = in.xhat + row * in.features;
  Vector<T> sum_d = hn::Zero(Lanes<T>());
  Vector<T> sum_dxhat = hn::Zero(Lanes<T>());
  ForEachVector<T>(
      Steps::template VisitedColumns<T>(in.features), 0, [&](auto part, std::size_t j) {
        const Vector<T> d = Steps::ScaledGradient(part.Load(dy + j), part.Load(in.gamma + j));
        sum_d = hn::Add(sum_d, d);
        sum_dxhat = hn::MulAdd(d, part.Load(xhat + j), sum_dxhat);
      });
  return {Steps::Mean(Sum<T>(sum_d), in.features), Steps::Mean(Sum<T>(sum_dxhat), in.features)};
}

/// Second sweep over `kRows` rows, now in cache: their dx, and their share of the column sums.
/// Their `dx` are aligned alike where they are streamed. Asks for the first row of the next block
/// meanwhile, so that reading does not begin only when writing has ended.
template <class Steps, std::size_t kRows, typename T>
inline void WriteRows(const BackwardInputs<T>& in, std::size_t first, const RowMeans<T>* means,
                      StoreKind kind, T* matrix_dx, ColumnSums<Steps, T>& columns) {
  const T* dy[kRows];
  const T* xhat[kRows];
  T* dx[kRows];
  Vector<T> mean_d[kRows];
  Vector<T> mean_dxhat[kRows];
  Vector<T> rstd[kRows];
  for (std::size_t r = 0; r < kRows; ++r) {
    dy[r] = Steps::Row(in.dy, first + r, in.features);
    xhat[r] = in.xhat + (first + r) * in.features;
    dx[r] = matrix_dx + (first + r) * in.features;
    mean_d[r] = hn::Set(Lanes<T>(), means[r].d);
    mean_dxhat[r] = hn::Set(Lanes<T>(), means[r].dxhat);
    rstd[r] = hn::Set(Lanes<T>(), in.rstd[first + r]);
  }
  const std::size_t ahead = kRows * in.features;
  const std::size_t head = kind == StoreKind::kStreamed ? ElementsToAlignment(dx[0]) : 0;
  ForEachVector<T>(
      Steps::template VisitedColumns<T>(in.features), head, [&](auto part, std::size_t j) {
        __builtin_prefetch(dy[0] + j + ahead);
        __builtin_prefetch(xhat[0] + j + ahead);
        const Vector<T> gamma = part.Load(in.gamma + j);
        Vector<T> dgamma = part.Load(columns.gamma() + j);
        Vector<T> dbeta = part.Load(columns.beta() + j);
        for (std::size_t r = 0; r < kRows; ++r) {
          const Vector<T> gradient = part.Load(dy[r] + j);
          const Vector<T> normal = part.Load(xhat[r] + j);
          dgamma = hn::Add(dgamma, Steps::GammaTerm(gradient, normal, gamma));
          dbeta = hn::Add(dbeta, Steps::BetaTerm(gradient, gamma));
          const Vector<T> d = Steps::ScaledGradient(gradient, gamma);
          part.Store(Steps::InputGradient(d, normal, mean_d[r], mean_dxhat[r], rstd[r]), dx[r] + j,
                     kind);
        }
        part.Store(dgamma, columns.gamma() + j);
        part.Store(dbeta, columns.beta() + j);
      });
}

template <class Steps, std::size_t kRows, typename T>
inline void BackwardBlock(const BackwardInputs<T>& in, std::size_t first, StoreKind kind, T* dx,
                          ColumnSums<Steps, T>& columns) {
  RowMeans<T> means[kRows];
  for (std::size_t r = 0; r < kRows; ++r) {
    means[r] = ComputeMeans<Steps>(in, first + r);
  }
  WriteRows<Steps, kRows>(in, first, means, kind, dx, columns);
}

/// Rows [first, last): their dx, and their share of the column sums.
template <class Steps, typename T>
void BackwardRows(const BackwardInputs<T>& in, std::size_t first, std::size_t last, T* dx,
                  ColumnSums<Steps, T>& columns) {
  const StoreKind kind = StoreKindFor(3 * in.rows * in.features * sizeof(T));
  const bool rows_aligned_alike = in.features % LaneCount<T>() == 0;
  std::size_t row = first;
  while (row < last) {
    const std::size_t flush_at = std::min(last, row + kRowsPerFlush);
    if (rows_aligned_alike || kind == StoreKind::kCached) {
      for (; row + kRowsPerBlock <= flush_at; row += kRowsPerBlock) {
        BackwardBlock<Steps, kRowsPerBlock>(in, row, kind, dx, columns);
      }
    }
    for (; row < flush_at; ++row) {
      BackwardBlock<Steps, 1>(in, row, kind, dx, columns);
    }
    columns.Flush();
  }
  hwy::FlushStream();
}

/// ln_backward_f32 and ln_backward_f64 of interface.h, on `threads` threads.
template <class Steps, typename T>
int Backward(std::size_t rows, std::size_t features, const T* dy, ln_load_fn load, void* context,
             T* dx, T* dgamma, T* dbeta, std::size_t threads) {
  if (features == 0) {
    return LN_INVALID_ARGUMENT;
  }
  BackwardInputs<T> in = {rows, features, dy, nullptr, nullptr, nullptr};
  if (rows > 0) {
    const std::size_t row_bytes = features * sizeof(T);
    in.xhat = static_cast<const T*>(Steps::Load(load, context, "xhat", rows * row_bytes));
    in.rstd = static_cast<const T*>(Steps::Load(load, context, "rstd", rows * sizeof(T)));
    in.gamma = static_cast<const T*>(Steps::Load(load, context, "gamma", row_bytes));
    if (!in.xhat || !in.rstd || !in.gamma) {
      return LN_INVALID_ARGUMENT;
    }
  }
  std::vector<ColumnSums<Steps, T>> sums(threads, ColumnSums<Steps, T>(features));
  InParallel(Steps::VisitedRows(rows), threads,
             [&](std::size_t thread, std::size_t first, std::size_t last) {
               BackwardRows<Steps>(in, first, last, dx, sums[thread]);
             });
  std::vector<double> gamma_sums = sums[0].gamma_sums();
  std::vector<double> beta_sums = sums[0].beta_sums();
  for (std::size_t thread = 1; thread < threads; ++thread) {
    for (std::size_t j = 0; j < features; ++j) {
      gamma_sums[j] += sums[thread].gamma_sums()[j];
      beta_sums[j] += sums[thread].beta_sums()[j];
    }
  }
  const auto [dgamma_sums, dbeta_sums] =
      Steps::ColumnOutputs(gamma_sums.data(), beta_sums.data(), features);
  for (std::size_t j = 0; j < features; ++j) {
    Steps::StoreColumn(dgamma[j], dgamma_sums[j]);
    Steps::StoreColumn(dbeta[j], dbeta_sums[j]);
  }
  return LN_OK;
}

}  // namespace assay::layernorm_baseline

#endif  // ASSAY_REFERENCE_LAYERNORM_BACKWARD_BASELINE_H_
