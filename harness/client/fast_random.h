// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLIENT_FAST_RANDOM_H_
#define ASSAY_CLIENT_FAST_RANDOM_H_

#include <array>
#include <bit>
#include <cstdint>
#include <random>

namespace assay {

/// Random words for the inputs of a bench, which are tens of millions of numbers: the standard
/// library's generators take longer for them than both sides of a pair together.
///
/// Source: xoshiro256+, Blackman and Vigna, Scrambled Linear Pseudorandom Number Generators, 2018.
/// Its lowest bits are weak: use the upper ones.
class FastRandom {
 public:
  /// Takes its state from `seeds`.
  explicit FastRandom(std::mt19937_64& seeds) {
    for (std::uint64_t& word : state_) {
      word = seeds();
    }
  }

  std::uint64_t Next() {
    const std::uint64_t result = state_[0] + state_[3];
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

 private:
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace assay

#endif  // ASSAY_CLIENT_FAST_RANDOM_H_
