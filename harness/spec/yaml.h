// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SPEC_YAML_H_
#define ASSAY_SPEC_YAML_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "spec/checked.h"

namespace assay {

inline constexpr std::size_t kLargestYaml_bytes = std::size_t{256} << 10;
inline constexpr int kDeepestYaml = 16;

/// A file at fault says at most so many things; a hostile one could say a hundred thousand.
inline constexpr std::size_t kMostFaults = 50;

/// One node of a YAML document, with its place. A map's children carry their keys.
struct YamlNode {
  enum class Kind { kNull, kScalar, kSequence, kMap };
  Kind kind = Kind::kNull;
  int line = 1;         ///< Counted from 1.
  bool quoted = false;  ///< A scalar in quotes is a text, whatever it looks like.
  std::string text;     ///< Of a scalar.
  std::string key;      ///< Under which the node stands in a map; else empty.
  int key_line = 0;     ///< 0 outside a map.
  std::vector<YamlNode> children;
};

/// Collects the faults of one file, in the order in which they are found. Whatever the file holds,
/// each is one short line that a terminal shows as it is.
class FileFaults {
 public:
  explicit FileFaults(std::string file) : file_(std::move(file)) {}

  /// A fault at `line`; 0 means the file as a whole.
  void Add(int line, std::string cause, std::string remedy);
  /// A fault of another file.
  void AddAt(std::string where, std::string cause, std::string remedy);

  [[nodiscard]] bool empty() const { return errors_.empty(); }
  [[nodiscard]] const Errors& errors() const { return errors_; }

 private:
  std::string file_;
  Errors errors_;
};

/// Parses one document. What makes YAML dangerous or surprising is a fault, each with its line:
/// aliases (a small file could stand for gigabytes), tags, duplicate keys, keys that are no
/// scalars, a second document, nesting over kDeepestYaml, control characters, invalid UTF-8.
[[nodiscard]] Checked<YamlNode> ParseYaml(std::string_view content, const std::string& file);

}  // namespace assay

#endif  // ASSAY_SPEC_YAML_H_
