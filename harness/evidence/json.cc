// SPDX-License-Identifier: Apache-2.0
#include "evidence/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "base/member_kinds.h"
#include "evidence/fields.h"

namespace assay {
namespace {

using nlohmann::json;

template <class T>
inline constexpr bool kIsMap = false;
template <class T>
inline constexpr bool kIsMap<std::map<std::string, T>> = true;

json EncodeDouble(double value) {
  if (std::isnan(value)) {
    return "nan";
  }
  if (std::isinf(value)) {
    return value > 0 ? "inf" : "-inf";
  }
  return value;
}

template <class T>
json Encode(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return std::string(ToString(value));
  } else if constexpr (std::is_same_v<T, double>) {
    return EncodeDouble(value);
  } else if constexpr (std::is_integral_v<T> || std::is_same_v<T, std::string>) {
    return value;
  } else if constexpr (kIsOptional<T>) {
    return value.has_value() ? Encode(*value) : json(nullptr);
  } else if constexpr (kIsVector<T>) {
    json array = json::array();
    for (const auto& element : value) {
      array.push_back(Encode(element));
    }
    return array;
  } else if constexpr (kIsMap<T>) {
    json object = json::object();
    for (const auto& [key, element] : value) {
      object[key] = Encode(element);
    }
    return object;
  } else if constexpr (std::is_same_v<T, std::pair<double, double>>) {
    return json::array({EncodeDouble(value.first), EncodeDouble(value.second)});
  } else {
    json object = json::object();
    auto visit = [&object](const char* key, const auto& field) { object[key] = Encode(field); };
    json_fields::Fields(visit, value);
    return object;
  }
}

/// Reads one document. Keeps the first fault and reads on without harm, so that no step of the
/// descent needs a branch for the failure of an earlier one.
class Decoder {
 public:
  template <class T>
  void Decode(const json& node, const std::string& path, T& value) {
    if constexpr (std::is_same_v<T, Verdict>) {
      DecodeWord(node, path, "is not a verdict", &VerdictFromString, value);
    } else if constexpr (std::is_same_v<T, GiveUpCause>) {
      DecodeWord(node, path, "is not a cause of giving up", &GiveUpCauseFromString, value);
    } else if constexpr (std::is_same_v<T, SkipCause>) {
      DecodeWord(node, path, "is not a cause of skipping", &SkipCauseFromString, value);
    } else if constexpr (std::is_same_v<T, BenchMoment>) {
      DecodeWord(node, path, "is not a moment of grading", &BenchMomentFromString, value);
    } else if constexpr (std::is_same_v<T, MetricRule>) {
      DecodeWord(node, path, "is not a rule of metrics", &MetricRuleFromString, value);
    } else if constexpr (std::is_same_v<T, double>) {
      DecodeDouble(node, path, value);
    } else if constexpr (std::is_same_v<T, bool>) {
      if (Expect(node.is_boolean(), path, "is not true or false")) {
        value = node.get<bool>();
      }
    } else if constexpr (std::is_integral_v<T>) {
      DecodeInteger(node, path, value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (Expect(node.is_string(), path, "is not a string")) {
        value = node.get<std::string>();
      }
    } else if constexpr (kIsOptional<T>) {
      if (!node.is_null()) {
        Decode(node, path, value.emplace());
      }
    } else if constexpr (kIsVector<T>) {
      DecodeArray(node, path, value);
    } else if constexpr (kIsMap<T>) {
      DecodeMap(node, path, value);
    } else if constexpr (std::is_same_v<T, std::pair<double, double>>) {
      if (Expect(node.is_array() && node.size() == 2, path, "is not an array of two numbers")) {
        DecodeDouble(node[0], path + "[0]", value.first);
        DecodeDouble(node[1], path + "[1]", value.second);
      }
    } else {
      DecodeObject(node, path, value);
    }
  }

  /// Empty while all is well; else the first fault: key path and what is wrong.
  [[nodiscard]] const std::string& fault() const { return fault_; }

  bool Expect(bool holds, const std::string& path, std::string_view otherwise) {
    if (!holds && fault_.empty()) {
      fault_ = fmt::format("key {} {}", path.empty() ? "(root)" : path, otherwise);
    }
    return holds;
  }

 private:
  static std::string Child(const std::string& path, const std::string& key) {
    return path.empty() ? key : path + "." + key;
  }

  template <class T>
  void DecodeWord(const json& node, const std::string& path, std::string_view otherwise,
                  std::optional<T> (*from_string)(std::string_view), T& value) {
    const auto word =
        node.is_string() ? from_string(node.get_ref<const std::string&>()) : std::nullopt;
    if (Expect(word.has_value(), path, otherwise)) {
      value = *word;
    }
  }

  void DecodeDouble(const json& node, const std::string& path, double& value) {
    if (node.is_number()) {
      value = node.get<double>();
    } else if (node == "nan") {
      value = std::numeric_limits<double>::quiet_NaN();
    } else if (node == "inf" || node == "-inf") {
      value = node == "inf" ? std::numeric_limits<double>::infinity()
                            : -std::numeric_limits<double>::infinity();
    } else {
      Expect(false, path, R"(is not a number, "nan", "inf" or "-inf")");
    }
  }

  template <class T>
  void DecodeInteger(const json& node, const std::string& path, T& value) {
    const bool fits = node.is_number_unsigned()
                          ? std::in_range<T>(node.get<std::uint64_t>())
                          : node.is_number_integer() && std::in_range<T>(node.get<std::int64_t>());
    if (Expect(fits, path, "is not an integer of its range")) {
      value = node.get<T>();
    }
  }

  template <class T>
  void DecodeArray(const json& node, const std::string& path, std::vector<T>& values) {
    if (!Expect(node.is_array(), path, "is not an array")) {
      return;
    }
    for (std::size_t i = 0; i < node.size(); ++i) {
      Decode(node[i], fmt::format("{}[{}]", path, i), values.emplace_back());
    }
  }

  template <class T>
  void DecodeMap(const json& node, const std::string& path, std::map<std::string, T>& values) {
    if (!Expect(node.is_object(), path, "is not an object")) {
      return;
    }
    for (const auto& [key, element] : node.items()) {
      Decode(element, Child(path, key), values[key]);
    }
  }

  template <class T>
  void DecodeObject(const json& node, const std::string& path, T& value) {
    if (!Expect(node.is_object(), path, "is not an object")) {
      return;
    }
    std::set<std::string, std::less<>> known;
    auto visit = [&](const char* key, auto& field) {
      known.insert(key);
      const auto found = node.find(key);
      if (found != node.end()) {
        Decode(*found, Child(path, key), field);
      } else {
        // What may be null may be absent: evidence from before the member was there still reads.
        Expect(kIsOptional<std::remove_cvref_t<decltype(field)>>, Child(path, key), "is missing");
      }
    };
    json_fields::Fields(visit, value);
    for (const auto& [key, element] : node.items()) {
      Expect(known.contains(key), Child(path, key), "is unknown");
    }
  }

  std::string fault_;
};

/// Keys of the file stand in `cause`: it becomes one short line that a terminal shows as it is.
Error FileError(const std::string& file, std::string cause) {
  constexpr std::size_t kLongest_bytes = 500;
  cause.resize(std::min(cause.size(), kLongest_bytes));
  std::ranges::replace_if(cause, [](char c) { return c < ' ' || c > '~'; }, '?');
  return Error{.kind = ErrorKind::kConfiguration,
               .where = file,
               .cause = std::move(cause),
               .remedy = "regenerate it with `assay grade --force`"};
}

Result<json> Parse(std::string_view text, const std::string& file) {
  try {
    return json::parse(text);
  } catch (const json::exception& exception) {
    return std::unexpected(FileError(file, fmt::format("not valid JSON: {}", exception.what())));
  }
}

template <class T>
Result<T> DecodeDocument(const json& document, const std::string& file) {
  T value;
  Decoder decoder;
  decoder.Decode(document, "", value);
  if (!decoder.fault().empty()) {
    return std::unexpected(FileError(file, decoder.fault()));
  }
  return value;
}

/// Text of a submission may hold bytes that are no UTF-8: they become U+FFFD.
std::string Dump(const json& document) {
  return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string EvidenceToJson(const Evidence& evidence) { return Dump(Encode(evidence)); }

Result<Evidence> EvidenceFromJson(std::string_view text, const std::string& file) {
  ASSAY_ASSIGN_OR_RETURN(const json document, Parse(text, file));
  // The version first: in a file of another version every other fault would mislead.
  const auto version = document.is_object() ? document.find("schema_version") : document.end();
  // Only a number is shown: of what nests deep, json's printing would not return.
  if (document.is_object() && version != document.end() && version->is_number() &&
      (*version < kOldestEvidenceSchemaVersion || *version > kEvidenceSchemaVersion)) {
    return std::unexpected(FileError(
        file, fmt::format("schema_version is {}, this version of assay reads {} to {}",
                          version->dump(), kOldestEvidenceSchemaVersion, kEvidenceSchemaVersion)));
  }
  return DecodeDocument<Evidence>(document, file);
}

std::string RunResultsToJson(const RunResults& results) { return Dump(Encode(results)); }

Result<RunResults> RunResultsFromJson(std::string_view text, const std::string& file) {
  ASSAY_ASSIGN_OR_RETURN(const json document, Parse(text, file));
  return DecodeDocument<RunResults>(document, file);
}

}  // namespace assay
