// SPDX-License-Identifier: Apache-2.0
// The instructions of a function: guards, spellings, calls, branches.
#include <cstddef>
#include <utility>

#include "emulator/ptx/constant.h"
#include "emulator/ptx/function_parser.h"
#include "emulator/ptx/operand_pattern.h"
#include "emulator/ptx/parser.h"
#include "emulator/ptx/signature.h"
#include "emulator/ptx/spelling.h"

namespace assay::gpu::ptx {
namespace {

// The type of a literal that stands at `index` of `instruction`. A fragment's registers are bits
// to their place.
Type LiteralType(const Instruction& instruction, std::size_t index) {
  const Place place = PlaceOf(instruction, index);
  return place.shape == OperandShape::kFragment ? instruction.type : place.type;
}

void ConvertLiteral(Operand& operand, Type type) {
  if (operand.kind == Operand::Kind::kImmediate && IsFloat(operand.type)) {
    const Constant value = ConvertFloat({.type = operand.type, .bits = operand.bits}, type);
    operand.type = value.type;
    operand.bits = value.bits;
  }
  for (Operand& element : operand.elements) {
    ConvertLiteral(element, type);
  }
}

// Literals of a float instruction are brought to its width: `0d…` in add.f32, `1.0` in add.f32.
void ConvertLiterals(Instruction& instruction) {
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    Operand& operand = instruction.operands[i];
    if (operand.kind != Operand::Kind::kImmediate && operand.kind != Operand::Kind::kVector) {
      continue;
    }
    const Type type = LiteralType(instruction, i);
    if (type == Type::kF32 || type == Type::kF64) {
      ConvertLiteral(operand, type);
    }
  }
}

}  // namespace

Status FunctionParser::ParseGuarded() {
  ASSAY_RETURN_IF_ERROR(source_.Expect("@"));
  guard_negated_ = lexer_.Accept("!");
  ASSAY_ASSIGN_OR_RETURN(const std::string_view name, source_.TakeIdentifier("a predicate"));
  const Symbol* const symbol = Find(name);
  const bool is_predicate = symbol != nullptr && symbol->kind == Symbol::Kind::kRegister &&
                            function_.registers[symbol->index].type == Type::kPred;
  if (!is_predicate) {
    return std::unexpected(source_.Fault("guard " + Quoted(name) + " is no predicate register"));
  }
  guard_ = static_cast<std::int32_t>(symbol->index);
  if (!lexer_.Is(Token::Kind::kIdentifier)) {
    return std::unexpected(source_.Expected("an instruction behind its guard"));
  }
  lexer_.ExtendWithModifiers();
  const Token word = lexer_.token();
  lexer_.Advance();
  return ParseInstruction(word.text, word.line);
}

Status FunctionParser::ParseInstruction(std::string_view spelling, std::uint32_t ptx_line) {
  std::string whole(spelling);
  while (lexer_.Is(Token::Kind::kDirective)) {  // `add .s32`
    lexer_.ExtendWithModifiers();
    whole += lexer_.token().text;
    lexer_.Advance();
  }
  if (++module_.instructions > kMaxInstructions) {
    return std::unexpected(source_.Fault("module has more than " +
                                         std::to_string(kMaxInstructions) + " instructions"));
  }
  auto known = module_.spellings.find(whole);
  if (known == module_.spellings.end()) {
    known = module_.spellings.emplace(whole, DecodeSpelling(whole)).first;
  }
  function_.instructions.push_back(known->second);
  Instruction& instruction = function_.instructions.back();
  instruction.guard = std::exchange(guard_, -1);
  instruction.guard_negated = std::exchange(guard_negated_, false);
  instruction.source = source_.line;
  instruction.ptx_line = ptx_line;
  if (instruction.opcode == Opcode::kUnsupported) {
    return SkipUnsupported();
  }
  problem_.clear();
  ASSAY_RETURN_IF_ERROR(ParseOperands(instruction));
  ConvertLiterals(instruction);
  if (problem_.empty()) {
    problem_ = CheckOperands(instruction);
  }
  if (!problem_.empty()) {
    instruction.opcode = Opcode::kUnsupported;
    instruction.reason = problem_;
    instruction.operands.clear();
  } else if (instruction.opcode == Opcode::kLop3) {
    instruction.truth_table = static_cast<std::uint8_t>(instruction.operands.back().bits);
  }
  return {};
}

// Whatever its operands look like, an instruction ends with a `;` outside of all brackets.
Status FunctionParser::SkipUnsupported() {
  std::size_t depth = 0;
  while (!lexer_.Is(Token::Kind::kEnd)) {
    if (lexer_.Is("{") || lexer_.Is("[") || lexer_.Is("(")) {
      ++depth;
    } else if (lexer_.Is("}") || lexer_.Is("]") || lexer_.Is(")")) {
      if (depth == 0) {
        break;
      }
      --depth;
    } else if (depth == 0 && lexer_.Accept(";")) {
      return {};
    }
    lexer_.Advance();
  }
  return std::unexpected(
      source_.Expected("\";\" behind " + Quoted(function_.instructions.back().spelling)));
}

