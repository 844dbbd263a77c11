// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_BASELINE_CPU_H_
#define ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_BASELINE_CPU_H_

// The CPU form of the baseline: one thread, one pass over each row.
//
// Theory of operation. A row is read once, a block of four vectors at a time. Every logit goes
// through 2^((x - reference) * log2 e) and is added up in lanes; and it is compared with a
// threshold, below or at which nothing can be among the k largest. Only where a lane is above it
// does anything else happen: the lane goes into a list of candidates, and where it is above the
// reference, that becomes the new maximum and the sums are rescaled. The reference is never below
// the threshold, so that one comparison serves both.
//
// The threshold is the k-th largest of the candidates at the last pruning. At first it is what at
// least k of the maxima of groups of the row's beginning reach, four groups for each result: few
// others exceed it. That beginning is read twice, the second time from a cache.
//
// Comparisons of logits go either way, and a branch on one is mispredicted half the time: so the
// first threshold is found by counting, and a short list of candidates is sorted by counting.
//
// Every step is a function of CpuSteps; a mutant replaces one.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

// One target, the one of the compiler's flags: no dispatch at run time.
#define HWY_COMPILE_ONLY_STATIC
#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "interface.h"

namespace assay::softmax_topk_cpu {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Ints = hn::RebindToSigned<Floats>;
using FloatVector = hn::Vec<Floats>;
static_assert(hn::MaxLanes(Floats()) <= 16, "a block of four vectors has a bit each in 64");
static_assert(HWY_ARCH_X86, "a maximum with a NaN is its second operand");

/// A logit and its index, so that the larger key goes first in the order of interface.h.
using Key = std::uint64_t;

struct CpuSteps {
  static constexpr float kLog2E = 1.442695041F;

  /// Larger for larger logits; -0 as +0; NaN below -infinity.
  static std::uint32_t Ordered(float logit) {
    if (std::isnan(logit)) {
      return 0;
    }
    const float no_negative_zero = logit + 0.0F;
    const auto bits = std::bit_cast<std::uint32_t>(no_negative_zero);
    return bits ^ ((bits >> 31) != 0 ? 0xFFFF'FFFF : 0x8000'0000);
  }

  /// Among equal logits the lower index has the larger key.
  static std::uint32_t OrderedIndex(std::uint32_t index) { return ~index; }

  /// The largest of `floor` and of four vectors, lane by lane, as if there were no NaN in these;
  /// not a number where `floor` is none. Where either operand is NaN, x86's maximum is the second:
  /// so that is always what was gathered before, which no NaN of a vector then hides.
  static HWY_INLINE FloatVector Largest(FloatVector floor, FloatVector v0, FloatVector v1,
                                        FloatVector v2, FloatVector v3) {
    return hn::Max(v3, hn::Max(v2, hn::Max(v1, hn::Max(v0, floor))));
  }

  /// What sums less `from` are multiplied by, to be less `to`.
  static float Rescale(float from, float to) { return std::exp(from - to); }

  /// A result.
  static float Probability(float exponential, float sum, std::size_t /*vocabulary*/) {
    return exponential / sum;
  }

  /// How many elements of a row are visited.
  static std::size_t Visited(std::size_t vocabulary) { return vocabulary; }
};

/// 2^x within 2 ulp for x <= 0; 0 below -126 or so; NaN for NaN.
inline FloatVector Exp2(FloatVector x) {
  const Floats d;
  const Ints di;
  // Where an operand is NaN, x86's maximum is its second one: a NaN passes.
  x = hn::Max(hn::Set(d, -127.0F), x);
  // 1.5 * 2^23: adding it rounds to an integer; and the bias of exponents.
  const FloatVector magic = hn::Set(d, 12582912.0F + 127.0F);
  const FloatVector shifted = hn::Add(x, magic);
  const FloatVector f = hn::Sub(x, hn::Sub(shifted, magic));
  // 2^f on [-1/2, 1/2]: the polynomial of Cephes' exp2f.
  FloatVector p = hn::MulAdd(hn::Set(d, 1.535336188e-4F), f, hn::Set(d, 1.339887440e-3F));
  p = hn::MulAdd(p, f, hn::Set(d, 9.618437357e-3F));
  p = hn::MulAdd(p, f, hn::Set(d, 5.550332471e-2F));
  p = hn::MulAdd(p, f, hn::Set(d, 2.402264791e-1F));
  p = hn::MulAdd(p, f, hn::Set(d, 6.931472028e-1F));
  p = hn::MulAdd(p, f, hn::Set(d, 1.0F));
  // The biased integer is in the low bits of `shifted`: moved to the exponent, 2^it. Multiplied,
  // and not added to p's exponent, so that a NaN stays one whatever its payload.
  return hn::Mul(p, hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(di, shifted))));
}

