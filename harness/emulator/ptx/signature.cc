// SPDX-License-Identifier: Apache-2.0
#include "emulator/ptx/signature.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "emulator/ptx/matrix.h"
#include "emulator/ptx/words.h"

namespace assay::gpu::ptx {
namespace {

// What an opcode takes is written as a pattern, two characters an operand and `?` behind those
// that may be missing:
//   d… a destination, s… a source, with the width of
//     T the type          S the source type      D twice the type
//     W 32 bits           Q 64 bits              P a predicate
//     r the type, or more (integers)             v as r, as many as .v2 .v4 say
//     R the source type, or more (integers)      m as many words as the matrices of ldmatrix
//     A B C E the fragment of a matrix (E: of the result)
//   [] an address   # an integer literal   |P a predicate, where a second destination is written
//   f a float of 32 bits
struct Pattern {
  Opcode opcode;
  std::string_view text;
};

constexpr Pattern kPatterns[] = {
    {Opcode::kAbs, "dTsT"},
    {Opcode::kActivemask, "dW"},
    {Opcode::kAdd, "dTsTsT"},
    {Opcode::kAddc, "dTsTsT"},
    {Opcode::kAlloca, "dTsT##?"},
    {Opcode::kAnd, "dTsTsT"},
    {Opcode::kApplyPriority, "[]##"},
    {Opcode::kBarWarp, "sW"},
    {Opcode::kBfe, "dTsTsWsW"},
    {Opcode::kBfi, "dTsTsTsWsW"},
    {Opcode::kBfind, "dWsT"},
    {Opcode::kBmsk, "dTsWsW"},
    {Opcode::kBrev, "dTsT"},
    {Opcode::kBrkpt, ""},
    {Opcode::kClz, "dWsT"},
    {Opcode::kCnot, "dTsT"},
    {Opcode::kCopysign, "dTsTsT"},
    {Opcode::kCos, "dTsT"},
    {Opcode::kCvta, "dTsT"},
    {Opcode::kDiscard, "[]##"},
    {Opcode::kDiv, "dTsTsT"},
    {Opcode::kDp2a, "dWsWsWsW"},
    {Opcode::kDp4a, "dWsWsWsW"},
    {Opcode::kElect, "dW|PsW"},
    {Opcode::kEx2, "dTsT"},
    {Opcode::kExit, ""},
    {Opcode::kFence, ""},
    {Opcode::kFma, "dTsTsTsT"},
    {Opcode::kFns, "dWsWsWsW"},
    {Opcode::kGriddep, ""},
    {Opcode::kIsspacep, "dPsQ"},
    {Opcode::kLd, "dv[]"},
    {Opcode::kLdmatrix, "dm[]"},
    {Opcode::kLdu, "dv[]"},
    {Opcode::kLg2, "dTsT"},
    {Opcode::kLop3, "dTsTsTsT##"},
    {Opcode::kMad24, "dTsTsTsT"},
    {Opcode::kMadc, "dTsTsTsT"},
    {Opcode::kMax, "dTsTsT"},
    {Opcode::kMembar, ""},
    {Opcode::kMin, "dTsTsT"},
    {Opcode::kMma, "dEsAsBsC"},
    {Opcode::kMovmatrix, "dWsW"},
    {Opcode::kMul24, "dTsTsT"},
    {Opcode::kNanosleep, "sW"},
    {Opcode::kNeg, "dTsT"},
    {Opcode::kNot, "dTsT"},
    {Opcode::kOr, "dTsTsT"},
    {Opcode::kPmevent, "##"},
    {Opcode::kPopc, "dWsT"},
    {Opcode::kPrefetch, "[]"},
    {Opcode::kPrmt, "dTsTsTsT"},
    {Opcode::kRcp, "dTsT"},
    {Opcode::kRed, "[]sv"},
    {Opcode::kRedux, "dWsWsW"},
    {Opcode::kRem, "dTsTsT"},
    {Opcode::kRsqrt, "dTsT"},
    {Opcode::kRet, ""},
    {Opcode::kSad, "dTsTsTsT"},
    {Opcode::kSelp, "dTsTsTsP"},
    {Opcode::kSet, "dTsSsSsP?"},
    {Opcode::kSetp, "dP|PsTsTsP?"},
    {Opcode::kShf, "dTsTsTsW"},
    {Opcode::kShfl, "dT|PsTsWsWsW"},
    {Opcode::kShl, "dTsTsW"},
    {Opcode::kShr, "dTsTsW"},
    {Opcode::kSin, "dTsT"},
    {Opcode::kSlct, "dTsTsTsS"},
    {Opcode::kSqrt, "dTsT"},
    {Opcode::kSt, "[]sv"},
    {Opcode::kStackrestore, "sT"},
    {Opcode::kStacksave, "dT"},
    {Opcode::kStmatrix, "[]sm"},
    {Opcode::kSub, "dTsTsT"},
    {Opcode::kSubc, "dTsTsT"},
    {Opcode::kSzext, "dTsTsW"},
    {Opcode::kTanh, "dTsT"},
    {Opcode::kTestp, "dPsT"},
    {Opcode::kTrap, ""},
    {Opcode::kXor, "dTsTsT"},
};

std::string_view BarrierPattern(Mode mode) {
  switch (mode) {
    case Mode::kSync:
      return "sWsW?";
    case Mode::kArrive:
      return "sWsW";
    case Mode::kRedPopc:
      return "dWsWsW?sP";
    default:
      return "dPsWsW?sP";
  }
}

std::string_view CachePolicyPattern(std::string_view spelling) {
  Words words(spelling);
  if (words.Take("range")) {
    return "dQ[]sWsW";
  }
  return words.Take("cvt") ? "dQsQ" : "dQsf?";
}

std::string_view CopyAsyncPattern(Mode mode) {
  switch (mode) {
    case Mode::kCommitGroup:
    case Mode::kWaitAll:
      return "";
    case Mode::kWaitGroup:
      return "##";
    case Mode::kMbarrierArrive:
      return "[]";
    default:
      return "[][]##sP?sW?sP?";
  }
}

std::string_view MbarrierPattern(const Instruction& instruction) {
  switch (instruction.mode) {
    case Mode::kInit:
    case Mode::kExpectTx:
    case Mode::kComplete:
      return "[]sW";
    case Mode::kInval:
      return "[]";
    case Mode::kArrive:
    case Mode::kArriveDrop:
      return instruction.expect_tx || instruction.no_complete ? "dQ[]sW" : "dQ[]sW?";
    case Mode::kTestWait:
      return instruction.parity ? "dP[]sW" : "dP[]sQ";
    case Mode::kTryWait:
      return instruction.parity ? "dP[]sWsW?" : "dP[]sQsW?";
    default:
      return "dWsQ";
  }
}

// d = hi:lo of a × b needs twice the width, as does what is added to it.
std::string_view MultiplyPattern(const Instruction& instruction) {
  const bool adds = instruction.opcode == Opcode::kMad;
  if (instruction.mode == Mode::kWide) {
    return adds ? "dDsTsTsD" : "dDsTsT";
  }
  return adds ? "dTsTsTsT" : "dTsTsT";
}

std::string_view ConvertPattern(const Instruction& instruction) {
  const bool packs = instruction.source_type == Type::kF32 &&
                     (instruction.type == Type::kF16x2 || instruction.type == Type::kBf16x2 ||
                      instruction.type == Type::kE4m3x2 || instruction.type == Type::kE5m2x2);
  return packs ? "dTsSsS" : "drsR";
}

std::string_view WmmaPattern(const Instruction& instruction) {
  if (instruction.mode == Mode::kMma) {
    return "dEsAsBsC";
  }
  switch (instruction.matrix_part) {
    case MatrixPart::kA:
      return "dA[]sW?";
    case MatrixPart::kB:
      return "dB[]sW?";
    case MatrixPart::kC:
      return "dE[]sW?";
    default:
      return "[]sEsW?";
  }
}

std::string_view PatternOf(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kAtom:
      return instruction.atomic_op == AtomicOp::kCas ? "dT[]sTsT" : "dv[]sv";
    case Opcode::kBar:
      return BarrierPattern(instruction.mode);
    case Opcode::kCpAsync:
      return CopyAsyncPattern(instruction.mode);
    case Opcode::kCreatePolicy:
      return CachePolicyPattern(instruction.spelling);
    case Opcode::kCvt:
      return ConvertPattern(instruction);
    case Opcode::kMad:
    case Opcode::kMul:
      return MultiplyPattern(instruction);
    case Opcode::kMatch:
      return instruction.mode == Mode::kAll ? "dW|PsTsW" : "dWsTsW";
    case Opcode::kMbarrier:
      return MbarrierPattern(instruction);
    case Opcode::kVote:
      return instruction.mode == Mode::kBallot ? "dWsPsW" : "dPsPsW";
    case Opcode::kWmma:
      return WmmaPattern(instruction);
    default:
      break;
  }
  const auto* const found = std::ranges::find(kPatterns, instruction.opcode, &Pattern::opcode);
  return found == std::end(kPatterns) ? std::string_view() : found->text;
}

bool IsInteger(Type type) { return !IsFloat(type) && type != Type::kPred; }

class Matcher {
 public:
  explicit Matcher(const Instruction& instruction) : instruction_(instruction) {}

