// SPDX-License-Identifier: Apache-2.0
#include "emulator/ptx/function_parser.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "emulator/ptx/directives.h"
#include "emulator/ptx/parser.h"

namespace assay::gpu::ptx {
namespace {

constexpr std::size_t kMostDigits = 8;  // Of the number of a register in a range.

}  // namespace

Status FunctionParser::ParseBody(const std::vector<DeclaredVariable>& returns,
                                 const std::vector<DeclaredVariable>& parameters) {
  ASSAY_RETURN_IF_ERROR(OpenScope());
  for (const auto* const list : {&returns, &parameters}) {
    for (const DeclaredVariable& declared : *list) {
      const auto index = static_cast<std::uint32_t>(variable_names_.size());
      variable_names_.emplace_back(declared.name);
      ++uses_of_name_[declared.name];
      ASSAY_RETURN_IF_ERROR(Declare(declared.name, {Symbol::Kind::kVariable, index}));
    }
  }
  while (!scopes_.empty()) {
    ASSAY_RETURN_IF_ERROR(ParseStatement());
  }
  return {};
}

Status FunctionParser::OpenScope() {
  ASSAY_RETURN_IF_ERROR(source_.Expect("{"));
  if (scopes_.size() >= kMaxScopes) {
    return std::unexpected(
        source_.Fault("scopes nest deeper than " + std::to_string(kMaxScopes) + " levels"));
  }
  scopes_.emplace_back();
  return {};
}

Status FunctionParser::CloseScope() {
  ASSAY_RETURN_IF_ERROR(source_.Expect("}"));
  // A label that the scope does not have may be one of the scopes around it.
  std::vector<PendingLabel> outward;
  for (const PendingLabel& pending : scopes_.back().pending) {
    const auto found = scopes_.back().symbols.find(pending.name);
    if (found == scopes_.back().symbols.end()) {
      outward.push_back(pending);
    } else if (found->second.kind == Symbol::Kind::kLabel) {
      Patch(pending, found->second.index);
    } else {
      return std::unexpected(
          source_.Fault(Quoted(pending.name) + " is no label", pending.ptx_line));
    }
  }
  scopes_.pop_back();
  if (scopes_.empty()) {
    if (!outward.empty()) {
      const PendingLabel& missing = outward.front();
      return std::unexpected(source_.Fault(
          "label " + Quoted(missing.name) + " of " + function_.name + " is nowhere defined",
          missing.ptx_line));
    }
    return {};
  }
  auto& pending = scopes_.back().pending;
  pending.insert(pending.end(), outward.begin(), outward.end());
  return {};
}

Status FunctionParser::ParseStatement() {
  switch (lexer_.token().kind) {
    case Token::Kind::kDirective:
      return ParseDirective();
    case Token::Kind::kIdentifier: {
      lexer_.ExtendWithModifiers();
      const Token word = lexer_.token();
      lexer_.Advance();
      if (lexer_.Accept(":")) {
        return ParseLabelled(word.text, word.line);
      }
      return ParseInstruction(word.text, word.line);
    }
    default:
      break;
  }
  if (lexer_.Is("}")) {
    return CloseScope();
  }
  if (lexer_.Is("{")) {
    return OpenScope();
  }
  if (lexer_.Is("@")) {
    return ParseGuarded();
  }
  if (lexer_.Accept(";")) {
    return {};
  }
  return std::unexpected(source_.Expected("an instruction of " + function_.name));
}

Status FunctionParser::ParseDirective() {
  const std::string_view directive = lexer_.token().text;
  if (directive == ".loc") {
    return ParseLoc(source_);
  }
  if (directive == ".reg") {
    lexer_.Advance();
    return ParseRegisters();
  }
  if (directive == ".pragma") {
    return SkipPragma(source_);
  }
  const Space space = SpaceOf(directive);
  if (space == Space::kLocal || space == Space::kShared || space == Space::kParam) {
    lexer_.Advance();
    return ParseLocalVariables(space);
  }
  return std::unexpected(
      source_.Fault("directive " + Quoted(directive) + " in the body of " + function_.name));
}

Status FunctionParser::ParseRegisters() {
  if (lexer_.IsDirective(".v2") || lexer_.IsDirective(".v4") || lexer_.IsDirective(".v8")) {
    return std::unexpected(source_.Fault("registers of vectors (.reg " +
                                         std::string(lexer_.token().text) +
                                         ") are not supported; single ones are"));
  }
  ASSAY_ASSIGN_OR_RETURN(Type type, ParseType(source_));
  if (SizeOf(type) == 0 && type != Type::kPred) {
    return std::unexpected(source_.Fault("registers of type " + std::string(ToString(type))));
  }
  if (SizeOf(type) == 1) {
    type = Type::kB16;  // The narrowest register there is; only ld, st and cvt take one of 8 bits.
  }
  do {
    ASSAY_ASSIGN_OR_RETURN(const std::string_view name,
                           source_.TakeIdentifier("the name of a register"));
    if (!lexer_.Accept("<")) {
      ASSAY_RETURN_IF_ERROR(DeclareNumbered(name, 0));
      const auto index = static_cast<std::uint32_t>(function_.registers.size());
      function_.registers.push_back({.name = UniqueName(name), .type = type});
      ASSAY_RETURN_IF_ERROR(Declare(name, {Symbol::Kind::kRegister, index}));
      continue;
    }
    ASSAY_ASSIGN_OR_RETURN(const std::uint32_t count,
                           source_.TakeInteger("the number of registers", kMaxRegistersOfName));
    ASSAY_RETURN_IF_ERROR(source_.Expect(">"));
    ASSAY_RETURN_IF_ERROR(DeclareRange(name, {type, count}));
  } while (lexer_.Accept(","));
  return source_.Expect(";");
}

Status FunctionParser::DeclareRange(std::string_view name, RegisterRange range) {
  Scope& scope = scopes_.back();
  const auto numbered = scope.numbered.find(std::string(name));
  const bool has_one = numbered != scope.numbered.end() && numbered->second < range.count;
  if (!scope.ranges.emplace(name, range).second || has_one) {
    return std::unexpected(source_.Fault("registers " + Quoted(name) + " are declared twice"));
  }
  // Of those of its registers that another prefix may have, its first is the least.
  return range.count == 0 ? Status() : DeclareNumbered(std::string(name) + "0", name.size());
}

Status FunctionParser::ParseLocalVariables(Space space) {
  ASSAY_ASSIGN_OR_RETURN(std::vector<DeclaredVariable> variables, ParseVariables(source_, space));
  for (DeclaredVariable& declared : variables) {
    const auto index = static_cast<std::uint32_t>(variable_names_.size());
    ASSAY_RETURN_IF_ERROR(Declare(declared.name, {Symbol::Kind::kVariable, index}));
    declared.variable.name = UniqueName(declared.name);
    variable_names_.push_back(declared.variable.name);
    function_.variables.push_back(std::move(declared.variable));
  }
  return {};
}

std::string FunctionParser::UniqueName(std::string_view name) {
  const std::uint32_t uses = uses_of_name_[name]++;
  const bool shadows = uses == 0 && module_.symbols.contains(name);
  if (uses == 0 && !shadows) {
    return std::string(name);
  }
  // No name of PTX has a `#`.
  return std::string(name) + "#" + std::to_string(uses);
}

Status FunctionParser::Declare(std::string_view name, Symbol symbol) {
  if (!scopes_.back().symbols.emplace(name, symbol).second) {
    return std::unexpected(
        source_.Fault(Quoted(name) + " is declared twice in one scope of " + function_.name));
  }
  return {};
}

Status FunctionParser::DeclareNumbered(std::string_view name, std::size_t own_prefix) {
  Scope& scope = scopes_.back();
  for (std::size_t digits = 1; digits <= kMostDigits && digits < name.size(); ++digits) {
    const std::size_t split = name.size() - digits;
    if (name[split] < '0' || name[split] > '9') {
      break;
    }
    if (split == own_prefix || (name[split] == '0' && digits > 1)) {
      continue;
    }
    std::uint32_t number = 0;
    std::from_chars(name.data() + split, name.data() + name.size(), number);
    const auto range = scope.ranges.find(name.substr(0, split));
    if (range != scope.ranges.end() && number < range->second.count) {
      return std::unexpected(
          source_.Fault(Quoted(name) + " is declared twice in one scope of " + function_.name));
    }
    const auto least = scope.numbered.emplace(name.substr(0, split), number).first;
    least->second = std::min(least->second, number);
  }
  return {};
}

const FunctionParser::Symbol* FunctionParser::Find(std::string_view name) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const auto found = scope->symbols.find(name); found != scope->symbols.end()) {
      return &found->second;
    }
    if (!scope->ranges.empty()) {
      if (const Symbol* const symbol = FindInRange(*scope, name)) {
        return symbol;
      }
    }
  }
  return nullptr;
}

