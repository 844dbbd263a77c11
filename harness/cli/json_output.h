// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_JSON_OUTPUT_H_
#define ASSAY_CLI_JSON_OUTPUT_H_

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"

namespace assay {

/// Indented JSON with sorted keys and a final line break. Bytes that are not UTF-8 (a submission's
/// file names, diagnostics) become U+FFFD.
[[nodiscard]] std::string Dump(const nlohmann::json& value);

/// `errors` with places below `root` made relative to it.
[[nodiscard]] Errors RelativeTo(const std::filesystem::path& root, const Errors& errors);

/// `[{"kind": …, "where": …, "cause": …, "remedy": …}]`; kinds are configuration, judge, sandbox.
[[nodiscard]] nlohmann::json ErrorsToJson(const Errors& errors);

}  // namespace assay

#endif  // ASSAY_CLI_JSON_OUTPUT_H_