/// The candidates of a row.
template <typename Steps>
class Candidates {
 public:
  explicit Candidates(std::size_t k) : k_(k), capacity_(2 * k + 192) { keys_.reserve(capacity_); }

  void Clear() {
    keys_.clear();
    threshold_ = std::numeric_limits<float>::quiet_NaN();
  }

  /// What a logit must be above; NaN: everything is a candidate.
  [[nodiscard]] float threshold() const { return threshold_; }
  void set_threshold(float threshold) { threshold_ = threshold; }

  void Add(float logit, std::size_t index) {
    const auto low = Steps::OrderedIndex(static_cast<std::uint32_t>(index));
    keys_.push_back((Key{Steps::Ordered(logit)} << 32) | low);
  }

  /// Keeps the k largest once there are many.
  void PruneIfMany(const float* row) {
    if (keys_.size() >= capacity_) {
      Prune();
      threshold_ = row[IndexOf(keys_.back())];
    }
  }

  /// The k largest, largest first.
  const std::vector<Key>& Sorted() {
    if (keys_.size() <= kFew) {
      SortByCounting();
    } else {
      if (keys_.size() > k_) {
        Prune();
      }
      std::ranges::sort(keys_, std::greater());
    }
    return keys_;
  }

  static std::size_t IndexOf(Key key) {
    return Steps::OrderedIndex(static_cast<std::uint32_t>(key));
  }

 private:
  /// Keeps the k largest, the least of them last.
  void Prune() {
    const auto end_of_kept = keys_.begin() + static_cast<std::ptrdiff_t>(k_);
    std::ranges::nth_element(keys_, end_of_kept - 1, std::greater());
    keys_.erase(end_of_kept, keys_.end());
  }

  /// A key's place is the number of those that are larger; no two are equal.
  void SortByCounting() {
    const hn::ScalableTag<Key> d;
    const std::size_t count = keys_.size();
    // No key is 0, so that it is larger than none.
    keys_.resize((count + hn::Lanes(d) - 1) / hn::Lanes(d) * hn::Lanes(d), 0);
    sorted_.resize(std::min(k_, count));
    for (std::size_t i = 0; i < count; ++i) {
      const auto key = hn::Set(d, keys_[i]);
      std::size_t place = 0;
      for (std::size_t j = 0; j < keys_.size(); j += hn::Lanes(d)) {
        place += hn::CountTrue(d, hn::Gt(hn::LoadU(d, keys_.data() + j), key));
      }
      if (place < sorted_.size()) {
        sorted_[place] = keys_[i];
      }
    }
    keys_.swap(sorted_);
  }

  static constexpr std::size_t kFew = 256;

  std::size_t k_;
  std::size_t capacity_;
  float threshold_ = 0;
  std::vector<Key> keys_;
  std::vector<Key> sorted_;
};

/// A row being scanned: its sum, less `reference`, and its candidates.
template <typename Steps>
class RowScan {
 public:
  RowScan(const float* row, std::size_t k, Candidates<Steps>& candidates)
      : row_(row), k_(k), candidates_(candidates) {}

  /// Finds a threshold in the beginning of the row, if that is long enough for one.
  void Seed(std::size_t count) {
    const Floats d;
    const std::size_t lanes = hn::Lanes(d);
    const std::size_t group_vectors = (4 * k_ + lanes - 1) / lanes;
    // Group g of vector v is lane g of `length` vectors that follow each other.
    const std::size_t length = SeedElements(count) / (group_vectors * lanes);
    if (length < kShortestGroup) {
      return;
    }
    maxima_.resize(group_vectors * lanes);
    FloatVector least = hn::Set(d, kInfinity);
    FloatVector largest = hn::Set(d, -kInfinity);
    for (std::size_t v = 0; v < group_vectors; ++v) {
      const FloatVector maximum = MaximumOf(row_ + v * length * lanes, length);
      // Where a NaN hides its group, it reaches nothing.
      hn::StoreU(maximum, d, maxima_.data() + v * lanes);
      least =
          hn::IfThenElse(hn::Gt(maximum, hn::Set(d, -kInfinity)), hn::Min(maximum, least), least);
      largest = hn::Max(maximum, largest);
    }
    SeedBetween(hn::GetLane(hn::MinOfLanes(d, least)), hn::GetLane(hn::MaxOfLanes(d, largest)));
  }