const FunctionParser::Symbol* FunctionParser::FindInRange(Scope& scope, std::string_view name) {
  // `%r12<…>` and `%r1<…>` both may have `%r123`: try each end of the digits.
  std::size_t digits = 1;
  for (; digits <= kMostDigits && digits < name.size(); ++digits) {
    const std::size_t split = name.size() - digits;
    const char digit = name[split];
    if (digit < '0' || digit > '9') {
      return nullptr;
    }
    if (digit == '0' && digits > 1) {
      continue;
    }
    const auto range = scope.ranges.find(name.substr(0, split));
    std::uint32_t number = 0;
    std::from_chars(name.data() + split, name.data() + name.size(), number);
    if (range == scope.ranges.end() || number >= range->second.count) {
      continue;
    }
    const auto index = static_cast<std::uint32_t>(function_.registers.size());
    function_.registers.push_back({.name = UniqueName(name), .type = range->second.type});
    return &scope.symbols.emplace(name, Symbol{Symbol::Kind::kRegister, index}).first->second;
  }
  return nullptr;
}

Status FunctionParser::ParseLabelled(std::string_view name, std::uint32_t ptx_line) {
  if (lexer_.IsDirective(".branchtargets")) {
    return ParseBranchTargets(name);
  }
  if (lexer_.IsDirective(".callprototype")) {
    return ParseCallPrototype(name);
  }
  if (lexer_.IsDirective(".calltargets")) {
    return SkipCallTargets(name);
  }
  const auto index = static_cast<std::uint32_t>(function_.labels.size());
  if (!scopes_.back().symbols.emplace(name, Symbol{Symbol::Kind::kLabel, index}).second) {
    return std::unexpected(source_.Fault("label " + Quoted(name) + " is defined twice", ptx_line));
  }
  function_.labels.push_back(
      {.name = UniqueName(name),
       .instruction = static_cast<std::uint32_t>(function_.instructions.size())});
  return {};
}

