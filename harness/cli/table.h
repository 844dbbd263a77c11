// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_TABLE_H_
#define ASSAY_CLI_TABLE_H_

#include <string>
#include <vector>

namespace assay {

/// Rows as columns that line up, two spaces apart, without trailing spaces. Rows may differ in
/// length. Control characters, which could drive a terminal, are dropped.
[[nodiscard]] std::string FormatTable(const std::vector<std::vector<std::string>>& rows);

/// `text` without control characters.
[[nodiscard]] std::string Printable(const std::string& text);

}  // namespace assay

#endif  // ASSAY_CLI_TABLE_H_