  /// The first operand that does not fit in any way to read `pattern`; operands.size() + 1: all
  /// fit.
  std::size_t Match(std::string_view pattern, std::size_t operand) {
    const auto& operands = instruction_.operands;
    if (pattern.empty()) {
      return operand == operands.size() ? operand + 1 : operand;
    }
    const bool optional = pattern.size() > 2 && pattern[2] == '?';
    const std::string_view rest = pattern.substr(optional ? 3 : 2);
    if (pattern[0] == '|' && !instruction_.has_second_destination) {
      return Match(rest, operand);
    }
    std::size_t furthest = operand;
    if (operand < operands.size() && Fits(operands[operand], pattern[0], pattern[1])) {
      furthest = Match(rest, operand + 1);
    }
    if (optional && furthest <= operands.size()) {
      furthest = std::max(furthest, Match(rest, operand));
    }
    return furthest;
  }

 private:
  [[nodiscard]] bool Fits(const Operand& operand, char role, char width) const {
    switch (role) {
      case '[':
        return FitsAddress(operand);
      case '#':
        return operand.kind == Operand::Kind::kImmediate && IsInteger(operand.type);
      case '|':
      case 'd':
        return FitsWidth(operand, width, &Matcher::FitsDestination);
      default:
        return FitsWidth(operand, width, &Matcher::FitsSource);
    }
  }

