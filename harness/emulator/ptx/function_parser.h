// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_PTX_FUNCTION_PARSER_H_
#define ASSAY_EMULATOR_PTX_FUNCTION_PARSER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "emulator/ptx/module.h"
#include "emulator/ptx/source.h"
#include "emulator/ptx/variables.h"

namespace assay::gpu::ptx {

/// What the functions of a module share while it is parsed.
struct ModuleScope {
  enum class Kind : std::uint8_t { kVariable, kFunction };
  struct Symbol {
    Kind kind;
    std::uint32_t index;
  };
  std::unordered_map<std::string_view, Symbol> symbols;
  /// Each spelling is decoded once: a module has some hundred, and instructions by the ten
  /// thousand.
  std::unordered_map<std::string, Instruction> spellings;
  std::size_t instructions = 0;
};

/// Reads the body of one function into `function`, whose returns and parameters are there already.
class FunctionParser {
 public:
  FunctionParser(Source& source, ModuleScope& module, Function& function)
      : source_(source), lexer_(source.lexer), module_(module), function_(function) {}

  /// `returns` and `parameters` under the names of the text. From the `{` on, to behind its `}`.
  [[nodiscard]] Status ParseBody(const std::vector<DeclaredVariable>& returns,
                                 const std::vector<DeclaredVariable>& parameters);

 private:
  struct Symbol {
    enum class Kind : std::uint8_t {
      kRegister,
      kVariable,
      kLabel,
      kBranchTable,
      kPrototype,
      kCallTargets,
    };
    Kind kind;
    std::uint32_t index;  // kVariable: of variable_names_.
  };
  // `.reg .b32 %r<100>`: `%r` with 100 registers, each made when it is first named.
  struct RegisterRange {
    Type type;
    std::uint32_t count;
  };
  // Where the index of a label that comes later goes.
  struct PendingLabel {
    std::string_view name;
    std::uint32_t ptx_line;
    bool in_table;
    std::uint32_t owner;  // Index of the instruction or of the branch table.
    std::uint32_t slot;   // Operand or entry.
  };
  struct Scope {
    std::unordered_map<std::string_view, Symbol> symbols;
    std::unordered_map<std::string_view, RegisterRange> ranges;
    /// The least number behind each prefix that a declared register has.
    std::unordered_map<std::string, std::uint32_t> numbered;
    std::vector<PendingLabel> pending;
  };

  // function_parser.cc: scopes, declarations, labels.
  Status OpenScope();
  Status CloseScope();
  Status ParseStatement();
  Status ParseDirective();
  Status ParseRegisters();
  Status DeclareRange(std::string_view name, RegisterRange range);
  /// `%x12` is also a register of `%x<20>` and of `%x1<5>`: an error where it has been declared.
  /// `name`: of a register, or of the first of the range of the prefix of `own_prefix` characters.
  Status DeclareNumbered(std::string_view name, std::size_t own_prefix);
  Status ParseLocalVariables(Space space);
  Status ParseLabelled(std::string_view name, std::uint32_t ptx_line);
  Status ParseBranchTargets(std::string_view name);
  Status ParseCallPrototype(std::string_view name);
  Status SkipCallTargets(std::string_view name);
  Status Declare(std::string_view name, Symbol symbol);
  std::string UniqueName(std::string_view name);
  const Symbol* Find(std::string_view name);
  const Symbol* FindInRange(Scope& scope, std::string_view name);
  void RefersToLabel(std::string_view name, bool in_table, std::uint32_t owner, std::uint32_t slot);
  void Patch(const PendingLabel& pending, std::uint32_t label);

  // instruction_parser.cc: guards, operands.
  Status ParseGuarded();
  Status ParseInstruction(std::string_view spelling, std::uint32_t ptx_line);
  Status ParseOperands(Instruction& instruction);
  Status ParseCall(Instruction& instruction);
  Status ParseBranch(Instruction& instruction);
  Status ParseTableOperand(Instruction& instruction);
  Status SkipUnsupported();
  Result<Operand> ParseOperand();
  Result<Operand> ParseName();
  Result<Operand> ParseAddress();
  Result<Operand> ParseList(std::string_view open, std::string_view close);
  Result<Operand> ParseImmediate();
  Result<Operand> ParseNegatedPredicate();
  Result<Operand> Resolve(std::string_view name);
  Result<std::int64_t> ParseOffset();
  Result<std::int64_t> ParseOffsetNumber();

  Source& source_;
  Lexer& lexer_;
  ModuleScope& module_;
  Function& function_;
  std::vector<Scope> scopes_;
  std::vector<std::string> variable_names_;
  std::unordered_map<std::string_view, std::uint32_t> uses_of_name_;
  std::int32_t guard_ = -1;
  bool guard_negated_ = false;
  std::string problem_;  // Why the present instruction is not supported, though it is well formed.
};

}  // namespace assay::gpu::ptx

#endif  // ASSAY_EMULATOR_PTX_FUNCTION_PARSER_H_
