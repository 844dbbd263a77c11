// SPDX-License-Identifier: Apache-2.0
#include "emulator/ptx/operand_pattern.h"

#include <algorithm>
#include <iterator>

#include "emulator/ptx/matrix.h"
#include "emulator/ptx/words.h"

namespace assay::gpu::ptx {
namespace {

std::string_view AtomicPattern(const Instruction& instruction) {
  return instruction.atomic_op == AtomicOp::kCas ? "dT[]sTsT" : "dv[]sv";
}

std::string_view BarrierPattern(const Instruction& instruction) {
  switch (instruction.mode) {
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

std::string_view CachePolicyPattern(const Instruction& instruction) {
  Words words(instruction.spelling);
  if (words.Take("range")) {
    return "dQ[]sWsW";
  }
  return words.Take("cvt") ? "dQsQ" : "dQsf?";
}

std::string_view CopyAsyncPattern(const Instruction& instruction) {
  switch (instruction.mode) {
    case Mode::kCommitGroup:
    case Mode::kWaitAll:
      return "";
    case Mode::kWaitGroup:
      return "##";
    case Mode::kMbarrierArrive:
      return "[]";
    default:
      break;
  }
  // What is read of the source: so many bytes, or none where a predicate says so.
  const auto& operands = instruction.operands;
  const bool has_predicate = operands.size() > 3 && operands[3].type == Type::kPred;
  return has_predicate ? "[][]##sP?" : "[][]##sW?";
}

std::string_view BulkCopyPattern(const Instruction& instruction) {
  switch (instruction.mode) {
    case Mode::kCommitGroup:
      return "";
    case Mode::kWaitGroup:
      return "##";
    case Mode::kL2:
      return "[]sW";
    case Mode::kMbarrierArrive:
      return "[][]sW[]";
    default:
      return "[][]sW";
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

std::string_view MatchPattern(const Instruction& instruction) {
  return instruction.mode == Mode::kAll ? "dW|PsTsW" : "dWsTsW";
}

// A vector on one side, at most.
std::string_view MovePattern(const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const bool unpacks = !operands.empty() && operands[0].kind == Operand::Kind::kVector;
  return unpacks ? "dpsT" : "dTsp";
}

std::string_view VotePattern(const Instruction& instruction) {
  return instruction.mode == Mode::kBallot ? "dWsPsW" : "dPsPsW";
}

// A pattern as it stands, or what gives it for an instruction.
struct PatternRule {
  std::string_view text;
  std::string_view (*of)(const Instruction&) = nullptr;
};
constexpr PatternRule RuleOf(std::string_view text) { return {text}; }
constexpr PatternRule RuleOf(std::string_view (*of)(const Instruction&)) { return {{}, of}; }

constexpr PatternRule kRules[] = {
#define INSTRUCTION(opcode, name, operands, ...) RuleOf(operands),
#include "emulator/ptx/instructions.inc"
    RuleOf("*"),  // kUnsupported
};
static_assert(std::size(kRules) == static_cast<std::size_t>(Opcode::kUnsupported) + 1);
static_assert(std::ranges::all_of(kRules, [](const PatternRule& rule) {
  return rule.of != nullptr || IsWellFormed(rule.text);
}));

Role RoleOf(char letter) {
  switch (letter) {
    case '[':
      return Role::kAddress;
    case '#':
      return Role::kNumber;
    case 's':
      return Role::kSource;
    default:
      return Role::kDestination;
  }
}

}  // namespace

OperandPattern::OperandPattern(const Instruction& instruction) : instruction_(instruction) {
  const PatternRule& rule = kRules[static_cast<std::size_t>(instruction.opcode)];
  text_ = rule.of == nullptr ? rule.text : rule.of(instruction);
}

std::size_t OperandPattern::Count(Optional optional) const {
  std::size_t count = 0;
  while (!CodeAt(count, optional).empty()) {
    ++count;
  }
  return count;
}

Place OperandPattern::At(std::size_t index, Optional optional) const {
  const std::string_view code = CodeAt(index, optional);
  return code.empty() ? Place{} : Decode(code[0], code[1]);
}

// The two characters of operand `index`; empty: there is none such.
std::string_view OperandPattern::CodeAt(std::size_t index, Optional optional) const {
  if (IsReadApart()) {
    return {};
  }
  for (std::string_view rest = text_; !rest.empty();) {
    const std::string_view code = rest.substr(0, 2);
    const bool may_be_missing = rest.size() > 2 && rest[2] == '?';
    rest.remove_prefix(may_be_missing ? 3 : 2);
    const bool is_missing = (may_be_missing && optional == Optional::kMissing) ||
                            (code[0] == '|' && !instruction_.has_second_destination);
    if (!is_missing && index-- == 0) {
      return code;
    }
  }
  return index == 0 && instruction_.has_cache_policy ? "sQ" : std::string_view();
}

// Of one value.
Type OperandPattern::TypeOf(char width) const {
  switch (width) {
    case 'S':
    case 'R':
      return instruction_.source_type;
    case 'D':
      return SizeOf(instruction_.type) == 2 ? Type::kU32 : Type::kU64;
    case 'W':
    case '#':
      return Type::kU32;
    case 'Q':
    case ']':
      return Type::kU64;
    case 'P':
      return Type::kPred;
    case 'f':
      return Type::kF32;
    case 'm':
      return Type::kB32;
    default:
      return instruction_.type;
  }
}

Place OperandPattern::Decode(char role, char width) const {
  const Type type = TypeOf(width);
  Place place{.role = RoleOf(role), .type = type};
  switch (width) {
    case 'r':
    case 'R':
      place.or_wider = IsInteger(type);
      break;
    case 'v':
    case 'V':
      place.shape = OperandShape::kElements;
      place.elements = instruction_.vector;
      place.or_wider = width == 'V' && IsInteger(type);
      break;
    case 'm':
      place.shape = OperandShape::kElements;
      place.elements = instruction_.count;
      break;
    case 'p':
      place.shape = OperandShape::kPacked;
      break;
    case 'A':
      return FragmentAt(place.role, MatrixPart::kA, instruction_.source_type);
    case 'B':
      return FragmentAt(place.role, MatrixPart::kB, instruction_.third_type);
    case 'C':
      return FragmentAt(place.role, MatrixPart::kC, instruction_.fourth_type);
    case 'E':
      return FragmentAt(place.role, MatrixPart::kD, type);
    default:
      break;
  }
  return place;
}

// What moves a fragment has its type as its own; a product has those of both sides beside it.
// Registers have the fragment's width, whatever the elements within them.
Place OperandPattern::FragmentAt(Role role, MatrixPart part, Type of_product) const {
  const bool moves = instruction_.opcode == Opcode::kWmma && instruction_.mode != Mode::kMma;
  const Type type = moves ? instruction_.type : of_product;
  return {.role = role,
          .shape = OperandShape::kFragment,
          .type = type == Type::kF64 ? Type::kF64 : Type::kB32,
          .elements = FragmentElements(instruction_, part)};
}

Place PlaceOf(const Instruction& instruction, std::size_t index) {
  const OperandPattern pattern(instruction);
  const bool misses = pattern.Count(Optional::kMissing) == instruction.operands.size();
  return pattern.At(index, misses ? Optional::kMissing : Optional::kThere);
}

}  // namespace assay::gpu::ptx
