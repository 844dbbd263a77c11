// SPDX-License-Identifier: Apache-2.0
#include "emulator/ptx/directives.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "emulator/ptx/parser.h"

namespace assay::gpu::ptx {
namespace {

constexpr std::uint32_t kAnyInteger = std::numeric_limits<std::uint32_t>::max();

// Up to three numbers, those left out 1: `256, 2`.
Result<std::array<std::uint32_t, 3>> ParseExtent(Source& source, std::string_view directive) {
  std::array<std::uint32_t, 3> extent = {1, 1, 1};
  std::size_t count = 0;
  do {
    if (count == extent.size()) {
      return std::unexpected(source.Fault(std::string(directive) + " has four dimensions"));
    }
    ASSAY_ASSIGN_OR_RETURN(extent[count], source.TakeInteger("a number of threads", kAnyInteger));
    ++count;
  } while (source.lexer.Accept(","));
  return extent;
}

std::uint32_t Product(const std::array<std::uint32_t, 3>& extent) {
  std::uint64_t product = 1;
  for (const std::uint32_t each : extent) {
    product = std::min<std::uint64_t>(product * each, kAnyInteger);
  }
  return static_cast<std::uint32_t>(product);
}

// A kernel of a cluster can only be refused when it is reached: other kernels of the module run.
Status ParseCluster(Source& source, Function& function, std::string_view directive) {
  const std::uint32_t ptx_line = source.lexer.token().line;
  const bool has_extent = source.lexer.Is(Token::Kind::kInteger);
  std::array<std::uint32_t, 3> extent = {1, 1, 1};
  if (has_extent) {
    ASSAY_ASSIGN_OR_RETURN(extent, ParseExtent(source, directive));
  }
  if (directive == ".reqnctapercluster" && Product(extent) != 1) {
    Instruction instruction;
    instruction.opcode = Opcode::kUnsupported;
    instruction.spelling = directive;
    instruction.reason = "clusters of blocks";
    instruction.ptx_line = ptx_line;
    function.instructions.push_back(std::move(instruction));
  }
  return {};
}

Status ParseNumber(Source& source, std::optional<std::uint32_t>& field) {
  ASSAY_ASSIGN_OR_RETURN(field, source.TakeInteger("a number", kAnyInteger));
  return {};
}

Status ParseFunctionDirective(Source& source, Function& function, std::string_view directive) {
  std::optional<std::uint32_t> ignored;
  if (directive == ".maxntid" || directive == ".reqntid") {
    ASSAY_ASSIGN_OR_RETURN(const auto extent, ParseExtent(source, directive));
    function.max_threads = Product(extent);
    if (directive == ".reqntid") {
      function.required_block = extent;
    }
    return {};
  }
  if (directive == ".minnctapersm") {
    return ParseNumber(source, function.min_blocks_per_sm);
  }
  if (directive == ".maxnreg") {
    return ParseNumber(source, function.max_registers);
  }
  if (directive == ".maxnctapersm" || directive == ".abi_preserve" ||
      directive == ".abi_preserve_control" || directive == ".local_maxnreg") {
    return ParseNumber(source, ignored);
  }
  if (directive == ".noreturn" || directive == ".unique") {
    return {};
  }
  if (directive == ".attribute") {
    return source.SkipParenthesis();
  }
  if (directive == ".reqnctapercluster" || directive == ".explicitcluster" ||
      directive == ".maxclusterrank" || directive == ".blocksareclusters") {
    return ParseCluster(source, function, directive);
  }
  return std::unexpected(source.Fault("function has the unknown directive " + Quoted(directive)));
}

Result<Location> TakeLocation(Source& source) {
  Location at;
  ASSAY_ASSIGN_OR_RETURN(at.file, source.TakeInteger("the file of .loc", kMaxFiles));
  ASSAY_ASSIGN_OR_RETURN(at.line, source.TakeInteger("the line of .loc", kAnyInteger));
  ASSAY_ASSIGN_OR_RETURN(at.column, source.TakeInteger("the column of .loc", kAnyInteger));
  return at;
}

}  // namespace

Status ParseLoc(Source& source) {
  Lexer& lexer = source.lexer;
  lexer.Advance();
  ASSAY_ASSIGN_OR_RETURN(const Location at, TakeLocation(source));
  std::optional<Location> inlined_at;
  while (lexer.Accept(",")) {
    ASSAY_ASSIGN_OR_RETURN(const std::string_view word,
                           source.TakeIdentifier("function_name or inlined_at"));
    if (word == "function_name") {
      ASSAY_RETURN_IF_ERROR(source.TakeIdentifier("the label of a name"));
      if (lexer.Accept("+")) {
        ASSAY_RETURN_IF_ERROR(source.TakeInteger("an offset", kAnyInteger));
      }
    } else if (word == "inlined_at") {
      ASSAY_ASSIGN_OR_RETURN(inlined_at, TakeLocation(source));
    } else {
      return std::unexpected(source.Fault(".loc has the unknown word " + Quoted(word)));
    }
  }
  source.EnterLine(at, inlined_at);
  return {};
}

Status SkipPragma(Source& source) {
  source.lexer.Advance();
  do {
    if (!source.lexer.Is(Token::Kind::kString)) {
      return std::unexpected(source.Expected("the text of a .pragma"));
    }
    source.lexer.Advance();
  } while (source.lexer.Accept(","));
  return source.Expect(";");
}

Status ParseFunctionDirectives(Source& source, Function& function, DirectivesOf of) {
  Lexer& lexer = source.lexer;
  Function discarded;
  while (lexer.Is(Token::Kind::kDirective)) {
    const std::string_view directive = lexer.token().text;
    if (directive == ".pragma") {
      ASSAY_RETURN_IF_ERROR(SkipPragma(source));
      continue;
    }
    lexer.Advance();
    ASSAY_RETURN_IF_ERROR(ParseFunctionDirective(
        source, of == DirectivesOf::kFunction ? function : discarded, directive));
  }
  return of == DirectivesOf::kPrototype ? source.Expect(";") : Status();
}

}  // namespace assay::gpu::ptx
