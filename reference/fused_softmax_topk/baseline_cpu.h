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
// The threshold is the k-th largest of the candidates at the last pruning. At first it is the k-th
// largest of the maxima of small groups of the row's beginning, which few others exceed; that
// beginning is read twice, the second time from the first-level cache.
//
// Every step is a function of CpuSteps; a mutant replaces one.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

// One target, the one of the compiler's flags: no dispatch at run time.
#define HWY_COMPILE_ONLY_STATIC
#include "hwy/highway.h"
#include "interface.h"

namespace assay::softmax_topk_cpu {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Ints = hn::RebindToSigned<Floats>;
using FloatVector = hn::Vec<Floats>;
static_assert(hn::MaxLanes(Floats()) <= 16, "a block of four vectors has a bit each in 64");

/// A logit and its index, so that the larger key goes first in the order of interface.h.
using Key = std::uint64_t;

struct CpuSteps {
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

  /// What sums less `from` are multiplied by, to be less `to`.
  static float Rescale(float from, float to) { return std::exp(from - to); }

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
    if (keys_.size() < capacity_) {
      return;
    }
    const auto end_of_kept = keys_.begin() + static_cast<std::ptrdiff_t>(k_);
    std::ranges::nth_element(keys_, end_of_kept - 1, std::greater());
    keys_.erase(end_of_kept, keys_.end());
    threshold_ = row[IndexOf(keys_.back())];
  }

  /// The k largest, largest first.
  const std::vector<Key>& Sorted() {
    const auto middle = keys_.begin() + static_cast<std::ptrdiff_t>(std::min(k_, keys_.size()));
    std::ranges::partial_sort(keys_, middle, std::greater());
    return keys_;
  }

  static std::size_t IndexOf(Key key) {
    return Steps::OrderedIndex(static_cast<std::uint32_t>(key));
  }

 private:
  std::size_t k_;
  std::size_t capacity_;
  float threshold_ = 0;
  std::vector<Key> keys_;
};

/// A row being scanned: its sums, less `reference`, in lanes.
template <typename Steps>
class RowScan {
 public:
  RowScan(const float* row, std::size_t k, Candidates<Steps>& candidates)
      : row_(row), k_(k), candidates_(candidates) {}

  /// Finds a threshold in the beginning of the row, if that is long enough for one.
  void Seed(std::size_t count) {
    const Floats d;
    const std::size_t lanes = hn::Lanes(d);
    const std::size_t groups = kSeedElements / kSeedGroup;
    if (count < kSeedElements || k_ > groups / 2) {
      return;
    }
    maxima_.resize(groups);
    for (std::size_t group = 0; group < groups; group += lanes) {
      const float* from = row_ + group * kSeedGroup;
      FloatVector maximum = hn::LoadU(d, from);
      for (std::size_t i = 1; i < kSeedGroup; ++i) {
        const FloatVector x = hn::LoadU(d, from + i * lanes);
        maximum = hn::IfThenElse(hn::Gt(x, maximum), x, maximum);
      }
      // A NaN hides its group: no number is below -infinity.
      maximum = hn::IfThenElse(hn::IsNaN(maximum), hn::Set(d, -kInfinity), maximum);
      hn::StoreU(maximum, d, maxima_.data() + group);
    }
    const auto kth = maxima_.begin() + static_cast<std::ptrdiff_t>(k_ - 1);
    std::ranges::nth_element(maxima_, kth, std::greater());
    if (*kth > -kInfinity) {
      // The k-th itself is a candidate.
      candidates_.set_threshold(std::nextafter(*kth, -kInfinity));
      reference_ = *kth;
    }
  }

  void Scan(std::size_t count) {
    const Floats d;
    const std::size_t lanes = hn::Lanes(d);
    std::size_t i = 0;
    for (; i + kBlockVectors * lanes <= count; i += kBlockVectors * lanes) {
      Block(i);
    }
    for (; i < count; ++i) {
      One(i);
    }
  }

  [[nodiscard]] float reference() const { return reference_; }
  [[nodiscard]] float Sum() const {
    const Floats d;
    const FloatVector sums = hn::Add(hn::Add(sums_[0], sums_[1]), hn::Add(sums_[2], sums_[3]));
    return hn::GetLane(hn::SumOfLanes(d, sums)) + sum_;
  }

 private:
  static constexpr std::size_t kBlockVectors = 4;
  static constexpr std::size_t kSeedElements = 4096;
  static constexpr std::size_t kSeedGroup = 16;
  static constexpr float kInfinity = std::numeric_limits<float>::infinity();
  static constexpr float kLog2E = 1.442695041F;

  HWY_INLINE void Block(std::size_t i) {
    const Floats d;
    const std::size_t lanes = hn::Lanes(d);
    FloatVector x[kBlockVectors];
    for (std::size_t v = 0; v < kBlockVectors; ++v) {
      x[v] = hn::LoadU(d, row_ + i + v * lanes);
    }
    const FloatVector threshold = hn::Set(d, candidates_.threshold());
    std::uint64_t above = 0;
    for (std::size_t v = 0; v < kBlockVectors; ++v) {
      std::uint64_t bits = 0;
      hn::StoreMaskBits(d, hn::Gt(x[v], threshold), reinterpret_cast<std::uint8_t*>(&bits));
      above |= bits << (v * lanes);
    }
    if (std::isnan(candidates_.threshold())) {
      above = kBlockVectors * lanes == 64 ? ~std::uint64_t{0}
                                          : (std::uint64_t{1} << (kBlockVectors * lanes)) - 1;
    }
    if (HWY_UNLIKELY(above != 0)) {
      Take(i, above);
    }
    const FloatVector reference = hn::Set(d, reference_);
    const FloatVector log2_e = hn::Set(d, kLog2E);
    for (std::size_t v = 0; v < kBlockVectors; ++v) {
      sums_[v] = hn::Add(sums_[v], Exp2(hn::Mul(hn::Sub(x[v], reference), log2_e)));
    }
  }

  void One(std::size_t i) {
    if (!(row_[i] <= candidates_.threshold())) {
      Take(i, 1);
    }
    sum_ += std::exp(row_[i] - reference_);
  }

  /// Adds the elements whose bits are set, from `first` on, and moves the reference.
  HWY_NOINLINE void Take(std::size_t first, std::uint64_t bits) {
    float largest = reference_;
    for (; bits != 0; bits &= bits - 1) {
      const std::size_t i = first + static_cast<std::size_t>(std::countr_zero(bits));
      candidates_.Add(row_[i], i);
      largest = row_[i] > largest ? row_[i] : largest;
    }
    candidates_.PruneIfMany(row_);
    if (largest > reference_) {
      const float factor = Steps::Rescale(reference_, largest);
      for (FloatVector& sums : sums_) {
        sums = hn::Mul(sums, hn::Set(Floats(), factor));
      }
      sum_ *= factor;
      reference_ = largest;
    }
  }

  const float* row_;
  std::size_t k_;
  Candidates<Steps>& candidates_;
  std::vector<float> maxima_;
  /// Finite, so that -infinity less it is -infinity.
  float reference_ = std::numeric_limits<float>::lowest();
  FloatVector sums_[kBlockVectors] = {hn::Zero(Floats()), hn::Zero(Floats()), hn::Zero(Floats()),
                                      hn::Zero(Floats())};
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
      probabilities[r * k + i] = std::exp(row[index] - scan.reference()) / sum;
      indices[r * k + i] = static_cast<std::int32_t>(index);
    }
  }
  return SOFTMAX_TOPK_OK;
}

}  // namespace assay::softmax_topk_cpu

#endif  // ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_BASELINE_CPU_H_
