// SPDX-License-Identifier: Apache-2.0
#include "emulator/ptx/grammar.h"

#include <algorithm>
#include <array>

namespace assay::gpu::ptx {
namespace {

using enum Type;

constexpr TypeSet kWideInts = SetOf(kU16, kU32, kU64, kS16, kS32, kS64);
constexpr TypeSet kWords = SetOf(kU32, kS32);
constexpr TypeSet kIntegersOf32And64 = SetOf(kU32, kS32, kU64, kS64);
constexpr TypeSet kBits = SetOf(kB16, kB32, kB64);
constexpr TypeSet kHalves = SetOf(kF16, kF16x2, kBf16, kBf16x2);
constexpr TypeSet kFloats = SetOf(kF32, kF64) | kHalves;
constexpr TypeSet kSingles = SetOf(kF32, kF64);
constexpr TypeSet kMovable = kWideInts | kBits | kSingles | SetOf(kPred);
constexpr TypeSet kLoadable =
    kWideInts | kBits | kSingles | SetOf(kB8, kU8, kS8, kB128, kF16, kF16x2, kBf16, kBf16x2);
constexpr TypeSet kAtomics = SetOf(kB16, kB32, kB64, kB128, kU32, kU64, kS32, kS64) | kFloats;
constexpr TypeSet kConvertible = kWideInts | kFloats | SetOf(kU8, kS8, kTf32, kE4m3x2, kE5m2x2);
constexpr TypeSet kAny = ~TypeSet{0};

constexpr std::uint32_t kFloatModifiers = kTakesRounding | kTakesFtz | kTakesSat;
constexpr std::uint32_t kApproximate = kTakesApprox | kTakesFtz;
constexpr std::uint32_t kMemory =
    kTakesSpace | kTakesVector | kTakesOrder | kTakesScope | kTakesCacheHints;
constexpr std::uint32_t kWarp = kTakesSync | kTakesAligned;

// Sorted by name.
constexpr auto kGrammars = std::to_array<Grammar>({
    {"abs", Opcode::kAbs, kWideInts | kFloats, 1, 1, kTakesFtz},
    {"activemask", Opcode::kActivemask, SetOf(kB32), 1, 1},
    {"add", Opcode::kAdd, kWideInts | kFloats | SetOf(kU16x2, kS16x2), 1, 1,
     kFloatModifiers | kTakesCarry},
    {"addc", Opcode::kAddc, kIntegersOf32And64, 1, 1, kTakesCarry},
    {"alloca", Opcode::kAlloca, SetOf(kU32, kU64), 1, 1},
    {"and", Opcode::kAnd, kBits | SetOf(kPred), 1, 1},
    {"applypriority", Opcode::kApplyPriority, 0, 0, 0, kTakesSpace | kTakesCacheHints},
    {"atom", Opcode::kAtom, kAtomics, 1, 1, kMemory | kTakesAtomicOp | kTakesNoFtz, kTakesAtomicOp,
     DecodeAtomic},
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
    {"cos", Opcode::kCos, SetOf(kF32), 1, 1, kApproximate, kTakesApprox},
    {"cp", Opcode::kCpAsync, SetOf(kB64), 0, 1, kTakesCacheHints, 0, DecodeCopyAsync},
    {"createpolicy", Opcode::kCreatePolicy, SetOf(kB64), 1, 1, 0, 0, DecodeCachePolicy},
    {"cvt", Opcode::kCvt, kConvertible, 2, 2, kFloatModifiers | kTakesRelu | kTakesSatFinite},
    {"cvta", Opcode::kCvta, SetOf(kU32, kU64), 1, 1, kTakesSpace, kTakesSpace,
     DecodeConvertAddress},
    {"discard", Opcode::kDiscard, 0, 0, 0, kTakesSpace | kTakesCacheHints},
    {"div", Opcode::kDiv, kWideInts | kSingles, 1, 1, kTakesRounding | kTakesFtz | kTakesApprox, 0,
     DecodeDivide},
    {"dp2a", Opcode::kDp2a, kWords, 2, 2, 0, 0, DecodeLowHighWide},
    {"dp4a", Opcode::kDp4a, kWords, 2, 2},
    {"elect", Opcode::kElect, 0, 0, 0, kTakesSync, kTakesSync},
    {"ex2", Opcode::kEx2, SetOf(kF32) | kHalves, 1, 1, kApproximate, kTakesApprox},
    {"exit", Opcode::kExit},
    {"fence", Opcode::kFence, 0, 0, 0, kTakesScope, 0, DecodeFence},
    {"fma", Opcode::kFma, kFloats, 1, 1, kFloatModifiers | kTakesRelu, kTakesRounding},
    {"fns", Opcode::kFns, SetOf(kB32), 1, 1},
    {"griddepcontrol", Opcode::kGriddep, 0, 0, 0, 0, 0, DecodeGridDependency},
    {"isspacep", Opcode::kIsspacep, 0, 0, 0, kTakesSpace, kTakesSpace},
    {"ld", Opcode::kLd, kLoadable, 1, 1, kMemory, 0, DecodeLoadStore},
    {"ldmatrix", Opcode::kLdmatrix, SetOf(kB16), 1, 1, kWarp | kTakesSpace | kTakesShape,
     kWarp | kTakesShape, DecodeLoadMatrix},
    {"ldu", Opcode::kLdu, kLoadable, 1, 1, kTakesSpace | kTakesVector},
    {"lg2", Opcode::kLg2, SetOf(kF32), 1, 1, kApproximate, kTakesApprox},
    {"lop3", Opcode::kLop3, SetOf(kB32), 1, 1},
    {"mad", Opcode::kMad, kWideInts | kSingles, 1, 1, kFloatModifiers | kTakesCarry, 0,
     DecodeLowHighWide},
    {"mad24", Opcode::kMad24, kWords, 1, 1, kTakesSat, 0, DecodeLowHighWide},
    {"madc", Opcode::kMadc, kIntegersOf32And64, 1, 1, kTakesCarry, 0, DecodeLowHighWide},
    {"match", Opcode::kMatch, SetOf(kB32, kB64), 1, 1, kTakesSync, kTakesSync, DecodeVote},
    {"max", Opcode::kMax, kWideInts | kFloats | SetOf(kU16x2, kS16x2), 1, 1,
     kTakesFtz | kTakesNan | kTakesRelu},
    {"mbarrier", Opcode::kMbarrier, SetOf(kB64), 1, 1, kTakesSpace | kTakesScope, 0,
     DecodeMbarrier},
    {"membar", Opcode::kMembar, 0, 0, 0, 0, 0, DecodeMembar},
    {"min", Opcode::kMin, kWideInts | kFloats | SetOf(kU16x2, kS16x2), 1, 1,
     kTakesFtz | kTakesNan | kTakesRelu},
    {"mma", Opcode::kMma, kAny, 4, 4, kWarp | kTakesShape | kTakesSatFinite, kWarp | kTakesShape,
     DecodeMma},
    {"mov", Opcode::kMov, kMovable | SetOf(kB128, kF16, kF16x2, kBf16, kBf16x2), 1, 1},
    {"movmatrix", Opcode::kMovmatrix, SetOf(kB16), 1, 1, kWarp | kTakesShape, kWarp | kTakesShape,
     DecodeLoadMatrix},
    {"mul", Opcode::kMul, kWideInts | kFloats, 1, 1, kFloatModifiers, 0, DecodeLowHighWide},
    {"mul24", Opcode::kMul24, kWords, 1, 1, 0, 0, DecodeLowHighWide},
    {"nanosleep", Opcode::kNanosleep, SetOf(kU32), 1, 1},
    {"neg", Opcode::kNeg, SetOf(kS16, kS32, kS64) | kFloats, 1, 1, kTakesFtz},
    {"not", Opcode::kNot, kBits | SetOf(kPred), 1, 1},
    {"or", Opcode::kOr, kBits | SetOf(kPred), 1, 1},
    {"pmevent", Opcode::kPmevent},
    {"popc", Opcode::kPopc, SetOf(kB32, kB64), 1, 1},
    {"prefetch", Opcode::kPrefetch, 0, 0, 0, kTakesSpace, 0, DecodePrefetch},
    {"prefetchu", Opcode::kPrefetch, 0, 0, 0, 0, 0, DecodePrefetch},
    {"prmt", Opcode::kPrmt, SetOf(kB32), 1, 1, 0, 0, DecodePermute},
    {"rcp", Opcode::kRcp, kSingles, 1, 1, kTakesRounding | kApproximate},
    {"red", Opcode::kRed, kAtomics, 1, 1, kMemory | kTakesAtomicOp | kTakesNoFtz, kTakesAtomicOp,
     DecodeAtomic},
    {"redux", Opcode::kRedux, SetOf(kB32, kU32, kS32), 1, 1, kTakesSync | kTakesAtomicOp,
     kTakesSync | kTakesAtomicOp},
    {"rem", Opcode::kRem, kWideInts, 1, 1},
    {"ret", Opcode::kRet, 0, 0, 0, kTakesUniform},
    {"rsqrt", Opcode::kRsqrt, kSingles, 1, 1, kApproximate, kTakesApprox},
    {"sad", Opcode::kSad, kWideInts, 1, 1},
    {"selp", Opcode::kSelp, kWideInts | kBits | kSingles, 1, 1},
    {"set", Opcode::kSet, SetOf(kU16, kS16, kU32, kS32, kF32) | kHalves, 2, 2,
     kTakesCompare | kTakesBoolOp | kTakesFtz, kTakesCompare},
    {"setp", Opcode::kSetp, kWideInts | kBits | kFloats, 1, 1,
     kTakesCompare | kTakesBoolOp | kTakesFtz, kTakesCompare},
    {"shf", Opcode::kShf, SetOf(kB32), 1, 1, 0, 0, DecodeFunnelShift},
    {"shfl", Opcode::kShfl, SetOf(kB32), 1, 1, kTakesSync, kTakesSync, DecodeShuffle},
    {"shl", Opcode::kShl, kBits, 1, 1},
    {"shr", Opcode::kShr, kBits | kWideInts, 1, 1},
    {"sin", Opcode::kSin, SetOf(kF32), 1, 1, kApproximate, kTakesApprox},
    {"slct", Opcode::kSlct, kBits | kWideInts | kSingles, 2, 2, kTakesFtz},
    {"sqrt", Opcode::kSqrt, kSingles, 1, 1, kTakesRounding | kApproximate},
    {"st", Opcode::kSt, kLoadable, 1, 1, kMemory, 0, DecodeLoadStore},
    {"stackrestore", Opcode::kStackrestore, SetOf(kU32, kU64), 1, 1},
    {"stacksave", Opcode::kStacksave, SetOf(kU32, kU64), 1, 1},
    {"stmatrix", Opcode::kStmatrix, SetOf(kB16), 1, 1, kWarp | kTakesSpace | kTakesShape,
     kWarp | kTakesShape, DecodeLoadMatrix},
    {"sub", Opcode::kSub, kWideInts | kFloats, 1, 1, kFloatModifiers | kTakesCarry},
    {"subc", Opcode::kSubc, kIntegersOf32And64, 1, 1, kTakesCarry},
    {"szext", Opcode::kSzext, kWords, 1, 1, 0, 0, DecodeClampWrap},
    {"tanh", Opcode::kTanh, SetOf(kF32) | kHalves, 1, 1, kTakesApprox, kTakesApprox},
    {"testp", Opcode::kTestp, kSingles, 1, 1, 0, 0, DecodeTestProperty},
    {"trap", Opcode::kTrap},
    {"vote", Opcode::kVote, SetOf(kPred, kB32), 1, 1, kTakesSync, kTakesSync, DecodeVote},
    {"wmma", Opcode::kWmma, kAny, 1, 4, kWarp | kTakesShape | kTakesSpace | kTakesSatFinite,
     kWarp | kTakesShape, DecodeWmma},
    {"xor", Opcode::kXor, kBits | SetOf(kPred), 1, 1},
});
static_assert(std::ranges::is_sorted(kGrammars, {}, &Grammar::name));

}  // namespace

const Grammar* FindGrammar(std::string_view opcode) {
  const auto found = std::ranges::lower_bound(kGrammars, opcode, {}, &Grammar::name);
  return found != kGrammars.end() && found->name == opcode ? &*found : nullptr;
}

}  // namespace assay::gpu::ptx
