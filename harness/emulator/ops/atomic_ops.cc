// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <bit>
#include <cstring>

#include "emulator/ops/memory_access.h"
#include "emulator/ops/memory_select.h"
#include "emulator/ops/operand_width.h"
#include "emulator/ops/shared_access.h"

namespace assay::gpu::ASSAY_GPU_ISA {
namespace {

// ------------------------------------------------------------------ floating point

// PTX's NaN of each type; and what additions to global memory flush.
ASSAY_GPU_INLINE float FlushF32(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  return (bits & 0x7f800000U) == 0 ? std::bit_cast<float>(bits & 0x80000000U) : value;
}

ASSAY_GPU_INLINE std::uint32_t AddF32(std::uint32_t a, std::uint32_t b, bool flush) {
  float x = std::bit_cast<float>(a);
  float y = std::bit_cast<float>(b);
  if (flush) {
    x = FlushF32(x);
    y = FlushF32(y);
  }
  const float sum = flush ? FlushF32(x + y) : x + y;
  return sum != sum ? 0x7fffffffU : std::bit_cast<std::uint32_t>(sum);
}

ASSAY_GPU_INLINE std::uint64_t AddF64(std::uint64_t a, std::uint64_t b) {
  const double sum = std::bit_cast<double>(a) + std::bit_cast<double>(b);
  return sum != sum ? 0x7fffffffffffffffU : std::bit_cast<std::uint64_t>(sum);
}

// Sums of two are exact in f32, or round there as they would at once.
ASSAY_GPU_INLINE std::uint16_t AddF16(std::uint16_t a, std::uint16_t b) {
  const float sum = static_cast<float>(std::bit_cast<_Float16>(a)) +
                    static_cast<float>(std::bit_cast<_Float16>(b));
  if (sum != sum) {
    return 0x7fff;
  }
  return std::bit_cast<std::uint16_t>(static_cast<_Float16>(sum));
}

ASSAY_GPU_INLINE std::uint16_t AddBf16(std::uint16_t a, std::uint16_t b) {
  const float sum =
      std::bit_cast<float>(std::uint32_t{a} << 16) + std::bit_cast<float>(std::uint32_t{b} << 16);
  if (sum != sum) {
    return 0x7fff;
  }
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(sum);
  return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

// As min and max do it: a NaN beside a number is not looked at, and -0 is below 0.
template <class Widen>
ASSAY_GPU_INLINE std::uint16_t Extreme(std::uint16_t a, std::uint16_t b, bool least, Widen widen) {
  const float x = widen(a);
  const float y = widen(b);
  if (x != x) {
    return y != y ? 0x7fff : b;
  }
  if (x == y) {
    return least ? a | b : a & b;
  }
  return y != y || (least ? x < y : x > y) ? a : b;
}
ASSAY_GPU_INLINE std::uint16_t ExtremeF16(std::uint16_t a, std::uint16_t b, bool least) {
  return Extreme(a, b, least, [](std::uint16_t bits) __attribute__((always_inline)) {
    return static_cast<float>(std::bit_cast<_Float16>(bits));
  });
}
ASSAY_GPU_INLINE std::uint16_t ExtremeBf16(std::uint16_t a, std::uint16_t b, bool least) {
  return Extreme(a, b, least, [](std::uint16_t bits) __attribute__((always_inline)) {
    return std::bit_cast<float>(std::uint32_t{bits} << 16);
  });
}

// ------------------------------------------------------------------ operations

// What memory holds afterwards, of what it held and the operands.
enum class Op : std::uint8_t {
  kAdd,
  kMinSigned,
  kMinUnsigned,
  kMaxSigned,
  kMaxUnsigned,
  kInc,
  kDec,
  kAnd,
  kOr,
  kXor,
  kExch,
  kCas,
  kAddF,  // f16, f32, f64 by size
  kMinF,  // f16
  kMaxF,
  kAddBf,  // bf16
  kMinBf,
  kMaxBf,
  kAddF2,  // f16x2
  kMinF2,
  kMaxF2,
  kAddBf2,  // bf16x2
  kMinBf2,
  kMaxBf2,
};

// Of each half of two.
template <Op kOp>
ASSAY_GPU_INLINE std::uint16_t ApplyToHalf(std::uint16_t old, std::uint16_t b) {
  if constexpr (kOp == Op::kAddF || kOp == Op::kAddF2) {
    return AddF16(old, b);
  } else if constexpr (kOp == Op::kAddBf || kOp == Op::kAddBf2) {
    return AddBf16(old, b);
  } else if constexpr (kOp == Op::kMinBf || kOp == Op::kMinBf2 || kOp == Op::kMaxBf ||
                       kOp == Op::kMaxBf2) {
    return ExtremeBf16(old, b, kOp == Op::kMinBf || kOp == Op::kMinBf2);
  } else {
    return ExtremeF16(old, b, kOp == Op::kMinF || kOp == Op::kMinF2);
  }
}

template <Op kOp, class T>
ASSAY_GPU_INLINE T Apply(T old, T b, T c, bool flush) {
  using S = std::make_signed_t<T>;
  if constexpr (kOp == Op::kAdd) {
    return static_cast<T>(old + b);
  } else if constexpr (kOp == Op::kMinSigned) {
    return static_cast<S>(old) < static_cast<S>(b) ? old : b;
  } else if constexpr (kOp == Op::kMinUnsigned) {
    return old < b ? old : b;
  } else if constexpr (kOp == Op::kMaxSigned) {
    return static_cast<S>(old) > static_cast<S>(b) ? old : b;
  } else if constexpr (kOp == Op::kMaxUnsigned) {
    return old > b ? old : b;
  } else if constexpr (kOp == Op::kInc) {
    return static_cast<T>(old >= b ? 0 : old + 1);
  } else if constexpr (kOp == Op::kDec) {
    return static_cast<T>(old == 0 || old > b ? b : old - 1);
  } else if constexpr (kOp == Op::kAnd) {
    return static_cast<T>(old & b);
  } else if constexpr (kOp == Op::kOr) {
    return static_cast<T>(old | b);
  } else if constexpr (kOp == Op::kXor) {
    return static_cast<T>(old ^ b);
  } else if constexpr (kOp == Op::kExch) {
    return b;
  } else if constexpr (kOp == Op::kCas) {
    return old == b ? c : old;
  } else if constexpr (kOp == Op::kAddF && sizeof(T) == 8) {
    return AddF64(old, b);
  } else if constexpr (kOp == Op::kAddF && sizeof(T) == 4) {
    return AddF32(old, b, flush);
  } else if constexpr (sizeof(T) == 2) {
    return ApplyToHalf<kOp>(old, b);
  } else {
    return ApplyToHalf<kOp>(static_cast<std::uint16_t>(old), static_cast<std::uint16_t>(b)) |
           T{ApplyToHalf<kOp>(static_cast<std::uint16_t>(old >> 16),
                              static_cast<std::uint16_t>(b >> 16))}
               << 16;
  }
}

// Whether other workers may update the same memory now.
enum class Sharing : std::uint8_t { kAlone, kConcurrent };

template <Op kOp, class T>
ASSAY_GPU_INLINE T Update(std::byte* at, T b, T c, bool flush, Sharing sharing) {
  auto* word = reinterpret_cast<T*>(__builtin_assume_aligned(at, sizeof(T)));
  if (sharing == Sharing::kAlone) {
    const T old = *word;
    *word = Apply<kOp, T>(old, b, c, flush);
    return old;
  }
  if constexpr (kOp == Op::kAdd) {
    return __atomic_fetch_add(word, b, __ATOMIC_RELAXED);
  } else {
    T old = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (true) {
      const T next = Apply<kOp, T>(old, b, c, flush);
      if (next == old ||
          __atomic_compare_exchange_n(word, &old, next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        return old;
      }
    }
  }
}

// What one lane of PerformAtomic needs.
template <class T>
struct Operands {
  const std::uint64_t* addresses;
  const T* b;
  const T* c;
  T* results;  // Null: red has none.
  Sharing sharing;
  bool flush_global;
};

template <Op kOp, class T>
void PerformLane(std::byte* at, std::uint32_t lane, void* context) {
  const auto& operands = *static_cast<const Operands<T>*>(context);
  // In shared memory subnormals are kept.
  const bool flush = operands.flush_global && operands.addresses[lane] >> kWindowShift == 0;
  const T old = Update<kOp, T>(at, operands.b[lane], operands.c[lane], flush, operands.sharing);
  if (operands.results != nullptr) {
    operands.results[lane] = old;
  }
}

template <ptx::Space kSpace, Op kOp, class T, class A, bool kResult, bool kFull>
const Step* Atomic(Warp& warp, const Step* step) {
  const LaneMask lanes = kFull ? kAllLanes : ExecutedLanes(warp, step);
  if (!kFull && lanes == 0) {
    return step + 1;
  }
  constexpr std::uint32_t kAddress = kResult ? 1 : 0;
  constexpr bool kGlobal = kSpace != ptx::Space::kShared;
  const T* b = Lanes<T>(warp, OperandOffset(step, kAddress + 1));
  const T* c = kOp == Op::kCas ? Lanes<T>(warp, OperandOffset(step, kAddress + 2)) : b;
  T* results = kResult ? Lanes<T>(warp, OperandOffset(step, 0)) : nullptr;
  const MemoryChecker* checker = warp.worker->checker;
  const bool alone = !kGlobal || (checker != nullptr && checker->state.sequential);
  const Sharing sharing = alone ? Sharing::kAlone : Sharing::kConcurrent;
  const std::uint32_t base = OperandOffset(step, kAddress);
  Resolved resolved;
  Layout layout = Layout::kSlow;
  if constexpr (!kGlobal) {
    // Where warps may tell each other something, the slow way notes who told whom.
    if (checker == nullptr || warp.block->shared_shadow->fenced_warps == 0) {
      layout =
          ResolveShared<sizeof(T), TouchKind::kAtomic, kFull, A>(warp, step, base, lanes, resolved);
    }
  } else {
    layout = ResolveGlobal<sizeof(T), TouchKind::kAtomic, kFull>(warp, step, base, lanes, resolved);
  }
  if (layout == Layout::kSlow) {
    FillAddresses(Lanes<A>(warp, base), step->immediate, resolved.addresses);
    Operands<T> operands{.addresses = resolved.addresses,
                         .b = b,
                         .c = c,
                         .results = results,
                         .sharing = sharing,
                         .flush_global = kGlobal};
    return PerformAtomic(warp, step, kSpace, lanes, resolved.addresses, sizeof(T),
                         PerformLane<kOp, T>, &operands)
               ? step + 1
               : nullptr;
  }
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const std::uint32_t lane = FirstLane(left);
    std::byte* at = layout == Layout::kScattered
                        ? reinterpret_cast<std::byte*>(resolved.addresses[lane])
                        : resolved.at + (layout == Layout::kUniform ? 0 : lane * sizeof(T));
    const T old = Update<kOp, T>(at, b[lane], c[lane], kGlobal, sharing);
    if constexpr (kResult) {
      results[lane] = old;
    }
  }
  return step + 1;
}

// ------------------------------------------------------------------ vectors

// .v2 .v4 .v8, which are few: one request, in which each element is updated by itself. They lead to
// global memory alone.
template <class T, std::uint32_t kCount>
struct VectorOperands {
  std::array<const T*, kCount> b;
  std::array<T*, kCount> results;  // Without meaning for red.
  Sharing sharing;
};

template <Op kOp, class T, std::uint32_t kCount, bool kResult>
void PerformVectorLane(std::byte* at, std::uint32_t lane, void* context) {
  const auto& operands = *static_cast<const VectorOperands<T, kCount>*>(context);
  std::array<T, kCount> old;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const T b = operands.b[i][lane];
    old[i] = Update<kOp, T>(at + i * sizeof(T), b, b, true, operands.sharing);
  }
  // Behind all of them: a result may have the place of an operand.
  for (std::uint32_t i = 0; kResult && i < kCount; ++i) {
    operands.results[i][lane] = old[i];
  }
}

template <Op kOp, class T, std::uint32_t kCount, bool kResult>
const Step* VectorAtomic(Warp& warp, const Step* step) {
  const LaneMask lanes = ExecutedLanes(warp, step);
  if (lanes == 0) {
    return step + 1;
  }
  constexpr std::uint32_t kAddress = kResult ? kCount : 0;
  const MemoryChecker* checker = warp.worker->checker;
  VectorOperands<T, kCount> operands{.b = {},
                                     .results = {},
                                     .sharing = checker != nullptr && checker->state.sequential
                                                    ? Sharing::kAlone
                                                    : Sharing::kConcurrent};
  for (std::uint32_t i = 0; i < kCount; ++i) {
    operands.b[i] = Lanes<T>(warp, OperandOffset(step, kAddress + 1 + i));
    operands.results[i] = kResult ? Lanes<T>(warp, OperandOffset(step, i)) : nullptr;
  }
  alignas(64) std::uint64_t addresses[kWarpSize];
  FillAddresses(Lanes<std::uint64_t>(warp, OperandOffset(step, kAddress)), step->immediate,
                addresses);
  return PerformAtomic(warp, step, ptx::Space::kGlobal, lanes, addresses, sizeof(T) * kCount,
                       PerformVectorLane<kOp, T, kCount, kResult>, &operands)
             ? step + 1
             : nullptr;
}

// ------------------------------------------------------------------ selection

// atom and red with release order are a fence too.
template <auto kNote, Handler kThen>
const Step* AfterFence(Warp& warp, const Step* step) {
  kNote(warp);
  return kThen(warp, step);
}

template <Handler kAll, Handler kSome>
Handlers Releasing(Releases releases) {
  switch (releases) {
    case Releases::kToAll:
      return {.full = AfterFence<NoteFence, kAll>, .masked = AfterFence<NoteFence, kSome>};
    case Releases::kToBlock:
      return {.full = AfterFence<NoteFenceOfBlock, kAll>,
              .masked = AfterFence<NoteFenceOfBlock, kSome>};
    default:
      return {.full = kAll, .masked = kSome};
  }
}

template <ptx::Space kSpace, class A, bool kResult>
struct Chooser {
  Releases releases;

