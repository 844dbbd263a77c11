// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_PTX_GRAMMAR_H_
#define ASSAY_EMULATOR_PTX_GRAMMAR_H_

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "emulator/ptx/module.h"
#include "emulator/ptx/words.h"

namespace assay::gpu::ptx {

/// A set of types: bit t is Type t.
using TypeSet = std::uint64_t;
template <class... Types>
constexpr TypeSet SetOf(Types... types) {
  return ((TypeSet{1} << static_cast<unsigned>(types)) | ... | TypeSet{0});
}
constexpr bool Contains(TypeSet set, Type type) {
  return ((set >> static_cast<unsigned>(type)) & 1U) != 0;
}

constexpr TypeSet kAnyType = ~TypeSet{0};

/// A set of values of one enumeration: bit v is value v.
template <class... Values>
constexpr std::uint32_t MaskOf(Values... values) {
  return ((1U << static_cast<unsigned>(values)) | ... | 0U);
}

/// Kinds of modifiers that mean the same on every opcode.
enum ModifierKind : std::uint32_t {
  kNoModifiers = 0,
  kTakesRounding = 1U << 0,
  kTakesFtz = 1U << 1,
  kTakesSat = 1U << 2,
  kTakesCarry = 1U << 3,
  kTakesApprox = 1U << 4,
  kTakesRelu = 1U << 5,
  kTakesNan = 1U << 6,
  kTakesCompare = 1U << 7,
  kTakesBoolOp = 1U << 8,
  kTakesSpace = 1U << 9,
  kTakesUniform = 1U << 10,
  kTakesVector = 1U << 11,
  kTakesXorSign = 1U << 12,
  kTakesCacheHints = 1U << 14,
  kTakesNoFtz = 1U << 15,
  kTakesSync = 1U << 16,
  kTakesAligned = 1U << 17,
  kTakesAtomicOp = 1U << 18,
  kTakesShape = 1U << 19,
  kTakesSatFinite = 1U << 20,
};

/// One form of an opcode: how it may be spelled with some types. `decode` takes the words that are
/// its own before those kinds of modifiers in `takes` are taken; then there must be as many types
/// as said, and all of `needs`. What the form does not take stays and is what the instruction is
/// refused for.
struct Form {
  TypeSet types = 0;  ///< Of the first type.
  std::uint8_t fewest_types = 0;
  std::uint8_t most_types = 0;
  std::uint32_t takes = 0;  ///< ModifierKinds.
  std::uint32_t needs = 0;  ///< ModifierKinds.
  void (*decode)(Words&, Instruction&) = nullptr;
  std::uint32_t only = ~0U;    ///< MaskOf the roundings, comparisons or atomic operations it takes.
  TypeSet sources = kAnyType;  ///< Of the second type.
};

/// What may stand behind one first word: forms that differ in their types.
struct Grammar {
  std::string_view word;
  Opcode opcode;
  std::initializer_list<Form> forms;
};

/// nullptr: no instruction begins with `word`.
[[nodiscard]] const Grammar* FindGrammar(std::string_view word);

// What Form::decode is of the opcodes with words of their own. Each leaves words that it does
// not know in the bag, and the opcode kUnsupported where the words do not make sense together.
void DecodeLowHigh(Words& words, Instruction& instruction);
void DecodeLowHighWide(Words& words, Instruction& instruction);
void DecodeDivide(Words& words, Instruction& instruction);
void DecodeFunnelShift(Words& words, Instruction& instruction);
void DecodeClampWrap(Words& words, Instruction& instruction);
void DecodePermute(Words& words, Instruction& instruction);
void DecodeFindBit(Words& words, Instruction& instruction);
void DecodeSum(Words& words, Instruction& instruction);
void DecodeTestProperty(Words& words, Instruction& instruction);
void DecodeConvertAddress(Words& words, Instruction& instruction);
void DecodeLoad(Words& words, Instruction& instruction);
void DecodeLoadUniform(Words& words, Instruction& instruction);
void DecodeStore(Words& words, Instruction& instruction);
void DecodeAtomic(Words& words, Instruction& instruction);
void DecodeMembar(Words& words, Instruction& instruction);
void DecodeFence(Words& words, Instruction& instruction);
void DecodePrefetch(Words& words, Instruction& instruction);
void DecodePrefetchUniform(Words& words, Instruction& instruction);
void DecodeDiscard(Words& words, Instruction& instruction);
void DecodeApplyPriority(Words& words, Instruction& instruction);
void DecodeBarrier(Words& words, Instruction& instruction);
void DecodeShuffle(Words& words, Instruction& instruction);
void DecodeVote(Words& words, Instruction& instruction);
void DecodeBallot(Words& words, Instruction& instruction);
void DecodeMatch(Words& words, Instruction& instruction);
void DecodeCopyAsync(Words& words, Instruction& instruction);
void DecodeMbarrier(Words& words, Instruction& instruction);
void DecodeLoadMatrix(Words& words, Instruction& instruction);
void DecodeMoveMatrix(Words& words, Instruction& instruction);
void DecodeMma(Words& words, Instruction& instruction);
void DecodeWmma(Words& words, Instruction& instruction);
void DecodeBranchTable(Words& words, Instruction& instruction);
void DecodeGridDependency(Words& words, Instruction& instruction);
void DecodeCachePolicy(Words& words, Instruction& instruction);

}  // namespace assay::gpu::ptx

#endif  // ASSAY_EMULATOR_PTX_GRAMMAR_H_
