// SPDX-License-Identifier: Apache-2.0
#include "emulator/ptx/parser.h"

#include <charconv>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emulator/ptx/directives.h"
#include "emulator/ptx/function_parser.h"
#include "emulator/ptx/source.h"
#include "emulator/ptx/variables.h"

namespace assay::gpu::ptx {
namespace {

// `.visible`, `.extern` and the like, which stand before a variable or a function.
struct Linking {
  bool is_extern = false;
};

class ModuleParser {
 public:
  ModuleParser(std::string_view text, std::string_view name)
      : source_(text, name), lexer_(source_.lexer) {}

  Result<Module> ParseModule() {
    while (!lexer_.Is(Token::Kind::kEnd)) {
      source_.line = {};
      ASSAY_RETURN_IF_ERROR(ParseItem());
    }
    if (module_.version_major == 0) {
      return std::unexpected(source_.Fault("text has no .version: it is no PTX"));
    }
    ASSAY_RETURN_IF_ERROR(ResolveAliases());
    ASSAY_RETURN_IF_ERROR(CheckInitialAddresses());
    return std::move(module_);
  }

 private:
  Status ParseItem() {
    if (lexer_.Accept(";")) {
      return {};
    }
    if (!lexer_.Is(Token::Kind::kDirective)) {
      return std::unexpected(source_.Expected("a directive such as .entry"));
    }
    const std::string_view directive = lexer_.token().text;
    if (directive == ".version") {
      return ParseVersion();
    }
    if (directive == ".target") {
      return ParseTarget();
    }
    if (directive == ".address_size") {
      return ParseAddressSize();
    }
    if (directive == ".file") {
      return ParseFile();
    }
    if (directive == ".loc") {
      return ParseLoc(source_);
    }
    if (directive == ".pragma") {
      return SkipPragma(source_);
    }
    if (directive == ".section") {
      return SkipSection();
    }
    if (directive == ".alias") {
      return ParseAlias();
    }
    return ParseSymbol();
  }

  Status ParseVersion() {
    lexer_.Advance();
    // `9.0` comes as one number, so that 7.10 would be 7.1: the digits say it.
    const std::string_view text = lexer_.token().text;
    const std::size_t dot = text.find('.');
    if (!lexer_.Is(Token::Kind::kDouble) || dot == std::string_view::npos) {
      return std::unexpected(source_.Expected("a version such as 8.0"));
    }
    const auto major = Number(text.substr(0, dot));
    const auto minor = Number(text.substr(dot + 1));
    if (!major || !minor || *major == 0) {
      return std::unexpected(source_.Fault(".version " + Quoted(text) + " is none of PTX"));
    }
    module_.version_major = *major;
    module_.version_minor = *minor;
    lexer_.Advance();
    return {};
  }

  // Of a few digits and nothing else.
  static std::optional<std::uint32_t> Number(std::string_view digits) {
    static constexpr std::size_t kMostDigits = 4;
    std::uint32_t value = 0;
    const char* const begin = digits.data();
    const char* const end = begin + digits.size();
    const auto [stop, code] = std::from_chars(begin, end, value);
    const bool is_whole = code == std::errc() && stop == end && digits.size() <= kMostDigits;
    return is_whole ? std::optional(value) : std::nullopt;
  }

  Status ParseTarget() {
    lexer_.Advance();
    ASSAY_ASSIGN_OR_RETURN(module_.target, source_.TakeIdentifier("a target such as sm_80"));
    while (lexer_.Accept(",")) {
      ASSAY_RETURN_IF_ERROR(source_.TakeIdentifier("a part of the target"));
    }
    return {};
  }

  Status ParseAddressSize() {
    lexer_.Advance();
    ASSAY_ASSIGN_OR_RETURN(const std::uint32_t bits, source_.TakeInteger("an address size", 64));
    if (bits != 64) {
      return std::unexpected(source_.Fault("addresses have " + std::to_string(bits) +
                                           " bits; the emulated GPU has addresses of 64"));
    }
    return {};
  }