  // An address of 32 bits can only be one in a window of its own.
  [[nodiscard]] bool FitsAddress(const Operand& operand) const {
    if (operand.kind != Operand::Kind::kAddress) {
      return false;
    }
    const bool is_destination = instruction_.opcode == Opcode::kCpAsync &&
                                instruction_.mode == Mode::kNone &&
                                &operand == instruction_.operands.data();
    const Space space = is_destination ? instruction_.to_space : instruction_.space;
    const bool is_wide = space == Space::kGeneric || space == Space::kGlobal;
    return operand.index < 0 || SizeOf(operand.type) == 8 ||
           (SizeOf(operand.type) == 4 && !is_wide);
  }

  using Check = bool (Matcher::*)(const Operand&, Type, bool) const;

  [[nodiscard]] bool FitsWidth(const Operand& operand, char width, Check check) const {
    const auto one = [&](Type type, bool or_wider) {
      return (this->*check)(operand, type, or_wider);
    };
    switch (width) {
      case 'T':
        return one(instruction_.type, false);
      case 'S':
        return one(instruction_.source_type, false);
      case 'r':
        return one(instruction_.type, IsInteger(instruction_.type));
      case 'R':
        return one(instruction_.source_type, IsInteger(instruction_.source_type));
      case 'D':
        return one(SizeOf(instruction_.type) == 2 ? Type::kU32 : Type::kU64, false);
      case 'W':
        return one(Type::kU32, false);
      case 'Q':
        return one(Type::kU64, false);
      case 'P':
        return one(Type::kPred, false);
      case 'v':
        return FitsElements(operand, instruction_.vector, instruction_.type, IsWidened(), check);
      case 'm':
        return FitsElements(operand, instruction_.count, Type::kB32, false, check);
      case 'A':
        return FitsFragment(operand, MatrixPart::kA, TypeOfInput(instruction_.source_type), check);
      case 'B':
        return FitsFragment(operand, MatrixPart::kB, TypeOfInput(instruction_.third_type), check);
      case 'C':
        return FitsFragment(operand, MatrixPart::kC, instruction_.fourth_type, check);
      case 'E':
        return FitsFragment(operand, MatrixPart::kD, instruction_.type, check);
      default:  // 'f'
        return one(Type::kF32, false);
    }
  }

  // ld and st take wider registers than their integers, which atomics do not.
  [[nodiscard]] bool IsWidened() const {
    return IsInteger(instruction_.type) && instruction_.opcode != Opcode::kAtom &&
           instruction_.opcode != Opcode::kRed;
  }

  // What moves a fragment has its type as its own; a product has those of both sides beside it.
  [[nodiscard]] Type TypeOfInput(Type of_product) const {
    const bool moves = instruction_.opcode == Opcode::kWmma && instruction_.mode != Mode::kMma;
    return moves ? instruction_.type : of_product;
  }

  // Registers of a fragment have its width, whatever the elements within them.
  [[nodiscard]] bool FitsFragment(const Operand& operand, MatrixPart part, Type type,
                                  Check check) const {
    const std::uint32_t count = FragmentElements(instruction_, part);
    const Type element = type == Type::kF64 ? Type::kF64 : Type::kB32;
    return count != 0 && FitsElements(operand, count, element, false, check);
  }

  // One element may stand without braces.
  [[nodiscard]] bool FitsElements(const Operand& operand, std::uint32_t count, Type type,
                                  bool or_wider, Check check) const {
    if (operand.kind != Operand::Kind::kVector) {
      return count == 1 && (this->*check)(operand, type, or_wider);
    }
    return operand.elements.size() == count &&
           std::ranges::all_of(operand.elements, [&](const Operand& element) {
             return (this->*check)(element, type, or_wider);
           });
  }