Status FunctionParser::ParseBranchTargets(std::string_view name) {
  lexer_.Advance();
  const auto table = static_cast<std::uint32_t>(function_.branch_tables.size());
  ASSAY_RETURN_IF_ERROR(Declare(name, {Symbol::Kind::kBranchTable, table}));
  function_.branch_tables.emplace_back();
  do {
    ASSAY_ASSIGN_OR_RETURN(const std::string_view label, source_.TakeIdentifier("a label"));
    const auto slot = static_cast<std::uint32_t>(function_.branch_tables[table].size());
    function_.branch_tables[table].push_back(0);
    RefersToLabel(label, true, table, slot);
  } while (lexer_.Accept(","));
  return source_.Expect(";");
}

Status FunctionParser::ParseCallPrototype(std::string_view name) {
  lexer_.Advance();
  const auto index = static_cast<std::uint32_t>(function_.call_prototypes.size());
  ASSAY_RETURN_IF_ERROR(Declare(name, {Symbol::Kind::kPrototype, index}));
  CallPrototype prototype{.name = std::string(name), .returns = {}, .parameters = {}};
  const auto take = [this](std::vector<Variable>& variables) -> Status {
    ASSAY_ASSIGN_OR_RETURN(std::vector<DeclaredVariable> declared, ParseParameters(source_));
    for (DeclaredVariable& each : declared) {
      variables.push_back(std::move(each.variable));
    }
    return {};
  };
  if (lexer_.Is("(")) {
    ASSAY_RETURN_IF_ERROR(take(prototype.returns));
  }
  ASSAY_RETURN_IF_ERROR(source_.TakeIdentifier("\"_\""));
  if (lexer_.Is("(")) {
    ASSAY_RETURN_IF_ERROR(take(prototype.parameters));
  }
  function_.call_prototypes.push_back(std::move(prototype));
  return ParseFunctionDirectives(source_, function_, DirectivesOf::kPrototype);
}

Status FunctionParser::SkipCallTargets(std::string_view name) {
  ASSAY_RETURN_IF_ERROR(Declare(name, {Symbol::Kind::kCallTargets, 0}));
  while (!lexer_.Is(";") && !lexer_.Is(Token::Kind::kEnd)) {
    lexer_.Advance();
  }
  return source_.Expect(";");
}

void FunctionParser::RefersToLabel(std::string_view name, bool in_table, std::uint32_t owner,
                                   std::uint32_t slot) {
  scopes_.back().pending.push_back({.name = name,
                                    .ptx_line = lexer_.token().line,
                                    .in_table = in_table,
                                    .owner = owner,
                                    .slot = slot});
}

void FunctionParser::Patch(const PendingLabel& pending, std::uint32_t label) {
  if (pending.in_table) {
    function_.branch_tables[pending.owner][pending.slot] = label;
  } else {
    function_.instructions[pending.owner].operands[pending.slot].index =
        static_cast<std::int32_t>(label);
  }
}

}  // namespace assay::gpu::ptx