  template <Op kOp, class T>
  [[nodiscard]] Handlers Make() const {
    return Releasing<Atomic<kSpace, kOp, T, A, kResult, true>,
                     Atomic<kSpace, kOp, T, A, kResult, false>>(releases);
  }

  template <class T>
  [[nodiscard]] Handlers Integer(ptx::AtomicOp op, bool is_signed) const {
    switch (op) {
      case ptx::AtomicOp::kAdd:
        return Make<Op::kAdd, T>();
      case ptx::AtomicOp::kMin:
        return is_signed ? Make<Op::kMinSigned, T>() : Make<Op::kMinUnsigned, T>();
      case ptx::AtomicOp::kMax:
        return is_signed ? Make<Op::kMaxSigned, T>() : Make<Op::kMaxUnsigned, T>();
      case ptx::AtomicOp::kInc:
        return Make<Op::kInc, T>();
      case ptx::AtomicOp::kDec:
        return Make<Op::kDec, T>();
      case ptx::AtomicOp::kAnd:
        return Make<Op::kAnd, T>();
      case ptx::AtomicOp::kOr:
        return Make<Op::kOr, T>();
      case ptx::AtomicOp::kXor:
        return Make<Op::kXor, T>();
      case ptx::AtomicOp::kExch:
        if constexpr (kResult) {
          return Make<Op::kExch, T>();
        }
        return {};
      case ptx::AtomicOp::kCas:
        if constexpr (kResult) {
          return Make<Op::kCas, T>();
        }
        return {};
      default:
        return {};
    }
  }

