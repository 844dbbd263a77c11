// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CHALLENGES_FUSED_SOFTMAX_TOPK_SUITE_SPECIAL_LOGITS_H_
#define ASSAY_CHALLENGES_FUSED_SOFTMAX_TOPK_SUITE_SPECIAL_LOGITS_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "suite_support.h"

namespace assay::softmax_topk {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The fixture of cases about logits that are special by their bits: NaN of any sign and payload,
/// infinities, neighbours.
template <class Variant>
class SpecialLogitsTest : public VariantTest<Variant> {
 protected:
  using Logit = typename Variant::Logit;
  using Bits = std::conditional_t<kOfHalves<Variant>, std::uint16_t, std::uint32_t>;

  static constexpr Bits kInfinityBits =
      std::is_same_v<Logit, float> ? Bits(0x7f800000U)
                                   : (std::is_same_v<Logit, Half> ? Bits(0x7c00) : Bits(0x7f80));
  static constexpr Bits kSign = Bits(Bits{1} << (8 * sizeof(Bits) - 1));

  static Logit FromBits(Bits bits) { return std::bit_cast<Logit>(bits); }
  static Bits BitsOf(double value) { return std::bit_cast<Bits>(Nearest<Logit>(value)); }
  static Logit Nan(std::size_t payload, bool negative) {
    return FromBits(Bits(kInfinityBits | Bits(payload) | (negative ? kSign : Bits(0))));
  }
  Logit RandomNan() { return Nan(1 + this->random()() % 100, this->random()() % 2 == 0); }
  static Logit Lowest() { return FromBits(Bits(kSign | (kInfinityBits - 1))); }
  /// `steps` representable numbers further from zero.
  static Logit Further(double value, std::size_t steps) {
    return FromBits(Bits(BitsOf(value) + steps));
  }

  /// A row of consecutive bit patterns from that of `first` up, in random order.
  Problem<Logit> Neighbours(double first, std::size_t count) {
    Problem<Logit> problem{.rows = 1, .vocabulary = count, .k = 8};
    for (std::size_t i = 0; i < count; ++i) {
      problem.logits.push_back(Further(first, i));
    }
    std::ranges::shuffle(problem.logits, this->random());
    return problem;
  }

  /// As 16 bits give them by the thousand: many ties everywhere.
  static void Round(Problem<Logit>& problem) {
    for (Logit& logit : problem.logits) {
      logit = Nearest<Logit>(
          static_cast<double>(ToFloat(Nearest<BFloat16>(static_cast<double>(ToFloat(logit))))));
    }
  }

  /// NaN of both signs, infinities, zeros of both signs, and 1.
  static constexpr std::size_t kSpecialValues = 6;
  static Logit SpecialValue(std::size_t i) {
    const Logit values[kSpecialValues] = {Nan(1, true),         Nearest<Logit>(-kInfinity),
                                          Nearest<Logit>(-0.0), Nearest<Logit>(0.0),
                                          Nearest<Logit>(1),    Nearest<Logit>(kInfinity)};
    return values[i];
  }
};

}  // namespace assay::softmax_topk

#endif  // ASSAY_CHALLENGES_FUSED_SOFTMAX_TOPK_SUITE_SPECIAL_LOGITS_H_
