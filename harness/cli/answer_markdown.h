// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_ANSWER_MARKDOWN_H_
#define ASSAY_CLI_ANSWER_MARKDOWN_H_

#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// A fenced code block of a markdown text. The name is the model's: hostile.
struct MarkdownBlock {
  std::string name;  ///< The file that it says it is; empty when it says none.
  std::string content;
  int line = 0;  ///< Of its opening fence, from 1.
  enum class End { kFence, kEndOfText } end = End::kFence;
};

/// The code blocks of an answer, with the file names that models give them. A name is, in this
/// order: in the info string (`cpp a.cc`, `cpp title="a.cc"`, `cpp:a.cc`); a comment that is the
/// first line (`// a.cc`, `# File: a.yaml`); a heading, a bold line, or a line that ends with a
/// name in backticks, just before the fence.
[[nodiscard]] std::vector<MarkdownBlock> ReadMarkdownBlocks(std::string_view markdown);

}  // namespace assay

#endif  // ASSAY_CLI_ANSWER_MARKDOWN_H_
