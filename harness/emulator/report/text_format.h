// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_REPORT_TEXT_FORMAT_H_
#define ASSAY_EMULATOR_REPORT_TEXT_FORMAT_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace assay::gpu {

/// `text` as one line, with `?` for what ReplaceUnseen (base/text.h) replaces and for line breaks:
/// names come from programs that are not ours, and terminals obey escape sequences.
[[nodiscard]] std::string Printable(std::string_view text);

/// `1234567` as `1,234,567`.
[[nodiscard]] std::string Grouped(std::uint64_t value);

/// `(4,1,1)`.
[[nodiscard]] std::string Triple(const std::array<std::uint32_t, 3>& value);

/// `numerator / denominator` with two decimals, `-` where the denominator is 0.
[[nodiscard]] std::string Ratio(std::uint64_t numerator, std::uint64_t denominator);

/// With a unit that suits: `850 ns`, `2.10 us`, `13.0 ms`.
[[nodiscard]] std::string Duration(double time_ns);

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_REPORT_TEXT_FORMAT_H_