  void Scan(std::size_t count) {
    const Floats d;
    const std::size_t block = kBlockVectors * hn::Lanes(d);
    FloatVector sums[kBlockVectors] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
    std::size_t i = 0;
    while (i + block <= count) {
      // Without a call, so that the sums stay in registers.
      for (; i + block <= count && !AnyAbove(i); i += block) {
        AddBlock(i, sums);
      }
      if (i + block <= count) {
        const FloatVector factor = hn::Set(d, TakeBlock(i));
        for (FloatVector& each : sums) {
          each = hn::Mul(each, factor);
        }
        AddBlock(i, sums);
        i += block;
      }
    }
    const FloatVector lanes = hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3]));
    sum_ = hn::GetLane(hn::SumOfLanes(d, lanes));
    for (; i < count; ++i) {
      if (!(row_[i] <= candidates_.threshold())) {
        sum_ *= Take(i, 1);
      }
      sum_ += std::exp(row_[i] - reference_);
    }
  }

  [[nodiscard]] float reference() const { return reference_; }
  [[nodiscard]] float Sum() const { return sum_; }

 private:
  static constexpr std::size_t kBlockVectors = 4;
  static constexpr std::size_t kShortestGroup = 8;  // Vectors.
  static constexpr float kInfinity = std::numeric_limits<float>::infinity();
  static constexpr std::size_t kAhead = 3072;  // Elements: where the hardware's prefetchers stop.

  /// How long a beginning to look at. Looking at an element takes about 1/800 of the time that a
  /// candidate takes, and of n elements there are about k n / beginning candidates.
  [[nodiscard]] std::size_t SeedElements(std::size_t count) const {
    constexpr std::size_t kMost = std::size_t{1} << 17;  // Half of a second-level cache.
    const double best = std::sqrt(800.0 * static_cast<double>(k_) * static_cast<double>(count));
    return std::min({count, kMost, static_cast<std::size_t>(best)});
  }

  HWY_INLINE FloatVector LoadVector(std::size_t i, std::size_t v) const {
    const Floats d;
    return hn::LoadU(d, row_ + i + v * hn::Lanes(d));
  }

  /// Halves [low, high] for the largest number that k maxima reach, or little less.
  void SeedBetween(float low, float high) {
    constexpr int kHalvings = 12;
    if (CountReaching(low) < k_) {
      return;
    }
    for (int i = 0; i < kHalvings; ++i) {
      const float middle = low + (high - low) / 2;
      const bool reached = CountReaching(middle) >= k_;
      low = reached ? middle : low;
      high = reached ? high : middle;
    }
    // What reaches it is a candidate.
    candidates_.set_threshold(std::nextafter(low, -kInfinity));
    reference_ = low;
  }

  [[nodiscard]] std::size_t CountReaching(float value) const {
    const Floats d;
    std::size_t count = 0;
    for (std::size_t i = 0; i < maxima_.size(); i += hn::Lanes(d)) {
      count += hn::CountTrue(d, hn::Ge(hn::LoadU(d, maxima_.data() + i), hn::Set(d, value)));
    }
    return count;
  }

  /// Of each lane. Two chains, since a maximum must wait for the one before it.
  static HWY_INLINE FloatVector MaximumOf(const float* from, std::size_t vectors) {
    const Floats d;
    const std::size_t lanes = hn::Lanes(d);
    FloatVector even = hn::LoadU(d, from);
    FloatVector odd = hn::LoadU(d, from + (vectors - 1) * lanes);
    for (std::size_t i = 1; i + 1 < vectors; i += 2) {
      odd = hn::Max(hn::LoadU(d, from + i * lanes), odd);
      even = hn::Max(hn::LoadU(d, from + (i + 1) * lanes), even);
    }
    return hn::Max(even, odd);
  }

  /// Whether some logit of a block is above the threshold, or that is NaN.
  HWY_INLINE bool AnyAbove(std::size_t i) const {
    const Floats d;
    const FloatVector threshold = hn::Set(d, candidates_.threshold());
    const FloatVector largest = Steps::Largest(threshold, LoadVector(i, 0), LoadVector(i, 1),
                                               LoadVector(i, 2), LoadVector(i, 3));
    return !hn::AllTrue(d, hn::Le(largest, threshold));
  }

  HWY_INLINE void AddBlock(std::size_t i, FloatVector (&sums)[kBlockVectors]) const {
    const Floats d;
    const FloatVector reference = hn::Set(d, reference_);
    for (std::size_t v = 0; v < kBlockVectors; ++v) {
      hwy::Prefetch(row_ + i + v * hn::Lanes(d) + kAhead);
      const FloatVector less = hn::Sub(LoadVector(i, v), reference);
      sums[v] = hn::Add(sums[v], Exp2(hn::Mul(less, hn::Set(d, Steps::kLog2E))));
    }
  }

  HWY_NOINLINE float TakeBlock(std::size_t first) {
    const Floats d;
    const bool all = std::isnan(candidates_.threshold());
    const FloatVector threshold = hn::Set(d, candidates_.threshold());
    std::uint64_t above = 0;
    for (std::size_t v = 0; v < kBlockVectors; ++v) {
      std::uint64_t bits = 0;
      const auto mask = all ? hn::MaskFromVec(hn::BitCast(d, hn::Set(Ints(), -1)))
                            : hn::Gt(LoadVector(first, v), threshold);
      hn::StoreMaskBits(d, mask, reinterpret_cast<std::uint8_t*>(&bits));
      above |= bits << (v * hn::Lanes(d));
    }
    return Take(first, above);
  }

  /// Adds the elements whose bits are set, from `first` on, and moves the reference: what sums less
  /// the old one are to be multiplied by.
  float Take(std::size_t first, std::uint64_t bits) {
    float largest = reference_;
    for (; bits != 0; bits &= bits - 1) {
      const std::size_t i = first + static_cast<std::size_t>(std::countr_zero(bits));
      candidates_.Add(row_[i], i);
      largest = row_[i] > largest ? row_[i] : largest;
    }
    candidates_.PruneIfMany(row_);
    return largest > reference_ ? Steps::Rescale(std::exchange(reference_, largest), largest) : 1;
  }

  const float* row_;
  std::size_t k_;
  Candidates<Steps>& candidates_;
  std::vector<float> maxima_;
  /// Finite, so that -infinity less it is -infinity.
  float reference_ = std::numeric_limits<float>::lowest();
  float sum_ = 0;
};

