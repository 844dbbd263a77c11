// SPDX-License-Identifier: Apache-2.0
// Rounding to any small binary format, by arithmetic on the value itself: for tests.
#ifndef ASSAY_EMULATOR_OPS_ROUNDING_REFERENCE_H_
#define ASSAY_EMULATOR_OPS_ROUNDING_REFERENCE_H_

#include <cmath>
#include <cstdint>

namespace assay::gpu::testing {

struct BinaryFormat {
  int mantissa_bits;  ///< Without the hidden one.
  int exponent_bits;
  bool has_infinity;
  std::uint64_t nan;  ///< The canonical one.
  [[nodiscard]] constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  [[nodiscard]] constexpr std::uint64_t sign() const {
    return std::uint64_t{1} << (mantissa_bits + exponent_bits);
  }
  /// Bits of the greatest finite number.
  [[nodiscard]] constexpr std::uint64_t greatest() const {
    return has_infinity ? (((std::uint64_t{1} << exponent_bits) - 1) << mantissa_bits) - 1
                        : sign() - 2;
  }
};
inline constexpr BinaryFormat kF16{10, 5, true, 0x7fff};
inline constexpr BinaryFormat kBf16{7, 8, true, 0x7fff};
inline constexpr BinaryFormat kF32{23, 8, true, 0x7fffffff};
inline constexpr BinaryFormat kF64{52, 11, true, 0x7ff8000000000000};
inline constexpr BinaryFormat kTf32{10, 8, true, 0};
inline constexpr BinaryFormat kE5m2{2, 5, true, 0x7f};
inline constexpr BinaryFormat kE4m3{3, 4, false, 0x7f};

enum class Direction { kNearest, kNearestAway, kZero, kDown, kUp };

inline long double ValueOf(const BinaryFormat& format, std::uint64_t bits) {
  const std::uint64_t magnitude = bits & (format.sign() - 1);
  const std::uint64_t fraction = magnitude & ((std::uint64_t{1} << format.mantissa_bits) - 1);
  const int exponent = static_cast<int>(magnitude >> format.mantissa_bits);
  long double value = 0;
  if (magnitude > format.greatest()) {
    value = format.has_infinity && fraction == 0 ? static_cast<long double>(INFINITY)
                                                 : static_cast<long double>(NAN);
  } else if (exponent == 0) {
    value =
        std::ldexp(static_cast<long double>(fraction), 1 - format.bias() - format.mantissa_bits);
  } else {
    value =
        std::ldexp(static_cast<long double>(fraction | std::uint64_t{1} << format.mantissa_bits),
                   exponent - format.bias() - format.mantissa_bits);
  }
  return (bits & format.sign()) != 0 ? -value : value;
}

inline long double RoundInteger(long double value, Direction direction) {
  const long double below = std::floor(value);
  const long double rest = value - below;
  switch (direction) {
    case Direction::kZero:
      return std::trunc(value);
    case Direction::kDown:
      return below;
    case Direction::kUp:
      return std::ceil(value);
    case Direction::kNearestAway:
      return std::round(value);
    default:
      return rest > 0.5L || (rest == 0.5L && std::fmod(below, 2.0L) != 0) ? below + 1 : below;
  }
}

/// The bits of `value` in `format`. Overflow is IEEE 754's, or stops at the greatest number.
inline std::uint64_t RoundTo(const BinaryFormat& format, long double value, Direction direction,
                             bool stays_finite = false) {
  if (std::isnan(value)) {
    return format.nan;
  }
  const std::uint64_t sign = std::signbit(value) ? format.sign() : 0;
  const long double greatest = ValueOf(format, format.greatest());
  const std::uint64_t infinite = format.has_infinity ? format.greatest() + 1 : format.nan;
  if (std::isinf(value)) {
    return sign | (stays_finite ? format.greatest() : infinite);
  }
  if (value == 0) {
    return sign;
  }
  int exponent = 0;
  std::frexp(value, &exponent);  // value = f * 2^exponent, 1/2 <= f < 1
  const int lowest = 1 - format.bias();
  const int unit = (exponent - 1 < lowest ? lowest : exponent - 1) - format.mantissa_bits;
  const long double rounded = std::ldexp(RoundInteger(std::ldexp(value, -unit), direction), unit);
  const long double magnitude = std::fabs(rounded);
  if (magnitude > greatest) {
    const bool toward_zero = direction == Direction::kZero ||
                             (direction == Direction::kDown && sign == 0) ||
                             (direction == Direction::kUp && sign != 0);
    return sign | (stays_finite || toward_zero ? format.greatest() : infinite);
  }
  if (magnitude == 0) {
    return sign;
  }
  std::frexp(magnitude, &exponent);
  const int field = exponent - 1 < lowest ? 0 : exponent - 1 + format.bias();
  const int scale = (field == 0 ? lowest : exponent - 1) - format.mantissa_bits;
  const auto significand = static_cast<std::uint64_t>(std::ldexp(magnitude, -scale));
  const std::uint64_t hidden = field == 0 ? 0 : std::uint64_t{1} << format.mantissa_bits;
  return sign | static_cast<std::uint64_t>(field) << format.mantissa_bits | (significand - hidden);
}

}  // namespace assay::gpu::testing

#endif  // ASSAY_EMULATOR_OPS_ROUNDING_REFERENCE_H_