  [[nodiscard]] Handlers Select(ptx::AtomicOp op, ptx::Type type) const {
    using ptx::Type;
    const bool add = op == ptx::AtomicOp::kAdd;
    switch (type) {
      case Type::kF32:
        return add ? Make<Op::kAddF, std::uint32_t>() : Handlers{};
      case Type::kF64:
        return add ? Make<Op::kAddF, std::uint64_t>() : Handlers{};
      case Type::kF16:
        return add ? Make<Op::kAddF, std::uint16_t>() : Handlers{};
      case Type::kBf16:
        return add ? Make<Op::kAddBf, std::uint16_t>() : Handlers{};
      case Type::kF16x2:
        return add ? Make<Op::kAddF2, std::uint32_t>() : Handlers{};
      case Type::kBf16x2:
        return add ? Make<Op::kAddBf2, std::uint32_t>() : Handlers{};
      case Type::kB16:
        if constexpr (kResult) {
          if (op == ptx::AtomicOp::kCas) {
            return Make<Op::kCas, std::uint16_t>();
          }
          if (op == ptx::AtomicOp::kExch) {
            return Make<Op::kExch, std::uint16_t>();
          }
        }
        return {};
      case Type::kB32:
      case Type::kU32:
      case Type::kS32:
        return Integer<std::uint32_t>(op, type == Type::kS32);
      case Type::kB64:
      case Type::kU64:
      case Type::kS64:
        return Integer<std::uint64_t>(op, type == Type::kS64);
      default:
        return {};
    }
  }
};

template <ptx::Space kSpace, class A>
Handlers ByResult(const ptx::Instruction& instruction, Releases releases) {
  return instruction.opcode == ptx::Opcode::kAtom
             ? Chooser<kSpace, A, true>{releases}.Select(instruction.atomic_op, instruction.type)
             : Chooser<kSpace, A, false>{releases}.Select(instruction.atomic_op, instruction.type);
}

template <bool kResult>
struct VectorChooser {
  std::uint32_t count;
  Releases releases;

