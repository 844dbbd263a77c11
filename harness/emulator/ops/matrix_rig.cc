// SPDX-License-Identifier: Apache-2.0
#include "emulator/ops/matrix_rig.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>
#include <vector>

namespace assay::gpu {

double HalfValue(std::uint32_t half) {
  const double sign = (half & 0x8000U) != 0 ? -1 : 1;
  const int exponent = static_cast<int>((half >> 10U) & 31U);
  const double fraction = static_cast<double>(half & 0x3ffU);
  if (exponent == 31) {
    return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
  }
  if (exponent == 0) {
    return sign * std::ldexp(fraction, -24);
  }
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

double ValueOf(std::string_view format, std::uint64_t bits) {
  const auto low = static_cast<std::uint32_t>(bits);
  if (format == "f16") {
    return HalfValue(low);
  }
  if (format == "bf16") {
    return double{std::bit_cast<float>(low << 16U)};
  }
  if (format == "tf32") {
    return double{std::bit_cast<float>(low & 0xffffe000U)};
  }
  if (format == "f32") {
    return double{std::bit_cast<float>(low)};
  }
  if (format == "f64") {
    return std::bit_cast<double>(bits);
  }
  if (format == "s8") {
    return static_cast<std::int8_t>(low);
  }
  if (format == "u8") {
    return static_cast<std::uint8_t>(low);
  }
  if (format == "s4") {
    return static_cast<double>(static_cast<std::int8_t>(low << 4U) >> 4);
  }
  if (format == "u4") {
    return low & 15U;
  }
  return static_cast<std::int32_t>(low);
}

unsigned BitsOf(std::string_view format) {
  if (format == "f16" || format == "bf16") {
    return 16;
  }
  if (format == "s8" || format == "u8") {
    return 8;
  }
  if (format == "s4" || format == "u4") {
    return 4;
  }
  return format == "f64" ? 64 : 32;
}

Place PlaceOfA(unsigned bits, unsigned m, unsigned lane, unsigned i) {
  const unsigned group = lane / 4;
  const unsigned t = lane % 4;
  const unsigned pack = bits >= 32 ? 1 : 32 / bits;
  const unsigned reg = i / pack;
  const unsigned blocks = m / 8;
  return {group + 8 * (reg % blocks), t * pack + i % pack + 4 * pack * (reg / blocks)};
}

Place PlaceOfB(unsigned bits, unsigned lane, unsigned i) {
  const unsigned pack = bits >= 32 ? 1 : 32 / bits;
  return {lane % 4 * pack + i % pack + 4 * pack * (i / pack), lane / 4};
}

Place PlaceOfC(unsigned lane, unsigned i) { return {lane / 4 + 8 * (i / 2), lane % 4 * 2 + i % 2}; }

std::int64_t Saturate(std::int64_t value, bool saturates) {
  if (!saturates) {
    return static_cast<std::int32_t>(static_cast<std::uint64_t>(value));
  }
  return std::clamp<std::int64_t>(value, std::numeric_limits<std::int32_t>::min(),
                                  std::numeric_limits<std::int32_t>::max());
}

std::uint64_t MatrixOpsTest::RandomElement(std::string_view format) {
  if (format == "f16") {
    return 0x2c00U + Random() % 0x1400U + (Random() % 2 << 15U);
  }
  if (format == "bf16") {
    return 0x3d00U + Random() % 0x300U + (Random() % 2 << 15U);
  }
  if (format == "f64") {
    return std::bit_cast<std::uint64_t>(static_cast<double>(Random()) / 1e9 - 2);
  }
  if (format == "f32" || format == "tf32") {
    return std::bit_cast<std::uint32_t>(static_cast<float>(Random()) / 1e9F - 2.0F);
  }
  return Random() & (BitsOf(format) == 32 ? ~0U : (1U << BitsOf(format)) - 1);
}

Matrix MatrixOpsTest::RandomMatrix(std::string_view format, unsigned rows, unsigned columns) {
  Matrix matrix = Matrix::Of(rows, columns);
  for (auto& each : matrix.bits) {
    each = RandomElement(format);
  }
  return matrix;
}

std::vector<std::uint32_t> MatrixOpsTest::Fragment(
    Matrix& matrix, unsigned bits, unsigned elements,
    const std::function<Place(unsigned, unsigned)>& place) {
  std::vector<std::uint32_t> places;
  const unsigned pack = bits >= 32 ? 1 : 32 / bits;
  for (unsigned reg = 0; reg < elements / pack; ++reg) {
    PerLane<std::uint64_t> values{};
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      for (unsigned i = 0; i < pack; ++i) {
        const Place at = place(lane, reg * pack + i);
        values[lane] |= matrix.At(at.row, at.column) << (bits * i % 64);
      }
    }
    if (bits == 64) {
      places.push_back(rig_.Put(values));
    } else {
      PerLane<std::uint32_t> narrow;
      for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        narrow[lane] = static_cast<std::uint32_t>(values[lane]);
      }
      places.push_back(rig_.Put(narrow));
    }
  }
  return places;
}

std::uint64_t MatrixOpsTest::ReadElement(const std::vector<std::uint32_t>& places, unsigned bits,
                                         unsigned lane, unsigned i) {
  if (bits == 64) {
    return rig_.Get<std::uint64_t>(places[i])[lane];
  }
  const unsigned pack = 32 / bits;
  const std::uint32_t word = rig_.Get<std::uint32_t>(places[i / pack])[lane];
  return bits == 32 ? word : (word >> (bits * (i % pack))) & ((1U << bits) - 1);
}

}  // namespace assay::gpu
