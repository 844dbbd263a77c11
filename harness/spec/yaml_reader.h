// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SPEC_YAML_READER_H_
#define ASSAY_SPEC_YAML_READER_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/yaml.h"

namespace assay {

/// Whether a file must have a key.
enum class Presence { kRequired, kOptional };

/// Which texts a value may be.
enum class TextForm {
  kId,     ///< base/text.h IsId.
  kName,   ///< base/text.h IsPlainName: printed in reports as it is.
  kProse,  ///< Not empty, one paragraph, at most 2,000 bytes; escaped where it is printed.
};

/// Reads typed values from a map and writes each fault to a FileFaults, going on after it: one
/// reading of a file finds all of its faults. A value at fault reads as an empty or zero one.
class MapReader {
 public:
  /// `path` names the map in messages, with a dot behind it: `limits.`, or empty for a whole file.
  /// A node that is no map is a fault, after which every key is quietly missing.
  MapReader(const YamlNode& node, std::string path, FileFaults& faults);
  MapReader(const MapReader&) = delete;
  MapReader& operator=(const MapReader&) = delete;

  /// The value under `key`, or null; asking makes the key a known one.
  [[nodiscard]] const YamlNode* Find(std::string_view key, Presence presence);

  [[nodiscard]] std::string Text(std::string_view key, TextForm form, Presence presence);
  /// A finite number in [least, most].
  [[nodiscard]] std::optional<double> Number(std::string_view key, double least, double most,
                                             Presence presence);
  [[nodiscard]] std::optional<std::int64_t> Integer(std::string_view key, std::int64_t least,
                                                    std::int64_t most, Presence presence);
  /// `true` or `false`, nothing else: YAML's yes, no, on and off surprise.
  [[nodiscard]] bool Flag(std::string_view key, Presence presence);
  [[nodiscard]] std::vector<std::string> TextList(std::string_view key, TextForm form,
                                                  Presence presence);
  /// Calls `read` with each item of a list and its name (`criteria[3]`).
  void ForEach(std::string_view key, Presence presence,
               const std::function<void(const YamlNode&, const std::string& name)>& read);
  /// One of `words`, as its index.
  [[nodiscard]] std::optional<std::size_t> Choice(std::string_view key,
                                                  const std::vector<std::string>& words,
                                                  Presence presence);
  /// Faults for keys that nobody asked for. Call it last.
  void RejectUnknownKeys();

  [[nodiscard]] int line() const { return node_.line; }
  /// Line of the value under `key`, or of the map.
  [[nodiscard]] int LineOf(std::string_view key) const;

 private:
  const YamlNode& node_;
  std::string path_;
  FileFaults& faults_;
  std::vector<std::string> known_;
};

/// What `node` holds as a text of that form, or nothing after a fault in which it is `name`.
[[nodiscard]] std::optional<std::string> ReadText(const YamlNode& node, const std::string& name,
                                                  TextForm form, FileFaults& faults);
[[nodiscard]] std::optional<double> ReadNumber(const YamlNode& node, const std::string& name,
                                               double least, double most, FileFaults& faults);

inline constexpr double kNoLimit = std::numeric_limits<double>::max();

/// Reads and parses `file`; the root is a map.
[[nodiscard]] Checked<YamlNode> ReadYamlFile(const std::filesystem::path& file);

/// A fault unless the file says `schema: 1`.
void ReadSchema(MapReader& reader, FileFaults& faults);

}  // namespace assay

#endif  // ASSAY_SPEC_YAML_READER_H_
