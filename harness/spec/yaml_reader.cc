// SPDX-License-Identifier: Apache-2.0
#include "spec/yaml_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "spec/nearest.h"

namespace assay {
namespace {

constexpr std::size_t kLongestProse_bytes = 2'000;
constexpr std::int64_t kSchema = 1;

std::string_view Describe(YamlNode::Kind kind) {
  switch (kind) {
    case YamlNode::Kind::kNull:
      return "empty";
    case YamlNode::Kind::kScalar:
      return "a single value";
    case YamlNode::Kind::kSequence:
      return "a list";
    case YamlNode::Kind::kMap:
      return "a map";
  }
  return "";
}

// Long or odd values would drown the message.
std::string Shorten(std::string_view text) {
  constexpr std::size_t kShown_bytes = 60;
  std::string shown;
  for (const char c : text.substr(0, kShown_bytes)) {
    shown += c == '\n' ? ' ' : c;
  }
  return text.size() > kShown_bytes ? shown + "..." : shown;
}

template <class T>
std::optional<T> Parse(const YamlNode& node) {
  T value{};
  const char* const end = node.text.data() + node.text.size();
  const auto [stop, failure] = std::from_chars(node.text.data(), end, value);
  const bool whole = failure == std::errc() && stop == end;
  return whole && !node.quoted ? std::optional(value) : std::nullopt;
}

bool IsScalar(const YamlNode& node, const std::string& name, std::string_view wanted,
              FileFaults& faults) {
  if (node.kind == YamlNode::Kind::kScalar) {
    return true;
  }
  faults.Add(node.line, fmt::format("{} is {}, not {}", name, Describe(node.kind), wanted),
             fmt::format("write {}", wanted));
  return false;
}

}  // namespace

std::optional<std::string> ReadText(const YamlNode& node, const std::string& name, TextForm form,
                                    FileFaults& faults) {
  if (!IsScalar(node, name, "a text", faults)) {
    return std::nullopt;
  }
  if (form == TextForm::kId && !IsId(node.text)) {
    faults.Add(node.line, fmt::format("{} \"{}\" is no id", name, Shorten(node.text)),
               "use a to z, 0 to 9, \".\", \"_\" and \"-\", at most 64 of them, beginning with a "
               "letter or digit");
    return std::nullopt;
  }
  if (form == TextForm::kName && !IsPlainName(node.text)) {
    faults.Add(node.line, fmt::format("{} \"{}\" is no plain name", name, Shorten(node.text)),
               "use letters, digits, spaces and . _ - + ( ) :, at most 64 of them; markdown and "
               "HTML are not allowed");
    return std::nullopt;
  }
  if (form == TextForm::kProse && (node.text.empty() || node.text.size() > kLongestProse_bytes)) {
    faults.Add(
        node.line,
        fmt::format("{} holds {} bytes, not 1 to {}", name, node.text.size(), kLongestProse_bytes),
        "write a short text");
    return std::nullopt;
  }
  return node.text;
}

std::optional<double> ReadNumber(const YamlNode& node, const std::string& name, double least,
                                 double most, FileFaults& faults) {
  if (!IsScalar(node, name, "a number", faults)) {
    return std::nullopt;
  }
  const auto number = Parse<double>(node);
  if (!number || !std::isfinite(*number)) {
    faults.Add(node.line, fmt::format("{} \"{}\" is not a number", name, Shorten(node.text)),
               "write a finite number without quotes");
    return std::nullopt;
  }
  if (*number < least || *number > most) {
    const std::string range = most == kNoLimit ? fmt::format("at least {}", least)
                                               : fmt::format("from {} to {}", least, most);
    faults.Add(node.line, fmt::format("{} is {}, which is out of range", name, *number),
               fmt::format("write a number {}", range));
    return std::nullopt;
  }
  return number;
}

MapReader::MapReader(const YamlNode& node, std::string path, FileFaults& faults)
    : node_(node), path_(std::move(path)), faults_(faults) {
  if (node_.kind != YamlNode::Kind::kMap) {
    const std::string name = path_.empty() ? "the file" : path_.substr(0, path_.size() - 1);
    faults_.Add(node_.line, fmt::format("{} is {}, not a map", name, Describe(node_.kind)),
                "write \"key: value\" pairs");
  }
}

const YamlNode* MapReader::Find(std::string_view key, Presence presence) {
  known_.emplace_back(key);
  if (node_.kind != YamlNode::Kind::kMap) {
    return nullptr;
  }
  const auto found = std::ranges::find(node_.children, key, &YamlNode::key);
  if (found != node_.children.end()) {
    return &*found;
  }
  if (presence == Presence::kRequired) {
    faults_.Add(node_.line, fmt::format("{}{} is missing", path_, key), "add it");
  }
  return nullptr;
}

std::string MapReader::Text(std::string_view key, TextForm form, Presence presence) {
  const YamlNode* const node = Find(key, presence);
  return node == nullptr
             ? std::string()
             : ReadText(*node, path_ + std::string(key), form, faults_).value_or(std::string());
}

std::optional<double> MapReader::Number(std::string_view key, double least, double most,
                                        Presence presence) {
  const YamlNode* const node = Find(key, presence);
  return node == nullptr ? std::nullopt
                         : ReadNumber(*node, path_ + std::string(key), least, most, faults_);
}

std::optional<std::int64_t> MapReader::Integer(std::string_view key, std::int64_t least,
                                               std::int64_t most, Presence presence) {
  const YamlNode* const node = Find(key, presence);
  const std::string name = path_ + std::string(key);
  if (node == nullptr || !IsScalar(*node, name, "a whole number", faults_)) {
    return std::nullopt;
  }
  const auto number = Parse<std::int64_t>(*node);
  if (!number) {
    faults_.Add(node->line,
                fmt::format("{} \"{}\" is not a whole number", name, Shorten(node->text)),
                fmt::format("write a whole number from {} to {}", least, most));
    return std::nullopt;
  }
  if (*number < least || *number > most) {
    faults_.Add(node->line, fmt::format("{} is {}, which is out of range", name, *number),
                fmt::format("write a whole number from {} to {}", least, most));
    return std::nullopt;
  }
  return number;
}

bool MapReader::Flag(std::string_view key, Presence presence) {
  const YamlNode* const node = Find(key, presence);
  const std::string name = path_ + std::string(key);
  if (node == nullptr || !IsScalar(*node, name, "true or false", faults_)) {
    return false;
  }
  if (node->quoted || (node->text != "true" && node->text != "false")) {
    faults_.Add(node->line,
                fmt::format("{} \"{}\" is neither true nor false", name, Shorten(node->text)),
                "write true or false without quotes");
    return false;
  }
  return node->text == "true";
}

std::vector<std::string> MapReader::TextList(std::string_view key, TextForm form,
                                             Presence presence) {
  std::vector<std::string> texts;
  ForEach(key, presence, [&](const YamlNode& item, const std::string& name) {
    if (auto text = ReadText(item, name, form, faults_)) {
      texts.push_back(std::move(*text));
    }
  });
  return texts;
}

void MapReader::ForEach(std::string_view key, Presence presence,
                        const std::function<void(const YamlNode&, const std::string&)>& read) {
  const YamlNode* const node = Find(key, presence);
  if (node == nullptr) {
    return;
  }
  const std::string name = path_ + std::string(key);
  if (node->kind != YamlNode::Kind::kSequence) {
    faults_.Add(node->line, fmt::format("{} is {}, not a list", name, Describe(node->kind)),
                "write a list: [a, b]");
    return;
  }
  if (node->children.empty() && presence == Presence::kRequired) {
    faults_.Add(node->line, fmt::format("{} is an empty list", name), "list at least one");
  }
  for (std::size_t i = 0; i < node->children.size(); ++i) {
    read(node->children[i], fmt::format("{}[{}]", name, i));
  }
}

std::optional<std::size_t> MapReader::Choice(std::string_view key,
                                             const std::vector<std::string>& words,
                                             Presence presence) {
  const YamlNode* const node = Find(key, presence);
  const std::string name = path_ + std::string(key);
  if (node == nullptr || !IsScalar(*node, name, "one word", faults_)) {
    return std::nullopt;
  }
  const auto found = std::ranges::find(words, node->text);
  if (found == words.end()) {
    faults_.Add(node->line, fmt::format("{} \"{}\" is unknown", name, Shorten(node->text)),
                SuggestOneOf(node->text, words));
    return std::nullopt;
  }
  return static_cast<std::size_t>(found - words.begin());
}

void MapReader::RejectUnknownKeys() {
  for (const YamlNode& child : node_.children) {
    const bool is_known = std::ranges::find(known_, child.key) != known_.end();
    if (node_.kind == YamlNode::Kind::kMap && !is_known) {
      faults_.Add(child.key_line, fmt::format("unknown key \"{}{}\"", path_, Shorten(child.key)),
                  SuggestOneOf(child.key, known_));
    }
  }
}

int MapReader::LineOf(std::string_view key) const {
  const auto found = std::ranges::find(node_.children, key, &YamlNode::key);
  return found == node_.children.end() ? node_.line : found->line;
}

Checked<YamlNode> ReadYamlFile(const std::filesystem::path& file) {
  std::error_code failure;
  if (std::filesystem::is_symlink(std::filesystem::symlink_status(file, failure))) {
    return std::unexpected(Errors{{.kind = ErrorKind::kConfiguration,
                                   .where = file.string(),
                                   .cause = "is a symbolic link",
                                   .remedy = "replace it by the file that it points to"}});
  }
  auto content = ReadFile(file, kLargestYaml_bytes);
  if (!content) {
    return std::unexpected(Errors{std::move(content).error()});
  }
  return ParseYaml(*content, file.string());
}

void ReadSchema(MapReader& reader, FileFaults& faults) {
  const auto schema =
      reader.Integer("schema", 1, std::numeric_limits<std::int64_t>::max(), Presence::kRequired);
  if (schema && *schema != kSchema) {
    faults.Add(reader.LineOf("schema"), fmt::format("schema is {}", *schema),
               fmt::format("this Assay reads schema {}; write that, or update Assay", kSchema));
  }
}

}  // namespace assay
