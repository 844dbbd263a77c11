// SPDX-License-Identifier: Apache-2.0
#include "grade/documents.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <map>
#include <optional>
#include <system_error>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "build/staging.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// Longer than any path of a submission; a hostile text must not have us look far ahead again and
/// again.
constexpr std::size_t kLongestTarget_bytes = 512;

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(" \t\r") == std::string_view::npos;
}

/// Without the up to three spaces that markdown allows before a block.
std::string_view WithoutIndent(std::string_view line) {
  for (int i = 0; i < 3 && line.starts_with(' '); ++i) {
    line.remove_prefix(1);
  }
  return line;
}

std::size_t RunOf(char c, std::string_view text) {
  return std::min(text.find_first_not_of(c), text.size());
}

/// `# Title`, to six signs.
bool IsHeading(std::string_view line) {
  const std::size_t signs = RunOf('#', line);
  return signs >= 1 && signs <= 6 && signs < line.size() && line[signs] == ' ' &&
         !IsBlank(line.substr(signs));
}

/// `===` or `---` below a line of a paragraph.
bool IsUnderline(std::string_view line) {
  constexpr std::size_t kLeast = 3;
  const char sign = line.starts_with('=') ? '=' : '-';
  const std::size_t signs = RunOf(sign, line);
  return signs >= kLeast && IsBlank(line.substr(signs));
}

/// Text that an underline makes a heading of: no block of another kind.
bool IsParagraph(std::string_view line) {
  constexpr std::string_view kOtherBlocks = "#|>-*+=`~<";
  return !IsBlank(line) && kOtherBlocks.find(line.front()) == std::string_view::npos;
}

std::string Decoded(std::string_view target) {
  std::string text;
  for (std::size_t i = 0; i < target.size(); ++i) {
    int byte = 0;
    const char* const digits = target.data() + i + 1;
    if (target[i] == '%' && i + 2 < target.size() &&
        std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      text += static_cast<char>(byte);
      i += 2;
    } else {
      text += target[i];
    }
  }
  return text;
}

bool HasScheme(std::string_view target) {
  const std::size_t colon = target.find(':');
  return target.starts_with("//") ||
         (colon != std::string_view::npos && colon > 0 &&
          std::ranges::all_of(target.substr(0, colon), [](unsigned char c) {
            return std::isalnum(c) != 0 || c == '+' || c == '-' || c == '.';
          }));
}

/// One document, line by line.
class Reader {
 public:
  Reader(const std::string& path, const std::function<bool(const std::string&)>& exists)
      : folder_(fs::path(path).parent_path()), exists_(exists) {}

  void Read(std::string_view line) {
    const std::string_view block = WithoutIndent(line);
    if (ReadFence(block)) {
      after_paragraph_ = false;
      return;
    }
    const bool is_section = IsHeading(block) || (after_paragraph_ && IsUnderline(block));
    measures_.sections += is_section ? 1 : 0;
    after_paragraph_ = !is_section && IsParagraph(block);
    ReadDefinition(block);
    ReadLinks(line);
  }

  [[nodiscard]] const DocumentMeasures& measures() const { return measures_; }

 private:
  /// Whether the line is of a block of code between fences, or one of these.
  bool ReadFence(std::string_view block) {
    constexpr std::size_t kLeast = 3;
    if (fence_ == 0) {
      const char sign = block.starts_with('~') ? '~' : '`';
      const std::size_t signs = RunOf(sign, block);
      fence_sign_ = sign;
      fence_ = signs >= kLeast ? signs : 0;
      return fence_ > 0;
    }
    const std::size_t signs = RunOf(fence_sign_, block);
    if (signs >= fence_ && IsBlank(block.substr(signs))) {
      fence_ = 0;
    }
    return true;
  }

  /// `[name]: target`.
  void ReadDefinition(std::string_view block) {
    const std::size_t end = block.starts_with('[') ? block.find("]:") : std::string_view::npos;
    // `[^1]: …` is a footnote, which is text.
    if (end != std::string_view::npos && !block.starts_with("[^")) {
      ReadTarget(block.substr(end + 2));
    }
  }