  template <Op kOp, class T>
  [[nodiscard]] Handlers Make() const {
    switch (count) {
      case 2:
        return OfCount<kOp, T, 2>();
      case 4:
        return OfCount<kOp, T, 4>();
      case 8:
        return OfCount<kOp, T, 8>();
      default:
        return {};
    }
  }
  template <Op kOp, class T, std::uint32_t kCount>
  [[nodiscard]] Handlers OfCount() const {
    if constexpr (sizeof(T) * kCount <= 16) {
      constexpr Handler kAny = VectorAtomic<kOp, T, kCount, kResult>;
      return Releasing<kAny, kAny>(releases);
    }
    return {};
  }
  template <Op kAddition, Op kLeast, Op kMost, class T>
  [[nodiscard]] Handlers Halves(ptx::AtomicOp op) const {
    switch (op) {
      case ptx::AtomicOp::kAdd:
        return Make<kAddition, T>();
      case ptx::AtomicOp::kMin:
        return Make<kLeast, T>();
      case ptx::AtomicOp::kMax:
        return Make<kMost, T>();
      default:
        return {};
    }
  }

  [[nodiscard]] Handlers Select(ptx::AtomicOp op, ptx::Type type) const {
    switch (type) {
      case ptx::Type::kF32:
        return op == ptx::AtomicOp::kAdd ? Make<Op::kAddF, std::uint32_t>() : Handlers{};
      case ptx::Type::kF16:
        return Halves<Op::kAddF, Op::kMinF, Op::kMaxF, std::uint16_t>(op);
      case ptx::Type::kBf16:
        return Halves<Op::kAddBf, Op::kMinBf, Op::kMaxBf, std::uint16_t>(op);
      case ptx::Type::kF16x2:
        return Halves<Op::kAddF2, Op::kMinF2, Op::kMaxF2, std::uint32_t>(op);
      case ptx::Type::kBf16x2:
        return Halves<Op::kAddBf2, Op::kMinBf2, Op::kMaxBf2, std::uint32_t>(op);
      default:
        return {};
    }
  }
};

}  // namespace

Handlers SelectAtomic(const ptx::Instruction& instruction) {
  const bool has_result = instruction.opcode == ptx::Opcode::kAtom;
  const std::uint32_t count = instruction.vector;
  const std::uint32_t address = has_result ? count : 0;
  const std::uint32_t size_bytes = ptx::SizeOf(instruction.type);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (OperandWidth(instruction, address + 1 + i) != size_bytes ||
        (has_result && OperandWidth(instruction, i) != size_bytes)) {
      return {};
    }
  }
  const bool narrow = OperandWidth(instruction, address) == 4;
  const Releases releases = ReleasesOf(instruction);
  if (count > 1) {
    if (narrow || instruction.space == ptx::Space::kShared) {
      return {};
    }
    return has_result ? VectorChooser<true>{count, releases}.Select(instruction.atomic_op,
                                                                    instruction.type)
                      : VectorChooser<false>{count, releases}.Select(instruction.atomic_op,
                                                                     instruction.type);
  }
  switch (instruction.space) {
    case ptx::Space::kGlobal:
      return narrow ? Handlers{}
                    : ByResult<ptx::Space::kGlobal, std::uint64_t>(instruction, releases);
    case ptx::Space::kGeneric:
      return narrow ? Handlers{}
                    : ByResult<ptx::Space::kGeneric, std::uint64_t>(instruction, releases);
    case ptx::Space::kShared:
      return narrow ? ByResult<ptx::Space::kShared, std::uint32_t>(instruction, releases)
                    : ByResult<ptx::Space::kShared, std::uint64_t>(instruction, releases);
    default:
      return {};
  }
}

}  // namespace assay::gpu::ASSAY_GPU_ISA
