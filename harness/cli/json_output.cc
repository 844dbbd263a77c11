// SPDX-License-Identifier: Apache-2.0
#include "cli/json_output.h"

#include <string_view>

namespace assay {
namespace {

std::string_view KindName(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kConfiguration:
      return "configuration";
    case ErrorKind::kJudge:
      return "judge";
    case ErrorKind::kSandbox:
      return "sandbox";
  }
  return "";
}

}  // namespace

std::string Dump(const nlohmann::json& value) {
  // ASCII alone, all else as \u escapes: text in it may be hostile, and end on a terminal.
  return value.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

Errors RelativeTo(const std::filesystem::path& root, const Errors& errors) {
  Errors relative = errors;
  const std::string prefix = root.empty() ? std::string() : (root / "").string();
  for (Error& error : relative) {
    if (!prefix.empty() && error.where.starts_with(prefix)) {
      error.where.erase(0, prefix.size());
    }
  }
  return relative;
}

nlohmann::json ErrorsToJson(const Errors& errors) {
  nlohmann::json list = nlohmann::json::array();
  for (const Error& error : errors) {
    list.push_back({{"kind", KindName(error.kind)},
                    {"where", error.where},
                    {"cause", error.cause},
                    {"remedy", error.remedy}});
  }
  return list;
}

}  // namespace assay
