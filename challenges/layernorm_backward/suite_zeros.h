// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CHALLENGES_LAYERNORM_BACKWARD_SUITE_ZEROS_H_
#define ASSAY_CHALLENGES_LAYERNORM_BACKWARD_SUITE_ZEROS_H_

#include <cstddef>
#include <string_view>
#include <utility>

#include "suite_support.h"

namespace assay::layernorm {

/// What is zero beside the element of a row and a column.
enum class Zeros { kDyOfRow, kDyOfColumn, kDy, kXOfRow, kGammaOfColumn, kGammaOfOthers, kGamma };

inline constexpr std::pair<Zeros, std::string_view> kZeros[] = {
    {Zeros::kDyOfRow, "dy of its row"},
    {Zeros::kDyOfColumn, "dy of its column"},
    {Zeros::kDy, "dy"},
    {Zeros::kXOfRow, "x of its row"},
    {Zeros::kGammaOfColumn, "gamma of its column"},
    {Zeros::kGammaOfOthers, "gamma of all other columns"},
    {Zeros::kGamma, "gamma"}};

template <class T>
void MakeZeros(Zeros zeros, std::size_t row, std::size_t column, Problem<T>& problem) {
  for (std::size_t i = 0; i < problem.x.size(); ++i) {
    const bool in_row = i / problem.features == row;
    const bool in_column = i % problem.features == column;
    if (zeros == Zeros::kDy || (zeros == Zeros::kDyOfRow && in_row) ||
        (zeros == Zeros::kDyOfColumn && in_column)) {
      problem.dy[i] = 0;
    }
    if (zeros == Zeros::kXOfRow && in_row) {
      problem.x[i] = 0;
    }
  }
  for (std::size_t j = 0; j < problem.features; ++j) {
    if (zeros == Zeros::kGamma || (zeros == Zeros::kGammaOfColumn && j == column) ||
        (zeros == Zeros::kGammaOfOthers && j != column)) {
      problem.gamma[j] = 0;
    }
  }
}

}  // namespace assay::layernorm

#endif  // ASSAY_CHALLENGES_LAYERNORM_BACKWARD_SUITE_ZEROS_H_
