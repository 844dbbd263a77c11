// SPDX-License-Identifier: Apache-2.0
// For tests of matrix instructions: matrices, and their fragments in registers as the tables of
// "PTX ISA" lay them out (written here from the formulas for row and column).
#ifndef ASSAY_EMULATOR_OPS_MATRIX_RIG_H_
#define ASSAY_EMULATOR_OPS_MATRIX_RIG_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "emulator/ops/warp_ops_for_test.h"

namespace assay::gpu {

double HalfValue(std::uint32_t half);
/// Of an element's bits. `format`: as PTX writes it.
double ValueOf(std::string_view format, std::uint64_t bits);
unsigned BitsOf(std::string_view format);
/// `value` as s32: the nearest, or the low bits.
std::int64_t Saturate(std::int64_t value, bool saturates);

struct Place {
  unsigned row = 0;
  unsigned column = 0;
};
/// Element `i` that lane holds of A (m by k), counted through its registers.
Place PlaceOfA(unsigned bits, unsigned m, unsigned lane, unsigned i);
/// Of B (k by 8).
Place PlaceOfB(unsigned bits, unsigned lane, unsigned i);
/// Of C and D (m by 8): c0, c1 in row group, c2, c3 in row group + 8.
Place PlaceOfC(unsigned lane, unsigned i);

struct Matrix {
  unsigned rows = 0;
  unsigned columns = 0;
  std::vector<std::uint64_t> bits;
  std::uint64_t& At(unsigned row, unsigned column) { return bits[row * columns + column]; }
  static Matrix Of(unsigned rows, unsigned columns) {
    return {rows, columns, std::vector<std::uint64_t>(std::size_t{rows} * columns)};
  }
};

class MatrixOpsTest : public WarpOpsFixture {
 protected:
  std::uint64_t RandomElement(std::string_view format);
  Matrix RandomMatrix(std::string_view format, unsigned rows, unsigned columns);
  /// Registers of a fragment of `elements` elements a lane.
  std::vector<std::uint32_t> Fragment(Matrix& matrix, unsigned bits, unsigned elements,
                                      const std::function<Place(unsigned, unsigned)>& place);
  std::uint64_t ReadElement(const std::vector<std::uint32_t>& places, unsigned bits, unsigned lane,
                            unsigned i);
};

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_OPS_MATRIX_RIG_H_
