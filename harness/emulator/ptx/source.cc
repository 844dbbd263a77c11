// SPDX-License-Identifier: Apache-2.0
#include "emulator/ptx/source.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <utility>

namespace assay::gpu::ptx {
namespace {

bool IsOfToolkit(std::string_view path) {
  static constexpr std::array<std::string_view, 4> kFolders = {"-linux/include/", "/cuda/include/",
                                                               "/nvvm/", "/usr/include/"};
  for (const std::string_view folder : kFolders) {
    if (path.find(folder) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

// The numbers of the toolkit's files. Looks at each character a few times at most, whatever the
// text is.
std::set<std::uint32_t> ToolkitFiles(std::string_view text) {
  static constexpr std::string_view kDirective = ".file\t";
  static constexpr std::size_t kLongestPath = 4096;
  std::set<std::uint32_t> files;
  for (std::size_t at = text.find(kDirective); at != std::string_view::npos;
       at = text.find(kDirective, at + kDirective.size())) {
    const std::string_view rest = text.substr(at + kDirective.size(), kLongestPath);
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (error != std::errc()) {
      continue;
    }
    const std::string_view path = rest.substr(static_cast<std::size_t>(end - rest.data()));
    if (path.starts_with(" \"") && IsOfToolkit(path.substr(2, path.find('"', 2)))) {
      files.insert(number);
    }
  }
  return files;
}

}  // namespace

Source::Source(std::string_view text, std::string_view name)
    : lexer(text), text_(text), name_(name), toolkit_files_(ToolkitFiles(text)) {}

void Source::EnterLine(Location at, std::optional<Location> inlined_at) {
  line = {.file = at.file, .line = at.line};
  if (!inlined_at || !toolkit_files_.contains(at.file)) {
    return;
  }
  const auto caller = callers_.find(*inlined_at);
  line = caller != callers_.end() ? caller->second
                                  : SourceLine{.file = inlined_at->file, .line = inlined_at->line};
  callers_[at] = line;
}

std::string Quoted(std::string_view text) {
  static constexpr std::size_t kMost = 80;
  std::string quoted = "\"";
  quoted += text.substr(0, kMost);
  quoted += text.size() > kMost ? "…\"" : "\"";
  return quoted;
}

std::string Source::FileName(std::uint32_t index) const {
  // nvcc writes `.file` after the functions, so that the table is not there yet.
  static constexpr std::string_view kDirective = ".file";
  for (std::size_t at = text_.find(kDirective); at != std::string_view::npos;
       at = text_.find(kDirective, at + kDirective.size())) {
    Lexer file(text_.substr(at));
    file.Advance();
    if (file.Is(Token::Kind::kInteger) && file.token().bits == index) {
      file.Advance();
      return file.Is(Token::Kind::kString) ? std::string(file.token().text) : std::string();
    }
  }
  return {};
}

Error Source::Fault(std::string cause) const { return Fault(std::move(cause), lexer.token().line); }

Error Source::Fault(std::string cause, std::uint32_t ptx_line) const {
  if (line.line != 0) {
    const std::string file = FileName(line.file);
    cause += " (" + (file.empty() ? "CUDA source" : file) + ":" + std::to_string(line.line) + ")";
  }
  return {.kind = ErrorKind::kConfiguration,
          .where = std::string(name_) + ":" + std::to_string(ptx_line),
          .cause = std::move(cause),
          .remedy =
              "hand in the PTX as nvcc 11.8 to 13 writes it, and mend inline assembly that "
              "ptxas refuses"};
}

Error Source::Expected(std::string_view what) const {
  const Token& token = lexer.token();
  const std::string found =
      token.kind == Token::Kind::kEnd ? "the end of the text" : Quoted(token.text);
  return Fault("expected " + std::string(what) + " but found " + found);
}

Status Source::Expect(std::string_view punctuation) {
  if (!lexer.Accept(punctuation)) {
    return std::unexpected(Expected(Quoted(punctuation)));
  }
  return {};
}

Result<std::string_view> Source::TakeIdentifier(std::string_view what) {
  if (!lexer.Is(Token::Kind::kIdentifier)) {
    return std::unexpected(Expected(what));
  }
  const std::string_view text = lexer.token().text;
  lexer.Advance();
  return text;
}

Status Source::SkipParenthesis() {
  ASSAY_RETURN_IF_ERROR(Expect("("));
  for (std::size_t depth = 1; depth > 0; lexer.Advance()) {
    if (lexer.Is(Token::Kind::kEnd)) {
      return std::unexpected(Expected("\")\""));
    }
    depth += lexer.Is("(") ? 1U : 0U;
    depth -= lexer.Is(")") ? 1U : 0U;
  }
  return {};
}

Result<std::uint32_t> Source::TakeInteger(std::string_view what, std::uint32_t most) {
  if (!lexer.Is(Token::Kind::kInteger)) {
    return std::unexpected(Expected(what));
  }
  const std::uint64_t value = lexer.token().bits;
  if (value > most) {
    return std::unexpected(Fault(std::string(what) + " is " + Quoted(lexer.token().text) +
                                 ", more than " + std::to_string(most)));
  }
  lexer.Advance();
  return static_cast<std::uint32_t>(value);
}

}  // namespace assay::gpu::ptx
