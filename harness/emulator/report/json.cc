// SPDX-License-Identifier: Apache-2.0
#include "emulator/report/json.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/member_kinds.h"
#include "emulator/report/fields.h"
#include "emulator/report/words.h"

namespace assay::gpu {
namespace {

using nlohmann::json;

template <class T>
inline constexpr bool kIsPlain = std::is_arithmetic_v<T> || std::is_same_v<T, std::string> ||
                                 std::is_same_v<T, std::array<std::uint32_t, 3>> ||
                                 std::is_same_v<T, std::map<std::string, std::uint64_t>>;

class Encoder {
 public:
  template <class T>
  void operator()(std::string_view key, const T& value) {
    object_[std::string(key)] = Encode(value);
  }
  void Metric(const std::string& key, std::uint64_t value) {
    if (value != 0) {
      object_[key] = value;
    }
  }
  void Derived(const std::string& key, std::uint64_t value) { Metric(key, value); }

  template <class T>
  static json Encode(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      return std::string(ToString(value));
    } else if constexpr (kIsPlain<T>) {
      return value;
    } else if constexpr (kIsOptional<T>) {
      return value ? Encode(*value) : json(nullptr);
    } else if constexpr (kIsVector<T>) {
      json array = json::array();
      for (const auto& element : value) {
        array.push_back(Encode(element));
      }
      return array;
    } else {
      Encoder encoder;
      json_fields::Fields(encoder, value);
      return std::move(encoder.object_);
    }
  }

 private:
  json object_ = json::object();
};

/// Reads one object. Keeps the first fault of the document and reads on without harm.
class Decoder {
 public:
  Decoder(const json& object, std::string path, std::string& fault)
      : object_(object), path_(std::move(path)), fault_(fault) {}

  template <class T>
  void operator()(std::string_view key, T& value) {
    if (const auto found = object_.find(key); found != object_.end()) {
      Decode(*found, path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key), value);
    }
  }
  void Metric(const std::string& key, std::uint64_t& value) { (*this)(key, value); }
  void Derived(const std::string& /*key*/, std::uint64_t /*value*/) {}

  template <class T>
  void Decode(const json& node, const std::string& path, T& value) {
    if constexpr (std::is_enum_v<T>) {
      const auto named =
          node.is_string() ? FromWord<T>(node.get_ref<const std::string&>()) : std::nullopt;
      if (Expect(named.has_value(), path, "is none of its words")) {
        value = *named;
      }
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (Expect(node.is_string(), path, "is not a string")) {
        value = node.get<std::string>();
      }
    } else if constexpr (std::is_same_v<T, double>) {
      if (Expect(node.is_number(), path, "is not a number")) {
        value = node.get<double>();
      }
    } else if constexpr (std::is_integral_v<T>) {
      DecodeInteger(node, path, value);
    } else if constexpr (kIsOptional<T>) {
      if (!node.is_null()) {
        Decode(node, path, value.emplace());
      }
    } else {
      DecodeContainer(node, path, value);
    }
  }

 private:
  bool Expect(bool holds, const std::string& path, std::string_view otherwise) {
    if (!holds && fault_.empty()) {
      fault_ = fmt::format("{} {}", path, otherwise);
    }
    return holds;
  }

  template <class T>
  void DecodeInteger(const json& node, const std::string& path, T& value) {
    const bool fits = (node.is_number_unsigned() && std::in_range<T>(node.get<std::uint64_t>())) ||
                      (node.is_number_integer() && !node.is_number_unsigned() &&
                       std::in_range<T>(node.get<std::int64_t>()));
    if (Expect(fits, path, "is not a whole number in range")) {
      value = node.get<T>();
    }
  }

  template <class T>
  void DecodeContainer(const json& node, const std::string& path, T& value) {
    if constexpr (kIsVector<T>) {
      if (Expect(node.is_array(), path, "is not a list")) {
        for (const json& element : node) {
          Decode(element, path, value.emplace_back());
        }
      }
    } else if constexpr (std::is_same_v<T, std::array<std::uint32_t, 3>>) {
      if (Expect(node.is_array() && node.size() == value.size(), path, "is not three numbers")) {
        for (std::size_t i = 0; i < value.size(); ++i) {
          DecodeInteger(node[i], path, value[i]);
        }
      }
    } else if (Expect(node.is_object(), path, "is not an object")) {
      if constexpr (std::is_same_v<T, std::map<std::string, std::uint64_t>>) {
        for (const auto& [key, element] : node.items()) {
          DecodeInteger(element, path, value[key]);
        }
      } else {
        Decoder decoder(node, path, fault_);
        json_fields::Fields(decoder, value);
      }
    }
  }

  const json& object_;
  std::string path_;
  std::string& fault_;
};

Error BadReport(std::string cause) {
  return {.kind = ErrorKind::kJudge,
          .where = {},
          .cause = "a launch's report " + std::move(cause),
          .remedy = "build assay and the CUDA runtime library from the same sources"};
}

}  // namespace

std::string ToJsonLine(const LaunchReport& report) {
  return Encoder::Encode(report).dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string ToJson(const Finding& finding) {
  return Encoder::Encode(finding).dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<LaunchReport> ReportFromJson(std::string_view line) {
  const json document = json::parse(line, nullptr, false);
  if (!document.is_object()) {
    return std::unexpected(BadReport("is no JSON object"));
  }
  LaunchReport report;
  std::string fault;
  Decoder decoder(document, "", fault);
  json_fields::Fields(decoder, report);
  if (!fault.empty()) {
    return std::unexpected(BadReport("is at fault: " + fault));
  }
  return report;
}

}  // namespace assay::gpu