  [[nodiscard]] bool FitsDestination(const Operand& operand, Type type, bool or_wider) const {
    return operand.kind == Operand::Kind::kSink ||
           (operand.kind == Operand::Kind::kRegister && !operand.negated &&
            FitsRegister(operand.type, type, or_wider));
  }

  [[nodiscard]] bool FitsSource(const Operand& operand, Type type, bool or_wider) const {
    switch (operand.kind) {
      case Operand::Kind::kRegister:
        return (!operand.negated || type == Type::kPred) &&
               FitsRegister(operand.type, type, or_wider);
      case Operand::Kind::kSpecial:
        return type != Type::kPred;
      case Operand::Kind::kImmediate:
        return FitsLiteral(operand.type, type);
      case Operand::Kind::kVariable:
      case Operand::Kind::kFunction:
        return IsInteger(type) && SizeOf(type) >= 4 && SizeOf(type) <= 8;
      default:
        return false;
    }
  }

  // A float literal is a float of its width, or the bits of one. Literals of add.f32 and the like
  // have been brought to its width before.
  [[nodiscard]] static bool FitsLiteral(Type has, Type wants) {
    if (IsFloat(wants) || IsFloat(has)) {
      const bool takes_floats = IsFloat(wants) || (wants >= Type::kB8 && wants <= Type::kB128);
      return IsFloat(has) && takes_floats && SizeOf(has) == SizeOf(wants);
    }
    return true;
  }

  [[nodiscard]] static bool FitsRegister(Type has, Type wants, bool or_wider) {
    if (has == Type::kPred || wants == Type::kPred) {
      return has == wants;
    }
    return SizeOf(has) == SizeOf(wants) || (or_wider && SizeOf(has) > SizeOf(wants));
  }

  const Instruction& instruction_;
};

// mov takes a register, or a vector on one side that has together the width of the other.
bool FitsMove(const Instruction& instruction) {
  const auto fits = [&](const Operand& operand, bool is_source) {
    Instruction one = instruction;
    one.operands = {operand};
    return Matcher(one).Match(is_source ? "sT" : "dT", 0) == 2;
  };
  const auto packs = [&](const Operand& operand, bool is_source) {
    std::uint32_t bytes = 0;
    for (const Operand& element : operand.elements) {
      const bool is_register = element.kind == Operand::Kind::kRegister && !element.negated;
      const bool is_other =
          element.kind == (is_source ? Operand::Kind::kImmediate : Operand::Kind::kSink);
      if (!is_register && !is_other) {
        return false;
      }
      const std::uint32_t share =
          SizeOf(instruction.type) / static_cast<std::uint32_t>(operand.elements.size());
      if (is_other && IsFloat(element.type) && SizeOf(element.type) != share) {
        return false;
      }
      bytes += is_register ? SizeOf(element.type) : share;
    }
    return bytes == SizeOf(instruction.type) && !operand.elements.empty();
  };
  if (instruction.operands.size() != 2) {
    return false;
  }
  const Operand& to = instruction.operands[0];
  const Operand& from = instruction.operands[1];
  if (to.kind == Operand::Kind::kVector) {
    return packs(to, false) && fits(from, true);
  }
  return fits(to, false) &&
         (from.kind == Operand::Kind::kVector ? packs(from, true) : fits(from, true));
}

}  // namespace

// Numbers that size what execution does, and that PTX fixes.
std::string CheckNumbers(const Instruction& instruction) {
  if (instruction.opcode == Opcode::kCpAsync && instruction.mode == Mode::kNone) {
    const std::uint64_t bytes = instruction.operands[2].bits;
    const bool is_small = (bytes == 4 || bytes == 8) && instruction.cache_all;
    if (bytes != 16 && !is_small) {
      return "size " + std::to_string(bytes);
    }
  }
  if (instruction.opcode == Opcode::kLop3 && instruction.operands[4].bits > 0xff) {
    return "truth table " + std::to_string(instruction.operands[4].bits);
  }
  return {};
}

std::string CheckOperands(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kCall:
    case Opcode::kBra:
    case Opcode::kBrx:
    case Opcode::kUnsupported:
      return {};
    case Opcode::kMov:
      return FitsMove(instruction) ? std::string() : "operands of another width";
    default:
      break;
  }
  std::string pattern(PatternOf(instruction));
  if (instruction.has_cache_policy) {
    pattern += "sQ";
  }
  const std::size_t fitting = Matcher(instruction).Match(pattern, 0);
  if (fitting > instruction.operands.size()) {
    return CheckNumbers(instruction);
  }
  if (fitting == instruction.operands.size()) {
    return "number of operands, " + std::to_string(fitting);
  }
  return "operand " + std::to_string(fitting + 1) + " of another kind or width";
}

}  // namespace assay::gpu::ptx
