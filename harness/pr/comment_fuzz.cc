// SPDX-License-Identifier: Apache-2.0
// libFuzzer: whatever a submission or a branch says, a comment does nothing but be read, and the
// other files of a result set are what they are called.
//
// Input: the text that stands wherever it can.
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/text.h"
#include "fuzz/fuzz_input.h"
#include "pr/result_set.h"
#include "pr/synthetic_change.h"
#include "report/plain_text.h"

namespace assay {
namespace {

using fuzz::Require;

bool IsAlnum(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Whether `word` stands in `text`, in any case of letters, before a character that `is_next`.
bool Has(std::string_view text, std::string_view word, auto is_next) {
  for (std::size_t i = 0; i + word.size() <= text.size(); ++i) {
    std::size_t same = 0;
    while (same < word.size() &&
           std::tolower(static_cast<unsigned char>(text[i + same])) == word[same]) {
      ++same;
    }
    const std::size_t next = i + word.size();
    if (same == word.size() && is_next(next < text.size() ? text[next] : ' ')) {
      return true;
    }
  }
  return false;
}

// A line as it is shown: without code, and without the backslashes of escapes. scripts/ci/inert.awk
// looks at the same.
std::string ShownText(std::string_view line) {
  std::string shown;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size()) {
      shown += line[++i];
    } else if (line[i] == '`') {
      const std::size_t end = line.find('`', i + 1);
      Require(end != std::string_view::npos && end > i + 1,
              "code in a line ends, and is not empty");
      i = end;
      shown += ' ';
    } else {
      Require(line[i] != '<' && line[i] != '[' && line[i] != '&', "no text is HTML or a link");
      shown += line[i];
    }
  }
  return shown;
}

void CheckWords(const std::string& shown) {
  const auto anything = [](char) { return true; };
  Require(!Has(shown, "://", anything) && !Has(shown, "www.", anything), "no text is an address");
  Require(!Has(shown, "@", IsAlnum), "no text mentions anybody");
  Require(!Has(shown, "#", IsDigit) && !Has(shown, "gh-", IsDigit), "no text refers to an issue");
}

void CheckPage(const std::string& page, std::size_t limit_bytes) {
  Require(page.size() <= limit_bytes, "a page is no larger than GitHub takes");
  Require(PlainLines(page) == page, "all of a page is seen");
  bool is_code = false;
  for (const std::string& line : SplitLines(page)) {
    if (is_code) {
      is_code = line != "```";
      Require(!is_code || !line.contains("```"), "no text ends a block of code");
    } else if (line == "```text") {
      is_code = true;
    } else if (line != kCommentMark && line != "</details>" &&
               !line.starts_with("<details><summary>")) {
      CheckWords(ShownText(line));
    }
  }
  Require(!is_code, "each block of code ends");
}

void CheckAnnotations(const std::string& text) {
  const auto lines = SplitLines(text);
  Require(lines.size() <= kMostAnnotations, "annotations are few");
  for (const std::string& line : lines) {
    Require(line.starts_with("::error ") || line.starts_with("::warning ") ||
                line.starts_with("::notice "),
            "each line is a command of ours");
    Require(PlainLine(line) == line, "all of an annotation is seen");
  }
}

}  // namespace
}  // namespace assay

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using assay::fuzz::Require;
  const assay::SyntheticChange synthetic =
      assay::ChangeThatSays(std::string(reinterpret_cast<const char*>(data), size));
  const assay::Change& change = synthetic.change;
  const assay::Assessment assessment = synthetic.AssessIt(assay::ChangeGate::kCorrectness);
  assay::CheckPage(assay::CommentMarkdown(change, assessment), assay::kCommentLimit_bytes);
  assay::CheckPage(assay::SummaryMarkdown(change, assessment), assay::kSummaryLimit_bytes);
  assay::CheckAnnotations(assay::AnnotationLines(assessment));
  const std::string junit = assay::JUnitXml(assessment);
  Require(assay::PlainLines(junit) == junit, "all of junit.xml is seen");
  Require(nlohmann::json::accept(assay::SarifJson(change, assessment)), "SARIF is JSON");
  for (const std::string& line : assay::SplitLines(assay::ResultsJsonl(change, assessment))) {
    Require(nlohmann::json::accept(line), "each line of results.jsonl is JSON");
  }
  return 0;
}