  /// `[text](target)`, but for what is code.
  void ReadLinks(std::string_view line) {
    const std::map<std::size_t, std::size_t> code = CodeSpans(line);
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (const auto span = code.find(i); span != code.end()) {
        i = span->second;
      } else if (line[i] == '\\') {
        ++i;
      } else if (line.substr(i).starts_with("](")) {
        ReadTarget(line.substr(i + 2));
      }
    }
  }

  /// Code in a line: where it begins, and its last character. A run of backticks is closed by the
  /// next run of the same length.
  static std::map<std::size_t, std::size_t> CodeSpans(std::string_view line) {
    std::map<std::size_t, std::vector<std::size_t>> runs;  // Where they begin, by their length.
    for (std::size_t i = line.find('`'); i != std::string_view::npos; i = line.find('`', i)) {
      const std::size_t length = RunOf('`', line.substr(i));
      runs[length].push_back(i);
      i += length;
    }
    std::map<std::size_t, std::size_t> spans;
    for (const auto& [length, places] : runs) {
      for (std::size_t i = 0; i + 1 < places.size(); i += 2) {
        spans[places[i]] = places[i + 1] + length - 1;
      }
    }
    return spans;
  }

  void ReadTarget(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    text = text.substr(0, kLongestTarget_bytes);
    const bool in_angles = text.starts_with('<');
    std::size_t end = in_angles ? text.find('>') : text.find_first_of(" \t\r)");
    if (in_angles && end == std::string_view::npos) {
      return;
    }
    end = std::min(end, text.size());
    const std::size_t begin = in_angles ? 1 : 0;
    measures_.broken_links += IsBroken(text.substr(begin, end - begin)) ? 1 : 0;
  }

  [[nodiscard]] bool IsBroken(std::string_view target) const {
    target = target.substr(0, target.find_first_of("#?"));
    if (target.empty() || HasScheme(target)) {
      return false;
    }
    const std::string decoded = Decoded(target);
    if (decoded.starts_with('/') || decoded.find('\0') != std::string::npos) {
      return true;
    }
    std::string path = (folder_ / decoded).lexically_normal().generic_string();
    if (path.size() > 1 && path.ends_with('/')) {
      path.pop_back();  // A folder.
    }
    const bool leads_out = path == ".." || path.starts_with("../");
    return leads_out || !exists_(path);
  }

  fs::path folder_;
  const std::function<bool(const std::string&)>& exists_;
  DocumentMeasures measures_;
  std::size_t fence_ = 0;  ///< Signs of the fence that is open; 0 outside.
  char fence_sign_ = '`';
  bool after_paragraph_ = false;
};

}  // namespace

DocumentMeasures MeasureDocument(std::string_view markdown, const std::string& path,
                                 const std::function<bool(const std::string&)>& exists) {
  Reader reader(path, exists);
  while (!markdown.empty()) {
    const std::size_t end = std::min(markdown.find('\n'), markdown.size());
    reader.Read(markdown.substr(0, end));
    markdown.remove_prefix(std::min(end + 1, markdown.size()));
  }
  return reader.measures();
}

Status MeasureDocuments(const SubmissionSpec& submission, const fs::path& output_directory,
                        StaticEvidence& evidence) {
  const fs::path copies = output_directory / "documents";
  ASSAY_ASSIGN_OR_RETURN(const auto staged,
                         Stage(submission.directory, submission.documents, copies));
  if (!staged) {
    return {};
  }
  const auto exists = [&](const std::string& path) {
    std::error_code failure;
    const fs::file_status found = fs::symlink_status(submission.directory / path, failure);
    return !failure && (fs::is_regular_file(found) || fs::is_directory(found));
  };
  DocumentMeasures all;
  for (const std::string& document : submission.documents) {
    ASSAY_ASSIGN_OR_RETURN(const std::string text, ReadFile(copies / document));
    const DocumentMeasures one = MeasureDocument(text, document, exists);
    all.sections += one.sections;
    all.broken_links += one.broken_links;
  }
  evidence.document_sections = all.sections;
  if (!submission.documents.empty()) {
    evidence.broken_links = all.broken_links;
  }
  return {};
}

}  // namespace assay
