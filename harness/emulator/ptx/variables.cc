// SPDX-License-Identifier: Apache-2.0
#include "emulator/ptx/variables.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "emulator/ptx/constant.h"
#include "emulator/ptx/initializer.h"
#include "emulator/ptx/parser.h"
#include "emulator/ptx/spelling.h"

namespace assay::gpu::ptx {
namespace {

// What stands between the space and the name.
struct Attributes {
  Type type = Type::kNone;
  std::uint32_t vector = 1;
  std::uint32_t align_bytes = 0;  // 0: the type's own.
};

Status ParseAlign(Source& source, std::uint32_t& align_bytes) {
  ASSAY_ASSIGN_OR_RETURN(align_bytes, source.TakeInteger("an alignment", kMaxAlignBytes));
  if (!std::has_single_bit(align_bytes)) {
    return std::unexpected(
        source.Fault("alignment " + std::to_string(align_bytes) + " is no power of two"));
  }
  return {};
}

// `.ptr .global .align 4` says what a pointer parameter points to: nothing that we need.
Status SkipPointee(Source& source) {
  Lexer& lexer = source.lexer;
  while (true) {
    if (lexer.AcceptDirective(".align")) {
      std::uint32_t ignored = 0;
      ASSAY_RETURN_IF_ERROR(ParseAlign(source, ignored));
    } else if (SpaceOf(lexer.token().text) != Space::kGeneric) {
      lexer.Advance();
    } else {
      return {};
    }
  }
}

Result<Attributes> ParseAttributes(Source& source) {
  Lexer& lexer = source.lexer;
  Attributes attributes;
  while (lexer.Is(Token::Kind::kDirective)) {
    if (lexer.AcceptDirective(".align")) {
      ASSAY_RETURN_IF_ERROR(ParseAlign(source, attributes.align_bytes));
    } else if (lexer.AcceptDirective(".attribute")) {
      ASSAY_RETURN_IF_ERROR(source.SkipParenthesis());
    } else if (lexer.AcceptDirective(".ptr")) {
      ASSAY_RETURN_IF_ERROR(SkipPointee(source));
    } else if (lexer.AcceptDirective(".v2")) {
      attributes.vector = 2;
    } else if (lexer.AcceptDirective(".v4")) {
      attributes.vector = 4;
    } else if (lexer.AcceptDirective(".v8")) {
      attributes.vector = 8;
    } else {
      ASSAY_ASSIGN_OR_RETURN(attributes.type, ParseType(source));
    }
  }
  if (SizeOf(attributes.type) == 0) {
    return std::unexpected(source.Expected("a type of whole bytes, as in `.global .b32 name`"));
  }
  return attributes;
}

// `[4][8]`; a dimension may be left open, as 0.
Result<std::vector<std::uint64_t>> ParseDimensions(Source& source) {
  std::vector<std::uint64_t> dimensions;
  while (source.lexer.Accept("[")) {
    std::uint64_t count = 0;
    if (!source.lexer.Is("]")) {
      ASSAY_ASSIGN_OR_RETURN(const Constant value, ParseConstant(source));
      count = value.bits;
    }
    ASSAY_RETURN_IF_ERROR(source.Expect("]"));
    if (count > kMaxVariableBytes || dimensions.size() >= kMaxOperands) {
      return std::unexpected(source.Fault("array has more than " +
                                          std::to_string(kMaxVariableBytes) +
                                          " elements, or too many dimensions"));
    }
    dimensions.push_back(count);
  }
  return dimensions;
}

Result<std::uint64_t> TotalBytes(const Source& source, std::span<const std::uint64_t> dimensions,
                                 std::uint64_t element_bytes) {
  std::uint64_t bytes = element_bytes;
  for (const std::uint64_t dimension : dimensions) {
    if (dimension != 0 && bytes > kMaxVariableBytes / dimension) {
      return std::unexpected(source.Fault("variable is larger than " +
                                          std::to_string(kMaxVariableBytes >> 30U) + " GiB"));
    }
    bytes *= std::max<std::uint64_t>(dimension, 1);
  }
  const bool empty = std::ranges::find(dimensions, 0U) != dimensions.end();
  return empty ? 0 : bytes;
}

// Reads what stands behind the `=`, and fills in the dimensions that it counts.
Status ParseInitialValue(Source& source, std::uint32_t vector,
                         std::vector<std::uint64_t>& dimensions, Variable& variable) {
  if (variable.space != Space::kGlobal && variable.space != Space::kConst) {
    return std::unexpected(source.Fault("initialiser of " + variable.name +
                                        ", which is neither in .global nor in .const space"));
  }
  CountInnerDimensions(source.lexer, dimensions);
  std::vector<std::uint64_t> shape = dimensions;
  if (vector > 1) {
    shape.push_back(vector);
  }
  ASSAY_RETURN_IF_ERROR(TotalBytes(source, dimensions, SizeOf(variable.type) * vector));
  ASSAY_ASSIGN_OR_RETURN(const std::uint64_t counted, ParseInitializer(source, shape, variable));
  if (!dimensions.empty() && dimensions.front() == 0) {
    dimensions.front() = counted;
  }
  return {};
}

Result<DeclaredVariable> ParseDeclarator(Source& source, Space space,
                                         const Attributes& attributes) {
  DeclaredVariable declared;
  ASSAY_ASSIGN_OR_RETURN(declared.name, source.TakeIdentifier("the name of a variable"));
  Variable& variable = declared.variable;
  variable.name = declared.name;
  variable.space = space;
  variable.type = attributes.type;
  const std::uint32_t element_bytes = SizeOf(attributes.type) * attributes.vector;
  variable.align_bytes = attributes.align_bytes != 0 ? attributes.align_bytes : element_bytes;
  ASSAY_ASSIGN_OR_RETURN(std::vector<std::uint64_t> dimensions, ParseDimensions(source));
  variable.is_array = !dimensions.empty() || attributes.vector > 1;
  ASSAY_RETURN_IF_ERROR(TotalBytes(source, dimensions, element_bytes));
  declared.is_initialised = source.lexer.Accept("=");
  if (declared.is_initialised) {
    ASSAY_RETURN_IF_ERROR(ParseInitialValue(source, attributes.vector, dimensions, variable));
  }
  const auto inner = std::span(dimensions).subspan(dimensions.empty() ? 0 : 1);
  if (std::ranges::find(inner, 0U) != inner.end()) {
    return std::unexpected(
        source.Fault("array " + variable.name + " leaves open another dimension than its first"));
  }
  ASSAY_ASSIGN_OR_RETURN(variable.size_bytes, TotalBytes(source, dimensions, element_bytes));
  if (variable.initial.size() > variable.size_bytes) {
    return std::unexpected(source.Fault(
        "initialiser of " + variable.name + " has " + std::to_string(variable.initial.size()) +
        " bytes, the variable " + std::to_string(variable.size_bytes)));
  }
  return declared;
}

}  // namespace

Space SpaceOf(std::string_view directive) {
  if (directive == ".global") {
    return Space::kGlobal;
  }
  if (directive == ".shared") {
    return Space::kShared;
  }
  if (directive == ".local") {
    return Space::kLocal;
  }
  if (directive == ".const") {
    return Space::kConst;
  }
  if (directive == ".param") {
    return Space::kParam;
  }
  return Space::kGeneric;
}

Result<Type> ParseType(Source& source) {
  const Token& token = source.lexer.token();
  // Handles of textures and surfaces: 8 bytes that nothing but unsupported instructions read.
  for (const std::string_view handle : {".texref", ".surfref", ".samplerref"}) {
    if (source.lexer.AcceptDirective(handle)) {
      return Type::kB64;
    }
  }
  const auto type =
      token.kind == Token::Kind::kDirective ? FindType(token.text.substr(1)) : std::nullopt;
  if (!type) {
    return std::unexpected(source.Expected("a type such as .b32"));
  }
  source.lexer.Advance();
  return *type;
}

Result<std::vector<DeclaredVariable>> ParseVariables(Source& source, Space space) {
  ASSAY_ASSIGN_OR_RETURN(const Attributes attributes, ParseAttributes(source));
  std::vector<DeclaredVariable> variables;
  do {
    ASSAY_ASSIGN_OR_RETURN(DeclaredVariable variable, ParseDeclarator(source, space, attributes));
    variables.push_back(std::move(variable));
  } while (source.lexer.Accept(","));
  ASSAY_RETURN_IF_ERROR(source.Expect(";"));
  return variables;
}

Result<std::vector<DeclaredVariable>> ParseParameters(Source& source) {
  std::vector<DeclaredVariable> parameters;
  ASSAY_RETURN_IF_ERROR(source.Expect("("));
  while (!source.lexer.Accept(")")) {
    if (!parameters.empty()) {
      ASSAY_RETURN_IF_ERROR(source.Expect(","));
    }
    if (source.lexer.IsDirective(".reg")) {
      return std::unexpected(
          source.Fault("parameters in registers (.reg) are not supported; .param ones are"));
    }
    if (!source.lexer.AcceptDirective(".param")) {
      return std::unexpected(source.Expected("a parameter in .param space"));
    }
    ASSAY_ASSIGN_OR_RETURN(const Attributes attributes, ParseAttributes(source));
    ASSAY_ASSIGN_OR_RETURN(DeclaredVariable parameter,
                           ParseDeclarator(source, Space::kParam, attributes));
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

}  // namespace assay::gpu::ptx
