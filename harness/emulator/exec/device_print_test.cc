// SPDX-License-Identifier: Apache-2.0
#include "emulator/exec/device_print.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace assay::gpu {
namespace {

constexpr std::uint64_t kHello = 0x1000;

std::optional<std::string> ReadString(std::uint64_t address) {
  if (address == kHello) {
    return "hello";
  }
  return std::nullopt;
}

/// As nvcc packs them: each value at the next multiple of its size.
template <class... T>
std::vector<std::byte> Pack(T... values) {
  std::vector<std::byte> bytes;
  [[maybe_unused]] const auto add = [&](const auto& value) {
    const std::size_t start = (bytes.size() + sizeof value - 1) / sizeof value * sizeof value;
    bytes.resize(start + sizeof value);
    std::memcpy(bytes.data() + start, &value, sizeof value);
  };
  (add(values), ...);
  return bytes;
}

template <class... T>
std::string Device(const char* format, T... values) {
  return FormatDevicePrint(format, Pack(values...), ReadString);
}

template <class... T>
std::string Host(const char* format, T... values) {
  std::array<char, 16384> text{};
  const int length = std::snprintf(text.data(), text.size(), format, values...);
  return {text.data(), static_cast<std::size_t>(length)};
}

TEST(DevicePrintTest, IntegersAreWrittenAsTheHostWritesThem) {
  for (const int value : {0, 1, -1, 42, 255, 65535, 70000, std::numeric_limits<int>::max(),
                          std::numeric_limits<int>::min()}) {
    for (const char* format :
         {"%d",    "%i",   "%u",  "%o",     "%x",     "%X",    "%#x",     "%#o", "%5d",
          "%-5d|", "%05d", "%+d", "% d",    "%.3d",   "%8.3d", "%-8.3d|", "%hd", "%hu",
          "%hhd",  "%hhu", "%hx", "%+-8d|", "%08.3d", "%.0d",  "%.d"}) {
      EXPECT_EQ(Device(format, value), Host(format, value)) << format << " of " << value;
    }
  }
}

TEST(DevicePrintTest, LongIntegersTakeEightAlignedBytes) {
  for (const long long value : {0LL, -1LL, 1LL << 40, std::numeric_limits<long long>::min()}) {
    for (const char* format : {"%lld", "%llu", "%llx", "%#llX", "%20lld", "%-20lld|", "%ld", "%lu",
                               "%zu", "%jd", "%td"}) {
      EXPECT_EQ(Device(format, value), Host(format, value)) << format << " of " << value;
    }
    EXPECT_EQ(Device("%d %lld %d", 7, value, 8), Host("%d %lld %d", 7, value, 8));
  }
}

TEST(DevicePrintTest, RealsAreWrittenAsTheHostWritesThem) {
  for (const double value : {0.0, -0.0, 1.0, -2.5, 1e-300, 1.0 / 3, 1e100, HUGE_VAL, -HUGE_VAL,
                             std::numeric_limits<double>::quiet_NaN()}) {
    for (const char* format :
         {"%f", "%e", "%g", "%a", "%F", "%E", "%G", "%A", "%.0f", "%.10f", "%12.3f", "%-12.3f|",
          "%+g", "% g", "%#g", "%012.3f", "%lf", "%.f"}) {
      EXPECT_EQ(Device(format, value), Host(format, value)) << format << " of " << value;
    }
  }
}

TEST(DevicePrintTest, CharactersStringsAndPointers) {
  EXPECT_EQ(Device("%c|%3c|%-3c|", int{'a'}, int{'b'}, int{'c'}), "a|  b|c  |");
  EXPECT_EQ(Device("%c", 0), std::string(1, '\0'));
  EXPECT_EQ(Device("%s|%8s|%-8s|%.2s|", kHello, kHello, kHello, kHello),
            "hello|   hello|hello   |he|");
  EXPECT_EQ(Device("%s", std::uint64_t{0}), "(null)");
  EXPECT_EQ(Device("%s", std::uint64_t{12345}), "(not a readable string)");
  const std::uint64_t address = 0x7f0012340000;
  EXPECT_EQ(Device("%p", address), "0x7f0012340000");
  EXPECT_EQ(Device("%20p|", address), "      0x7f0012340000|");
}

TEST(DevicePrintTest, StarsTakeIntArguments) {
  EXPECT_EQ(Device("%*d|", 6, 42), Host("%*d|", 6, 42));
  EXPECT_EQ(Device("%*d|", -6, 42), Host("%*d|", -6, 42));
  EXPECT_EQ(Device("%.*f|", 2, 3.14159), Host("%.*f|", 2, 3.14159));
  EXPECT_EQ(Device("%.*f|", -2, 3.14159), Host("%.*f|", -2, 3.14159));
  EXPECT_EQ(Device("%*.*f|", 10, 3, 3.14159), Host("%*.*f|", 10, 3, 3.14159));
  EXPECT_EQ(Device("%-*d|%d", 6, 42, 7), Host("%-*d|%d", 6, 42, 7));
}

TEST(DevicePrintTest, WhatIsNoConversionIsWrittenAsItStands) {
  EXPECT_EQ(Device("100%% %d", 3), "100% 3");
  EXPECT_EQ(Device("%y %d", 3), "%y 3");
  EXPECT_EQ(Device("50%"), "50%");
  EXPECT_EQ(Device("%-08"), "%-08");
  EXPECT_EQ(Device("%1$d", 5), "%1$d");
  EXPECT_EQ(Device("%lz"), "%lz");
  EXPECT_EQ(Device(""), "");
}

TEST(DevicePrintTest, MissingArgumentsLeaveTheConversionAsItStands) {
  EXPECT_EQ(Device("%d %d", 1), "1 %d");
  EXPECT_EQ(Device("%f"), "%f");
  EXPECT_EQ(Device("%s"), "%s");
  EXPECT_EQ(Device("%*d"), "%*d");
  EXPECT_EQ(Device("%*d", 4), "%*d");
  EXPECT_EQ(Device("%lld", 4), "%lld");  // four bytes are not eight
}

TEST(DevicePrintTest, StoringTheCountIsRefusedButTakesItsArgument) {
  EXPECT_EQ(Device("a%nb%d", std::uint64_t{0xdead}, 5), "a%nb5");
}

TEST(DevicePrintTest, HugeWidthsAreCut) {
  EXPECT_EQ(Device("%99999999999999999999d", 1).size(), 4096U);
  EXPECT_EQ(Device("%*d", std::numeric_limits<int>::max(), 1).size(), 4096U);
  EXPECT_EQ(Device("%*d", std::numeric_limits<int>::min(), 1).size(), 4096U);
  EXPECT_EQ(Device("%.99999999d", 1).size(), 4096U);
  EXPECT_EQ(Device("%.2147483647f", 1e300).size(), 301U + 1 + 4096);
}

TEST(DevicePrintTest, AtMost32ArgumentsAreFormatted) {
  std::string format;
  std::vector<std::byte> arguments;
  std::string expected;
  for (int i = 0; i < 40; ++i) {
    format += "%d,";
    expected += i < 32 ? "0," : "%d,";
    arguments.resize(arguments.size() + 4);
  }
  EXPECT_EQ(FormatDevicePrint(format, arguments, ReadString), expected);
  EXPECT_EQ(ArgumentsOf(format).count, 32);
  EXPECT_EQ(ArgumentsOf(format).size_bytes, 128U);
}

// The layouts are those of nvcc 13.0's vprintf buffers.
TEST(DevicePrintTest, ArgumentsOfCountsAndMeasures) {
  const DevicePrintArguments mixed = ArgumentsOf("%f %f %lld %c %hd %s %p %d %%\n");
  EXPECT_EQ(mixed.count, 8);
  EXPECT_EQ(mixed.size_bytes, 52U);
  const DevicePrintArguments ints = ArgumentsOf("%d%d%lf%d%c");
  EXPECT_EQ(ints.count, 5);
  EXPECT_EQ(ints.size_bytes, 24U);
  EXPECT_EQ(ArgumentsOf("none %% at all").count, 0);
  EXPECT_EQ(ArgumentsOf("%*.*f").count, 3);
  EXPECT_EQ(ArgumentsOf("%*.*f").size_bytes, 16U);
  EXPECT_EQ(ArgumentsOf("%").size_bytes, 0U);
}

TEST(DevicePrintTest, RandomFormatsNeverFail) {
  std::uint64_t state = 88172645463325252U;
  const std::string_view alphabet = "%%%%dfsxpcnlhzLq*.-+ #0123456789aegAEGouXi$\\y";
  for (int round = 0; round < 20000; ++round) {
    std::string format;
    for (int i = 0; i < 12; ++i) {
      state ^= state << 13U;
      state ^= state >> 7U;
      state ^= state << 17U;
      format += alphabet[state % alphabet.size()];
    }
    const std::vector<std::byte> arguments(state % 64, std::byte{0x11});
    const std::string text = FormatDevicePrint(format, arguments, ReadString);
    EXPECT_LT(text.size(), 80000U) << format;
    EXPECT_LE(ArgumentsOf(format).size_bytes, 12U * 8);
  }
}

}  // namespace
}  // namespace assay::gpu
