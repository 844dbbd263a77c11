// SPDX-License-Identifier: Apache-2.0
#include "emulator/ptx/constant.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <string_view>

namespace assay::gpu::ptx {
namespace {

constexpr int kMaxDepth = 32;

struct Operator {
  std::string_view text;
  int precedence;
};

constexpr std::array kOperators = {
    Operator{"||", 1}, Operator{"&&", 2}, Operator{"|", 3},  Operator{"^", 4},  Operator{"&", 5},
    Operator{"==", 6}, Operator{"!=", 6}, Operator{"<", 7},  Operator{"<=", 7}, Operator{">", 7},
    Operator{">=", 7}, Operator{"<<", 8}, Operator{">>", 8}, Operator{"+", 9},  Operator{"-", 9},
    Operator{"*", 10}, Operator{"/", 10}, Operator{"%", 10},
};

bool IsFloatConstant(const Constant& constant) {
  return constant.type == Type::kF32 || constant.type == Type::kF64;
}

Constant Signed(bool value) { return {.type = Type::kS64, .bits = value ? 1U : 0U}; }

template <class T>
std::optional<std::uint64_t> Compute(std::string_view op, T left, T right) {
  if (op == "<") {
    return left < right;
  }
  if (op == "<=") {
    return left <= right;
  }
  if (op == ">") {
    return left > right;
  }
  if (op == ">=") {
    return left >= right;
  }
  // The minimum divided by -1 overflows.
  const bool negates = static_cast<std::uint64_t>(right) == ~std::uint64_t{0} && T(-1) < T(0);
  if (right == 0) {
    return std::nullopt;
  }
  return negates ? -static_cast<std::uint64_t>(left) : static_cast<std::uint64_t>(left / right);
}

std::optional<Constant> ApplyInteger(std::string_view op, Constant left, Constant right) {
  const bool is_unsigned = left.type == Type::kU64 || right.type == Type::kU64;
  const std::uint64_t a = left.bits;
  const std::uint64_t b = right.bits;
  const Type type = is_unsigned ? Type::kU64 : Type::kS64;
  if (op == "||") {
    return Signed(a != 0 || b != 0);
  }
  if (op == "&&") {
    return Signed(a != 0 && b != 0);
  }
  if (op == "==") {
    return Signed(a == b);
  }
  if (op == "!=") {
    return Signed(a != b);
  }
  if (op == "|") {
    return Constant{type, a | b};
  }
  if (op == "^") {
    return Constant{type, a ^ b};
  }
  if (op == "&") {
    return Constant{type, a & b};
  }
  if (op == "+") {
    return Constant{type, a + b};
  }
  if (op == "-") {
    return Constant{type, a - b};
  }
  if (op == "*") {
    return Constant{type, a * b};
  }
  if (op == "<<") {
    return Constant{left.type, b > 63 ? 0 : a << b};
  }
  if (op == ">>") {
    const std::uint64_t shift = b > 63 ? 63 : b;
    const std::uint64_t logical = b > 63 ? 0 : a >> shift;
    const auto arithmetic = static_cast<std::uint64_t>(static_cast<std::int64_t>(a) >> shift);
    return Constant{left.type, left.type == Type::kU64 ? logical : arithmetic};
  }
  if (op == "%") {  // Of unsigned operands, whatever they are.
    return b == 0 ? std::nullopt : std::optional(Constant{Type::kS64, a % b});
  }
  const auto value = is_unsigned
                         ? Compute(op, a, b)
                         : Compute(op, static_cast<std::int64_t>(a), static_cast<std::int64_t>(b));
  if (!value) {
    return std::nullopt;
  }
  return Constant{op == "/" ? type : Type::kS64, *value};
}

std::optional<Constant> ApplyFloat(std::string_view op, Constant left, Constant right) {
  if (!IsFloatConstant(left) || !IsFloatConstant(right)) {
    return std::nullopt;
  }
  const auto a = std::bit_cast<double>(ConvertFloat(left, Type::kF64).bits);
  const auto b = std::bit_cast<double>(ConvertFloat(right, Type::kF64).bits);
  const auto number = [](double value) {
    return Constant{Type::kF64, std::bit_cast<std::uint64_t>(value)};
  };
  if (op == "+") {
    return number(a + b);
  }
  if (op == "-") {
    return number(a - b);
  }
  if (op == "*") {
    return number(a * b);
  }
  if (op == "/") {
    return number(a / b);
  }
  if (op == "==") {
    return Signed(a == b);
  }
  if (op == "!=") {
    return Signed(a != b);
  }
  if (op == "<") {
    return Signed(a < b);
  }
  if (op == "<=") {
    return Signed(a <= b);
  }
  if (op == ">") {
    return Signed(a > b);
  }
  if (op == ">=") {
    return Signed(a >= b);
  }
  return std::nullopt;
}

// What `condition ? yes : no` is: both branches are converted to one type first.
std::optional<Constant> Choose(Constant condition, Constant yes, Constant no) {
  if (IsFloatConstant(condition) || IsFloatConstant(yes) != IsFloatConstant(no)) {
    return std::nullopt;
  }
  const Constant chosen = condition.bits != 0 ? yes : no;
  if (yes.type == no.type) {
    return chosen;
  }
  return IsFloatConstant(yes) ? ConvertFloat(chosen, Type::kF64)
                              : Constant{Type::kU64, chosen.bits};
}

class ConstantParser {
 public:
  explicit ConstantParser(Source& source) : source_(source), lexer_(source.lexer) {}

