// SPDX-License-Identifier: Apache-2.0
#include "cli/table.h"

#include <algorithm>
#include <cstddef>

#include "report/plain_text.h"

namespace assay {
namespace {

// Of UTF-8: bytes that continue a character take no column.
std::size_t ColumnsOf(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace

std::string FormatTable(const std::vector<std::vector<std::string>>& rows) {
  return FormatTable(rows, Colour::kOff, [](const auto&, std::size_t) { return std::nullopt; });
}

std::string FormatTable(const std::vector<std::vector<std::string>>& rows, Colour colour,
                        const ToneOfCell& tone_of) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], ColumnsOf(PlainLine(row[i])));
    }
  }
  std::string table;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string cell = PlainLine(row[i]);
      const auto tone = tone_of(row, i);
      line += tone && !cell.empty() ? Paint(colour, *tone, cell) : cell;
      line += std::string(widths[i] - ColumnsOf(cell) + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    table += line + "\n";
  }
  return table;
}

}  // namespace assay
