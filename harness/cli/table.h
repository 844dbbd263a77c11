// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_TABLE_H_
#define ASSAY_CLI_TABLE_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/colour.h"

namespace assay {

/// Rows as columns that line up, two spaces apart, without trailing spaces. Rows may differ in
/// length. Cells pass PlainLine: nothing in them can drive a terminal.
[[nodiscard]] std::string FormatTable(const std::vector<std::vector<std::string>>& rows);

/// The tone of a cell, by its row and its column, from 0; nothing: as it is.
using ToneOfCell =
    std::function<std::optional<Tone>(const std::vector<std::string>& row, std::size_t column)>;
/// The same in colours, which take no room.
[[nodiscard]] std::string FormatTable(const std::vector<std::vector<std::string>>& rows,
                                      Colour colour, const ToneOfCell& tone_of);

}  // namespace assay

#endif  // ASSAY_CLI_TABLE_H_