  Result<Constant> ParseConditional(int depth) {
    ASSAY_ASSIGN_OR_RETURN(Constant value, ParseBinary(0, depth));
    if (!lexer_.Accept("?")) {
      return value;
    }
    ASSAY_RETURN_IF_ERROR(CheckDepth(depth));
    ASSAY_ASSIGN_OR_RETURN(const Constant yes, ParseConditional(depth + 1));
    ASSAY_RETURN_IF_ERROR(source_.Expect(":"));
    ASSAY_ASSIGN_OR_RETURN(const Constant no, ParseConditional(depth + 1));
    const auto chosen = Choose(value, yes, no);
    if (!chosen) {
      return std::unexpected(CannotApply("?:"));
    }
    return *chosen;
  }

 private:
  Status CheckDepth(int depth) const {
    if (depth >= kMaxDepth) {
      return std::unexpected(source_.Fault("constant expression nests deeper than " +
                                           std::to_string(kMaxDepth) + " levels"));
    }
    return {};
  }

  [[nodiscard]] Error CannotApply(std::string_view op) const {
    return source_.Fault("constant expression cannot apply " + Quoted(op) + " to its operands");
  }

  [[nodiscard]] const Operator* FindOperator() const {
    // `%` is a character of identifiers: `7 %4` comes as 7 and the identifier %4.
    lexer_.SplitPercent();
    const bool may_be = lexer_.Is(Token::Kind::kPunctuation) || lexer_.token().text == "%";
    for (const Operator& op : kOperators) {
      if (may_be && op.text == lexer_.token().text) {
        return &op;
      }
    }
    return nullptr;
  }

  Result<Constant> ParseBinary(int floor, int depth) {
    ASSAY_RETURN_IF_ERROR(CheckDepth(depth));
    ASSAY_ASSIGN_OR_RETURN(Constant left, ParseUnary(depth + 1));
    for (const Operator* op = FindOperator(); op != nullptr && op->precedence > floor;
         op = FindOperator()) {
      lexer_.Advance();
      ASSAY_ASSIGN_OR_RETURN(const Constant right, ParseBinary(op->precedence, depth + 1));
      const bool floating = IsFloatConstant(left) || IsFloatConstant(right);
      const auto value =
          floating ? ApplyFloat(op->text, left, right) : ApplyInteger(op->text, left, right);
      if (!value) {
        return std::unexpected(CannotApply(op->text));
      }
      left = *value;
    }
    return left;
  }

  Result<Constant> ParseUnary(int depth) {
    ASSAY_RETURN_IF_ERROR(CheckDepth(depth));
    for (const std::string_view op : {"-", "+", "~", "!"}) {
      if (lexer_.Accept(op)) {
        ASSAY_ASSIGN_OR_RETURN(const Constant value, ParseUnary(depth + 1));
        if (IsFloatConstant(value) && (op == "~" || op == "!")) {
          return std::unexpected(CannotApply(op));
        }
        return Negate(op[0], value);
      }
    }
    if (lexer_.Accept("(")) {
      return ParseParenthesis(depth);
    }
    return ParseLiteral();
  }

  static Constant Negate(char op, Constant value) {
    switch (op) {
      case '-':
        if (value.type == Type::kF32) {
          return {value.type, value.bits ^ 0x80000000U};
        }
        if (value.type == Type::kF64) {
          return {value.type, value.bits ^ (std::uint64_t{1} << 63U)};
        }
        return {value.type, -value.bits};
      case '~':
        return {Type::kU64, ~value.bits};
      case '!':
        return Signed(value.bits == 0);
      default:
        return value;
    }
  }

