// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_LAYERNORM_BACKWARD_BASELINE_VECTORS_H_
#define ASSAY_REFERENCE_LAYERNORM_BACKWARD_BASELINE_VECTORS_H_

// Vectors of the baseline: rows in whole and partial vectors, stores that go past the cache, and
// rows shared out to threads.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

// One target, the one of the compiler's flags: no dispatch at run time.
#define HWY_COMPILE_ONLY_STATIC
#include "hwy/cache_control.h"
#include "hwy/highway.h"

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

}  // namespace assay::layernorm_baseline

#endif  // ASSAY_REFERENCE_LAYERNORM_BACKWARD_BASELINE_VECTORS_H_
