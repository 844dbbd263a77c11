// SPDX-License-Identifier: Apache-2.0
// The operands of an instruction.
#include <utility>

#include "emulator/ptx/constant.h"
#include "emulator/ptx/function_parser.h"
#include "emulator/ptx/parser.h"
#include "emulator/ptx/special_register.h"

namespace assay::gpu::ptx {
namespace {

// Whether the `!` that is the token begins a constant expression and not a negated predicate.
bool NegatesNumber(Lexer lexer) {
  lexer.Advance();
  return StartsConstant(lexer);
}

}  // namespace

Result<Operand> FunctionParser::ParseOperand() {
  if (lexer_.Is("{")) {
    return ParseList("{", "}");
  }
  if (lexer_.Is("[")) {
    return ParseAddress();
  }
  if (lexer_.Is("!") && !NegatesNumber(lexer_)) {
    return ParseNegatedPredicate();
  }
  if (StartsConstant(lexer_)) {
    return ParseImmediate();
  }
  ASSAY_ASSIGN_OR_RETURN(Operand operand, ParseName());
  if (operand.kind == Operand::Kind::kVariable && (lexer_.Is("+") || lexer_.Is("-"))) {
    ASSAY_ASSIGN_OR_RETURN(operand.offset, ParseOffset());
  }
  return operand;
}

Result<Operand> FunctionParser::ParseImmediate() {
  ASSAY_ASSIGN_OR_RETURN(const Constant value, ParseConstant(source_));
  Operand operand;
  operand.kind = Operand::Kind::kImmediate;
  operand.type = value.type;
  operand.bits = value.bits;
  return operand;
}

Result<Operand> FunctionParser::ParseNegatedPredicate() {
  ASSAY_RETURN_IF_ERROR(source_.Expect("!"));
  ASSAY_ASSIGN_OR_RETURN(Operand operand, ParseName());
  if (operand.kind == Operand::Kind::kImmediate) {  // %is_explicit_cluster
    operand.bits = operand.bits == 0 ? 1 : 0;
    return operand;
  }
  if (operand.kind != Operand::Kind::kRegister || operand.type != Type::kPred) {
    return std::unexpected(source_.Fault("\"!\" stands before what is no predicate"));
  }
  operand.negated = true;
  return operand;
}

Result<Operand> FunctionParser::ParseName() {
  if (!lexer_.Is(Token::Kind::kIdentifier)) {
    return std::unexpected(
        source_.Expected("an operand of " + function_.instructions.back().spelling));
  }
  lexer_.ExtendWithModifiers();
  const std::string_view name = lexer_.token().text;
  Result<Operand> operand = Resolve(name);
  if (operand) {
    lexer_.Advance();
  }
  return operand;
}

Result<Operand> FunctionParser::Resolve(std::string_view name) {
  Operand operand;
  if (name == "_") {
    return operand;
  }
  if (const Symbol* const symbol = Find(name)) {
    switch (symbol->kind) {
      case Symbol::Kind::kRegister:
        operand.kind = Operand::Kind::kRegister;
        operand.type = function_.registers[symbol->index].type;
        operand.index = static_cast<std::int32_t>(symbol->index);
        return operand;
      case Symbol::Kind::kVariable:
        operand.kind = Operand::Kind::kVariable;
        operand.name = variable_names_[symbol->index];
        return operand;
      default:
        return std::unexpected(source_.Fault("label " + Quoted(name) + " is an operand of " +
                                             function_.instructions.back().spelling));
    }
  }
  if (const auto special = FindSpecialRegister(name)) {
    operand.kind = Operand::Kind::kSpecial;
    operand.special = special->reg;
    operand.type = special->type;
    operand.bits = special->number;
    return operand;
  }
  if (const auto constant = FindConstantRegister(name)) {
    operand.kind = Operand::Kind::kImmediate;
    operand.type = Type::kS64;
    operand.bits = *constant;
    return operand;
  }
  if (const auto found = module_.symbols.find(name); found != module_.symbols.end()) {
    operand.kind = found->second.kind == ModuleScope::Kind::kVariable ? Operand::Kind::kVariable
                                                                      : Operand::Kind::kFunction;
    operand.name = name;
    return operand;
  }
  if (IsUnsupportedSpecialRegister(name)) {
    problem_ = "special register " + std::string(name);
    return operand;
  }
  return std::unexpected(source_.Fault(Quoted(name) + ", an operand of " +
                                       function_.instructions.back().spelling +
                                       ", is not declared"));
}

Result<std::int64_t> FunctionParser::ParseOffset() {
  if (!lexer_.Accept("+") && !lexer_.Is("-")) {
    return 0;
  }
  return ParseOffsetNumber();
}

Result<std::int64_t> FunctionParser::ParseOffsetNumber() {
  ASSAY_ASSIGN_OR_RETURN(const Constant value, ParseConstant(source_));
  if (IsFloat(value.type)) {
    return std::unexpected(source_.Fault("offset of an address is no integer"));
  }
  return static_cast<std::int64_t>(value.bits);
}

Result<Operand> FunctionParser::ParseAddress() {
  ASSAY_RETURN_IF_ERROR(source_.Expect("["));
  Operand address;
  if (StartsConstant(lexer_)) {
    ASSAY_ASSIGN_OR_RETURN(address.offset, ParseOffsetNumber());
  } else {
    ASSAY_ASSIGN_OR_RETURN(address, ParseName());
    const bool has_address = address.kind == Operand::Kind::kRegister ||
                             address.kind == Operand::Kind::kVariable ||
                             address.kind == Operand::Kind::kFunction;
    if (!has_address && problem_.empty()) {
      return std::unexpected(source_.Fault("address of " + function_.instructions.back().spelling +
                                           " is neither a register nor a variable"));
    }
    ASSAY_ASSIGN_OR_RETURN(address.offset, ParseOffset());
  }
  address.kind = Operand::Kind::kAddress;
  ASSAY_RETURN_IF_ERROR(source_.Expect("]"));
  return address;
}

Result<Operand> FunctionParser::ParseList(std::string_view open, std::string_view close) {
  ASSAY_RETURN_IF_ERROR(source_.Expect(open));
  Operand list;
  list.kind = Operand::Kind::kVector;
  while (!lexer_.Accept(close)) {
    if (!list.elements.empty()) {
      ASSAY_RETURN_IF_ERROR(source_.Expect(","));
    }
    if (list.elements.size() >= kMaxListed) {
      return std::unexpected(
          source_.Fault("list of operands is longer than " + std::to_string(kMaxListed)));
    }
    if (lexer_.Is("{") || lexer_.Is("[")) {
      return std::unexpected(source_.Fault("list within a list of operands"));
    }
    ASSAY_ASSIGN_OR_RETURN(Operand element, ParseOperand());
    list.elements.push_back(std::move(element));
  }
  return list;
}

}  // namespace assay::gpu::ptx