  Result<Constant> ParseParenthesis(int depth) {
    const bool to_signed = lexer_.AcceptDirective(".s64");
    const bool to_unsigned = !to_signed && lexer_.AcceptDirective(".u64");
    if (to_signed || to_unsigned) {
      ASSAY_RETURN_IF_ERROR(source_.Expect(")"));
      ASSAY_ASSIGN_OR_RETURN(const Constant value, ParseUnary(depth + 1));
      if (IsFloatConstant(value)) {
        return std::unexpected(CannotApply(to_signed ? "(.s64)" : "(.u64)"));
      }
      return Constant{to_signed ? Type::kS64 : Type::kU64, value.bits};
    }
    ASSAY_ASSIGN_OR_RETURN(const Constant value, ParseConditional(depth + 1));
    ASSAY_RETURN_IF_ERROR(source_.Expect(")"));
    return value;
  }

  Result<Constant> ParseLiteral() {
    const Token token = lexer_.token();
    Constant value{.type = Type::kS64, .bits = token.bits};
    switch (token.kind) {
      case Token::Kind::kInteger:
        value.type = token.is_unsigned ? Type::kU64 : Type::kS64;
        break;
      case Token::Kind::kFloat:
        value.type = Type::kF32;
        break;
      case Token::Kind::kDouble:
        value.type = Type::kF64;
        break;
      case Token::Kind::kIdentifier:
        if (token.text == "WARP_SZ") {
          value.bits = 32;
          break;
        }
        [[fallthrough]];
      default:
        return std::unexpected(source_.Expected("a number"));
    }
    lexer_.Advance();
    return value;
  }

  Source& source_;
  Lexer& lexer_;
};

// Of what is below 2^52, whatever the rounding of the machine.
double RoundToEven(double value) {
  const double below = std::floor(value);
  const double rest = value - below;
  const bool is_odd = std::fmod(below, 2) != 0;
  return rest > 0.5 || (rest == 0.5 && is_odd) ? below + 1 : below;
}

// A float of 16 bits.
struct NarrowFormat {
  int mantissa_bits;
  int greatest_exponent;
};

// `value` rounded to the nearest float of `format`, of two as near to the even one.
std::uint64_t Narrow(double value, NarrowFormat format) {
  const std::uint64_t sign = std::signbit(value) ? 0x8000U : 0U;
  const auto exponent_of_infinity = 2 * static_cast<std::uint64_t>(format.greatest_exponent) + 1;
  const std::uint64_t infinity = exponent_of_infinity << format.mantissa_bits;
  if (std::isnan(value)) {
    return sign | infinity | (1U << (format.mantissa_bits - 1));
  }
  const int least_exponent = 1 - format.greatest_exponent;
  int exponent = value == 0 || std::isinf(value) ? least_exponent : std::ilogb(value);
  exponent = std::max(exponent, least_exponent);
  // In units of the last place; what rounds up to the next exponent carries into it.
  const double units = std::ldexp(std::fabs(value), format.mantissa_bits - exponent);
  const auto biased = static_cast<std::uint64_t>(exponent - least_exponent);
  if (std::isinf(value) || exponent > format.greatest_exponent) {
    return sign | infinity;
  }
  return sign | ((biased << format.mantissa_bits) + static_cast<std::uint64_t>(RoundToEven(units)));
}

}  // namespace

Constant ConvertFloat(Constant constant, Type to) {
  if (!IsFloatConstant(constant) || constant.type == to) {
    return constant;
  }
  const double value =
      constant.type == Type::kF64
          ? std::bit_cast<double>(constant.bits)
          : static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(constant.bits)));
  switch (to) {
    case Type::kF64:
      return {to, std::bit_cast<std::uint64_t>(value)};
    case Type::kF32:
      return {to, std::bit_cast<std::uint32_t>(static_cast<float>(value))};
    case Type::kF16:
      return {to, Narrow(value, {.mantissa_bits = 10, .greatest_exponent = 15})};
    case Type::kBf16:
      return {to, Narrow(value, {.mantissa_bits = 7, .greatest_exponent = 127})};
    default:
      return constant;
  }
}

bool StartsConstant(const Lexer& lexer) {
  switch (lexer.token().kind) {
    case Token::Kind::kInteger:
    case Token::Kind::kFloat:
    case Token::Kind::kDouble:
      return true;
    case Token::Kind::kIdentifier:
      return lexer.token().text == "WARP_SZ";
    default:
      return lexer.Is("-") || lexer.Is("+") || lexer.Is("~") || lexer.Is("(") || lexer.Is("!");
  }
}

Result<Constant> ParseConstant(Source& source) {
  return ConstantParser(source).ParseConditional(0);
}

}  // namespace assay::gpu::ptx
