// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REPORT_JSON_TEXT_H_
#define ASSAY_REPORT_JSON_TEXT_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace assay {

/// Indented JSON with sorted keys and a final line break. Bytes of hostile text that are no UTF-8
/// are replaced.
[[nodiscard]] inline std::string DumpDocument(const nlohmann::json& document) {
  return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

/// The value, or null.
template <class T>
[[nodiscard]] nlohmann::json OrNull(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

}  // namespace assay

#endif  // ASSAY_REPORT_JSON_TEXT_H_