Status FunctionParser::ParseOperands(Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kCall:
      return ParseCall(instruction);
    case Opcode::kBra:
    case Opcode::kBrx:
      return ParseBranch(instruction);
    default:
      break;
  }
  while (!lexer_.Accept(";")) {
    if (!instruction.operands.empty()) {
      ASSAY_RETURN_IF_ERROR(source_.Expect(","));
    }
    if (instruction.operands.size() >= kMaxOperands) {
      return std::unexpected(source_.Fault(instruction.spelling + " has more than " +
                                           std::to_string(kMaxOperands) + " operands"));
    }
    ASSAY_ASSIGN_OR_RETURN(Operand operand, ParseOperand());
    const bool is_pair = instruction.operands.empty() && lexer_.Accept("|");
    instruction.operands.push_back(std::move(operand));
    if (is_pair) {
      ASSAY_ASSIGN_OR_RETURN(Operand second, ParseOperand());
      instruction.operands.push_back(std::move(second));
      instruction.has_second_destination = true;
    }
  }
  return {};
}

Status FunctionParser::ParseBranch(Instruction& instruction) {
  if (instruction.opcode == Opcode::kBrx) {
    ASSAY_ASSIGN_OR_RETURN(Operand index, ParseOperand());
    const bool is_number = index.kind == Operand::Kind::kRegister && SizeOf(index.type) == 4;
    if (!is_number) {
      problem_ = "index that is no register of 32 bits";
    }
    instruction.operands.push_back(std::move(index));
    ASSAY_RETURN_IF_ERROR(source_.Expect(","));
    ASSAY_RETURN_IF_ERROR(ParseTableOperand(instruction));
    return source_.Expect(";");
  }
  ASSAY_ASSIGN_OR_RETURN(const std::string_view label, source_.TakeIdentifier("a label"));
  Operand target;
  target.kind = Operand::Kind::kLabel;
  instruction.operands.push_back(std::move(target));
  RefersToLabel(label, false, static_cast<std::uint32_t>(function_.instructions.size() - 1), 0);
  return source_.Expect(";");
}

Status FunctionParser::ParseTableOperand(Instruction& instruction) {
  ASSAY_ASSIGN_OR_RETURN(const std::string_view name,
                         source_.TakeIdentifier("the label of .branchtargets or .callprototype"));
  const Symbol* const symbol = Find(name);
  const auto wanted =
      instruction.opcode == Opcode::kBrx ? Symbol::Kind::kBranchTable : Symbol::Kind::kPrototype;
  if (symbol != nullptr && symbol->kind == Symbol::Kind::kCallTargets) {
    problem_ = "list of .calltargets";
    return {};
  }
  if (symbol == nullptr || symbol->kind != wanted) {
    return std::unexpected(source_.Fault(Quoted(name) + " is no table of " + instruction.spelling));
  }
  Operand table;
  table.kind = Operand::Kind::kTable;
  table.index = static_cast<std::int32_t>(symbol->index);
  instruction.operands.push_back(std::move(table));
  return {};
}

// `call (retval0), name, (param0, param1), prototype;` of which only the name has to be there.
Status FunctionParser::ParseCall(Instruction& instruction) {
  Operand returns;
  returns.kind = Operand::Kind::kVector;
  if (lexer_.Is("(")) {
    ASSAY_ASSIGN_OR_RETURN(returns, ParseList("(", ")"));
    ASSAY_RETURN_IF_ERROR(source_.Expect(","));
  }
  instruction.operands.push_back(std::move(returns));
  ASSAY_ASSIGN_OR_RETURN(Operand callee, ParseName());
  if (callee.kind != Operand::Kind::kFunction && callee.kind != Operand::Kind::kRegister) {
    return std::unexpected(source_.Fault("call of what is neither a function nor a register"));
  }
  instruction.operands.push_back(std::move(callee));
  Operand arguments;
  arguments.kind = Operand::Kind::kVector;
  bool more = lexer_.Accept(",");
  if (more && lexer_.Is("(")) {
    ASSAY_ASSIGN_OR_RETURN(arguments, ParseList("(", ")"));
    more = lexer_.Accept(",");
  }
  instruction.operands.push_back(std::move(arguments));
  if (more) {
    ASSAY_RETURN_IF_ERROR(ParseTableOperand(instruction));
  }
  const Operand& called = instruction.operands[1];
  if (called.kind == Operand::Kind::kRegister && (!more || SizeOf(called.type) != 8)) {
    problem_ = "call through a register without a prototype, or not of 64 bits";
  }
  return source_.Expect(";");
}

}  // namespace assay::gpu::ptx
