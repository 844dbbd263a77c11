// SPDX-License-Identifier: Apache-2.0
#include "emulator/ptx/grammar.h"

#include <algorithm>
#include <iterator>

namespace assay::gpu::ptx {
namespace {

using enum Type;

constexpr TypeSet kShorts = SetOf(kU16, kS16);
constexpr TypeSet kWords = SetOf(kU32, kS32);
constexpr TypeSet kDoubles = SetOf(kU64, kS64);
constexpr TypeSet kIntegersOf32And64 = kWords | kDoubles;
constexpr TypeSet kWideInts = kShorts | kIntegersOf32And64;
constexpr TypeSet kSigned = SetOf(kS16, kS32, kS64);
constexpr TypeSet kBits = SetOf(kB16, kB32, kB64);
constexpr TypeSet kHalf = SetOf(kF16, kF16x2);
constexpr TypeSet kBrain = SetOf(kBf16, kBf16x2);
constexpr TypeSet kHalves = kHalf | kBrain;
constexpr TypeSet kSingle = SetOf(kF32);
constexpr TypeSet kDouble = SetOf(kF64);
constexpr TypeSet kSingles = kSingle | kDouble;
constexpr TypeSet kFloats = kSingles | kHalves;
// Those that flush subnormals, and those that do not.
constexpr TypeSet kFlushed = kSingle | kHalf;
constexpr TypeSet kUnflushed = kDouble | kBrain;
constexpr TypeSet kMovable = kWideInts | kBits | kSingles | SetOf(kPred);
constexpr TypeSet kLoadable =
    kWideInts | kBits | kSingles | SetOf(kB8, kU8, kS8, kB128, kF16, kF16x2, kBf16, kBf16x2);
constexpr TypeSet kSelectable = kBits | kWideInts | kSingles;
constexpr TypeSet kSettable = SetOf(kU16, kS16, kU32, kS32, kF32) | kHalves;
constexpr TypeSet kConvertible = kWideInts | kFloats | SetOf(kU8, kS8, kTf32, kE4m3x2, kE5m2x2);

constexpr std::uint32_t kFloatModifiers = kTakesRounding | kTakesFtz | kTakesSat;
constexpr std::uint32_t kApproximate = kTakesApprox | kTakesFtz;
constexpr std::uint32_t kAccess = kTakesVector | kTakesCacheHints;
constexpr std::uint32_t kAtomics = kAccess | kTakesAtomicOp;
constexpr std::uint32_t kTogether = kTakesSync | kTakesAligned;
constexpr std::uint32_t kComparison = kTakesCompare | kTakesBoolOp;

constexpr std::uint32_t kNearest = MaskOf(Rounding::kRn);
constexpr std::uint32_t kDirected =
    MaskOf(Rounding::kRn, Rounding::kRz, Rounding::kRm, Rounding::kRp);
constexpr std::uint32_t kEquality = MaskOf(Compare::kEq, Compare::kNe);
constexpr std::uint32_t kOrdered =
    kEquality | MaskOf(Compare::kLt, Compare::kLe, Compare::kGt, Compare::kGe);
// PTX has lo, ls, hi and hs for unsigned integers; ptxas was not seen to refuse signed ones.
constexpr std::uint32_t kOfInts =
    kOrdered | MaskOf(Compare::kLo, Compare::kLs, Compare::kHi, Compare::kHs);
constexpr std::uint32_t kOfFloats =
    kOrdered | MaskOf(Compare::kEqu, Compare::kNeu, Compare::kLtu, Compare::kLeu, Compare::kGtu,
                      Compare::kGeu, Compare::kNum, Compare::kNan);
constexpr std::uint32_t kSum = MaskOf(AtomicOp::kAdd);
constexpr std::uint32_t kExtremes = MaskOf(AtomicOp::kMin, AtomicOp::kMax);
constexpr std::uint32_t kSums = kSum | kExtremes;
constexpr std::uint32_t kCounts = kSums | MaskOf(AtomicOp::kInc, AtomicOp::kDec);
constexpr std::uint32_t kLogic = MaskOf(AtomicOp::kAnd, AtomicOp::kOr, AtomicOp::kXor);
constexpr std::uint32_t kExchanges = MaskOf(AtomicOp::kExch, AtomicOp::kCas);
constexpr std::uint32_t kCompareAndSwap = MaskOf(AtomicOp::kCas);

constexpr Grammar kGrammars[] = {
#define INSTRUCTION(opcode, name, operands, group, ...) {name, Opcode::opcode, {__VA_ARGS__}},
#define SPELLING(opcode, word, ...) {word, Opcode::opcode, {__VA_ARGS__}},
#include "emulator/ptx/instructions.inc"
};
static_assert(std::ranges::is_sorted(kGrammars, {}, &Grammar::word));

}  // namespace

const Grammar* FindGrammar(std::string_view word) {
  const auto* const found = std::ranges::lower_bound(kGrammars, word, {}, &Grammar::word);
  const bool has_forms =
      found != std::end(kGrammars) && found->word == word && found->forms.size() != 0;
  return has_forms ? found : nullptr;
}

}  // namespace assay::gpu::ptx
