// SPDX-License-Identifier: Apache-2.0
// Constants of one float type as those of another.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <limits>

#include "emulator/ptx/constant.h"

namespace assay::gpu::ptx {
namespace {

TEST(ConvertFloat, RoundsToHalvesAtOnce) {
  struct Case {
    double value;
    std::uint64_t half;
    std::uint64_t brain;
  };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const auto& [value, half, brain] : std::to_array<Case>({
           {0.0, 0, 0},
           {-0.0, 0x8000, 0x8000},
           {1.0, 0x3c00, 0x3f80},
           {-1.5, 0xbe00, 0xbfc0},
           {0.1, 0x2e66, 0x3dcd},
           {65504.0, 0x7bff, 0x4780},
           // Half way to what would be 65536, and right below.
           {65520.0, 0x7c00, 0x4780},
           {65519.0, 0x7bff, 0x4780},
           {1e300, 0x7c00, 0x7f80},
           {-kInfinity, 0xfc00, 0xff80},
           {std::numeric_limits<double>::quiet_NaN(), 0x7e00, 0x7fc0},
           // Half way between two, to the even one.
           {1.0 + 0x1p-11, 0x3c00, 0x3f80},
           {1.0 + 0x3p-11, 0x3c02, 0x3f80},
           {1.0 + 0x1p-8, 0x3c04, 0x3f80},
           {1.0 + 0x3p-8, 0x3c0c, 0x3f82},
           // Above half way by less than a float of 32 bits tells.
           {1.0 + 0x1p-11 + 0x1p-40, 0x3c01, 0x3f80},
           {1.0 + 0x1p-8 + 0x1p-40, 0x3c04, 0x3f81},
           // Subnormal ones.
           {0x1p-24, 0x0001, 0x3380},
           {0x1p-25, 0x0000, 0x3300},
           {0x3p-25, 0x0002, 0x33c0},
           {0x1p-14 - 0x1p-26, 0x0400, 0x3880},
           {0x1p-133, 0x0000, 0x0001},
           {1e-320, 0x0000, 0x0000},
       })) {
    const Constant constant{.type = Type::kF64, .bits = std::bit_cast<std::uint64_t>(value)};
    EXPECT_EQ(ConvertFloat(constant, Type::kF16).bits, half) << value;
    EXPECT_EQ(ConvertFloat(constant, Type::kBf16).bits, brain) << value;
    EXPECT_EQ(ConvertFloat(constant, Type::kF16).type, Type::kF16);
  }
  EXPECT_EQ(ConvertFloat({.type = Type::kF32, .bits = 0xbfc00000}, Type::kBf16).bits, 0xbfc0U);
}

TEST(ConvertFloat, WidensExactlyAndRoundsToNearest) {
  const auto convert = [](Type from, std::uint64_t bits, Type to) {
    return ConvertFloat({.type = from, .bits = bits}, to);
  };
  EXPECT_EQ(convert(Type::kF32, 0x3f800000, Type::kF64).bits, 0x3ff0000000000000U);
  EXPECT_EQ(convert(Type::kF32, 0x3dcccccd, Type::kF64).bits, 0x3fb99999a0000000U);
  EXPECT_EQ(convert(Type::kF32, 0xff800000, Type::kF64).bits, 0xfff0000000000000U);
  // 0.1 lies nearer to 0x3dcccccd than to the float below.
  EXPECT_EQ(convert(Type::kF64, 0x3fb999999999999a, Type::kF32).bits, 0x3dcccccdU);
  // 1 + 2^-24 is half way, and goes to the even one.
  EXPECT_EQ(convert(Type::kF64, 0x3ff0000010000000, Type::kF32).bits, 0x3f800000U);
  EXPECT_EQ(convert(Type::kF64, 0x3ff0000030000000, Type::kF32).bits, 0x3f800002U);
  EXPECT_EQ(convert(Type::kF64, 0x7fe0000000000000, Type::kF32).bits, 0x7f800000U);
  EXPECT_EQ(convert(Type::kF64, std::uint64_t{1} << 63U, Type::kF32).bits, 0x80000000U);
  EXPECT_EQ(convert(Type::kF32, 0x3f800000, Type::kF32).bits, 0x3f800000U);
  EXPECT_EQ(convert(Type::kF64, 0x3ff8000000000000, Type::kB32).type, Type::kF64);
  EXPECT_EQ(convert(Type::kS64, 7, Type::kF32).bits, 7U);
  EXPECT_EQ(convert(Type::kS64, 7, Type::kF32).type, Type::kS64);
}

}  // namespace
}  // namespace assay::gpu::ptx
