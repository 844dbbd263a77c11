// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SCORE_DRAWS_H_
#define ASSAY_SCORE_DRAWS_H_

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

namespace assay {

/// Numbers that look random and are not: each is a function of the stream's seed and name and of
/// its own index, so that equal evidence gives equal scores, in whatever order cells come and
/// whoever else entered. The generator is splitmix64 (Steele, Lea and Flood 2014), begun at the
/// FNV-1a hash of the name.
class Draws {
 public:
  /// `name` in parts, so that {"a", "b"} and {"ab"} are two streams.
  Draws(int seed, std::initializer_list<std::string_view> name);

  /// Between 0 and 1, never either.
  double Uniform();

  /// Each fills `numbers` with the stream's next, all at once since scores are drawn by the
  /// thousand. Of mean 1; from one uniform number each.
  void Exponentials(std::span<float> numbers);
  /// From two uniform numbers each.
  void Normals(std::span<double> numbers);
  /// Gamma distribution of shape 1/2; from two uniform numbers each.
  void HalfGammas(std::span<float> numbers);

 private:
  std::uint64_t state_;
};

}  // namespace assay

#endif  // ASSAY_SCORE_DRAWS_H_
