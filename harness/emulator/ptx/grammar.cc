// SPDX-License-Identifier: Apache-2.0
#include "emulator/ptx/grammar.h"

#include <algorithm>
#include <array>

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
constexpr std::uint32_t kMemory = kTakesVector | kTakesCacheHints;
constexpr std::uint32_t kAtomics = kMemory | kTakesAtomicOp;
constexpr std::uint32_t kWarp = kTakesSync | kTakesAligned;
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

// Sorted by name.
constexpr auto kGrammars = std::to_array<Grammar>({
    {"abs", Opcode::kAbs, kSigned | kUnflushed, 1, 1},
    {"abs", Opcode::kAbs, kFlushed, 1, 1, kTakesFtz},
    {"activemask", Opcode::kActivemask, SetOf(kB32), 1, 1},
    {"add", Opcode::kAdd, SetOf(kS32), 1, 1, kTakesCarry | kTakesSat},
    {"add", Opcode::kAdd, SetOf(kU32) | kDoubles, 1, 1, kTakesCarry},
    {"add", Opcode::kAdd, kShorts | SetOf(kU16x2, kS16x2), 1, 1},
    {"add", Opcode::kAdd, kSingle, 1, 1, kFloatModifiers, 0, nullptr, kDirected},
    {"add", Opcode::kAdd, kDouble, 1, 1, kTakesRounding, 0, nullptr, kDirected},
    {"add", Opcode::kAdd, kHalf, 1, 1, kFloatModifiers, 0, nullptr, kNearest},
    {"add", Opcode::kAdd, kBrain, 1, 1, kTakesRounding, 0, nullptr, kNearest},
    {"addc", Opcode::kAddc, kIntegersOf32And64, 1, 1, kTakesCarry},
    {"alloca", Opcode::kAlloca, SetOf(kU32, kU64), 1, 1},
    {"and", Opcode::kAnd, kBits | SetOf(kPred), 1, 1},
    {"applypriority", Opcode::kApplyPriority, 0, 0, 0, 0, 0, DecodeApplyPriority},
    {"atom", Opcode::kAtom, SetOf(kU32), 1, 1, kAtomics, kTakesAtomicOp, DecodeAtomic, kCounts},
    {"atom", Opcode::kAtom, SetOf(kS32) | kDoubles, 1, 1, kAtomics, kTakesAtomicOp, DecodeAtomic,
     kSums},
    {"atom", Opcode::kAtom, SetOf(kB16), 1, 1, kAtomics, kTakesAtomicOp, DecodeAtomic,
     kCompareAndSwap},
    {"atom", Opcode::kAtom, SetOf(kB32, kB64), 1, 1, kAtomics, kTakesAtomicOp, DecodeAtomic,
     kLogic | kExchanges},
    {"atom", Opcode::kAtom, SetOf(kB128), 1, 1, kAtomics, kTakesAtomicOp, DecodeAtomic, kExchanges},
    {"atom", Opcode::kAtom, kSingles, 1, 1, kAtomics, kTakesAtomicOp, DecodeAtomic, kSum},
    {"atom", Opcode::kAtom, kHalves, 1, 1, kAtomics | kTakesNoFtz, kTakesAtomicOp | kTakesNoFtz,
     DecodeAtomic, kSums},
    {"bar", Opcode::kBar, SetOf(kU32, kPred), 0, 1, 0, 0, DecodeBarrier},
    {"barrier", Opcode::kBar, SetOf(kU32, kPred), 0, 1, kTakesAligned, 0, DecodeBarrier},
    {"bfe", Opcode::kBfe, kIntegersOf32And64, 1, 1},
    {"bfi", Opcode::kBfi, SetOf(kB32, kB64), 1, 1},
    {"bfind", Opcode::kBfind, kIntegersOf32And64, 1, 1, 0, 0, DecodeFindBit},
    {"bmsk", Opcode::kBmsk, SetOf(kB32), 1, 1, 0, 0, DecodeClampWrap},
    {"bra", Opcode::kBra, 0, 0, 0, kTakesUniform},
    {"brev", Opcode::kBrev, SetOf(kB32, kB64), 1, 1},
    {"brkpt", Opcode::kBrkpt},
    {"brx", Opcode::kBrx, 0, 0, 0, kTakesUniform, 0, DecodeBranchTable},
    {"call", Opcode::kCall, 0, 0, 0, kTakesUniform},
    {"clz", Opcode::kClz, SetOf(kB32, kB64), 1, 1},
    {"cnot", Opcode::kCnot, kBits, 1, 1},
    {"copysign", Opcode::kCopysign, kSingles, 1, 1},
    {"cos", Opcode::kCos, kSingle, 1, 1, kApproximate, kTakesApprox},
    {"cp", Opcode::kCpAsync, SetOf(kB64), 0, 1, 0, 0, DecodeCopyAsync},
    {"createpolicy", Opcode::kCreatePolicy, SetOf(kB64), 1, 1, 0, 0, DecodeCachePolicy},
    {"cvt", Opcode::kCvt, kConvertible, 2, 2, kFloatModifiers | kTakesRelu | kTakesSatFinite, 0,
     nullptr, ~0U, kConvertible & ~SetOf(kTf32)},
    {"cvta", Opcode::kCvta, SetOf(kU32, kU64), 1, 1, kTakesSpace, kTakesSpace,
     DecodeConvertAddress},
    {"discard", Opcode::kDiscard, 0, 0, 0, 0, 0, DecodeDiscard},
    {"div", Opcode::kDiv, kSingle, 1, 1, kTakesRounding | kApproximate, 0, DecodeDivide, kDirected},
    {"div", Opcode::kDiv, kDouble, 1, 1, kTakesRounding, kTakesRounding, nullptr, kDirected},
    {"div", Opcode::kDiv, kWideInts, 1, 1},
    {"dp2a", Opcode::kDp2a, kWords, 2, 2, 0, 0, DecodeLowHigh, ~0U, kWords},
    {"dp4a", Opcode::kDp4a, kWords, 2, 2, 0, 0, nullptr, ~0U, kWords},
    {"elect", Opcode::kElect, 0, 0, 0, kTakesSync, kTakesSync},
    {"ex2", Opcode::kEx2, kFlushed, 1, 1, kApproximate, kTakesApprox},
    {"ex2", Opcode::kEx2, kBrain, 1, 1, kApproximate, kApproximate},
    {"exit", Opcode::kExit},
    {"fence", Opcode::kFence, 0, 0, 0, 0, 0, DecodeFence},
    {"fma", Opcode::kFma, kSingle, 1, 1, kFloatModifiers, kTakesRounding, nullptr, kDirected},
    {"fma", Opcode::kFma, kDouble, 1, 1, kTakesRounding, kTakesRounding, nullptr, kDirected},
    {"fma", Opcode::kFma, kHalf, 1, 1, kFloatModifiers | kTakesRelu, kTakesRounding, nullptr,
     kNearest},
    {"fma", Opcode::kFma, kBrain, 1, 1, kTakesRounding | kTakesRelu, kTakesRounding, nullptr,
     kNearest},
    {"fns", Opcode::kFns, SetOf(kB32), 1, 1},
    {"griddepcontrol", Opcode::kGriddep, 0, 0, 0, 0, 0, DecodeGridDependency},
    {"isspacep", Opcode::kIsspacep, 0, 0, 0, kTakesSpace, kTakesSpace},
    {"ld", Opcode::kLd, kLoadable, 1, 1, kMemory, 0, DecodeLoad},
    {"ldmatrix", Opcode::kLdmatrix, SetOf(kB16), 1, 1, kWarp | kTakesShape, kWarp | kTakesShape,
     DecodeLoadMatrix},
    {"ldu", Opcode::kLdu, kLoadable, 1, 1, kTakesVector, 0, DecodeLoadUniform},
    {"lg2", Opcode::kLg2, kSingle, 1, 1, kApproximate, kTakesApprox},
    {"lop3", Opcode::kLop3, SetOf(kB32), 1, 1},
    {"mad", Opcode::kMad, SetOf(kS32), 1, 1, kTakesCarry | kTakesSat, 0, DecodeLowHighWide},
    {"mad", Opcode::kMad, SetOf(kU32), 1, 1, kTakesCarry, 0, DecodeLowHighWide},
    {"mad", Opcode::kMad, kDoubles, 1, 1, kTakesCarry, 0, DecodeLowHigh},
    {"mad", Opcode::kMad, kShorts, 1, 1, 0, 0, DecodeLowHighWide},
    {"mad", Opcode::kMad, kSingle, 1, 1, kFloatModifiers, 0, nullptr, kDirected},
    {"mad", Opcode::kMad, kDouble, 1, 1, kTakesRounding, kTakesRounding, nullptr, kDirected},
    {"mad24", Opcode::kMad24, SetOf(kS32), 1, 1, kTakesSat, 0, DecodeLowHigh},
    {"mad24", Opcode::kMad24, SetOf(kU32), 1, 1, 0, 0, DecodeLowHigh},
    {"madc", Opcode::kMadc, kIntegersOf32And64, 1, 1, kTakesCarry, 0, DecodeLowHigh},
    {"match", Opcode::kMatch, SetOf(kB32, kB64), 1, 1, kTakesSync, kTakesSync, DecodeMatch},
    {"max", Opcode::kMax, SetOf(kS32, kS16x2), 1, 1, kTakesRelu},
    {"max", Opcode::kMax, kShorts | kDoubles | SetOf(kU32, kU16x2) | kDouble, 1, 1},
    {"max", Opcode::kMax, kFlushed, 1, 1, kTakesFtz | kTakesNan | kTakesXorSign},
    {"max", Opcode::kMax, kBrain, 1, 1, kTakesNan | kTakesXorSign},
    {"mbarrier", Opcode::kMbarrier, SetOf(kB64), 1, 1, 0, 0, DecodeMbarrier},
    {"membar", Opcode::kMembar, 0, 0, 0, 0, 0, DecodeMembar},
    {"min", Opcode::kMin, SetOf(kS32, kS16x2), 1, 1, kTakesRelu},
    {"min", Opcode::kMin, kShorts | kDoubles | SetOf(kU32, kU16x2) | kDouble, 1, 1},
    {"min", Opcode::kMin, kFlushed, 1, 1, kTakesFtz | kTakesNan | kTakesXorSign},
    {"min", Opcode::kMin, kBrain, 1, 1, kTakesNan | kTakesXorSign},
    {"mma", Opcode::kMma, SetOf(kS32), 4, 4, kWarp | kTakesShape | kTakesSatFinite,
     kWarp | kTakesShape, DecodeMma},
    {"mma", Opcode::kMma, kAnyType, 4, 4, kWarp | kTakesShape, kWarp | kTakesShape, DecodeMma},
    {"mov", Opcode::kMov, kMovable | SetOf(kB128, kF16, kF16x2, kBf16, kBf16x2), 1, 1},
    {"movmatrix", Opcode::kMovmatrix, SetOf(kB16), 1, 1, kWarp | kTakesShape, kWarp | kTakesShape,
     DecodeMoveMatrix},
    {"mul", Opcode::kMul, kShorts | kWords, 1, 1, 0, 0, DecodeLowHighWide},
    {"mul", Opcode::kMul, kDoubles, 1, 1, 0, 0, DecodeLowHigh},
    {"mul", Opcode::kMul, kSingle, 1, 1, kFloatModifiers, 0, nullptr, kDirected},
    {"mul", Opcode::kMul, kDouble, 1, 1, kTakesRounding, 0, nullptr, kDirected},
    {"mul", Opcode::kMul, kHalf, 1, 1, kFloatModifiers, 0, nullptr, kNearest},
    {"mul", Opcode::kMul, kBrain, 1, 1, kTakesRounding, 0, nullptr, kNearest},
    {"mul24", Opcode::kMul24, kWords, 1, 1, 0, 0, DecodeLowHigh},
    {"nanosleep", Opcode::kNanosleep, SetOf(kU32), 1, 1},
    {"neg", Opcode::kNeg, kSigned | kUnflushed, 1, 1},
    {"neg", Opcode::kNeg, kFlushed, 1, 1, kTakesFtz},
    {"not", Opcode::kNot, kBits | SetOf(kPred), 1, 1},
    {"or", Opcode::kOr, kBits | SetOf(kPred), 1, 1},
    {"pmevent", Opcode::kPmevent},
    {"popc", Opcode::kPopc, SetOf(kB32, kB64), 1, 1},
    {"prefetch", Opcode::kPrefetch, 0, 0, 0, 0, 0, DecodePrefetch},
    {"prefetchu", Opcode::kPrefetch, 0, 0, 0, 0, 0, DecodePrefetchUniform},
    {"prmt", Opcode::kPrmt, SetOf(kB32), 1, 1, 0, 0, DecodePermute},
    {"rcp", Opcode::kRcp, kSingles, 1, 1, kTakesRounding | kApproximate, 0, nullptr, kDirected},
    {"red", Opcode::kRed, SetOf(kU32), 1, 1, kAtomics, kTakesAtomicOp, DecodeAtomic, kCounts},
    {"red", Opcode::kRed, SetOf(kS32) | kDoubles, 1, 1, kAtomics, kTakesAtomicOp, DecodeAtomic,
     kSums},
    {"red", Opcode::kRed, SetOf(kB32, kB64), 1, 1, kAtomics, kTakesAtomicOp, DecodeAtomic, kLogic},
    {"red", Opcode::kRed, kSingles, 1, 1, kAtomics, kTakesAtomicOp, DecodeAtomic, kSum},
    {"red", Opcode::kRed, kHalves, 1, 1, kAtomics | kTakesNoFtz, kTakesAtomicOp | kTakesNoFtz,
     DecodeAtomic, kSums},
    {"redux", Opcode::kRedux, kWords, 1, 1, kTakesSync | kTakesAtomicOp,
     kTakesSync | kTakesAtomicOp, nullptr, kSums},
    {"redux", Opcode::kRedux, SetOf(kB32), 1, 1, kTakesSync | kTakesAtomicOp,
     kTakesSync | kTakesAtomicOp, nullptr, kLogic},
    {"rem", Opcode::kRem, kWideInts, 1, 1},
    {"ret", Opcode::kRet, 0, 0, 0, kTakesUniform},
    {"rsqrt", Opcode::kRsqrt, kSingles, 1, 1, kApproximate, kTakesApprox},
    {"sad", Opcode::kSad, kWideInts, 1, 1},
    {"selp", Opcode::kSelp, kSelectable, 1, 1},
    {"set", Opcode::kSet, kSettable, 2, 2, kComparison | kTakesFtz, kTakesCompare, nullptr,
     kEquality, kBits},
    {"set", Opcode::kSet, kSettable, 2, 2, kComparison | kTakesFtz, kTakesCompare, nullptr, kOfInts,
     kWideInts},
    {"set", Opcode::kSet, kSettable, 2, 2, kComparison | kTakesFtz, kTakesCompare, nullptr,
     kOfFloats, kFloats},
    {"setp", Opcode::kSetp, kBits, 1, 1, kComparison, kTakesCompare, nullptr, kEquality},
    {"setp", Opcode::kSetp, kWideInts, 1, 1, kComparison, kTakesCompare, nullptr, kOfInts},
    {"setp", Opcode::kSetp, kFlushed, 1, 1, kComparison | kTakesFtz, kTakesCompare, nullptr,
     kOfFloats},
    {"setp", Opcode::kSetp, kUnflushed, 1, 1, kComparison, kTakesCompare, nullptr, kOfFloats},
    {"shf", Opcode::kShf, SetOf(kB32), 1, 1, 0, 0, DecodeFunnelShift},
    {"shfl", Opcode::kShfl, SetOf(kB32), 1, 1, kTakesSync, kTakesSync, DecodeShuffle},
    {"shl", Opcode::kShl, kBits, 1, 1},
    {"shr", Opcode::kShr, kBits | kWideInts, 1, 1},
    {"sin", Opcode::kSin, kSingle, 1, 1, kApproximate, kTakesApprox},
    {"slct", Opcode::kSlct, kSelectable, 2, 2, 0, 0, nullptr, ~0U, SetOf(kS32)},
    {"slct", Opcode::kSlct, kSelectable, 2, 2, kTakesFtz, 0, nullptr, ~0U, kSingle},
    {"sqrt", Opcode::kSqrt, kSingle, 1, 1, kTakesRounding | kApproximate, 0, nullptr, kDirected},
    {"sqrt", Opcode::kSqrt, kDouble, 1, 1, kTakesRounding, kTakesRounding, nullptr, kDirected},
    {"st", Opcode::kSt, kLoadable, 1, 1, kMemory, 0, DecodeStore},
    {"stackrestore", Opcode::kStackrestore, SetOf(kU32, kU64), 1, 1},
    {"stacksave", Opcode::kStacksave, SetOf(kU32, kU64), 1, 1},
    {"stmatrix", Opcode::kStmatrix, SetOf(kB16), 1, 1, kWarp | kTakesShape, kWarp | kTakesShape,
     DecodeLoadMatrix},
    {"sub", Opcode::kSub, SetOf(kS32), 1, 1, kTakesCarry | kTakesSat},
    {"sub", Opcode::kSub, SetOf(kU32) | kDoubles, 1, 1, kTakesCarry},
    {"sub", Opcode::kSub, kShorts, 1, 1},
    {"sub", Opcode::kSub, kSingle, 1, 1, kFloatModifiers, 0, nullptr, kDirected},
    {"sub", Opcode::kSub, kDouble, 1, 1, kTakesRounding, 0, nullptr, kDirected},
    {"sub", Opcode::kSub, kHalf, 1, 1, kFloatModifiers, 0, nullptr, kNearest},
    {"sub", Opcode::kSub, kBrain, 1, 1, kTakesRounding, 0, nullptr, kNearest},
    {"subc", Opcode::kSubc, kIntegersOf32And64, 1, 1, kTakesCarry},
    {"szext", Opcode::kSzext, kWords, 1, 1, 0, 0, DecodeClampWrap},
    {"tanh", Opcode::kTanh, kSingle | kHalves, 1, 1, kTakesApprox, kTakesApprox},
    {"testp", Opcode::kTestp, kSingles, 1, 1, 0, 0, DecodeTestProperty},
    {"trap", Opcode::kTrap},
    {"vote", Opcode::kVote, SetOf(kPred), 1, 1, kTakesSync, kTakesSync, DecodeVote},
    {"vote", Opcode::kVote, SetOf(kB32), 1, 1, kTakesSync, kTakesSync, DecodeBallot},
    {"wmma", Opcode::kWmma, SetOf(kS32), 1, 4, kWarp | kTakesShape | kTakesSatFinite,
     kWarp | kTakesShape, DecodeWmma},
    {"wmma", Opcode::kWmma, kAnyType, 1, 4, kWarp | kTakesShape, kWarp | kTakesShape, DecodeWmma},
    {"xor", Opcode::kXor, kBits | SetOf(kPred), 1, 1},
});
static_assert(std::ranges::is_sorted(kGrammars, {}, &Grammar::name));

}  // namespace

std::span<const Grammar> FindForms(std::string_view opcode) {
  const auto forms = std::ranges::equal_range(kGrammars, opcode, {}, &Grammar::name);
  return {forms.begin(), forms.end()};
}

}  // namespace assay::gpu::ptx
