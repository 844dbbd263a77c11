// SPDX-License-Identifier: Apache-2.0
#include "emulator/ptx/spelling.h"

#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "emulator/ptx/grammar.h"
#include "emulator/ptx/matrix.h"

namespace assay::gpu::ptx {
namespace {

template <class Value>
using Choice = std::pair<std::string_view, Value>;

constexpr auto kRoundings = std::to_array<Choice<Rounding>>({
    {"rn", Rounding::kRn},
    {"rz", Rounding::kRz},
    {"rm", Rounding::kRm},
    {"rp", Rounding::kRp},
    {"rna", Rounding::kRna},
    {"rni", Rounding::kRni},
    {"rzi", Rounding::kRzi},
    {"rmi", Rounding::kRmi},
    {"rpi", Rounding::kRpi},
});
constexpr auto kCompares = std::to_array<Choice<Compare>>({
    {"eq", Compare::kEq},
    {"ne", Compare::kNe},
    {"lt", Compare::kLt},
    {"le", Compare::kLe},
    {"gt", Compare::kGt},
    {"ge", Compare::kGe},
    {"lo", Compare::kLo},
    {"ls", Compare::kLs},
    {"hi", Compare::kHi},
    {"hs", Compare::kHs},
    {"equ", Compare::kEqu},
    {"neu", Compare::kNeu},
    {"ltu", Compare::kLtu},
    {"leu", Compare::kLeu},
    {"gtu", Compare::kGtu},
    {"geu", Compare::kGeu},
    {"num", Compare::kNum},
    {"nan", Compare::kNan},
});
constexpr auto kBoolOps = std::to_array<Choice<BoolOp>>({
    {"and", BoolOp::kAnd},
    {"or", BoolOp::kOr},
    {"xor", BoolOp::kXor},
});
// A block without a cluster is a cluster of its own, so shared::cluster is its shared memory.
constexpr auto kSpaces = std::to_array<Choice<Space>>({
    {"global", Space::kGlobal},
    {"shared", Space::kShared},
    {"shared::cta", Space::kShared},
    {"shared::cluster", Space::kShared},
    {"local", Space::kLocal},
    {"const", Space::kConst},
    {"param", Space::kParam},
    {"param::entry", Space::kParam},
    {"param::func", Space::kParam},
});
constexpr auto kOrders = std::to_array<Choice<Order>>({
    {"weak", Order::kWeak},
    {"volatile", Order::kVolatile},
    {"relaxed", Order::kRelaxed},
    {"acquire", Order::kAcquire},
    {"release", Order::kRelease},
    {"acq_rel", Order::kAcqRel},
    {"sc", Order::kSc},
});
constexpr auto kScopes = std::to_array<Choice<Scope>>({
    {"cta", Scope::kCta},
    {"cluster", Scope::kCluster},
    {"gpu", Scope::kGpu},
    {"sys", Scope::kSys},
});
constexpr auto kAtomicOps = std::to_array<Choice<AtomicOp>>({
    {"add", AtomicOp::kAdd},
    {"min", AtomicOp::kMin},
    {"max", AtomicOp::kMax},
    {"inc", AtomicOp::kInc},
    {"dec", AtomicOp::kDec},
    {"and", AtomicOp::kAnd},
    {"or", AtomicOp::kOr},
    {"xor", AtomicOp::kXor},
    {"exch", AtomicOp::kExch},
    {"cas", AtomicOp::kCas},
});
constexpr auto kVectors = std::to_array<Choice<std::uint8_t>>({{"v2", 2}, {"v4", 4}, {"v8", 8}});
constexpr std::array<std::string_view, 7> kCacheWords = {"ca", "cg", "cs", "lu", "cv", "wb", "wt"};

template <class Choices, class Field>
bool Assign(Words& words, const Choices& choices, Field& field) {
  const auto value = words.TakeOne(choices);
  if (value) {
    field = *value;
  }
  return value.has_value();
}

bool TakeFlag(Words& words, std::string_view word, bool& flag) {
  flag |= words.Take(word);
  return flag;
}

// L1::evict_last, L2::128B and the like are advice; only the cache_hint comes with an operand.
bool TakeCacheHints(Words& words, Instruction& instruction) {
  bool any = TakeFlag(words, "L2::cache_hint", instruction.has_cache_policy);
  for (const std::string_view word : kCacheWords) {
    any |= words.Take(word);
  }
  while (words.TakePrefix("L1::") || words.TakePrefix("L2::")) {
    any = true;
  }
  return any;
}

bool TakeShape(Words& words, Instruction& instruction) {
  const auto word = words.TakePrefix("m");
  if (!word) {
    return false;
  }
  const char* at = word->data();
  const char* const end = at + word->size();
  // A missing k is 0: ldmatrix.m8n8.
  for (auto [letter, field] : {std::pair{'m', &instruction.m}, std::pair{'n', &instruction.n},
                               std::pair{'k', &instruction.k}}) {
    if (at == end || *at != letter) {
      break;
    }
    at = std::from_chars(at + 1, end, *field).ptr;
  }
  return at == end && instruction.n != 0;
}

// The kinds of modifiers, of those that the opcode takes, that are there.
std::uint32_t TakeModifiers(Words& words, std::uint32_t takes, Instruction& instruction) {
  std::uint32_t seen = 0;
  const auto take = [&](ModifierKind kind, auto&& taken) {
    if ((takes & kind) != 0 && taken()) {
      seen |= kind;
    }
  };
  take(kTakesRounding, [&] { return Assign(words, kRoundings, instruction.rounding); });
  take(kTakesFtz, [&] { return TakeFlag(words, "ftz", instruction.flush_to_zero); });
  take(kTakesSat, [&] { return TakeFlag(words, "sat", instruction.saturate); });
  take(kTakesSatFinite, [&] { return TakeFlag(words, "satfinite", instruction.saturate); });
  take(kTakesCarry, [&] { return TakeFlag(words, "cc", instruction.carry_out); });
  take(kTakesApprox, [&] { return TakeFlag(words, "approx", instruction.approximate); });
  take(kTakesRelu, [&] { return TakeFlag(words, "relu", instruction.relu); });
  take(kTakesNan, [&] { return TakeFlag(words, "NaN", instruction.nan_propagates); });
  take(kTakesCompare, [&] { return Assign(words, kCompares, instruction.compare); });
  take(kTakesBoolOp, [&] { return Assign(words, kBoolOps, instruction.bool_op); });
  take(kTakesSpace, [&] { return Assign(words, kSpaces, instruction.space); });
  take(kTakesUniform, [&] { return TakeFlag(words, "uni", instruction.is_uniform); });
  take(kTakesVector, [&] { return Assign(words, kVectors, instruction.vector); });
  take(kTakesOrder, [&] { return Assign(words, kOrders, instruction.order); });
  take(kTakesScope, [&] { return Assign(words, kScopes, instruction.scope); });
  take(kTakesCacheHints, [&] { return TakeCacheHints(words, instruction); });
  take(kTakesNoFtz, [&] { return words.Take("noftz"); });
  take(kTakesSync, [&] { return words.Take("sync"); });
  take(kTakesAligned, [&] { return TakeFlag(words, "aligned", instruction.aligned); });
  take(kTakesAtomicOp, [&] { return Assign(words, kAtomicOps, instruction.atomic_op); });
  take(kTakesShape, [&] { return TakeShape(words, instruction); });
  return seen;
}

// Takes every word that is a type, in order, and returns how many there were.
std::size_t TakeTypes(Words& words, Instruction& instruction) {
  const std::array fields = {&instruction.type, &instruction.source_type, &instruction.third_type,
                             &instruction.fourth_type};
  std::size_t count = 0;
  for (std::size_t i = 0; i < words.left().size();) {
    const auto type = FindType(words.left()[i]);
    if (!type) {
      ++i;
      continue;
    }
    words.Remove(i);
    if (count < fields.size()) {
      *fields[count] = *type;
    }
    ++count;
  }
  return count;
}

Instruction Unsupported(std::string_view spelling, std::string reason) {
  Instruction instruction;
  instruction.opcode = Opcode::kUnsupported;
  instruction.spelling = spelling;
  instruction.reason = std::move(reason);
  return instruction;
}

// wmma.mma of halves names the types of D and C alone.
void FinishMatrixTypes(std::size_t types, Instruction& instruction) {
  if (instruction.opcode == Opcode::kWmma && instruction.mode == Mode::kMma && types == 2) {
    instruction.fourth_type = instruction.source_type;
    instruction.source_type = Type::kF16;
    instruction.third_type = Type::kF16;
  }
}

// What one word or another has to say: lo or hi of a product, how to round a quotient.
bool IsComplete(std::size_t types, const Instruction& instruction) {
  const bool is_integer = !IsFloat(instruction.type);
  const bool rounds = instruction.rounding != Rounding::kNone || instruction.approximate;
  switch (instruction.opcode) {
    case Opcode::kMul:
    case Opcode::kMad:
    case Opcode::kMul24:
    case Opcode::kMad24:
    case Opcode::kMadc:
      return is_integer == (instruction.mode != Mode::kNone);
    case Opcode::kDp2a:
      return instruction.mode != Mode::kNone;
    case Opcode::kDiv:
      return is_integer || rounds || instruction.mode == Mode::kFull;
    case Opcode::kRcp:
    case Opcode::kSqrt:
      return rounds;
    case Opcode::kWmma:
      return instruction.mode == Mode::kMma
                 ? types != 1 && types != 3
                 : types == 1 && instruction.matrix_part != MatrixPart::kNone;
    case Opcode::kLd:
    case Opcode::kLdu:
    case Opcode::kSt:
    case Opcode::kAtom:
    case Opcode::kRed:
      return SizeOf(instruction.type) * instruction.vector <= 32;
    case Opcode::kLdmatrix:
    case Opcode::kStmatrix:
    case Opcode::kMovmatrix:
      return instruction.m == 8 && instruction.n == 8 && instruction.k == 0;
    case Opcode::kBar:
      return (types == 1) ==
             (instruction.mode >= Mode::kRedPopc && instruction.mode <= Mode::kRedOr);
    default:
      return true;
  }
}

}  // namespace

std::optional<Type> FindType(std::string_view word) {
  for (auto type = Type::kPred; type <= Type::kE5m2x2;
       type = static_cast<Type>(static_cast<std::uint8_t>(type) + 1)) {
    if (ToString(type) == word) {
      return type;
    }
  }
  return std::nullopt;
}

Instruction DecodeSpelling(std::string_view spelling) {
  Words words(spelling);
  const Grammar* const grammar = FindGrammar(words.opcode());
  if (grammar == nullptr) {
    return Unsupported(spelling, "opcode " + std::string(words.opcode()));
  }
  Instruction instruction;
  instruction.opcode = grammar->opcode;
  instruction.spelling = spelling;
  if (grammar->decode != nullptr) {
    grammar->decode(words, instruction);
  }
  const std::uint32_t seen = TakeModifiers(words, grammar->takes, instruction);
  const std::size_t types = TakeTypes(words, instruction);
  if (words.overflow()) {
    return Unsupported(spelling, "number of modifiers");
  }
  if (!words.left().empty()) {
    return Unsupported(spelling, "modifier ." + std::string(words.left().front()));
  }
  if ((grammar->needs & ~seen) != 0 || instruction.opcode == Opcode::kUnsupported ||
      types < grammar->fewest_types || types > grammar->most_types ||
      (types > 0 && !Contains(grammar->types, instruction.type)) ||
      !IsComplete(types, instruction)) {
    return Unsupported(spelling, "combination of modifiers");
  }
  FinishMatrixTypes(types, instruction);
  const bool is_matrix = instruction.opcode == Opcode::kMma || instruction.opcode == Opcode::kWmma;
  if (is_matrix && !IsMatrixOperation(instruction)) {
    return Unsupported(spelling, "shape, types or layout of matrices");
  }
  return instruction;
}

}  // namespace assay::gpu::ptx
