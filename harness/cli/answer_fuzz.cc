// SPDX-License-Identifier: Apache-2.0
// libFuzzer: a model's answer in one markdown text, whatever it says, becomes files of a submission
// or one error that can be printed.
//
// Input: the text.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "cli/answer.h"
#include "cli/answer_checks.h"
#include "cli/answer_markdown.h"
#include "fuzz/fuzz_input.h"

namespace assay {
namespace {

using fuzz::Require;

void CheckBlocks(std::string_view text, const std::vector<MarkdownBlock>& blocks) {
  const std::vector<std::string> lines = SplitLines(text);
  std::size_t next_line = 1;
  std::size_t content_lines = 0;
  for (const MarkdownBlock& block : blocks) {
    const auto line = static_cast<std::size_t>(block.line);
    Require(line >= next_line && line <= lines.size(), "blocks stand in the order of the text");
    const std::string& fence = lines[line - 1];
    Require(fence.contains("```") || fence.contains("~~~"), "a block begins with a fence");
    const std::vector<std::string> content = SplitLines(block.content);
    Require(line + content.size() <= lines.size(), "a block holds no more than the text does");
    for (std::size_t i = 0; i < content.size(); ++i) {
      Require(lines[line + i].contains(content[i]), "lines of a block are lines of the text");
    }
    next_line = line + content.size() + 1;
    content_lines += content.size();
    const bool is_last = &block == &blocks.back();
    Require(is_last || block.end == MarkdownBlock::End::kFence, "only the last block is cut off");
    Require(block.name.find_first_of(" \n\t\r\"'`$;&|<>") == std::string::npos,
            "a name is one word");
  }
  Require(content_lines <= lines.size(), "no line is in two blocks");
}

}  // namespace
}  // namespace assay

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto blocks = assay::ReadMarkdownBlocks(text);
  assay::CheckBlocks(text, blocks);
  assay::AnswerIntake intake;
  for (const assay::MarkdownBlock& block : blocks) {
    if (!block.name.empty()) {
      intake.Add(block.name, assay::EntryKind::kFile, block.content);
    }
  }
  assay::CheckFiles(intake.Finish("answer.md"));
  return 0;
}
