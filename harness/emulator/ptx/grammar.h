// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_PTX_GRAMMAR_H_
#define ASSAY_EMULATOR_PTX_GRAMMAR_H_

#include <cstdint>
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
  kTakesOrder = 1U << 12,
  kTakesScope = 1U << 13,
  kTakesCacheHints = 1U << 14,
  kTakesNoFtz = 1U << 15,
  kTakesSync = 1U << 16,
  kTakesAligned = 1U << 17,
  kTakesAtomicOp = 1U << 18,
  kTakesShape = 1U << 19,
  kTakesSatFinite = 1U << 20,
};

/// How an opcode may be spelled. `decode` takes the words that are its own before those kinds of
/// modifiers in `takes` are taken; then there must be as many types of `types` as said, and all
/// of `needs`.
struct Grammar {
  std::string_view name;
  Opcode opcode;
  TypeSet types = 0;  ///< Of the first type. A second may be any.
  std::uint8_t fewest_types = 0;
  std::uint8_t most_types = 0;
  std::uint32_t takes = 0;  ///< ModifierKinds.
  std::uint32_t needs = 0;  ///< ModifierKinds.
  void (*decode)(Words&, Instruction&) = nullptr;
};

/// Null: no such opcode.
[[nodiscard]] const Grammar* FindGrammar(std::string_view opcode);

// What Grammar::decode is of the opcodes with words of their own. Each leaves words that it does
// not know in the bag, and the opcode kUnsupported where the words do not make sense together.
void DecodeLowHighWide(Words& words, Instruction& instruction);
void DecodeDivide(Words& words, Instruction& instruction);
void DecodeFunnelShift(Words& words, Instruction& instruction);
void DecodeClampWrap(Words& words, Instruction& instruction);
void DecodePermute(Words& words, Instruction& instruction);
void DecodeFindBit(Words& words, Instruction& instruction);
void DecodeTestProperty(Words& words, Instruction& instruction);
void DecodeConvertAddress(Words& words, Instruction& instruction);
void DecodeLoadStore(Words& words, Instruction& instruction);
void DecodeAtomic(Words& words, Instruction& instruction);
void DecodeMembar(Words& words, Instruction& instruction);
void DecodeFence(Words& words, Instruction& instruction);
void DecodePrefetch(Words& words, Instruction& instruction);
void DecodeBarrier(Words& words, Instruction& instruction);
void DecodeShuffle(Words& words, Instruction& instruction);
void DecodeVote(Words& words, Instruction& instruction);
void DecodeCopyAsync(Words& words, Instruction& instruction);
void DecodeMbarrier(Words& words, Instruction& instruction);
void DecodeLoadMatrix(Words& words, Instruction& instruction);
void DecodeMma(Words& words, Instruction& instruction);
void DecodeWmma(Words& words, Instruction& instruction);
void DecodeBranchTable(Words& words, Instruction& instruction);
void DecodeGridDependency(Words& words, Instruction& instruction);
void DecodeCachePolicy(Words& words, Instruction& instruction);

}  // namespace assay::gpu::ptx

#endif  // ASSAY_EMULATOR_PTX_GRAMMAR_H_