  // `.file 1 "a.cu", timestamp, size`
  Status ParseFile() {
    lexer_.Advance();
    ASSAY_ASSIGN_OR_RETURN(const std::uint32_t index,
                           source_.TakeInteger("the number of a file", kMaxFiles));
    if (!lexer_.Is(Token::Kind::kString)) {
      return std::unexpected(source_.Expected("the name of a file"));
    }
    if (module_.files.size() <= index) {
      module_.files.resize(index + 1);
    }
    module_.files[index] = lexer_.token().text;
    lexer_.Advance();
    while (lexer_.Accept(",")) {
      if (!lexer_.Is(Token::Kind::kInteger)) {
        return std::unexpected(source_.Expected("the time or size of a file"));
      }
      lexer_.Advance();
    }
    return {};
  }

  Status SkipSection() {
    lexer_.Advance();
    if (!lexer_.Is(Token::Kind::kDirective) && !lexer_.Is(Token::Kind::kIdentifier)) {
      return std::unexpected(source_.Expected("the name of a section"));
    }
    lexer_.Advance();
    if (!lexer_.Is("{")) {
      return std::unexpected(source_.Expected("\"{\""));
    }
    if (!lexer_.SkipBraces()) {
      return std::unexpected(source_.Expected("\"}\" of a section"));
    }
    return {};
  }

  Status ParseAlias() {
    lexer_.Advance();
    ASSAY_ASSIGN_OR_RETURN(const std::string_view alias, source_.TakeIdentifier("an alias"));
    ASSAY_RETURN_IF_ERROR(source_.Expect(","));
    ASSAY_ASSIGN_OR_RETURN(const std::string_view target, source_.TakeIdentifier("a function"));
    aliases_[std::string(alias)] = target;
    return source_.Expect(";");
  }

  Status ParseSymbol() {
    Linking linking;
    while (true) {
      if (lexer_.AcceptDirective(".extern")) {
        linking.is_extern = true;
      } else if (!lexer_.AcceptDirective(".visible") && !lexer_.AcceptDirective(".weak") &&
                 !lexer_.AcceptDirective(".common")) {
        break;
      }
    }
    if (lexer_.AcceptDirective(".entry")) {
      return ParseFunction(true);
    }
    if (lexer_.AcceptDirective(".func")) {
      return ParseFunction(false);
    }
    const Space space =
        lexer_.Is(Token::Kind::kDirective) ? SpaceOf(lexer_.token().text) : Space::kGeneric;
    if (space == Space::kGeneric || space == Space::kParam || space == Space::kLocal) {
      return std::unexpected(source_.Fault("directive " + Quoted(lexer_.token().text) +
                                           " is not known at the level of the module"));
    }
    lexer_.Advance();
    return ParseModuleVariables(space, linking);
  }

  Status ParseModuleVariables(Space space, const Linking& linking) {
    ASSAY_ASSIGN_OR_RETURN(std::vector<DeclaredVariable> variables, ParseVariables(source_, space));
    for (DeclaredVariable& declared : variables) {
      if (linking.is_extern && declared.is_initialised) {
        return std::unexpected(
            source_.Fault(".extern variable " + Quoted(declared.name) + " has an initialiser"));
      }
      declared.variable.is_extern = linking.is_extern;
      const auto index = static_cast<std::uint32_t>(module_.variables.size());
      const auto [known, is_new] =
          scope_.symbols.emplace(declared.name, ModuleScope::Symbol{kVariable, index});
      if (is_new) {
        module_.variables.push_back(std::move(declared.variable));
        continue;
      }
      if (known->second.kind != kVariable) {
        return std::unexpected(source_.Fault(Quoted(declared.name) + " is a function already"));
      }
      Variable& before = module_.variables[known->second.index];
      if (!before.is_extern && !linking.is_extern) {
        return std::unexpected(source_.Fault(Quoted(declared.name) + " is defined twice"));
      }
      if (before.is_extern) {
        before = std::move(declared.variable);
      }
    }
    return {};
  }

