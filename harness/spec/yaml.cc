// SPDX-License-Identifier: Apache-2.0
#include "spec/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

#include "base/text.h"
#include "spec/unicode.h"

namespace assay {
namespace {

// yaml-cpp builds its own tree by following aliases; events let us build ours without.
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(FileFaults& faults) : faults_(faults) {}

  [[nodiscard]] YamlNode Take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    Place(Node(YamlNode::Kind::kNull, mark));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    faults_.Add(mark.line + 1, "an alias (\"*name\") is not allowed", "write the value out");
    Place(Node(YamlNode::Kind::kNull, mark));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                const std::string& value) override {
    CheckTag(mark, tag);
    // Not in the file as it stands: an escape in quotes stands for it.
    if (const auto bad = FindBadCharacter(value)) {
      faults_.Add(mark.line + 1, fmt::format("a text holds {}", bad->what), "remove the escape");
    }
    YamlNode node = Node(YamlNode::Kind::kScalar, mark);
    node.text = value;
    node.quoted = tag == "!";
    Place(std::move(node));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                       YAML::EmitterStyle::value /*style*/) override {
    CheckTag(mark, tag);
    Open(Node(YamlNode::Kind::kSequence, mark));
  }
  void OnSequenceEnd() override { Close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {
    CheckTag(mark, tag);
    Open(Node(YamlNode::Kind::kMap, mark));
  }
  void OnMapEnd() override { Close(); }

 private:
  // A container being read. `key` is set between a map's key and its value.
  struct OpenNode {
    YamlNode node;
    bool has_key = false;
    std::string key = {};
    int key_line = 0;
    std::map<std::string, int> key_lines = {};  ///< To look through children is too slow for many.
  };

  static YamlNode Node(YamlNode::Kind kind, const YAML::Mark& mark) {
    YamlNode node;
    node.kind = kind;
    node.line = mark.line + 1;
    return node;
  }

  void CheckTag(const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!") {
      faults_.Add(mark.line + 1, fmt::format("the tag \"{}\" is not allowed", tag), "remove it");
    }
  }

  void Open(YamlNode node) {
    if (open_.size() == static_cast<std::size_t>(kDeepestYaml)) {
      faults_.Add(node.line, fmt::format("nests deeper than {} levels", kDeepestYaml),
                  "no file of Assay needs that; flatten it");
    }
    open_.push_back({.node = std::move(node)});
  }

  void Close() {
    YamlNode node = std::move(open_.back().node);
    open_.pop_back();
    Place(std::move(node));
  }

  void Place(YamlNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    OpenNode& parent = open_.back();
    if (parent.node.kind == YamlNode::Kind::kMap) {
      if (!parent.has_key) {
        TakeKey(parent, node);
        return;
      }
      node.key = std::exchange(parent.key, {});
      node.key_line = parent.key_line;
      parent.has_key = false;
      if (node.kind == YamlNode::Kind::kNull) {
        node.line = node.key_line;  // yaml-cpp gives the place of what follows it.
      }
    }
    parent.node.children.push_back(std::move(node));
  }

  void TakeKey(OpenNode& parent, const YamlNode& node) {
    if (node.kind != YamlNode::Kind::kScalar) {
      faults_.Add(node.line, "a key is not a plain text", "write each key as one word");
    }
    const auto [first, is_new] = parent.key_lines.try_emplace(node.text, node.line);
    if (node.kind == YamlNode::Kind::kScalar && !is_new) {
      faults_.Add(node.line,
                  fmt::format("the key \"{}\" is already in line {}", node.text, first->second),
                  "keep one of the two");
    }
    parent.has_key = true;
    parent.key = node.text;
    parent.key_line = node.line;
  }

  FileFaults& faults_;
  YamlNode root_;
  std::vector<OpenNode> open_;
};

void CheckCharacters(std::string_view content, FileFaults& faults) {
  if (const auto fault = FindBadCharacter(content)) {
    const auto line = 1 + std::ranges::count(content.substr(0, fault->offset), '\n');
    faults.Add(static_cast<int>(line), fmt::format("holds {}", fault->what),
               "remove it; files are UTF-8 without control characters");
  }
}

// On one line of a terminal: texts of the file stand in it.
std::string Printable(std::string_view text) {
  constexpr std::size_t kLongest_bytes = 800;
  const std::string line = OneSeenLine(text.substr(0, kLongest_bytes), "?");
  return text.size() > kLongest_bytes ? line + "..." : line;
}

}  // namespace

void FileFaults::Add(int line, std::string cause, std::string remedy) {
  AddAt(line > 0 ? fmt::format("{}:{}", file_, line) : file_, std::move(cause), std::move(remedy));
}

void FileFaults::AddAt(std::string where, std::string cause, std::string remedy) {
  if (errors_.size() > kMostFaults) {
    return;
  }
  if (errors_.size() == kMostFaults) {
    where = file_;
    cause = fmt::format("has more than {} faults", kMostFaults);
    remedy = "correct these first and check again";
  }
  errors_.push_back({.kind = ErrorKind::kConfiguration,
                     .where = std::move(where),
                     .cause = Printable(cause),
                     .remedy = Printable(remedy)});
}

Checked<YamlNode> ParseYaml(std::string_view content, const std::string& file) {
  FileFaults faults(file);
  CheckCharacters(content, faults);
  if (!faults.empty()) {
    return std::unexpected(faults.errors());
  }
  TreeBuilder builder(faults);
  try {
    std::istringstream stream{std::string(content)};
    YAML::Parser parser(stream);
    parser.HandleNextDocument(builder);
    YamlNode root = builder.Take();
    if (parser.HandleNextDocument(builder)) {
      faults.Add(0, "holds more than one document", "keep the first; remove the rest");
    }
    if (faults.empty()) {
      return root;
    }
  } catch (const YAML::Exception& exception) {
    faults.Add(exception.mark.line + 1, fmt::format("is not valid YAML: {}", exception.msg),
               "correct the syntax");
  }
  return std::unexpected(faults.errors());
}

}  // namespace assay
