// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_SPECIAL_VALUES_H_
#define ASSAY_REFERENCE_SPECIAL_VALUES_H_

// Rows of the values at which comparisons, maxima and sums go wrong, all of them: for tests that
// hold a baseline against its oracle at every place of small rows.

#include <array>
#include <cstddef>
#include <limits>
#include <vector>

namespace assay {

template <class T>
inline constexpr std::array<T, 6> kSpecialValues = {std::numeric_limits<T>::quiet_NaN(),
                                                    -std::numeric_limits<T>::infinity(),
                                                    T{-0.0},
                                                    T{0.0},
                                                    T{1.0},
                                                    std::numeric_limits<T>::infinity()};

/// Most values of a row that are gone through exhaustively: 6^6 rows are 46,656.
inline constexpr std::size_t kMostSpecialValues = 6;

/// Every row of `length` of these values, one after the other: the last place changes first.
template <class T, std::size_t kCount>
[[nodiscard]] std::vector<T> EveryRowOf(const std::array<T, kCount>& values, std::size_t length) {
  std::size_t rows = 1;
  for (std::size_t place = 0; place < length; ++place) {
    rows *= kCount;
  }
  std::vector<T> all(rows * length);
  for (std::size_t row = 0; row < rows; ++row) {
    std::size_t rest = row;
    for (std::size_t place = length; place-- > 0; rest /= kCount) {
      all[row * length + place] = values[rest % kCount];
    }
  }
  return all;
}

}  // namespace assay

#endif  // ASSAY_REFERENCE_SPECIAL_VALUES_H_
