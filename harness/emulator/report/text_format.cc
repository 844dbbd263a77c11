// SPDX-License-Identifier: Apache-2.0
#include "emulator/report/text_format.h"

#include <fmt/format.h>

#include "base/text.h"

namespace assay::gpu {

std::string Printable(std::string_view text) { return OneSeenLine(text, "?", '?'); }

std::string Grouped(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t from_end = 3; from_end < digits.size(); from_end += 4) {
    digits.insert(digits.size() - from_end, 1, ',');
  }
  return digits;
}

std::string Triple(const std::array<std::uint32_t, 3>& value) {
  return fmt::format("({},{},{})", value[0], value[1], value[2]);
}

std::string Ratio(std::uint64_t numerator, std::uint64_t denominator) {
  return denominator == 0 ? "-"
                          : fmt::format("{:.2f}", static_cast<double>(numerator) /
                                                      static_cast<double>(denominator));
}

std::string Duration(double time_ns) {
  if (time_ns < 1e3) {
    return fmt::format("{:.3g} ns", time_ns);
  }
  if (time_ns < 1e6) {
    return fmt::format("{:.2f} us", time_ns / 1e3);
  }
  return time_ns < 1e9 ? fmt::format("{:.2f} ms", time_ns / 1e6)
                       : fmt::format("{:.2f} s", time_ns / 1e9);
}

}  // namespace assay::gpu
