// SPDX-License-Identifier: Apache-2.0
#include "spec/value_unit.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace assay {
namespace {

constexpr std::int64_t kMostOf = 1'000'000;

/// The members as they are written. A text at fault is there and empty, so that no second fault
/// says that it is missing.
struct Members {
  std::optional<std::string> unit;
  std::optional<std::string> one;
  std::optional<std::string> one_is;
  std::optional<std::int64_t> of;
};

std::optional<std::string> ReadMember(MapReader& item, const std::string& name,
                                      std::string_view key, FileFaults& faults) {
  const YamlNode* const node = item.Find(key, Presence::kOptional);
  return node == nullptr ? std::nullopt
                         : std::optional(ReadText(*node, fmt::format("{}.{}", name, key),
                                                  TextForm::kProse, faults)
                                             .value_or(std::string()));
}

/// The first member that only counts can have, or nothing.
std::string_view MemberOfCounts(const Members& members) {
  if (members.one_is) {
    return "one_is";
  }
  if (members.of) {
    return "of";
  }
  return members.one ? "one" : "";
}

/// Writes one fault at most: the first is the cause of others.
void CheckMembers(const MapReader& item, const std::string& name, const Criterion& criterion,
                  const Members& members, FileFaults& faults) {
  const ValueExpression& value = criterion.value;
  if (const std::string_view member = MemberOfCounts(members);
      !member.empty() && criterion.format != ValueFormat::kCount) {
    faults.Add(item.LineOf(member),
               fmt::format("{}.{} is of counts, and the format is {}", name, member,
                           ToString(criterion.format)),
               fmt::format("remove \"{}\", or the format", member));
  } else if (members.one_is && (members.unit || members.one || members.of)) {
    faults.Add(item.LineOf("one_is"),
               name + ".one_is is printed in place of the number and its unit",
               "write \"one_is\" alone, without \"unit\", \"one\" and \"of\"");
  } else if (members.one && members.of) {
    faults.Add(item.LineOf("one"),
               fmt::format("{0}.one is never printed: \"1 of {1}\" is of {1}", name, *members.of),
               "remove \"one\"");
  } else if (members.one && !members.unit) {
    faults.Add(item.LineOf("one"), name + ".one is there without \"unit\"",
               "write as \"unit\" what is printed behind any other number");
  } else if (members.of && value.function == ValueFunction::kEntryPoints &&
             std::cmp_not_equal(*members.of, value.arguments.size())) {
    faults.Add(item.LineOf("of"),
               fmt::format("{}.of is {}, and its value names {} entry points", name, *members.of,
                           value.arguments.size()),
               fmt::format("write \"of: {}\"", value.arguments.size()));
  }
}

}  // namespace

ValueUnit ReadValueUnit(MapReader& item, const std::string& name, const Criterion& criterion,
                        FileFaults& faults) {
  const Members members{.unit = ReadMember(item, name, "unit", faults),
                        .one = ReadMember(item, name, "one", faults),
                        .one_is = ReadMember(item, name, "one_is", faults),
                        .of = item.Integer("of", 1, kMostOf, Presence::kOptional)};
  CheckMembers(item, name, criterion, members, faults);
  const std::string many = members.unit.value_or(std::string());
  if (members.one_is) {
    return {.form = ValueUnit::Form::kYesOrNo, .one = *members.one_is};
  }
  if (members.of) {
    return {.form = ValueUnit::Form::kOf, .many = many, .of = static_cast<int>(*members.of)};
  }
  if (members.unit) {
    return {.form = ValueUnit::Form::kCounted, .many = many, .one = members.one.value_or(many)};
  }
  return {};
}

}  // namespace assay