  Status ParseFunction(bool is_entry) {
    Function function;
    function.is_entry = is_entry;
    function.ptx_line = lexer_.token().line;
    std::vector<DeclaredVariable> returns;
    std::vector<DeclaredVariable> parameters;
    if (lexer_.AcceptDirective(".attribute")) {
      ASSAY_RETURN_IF_ERROR(source_.SkipParenthesis());
    }
    if (!is_entry && lexer_.Is("(")) {
      ASSAY_ASSIGN_OR_RETURN(returns, ParseParameters(source_));
    }
    ASSAY_ASSIGN_OR_RETURN(const std::string_view name,
                           source_.TakeIdentifier("the name of a function"));
    function.name = name;
    if (lexer_.Is("(")) {
      ASSAY_ASSIGN_OR_RETURN(parameters, ParseParameters(source_));
    }
    for (const DeclaredVariable& each : returns) {
      function.returns.push_back(each.variable);
    }
    for (const DeclaredVariable& each : parameters) {
      function.parameters.push_back(each.variable);
    }
    ASSAY_RETURN_IF_ERROR(ParseFunctionDirectives(source_, function, DirectivesOf::kFunction));
    function.is_declaration = lexer_.Accept(";");
    ASSAY_ASSIGN_OR_RETURN(const std::uint32_t index, DeclareFunction(name, function));
    if (function.is_declaration) {
      return {};
    }
    FunctionParser body(source_, scope_, function);
    ASSAY_RETURN_IF_ERROR(body.ParseBody(returns, parameters));
    module_.functions[index] = std::move(function);
    return {};
  }

  // Makes room for the function before its body, which may call it.
  Result<std::uint32_t> DeclareFunction(std::string_view name, const Function& function) {
    const auto index = static_cast<std::uint32_t>(module_.functions.size());
    const auto [known, is_new] =
        scope_.symbols.emplace(name, ModuleScope::Symbol{kFunction, index});
    if (is_new) {
      module_.functions.push_back(function);
      return index;
    }
    if (known->second.kind != kFunction) {
      return std::unexpected(source_.Fault(Quoted(name) + " is a variable already"));
    }
    Function& before = module_.functions[known->second.index];
    if (!before.is_declaration && !function.is_declaration) {
      return std::unexpected(
          source_.Fault("function " + Quoted(name) + " is defined twice", function.ptx_line));
    }
    if (before.is_declaration) {
      before = function;
    }
    return known->second.index;
  }

  // An alias is another name of a function: everything that names it gets the function's own.
  Status ResolveAliases() {
    if (aliases_.empty()) {
      return {};
    }
    for (const auto& [alias, target] : aliases_) {
      const Function* const function = module_.FindFunction(target);
      if (function == nullptr || function->is_declaration) {
        return std::unexpected(source_.Fault(".alias " + Quoted(alias) + " of " + Quoted(target) +
                                             ", which is no function defined here"));
      }
    }
    const auto rename = [this](std::string& name) {
      if (const auto found = aliases_.find(name); found != aliases_.end()) {
        name = found->second;
      }
    };
    for (Function& function : module_.functions) {
      for (Instruction& instruction : function.instructions) {
        for (Operand& operand : instruction.operands) {
          if (operand.kind == Operand::Kind::kFunction) {
            rename(operand.name);
          }
        }
      }
    }
    for (Variable& variable : module_.variables) {
      for (InitialAddress& address : variable.addresses) {
        rename(address.symbol);
      }
    }
    return {};
  }

  Status CheckInitialAddresses() {
    for (const Variable& variable : module_.variables) {
      for (const InitialAddress& address : variable.addresses) {
        if (!scope_.symbols.contains(address.symbol)) {
          return std::unexpected(source_.Fault("initialiser of " + variable.name + " names " +
                                               Quoted(address.symbol) +
                                               ", which nothing declares"));
        }
      }
    }
    return {};
  }

  static constexpr auto kVariable = ModuleScope::Kind::kVariable;
  static constexpr auto kFunction = ModuleScope::Kind::kFunction;

  Source source_;
  Lexer& lexer_;
  Module module_;
  ModuleScope scope_;
  std::unordered_map<std::string, std::string> aliases_;
};

}  // namespace

Result<Module> Parse(std::string_view text, std::string_view name) {
  if (text.size() > kMaxTextBytes) {
    return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                 .where = std::string(name),
                                 .cause = "PTX of " + std::to_string(text.size()) +
                                          " bytes is longer than the " +
                                          std::to_string(kMaxTextBytes >> 20U) + " MiB allowed",
                                 .remedy = "compile fewer kernels into one module"});
  }
  return ModuleParser(text, name).ParseModule();
}

}  // namespace assay::gpu::ptx