/// softmax_topk_cpu_f32 of interface.h. Throws std::bad_alloc.
template <typename Steps>
int SoftmaxTopK(std::size_t rows, std::size_t vocabulary, std::size_t k, const float* logits,
                std::size_t row_stride, float* probabilities, std::int32_t* indices) {
  if (rows == 0 || k == 0) {
    return SOFTMAX_TOPK_OK;
  }
  if (k > vocabulary || row_stride < vocabulary) {
    return SOFTMAX_TOPK_INVALID_ARGUMENT;
  }
  if (vocabulary > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    return SOFTMAX_TOPK_UNSUPPORTED;
  }
  Candidates<Steps> candidates(k);
  for (std::size_t r = 0; r < rows; ++r) {
    const float* row = logits + r * row_stride;
    candidates.Clear();
    RowScan<Steps> scan(row, k, candidates);
    scan.Seed(vocabulary);
    scan.Scan(Steps::Visited(vocabulary));
    const std::vector<Key>& keys = candidates.Sorted();
    const float sum = scan.Sum();
    for (std::size_t i = 0; i < std::min(k, keys.size()); ++i) {
      const std::size_t index = Candidates<Steps>::IndexOf(keys[i]);
      probabilities[r * k + i] =
          Steps::Probability(std::exp(row[index] - scan.reference()), sum, vocabulary);
      indices[r * k + i] = static_cast<std::int32_t>(index);
    }
  }
  return SOFTMAX_TOPK_OK;
}

}  // namespace assay::softmax_topk_cpu

#endif  // ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_BASELINE_CPU_H_
