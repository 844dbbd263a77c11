// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_PTX_OPCODE_H_
#define ASSAY_EMULATOR_PTX_OPCODE_H_

#include <cstdint>
#include <string_view>

namespace assay::gpu::ptx {

enum class Type : std::uint8_t {
  kNone,
  kPred,
  kB1,
  kB8,
  kB16,
  kB32,
  kB64,
  kB128,
  kU4,
  kU8,
  kU16,
  kU32,
  kU64,
  kS4,
  kS8,
  kS16,
  kS32,
  kS64,
  kF16,
  kF16x2,
  kBf16,
  kBf16x2,
  kTf32,
  kF32,
  kF32x2,
  kF64,
  kU16x2,
  kS16x2,
  kE4m3x2,
  kE5m2x2,
};
/// Bytes of one value; 0 for kNone, kPred and types below a byte.
[[nodiscard]] std::uint32_t SizeOf(Type type);
[[nodiscard]] bool IsFloat(Type type);
[[nodiscard]] bool IsInteger(Type type);  ///< Or bits: neither a float nor a predicate.
[[nodiscard]] bool IsSigned(Type type);
[[nodiscard]] std::string_view ToString(Type type);  // "f32"

enum class Space : std::uint8_t { kGeneric, kGlobal, kShared, kLocal, kConst, kParam };
enum class Rounding : std::uint8_t { kNone, kRn, kRz, kRm, kRp, kRna, kRni, kRzi, kRmi, kRpi };
enum class Compare : std::uint8_t {
  kNone,
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kLo,
  kLs,
  kHi,
  kHs,
  kEqu,
  kNeu,
  kLtu,
  kLeu,
  kGtu,
  kGeu,
  kNum,
  kNan,
};
enum class BoolOp : std::uint8_t { kNone, kAnd, kOr, kXor };
enum class Order : std::uint8_t { kWeak, kVolatile, kRelaxed, kAcquire, kRelease, kAcqRel, kSc };
enum class Scope : std::uint8_t { kNone, kCta, kCluster, kGpu, kSys };
enum class AtomicOp : std::uint8_t {
  kNone,
  kAdd,
  kMin,
  kMax,
  kInc,
  kDec,
  kAnd,
  kOr,
  kXor,
  kExch,
  kCas,
};
enum class MatrixPart : std::uint8_t { kNone, kA, kB, kC, kD };
enum class Mode : std::uint8_t {
  kNone,
  kLo,
  kHi,
  kWide,  // mul, mad, dp2a
  kUp,
  kDown,
  kBfly,
  kIdx,  // shfl
  kAll,
  kAny,
  kUni,
  kBallot,  // vote, match
  kLeftClamp,
  kLeftWrap,
  kRightClamp,
  kRightWrap,  // shf
  kClamp,
  kWrap,  // bmsk, szext
  kF4e,
  kB4e,
  kRc8,
  kEcl,
  kEcr,
  kRc16,         // prmt
  kShiftAmount,  // bfind
  kSync,
  kArrive,
  kRedPopc,
  kRedAnd,
  kRedOr,  // bar, barrier
  kCommitGroup,
  kWaitGroup,
  kWaitAll,
  kMbarrierArrive,  // cp.async
  kInit,
  kInval,
  kArriveDrop,
  kTestWait,
  kTryWait,
  kExpectTx,
  kComplete,
  kPendingCount,  // mbarrier
  kLoad,
  kStore,
  kMma,  // wmma
  kFinite,
  kInfinite,
  kNumber,
  kNotANumber,
  kNormal,
  kSubnormal,  // testp
  kL1,
  kL2,                // prefetch
  kFull,              // div.full (div.approx has `approximate`)
  kProxy,             // fence.proxy.*, fence.mbarrier_init: orders nothing that we have
  kLaunchDependents,  // griddepcontrol; its wait is kWaitAll
  kXorSignAbs,        // min, max
  kSum,               // vabsdiff4
};

/// One for each row of instructions.inc.
enum class Opcode : std::uint8_t {
#define INSTRUCTION(opcode, ...) opcode,
#include "emulator/ptx/instructions.inc"
  kUnsupported,  ///< Known by its spelling alone; Instruction::reason says why.
};
[[nodiscard]] std::string_view ToString(Opcode opcode);  // "cp.async"

/// A copy between device and shared memory that goes on beside its thread, or what waits for it.
[[nodiscard]] constexpr bool IsAsyncCopy(Opcode opcode) {
  return opcode == Opcode::kCpAsync || opcode == Opcode::kCpAsyncBulk;
}

/// What executes an instruction.
enum class Group : std::uint8_t {
  kNone,        ///< Nothing: a kernel that has it is refused.
  kControl,     ///< emulator/exec itself: the flow of control, barriers of a block, policies.
  kArithmetic,  ///< emulator/ops, each lane in its own registers.
  kMemory,      ///< emulator/ops, each lane at its own address.
  kWarp,        ///< emulator/ops, lanes of a warp together; and copies that run beside them.
};
[[nodiscard]] Group GroupOf(Opcode opcode);

enum class SpecialRegister : std::uint8_t {
  kTidX,
  kTidY,
  kTidZ,
  kNtidX,
  kNtidY,
  kNtidZ,
  kCtaidX,
  kCtaidY,
  kCtaidZ,
  kNctaidX,
  kNctaidY,
  kNctaidZ,
  kLaneid,
  kWarpid,
  kNwarpid,
  kSmid,
  kNsmid,
  kGridid,
  kLanemaskEq,
  kLanemaskLe,
  kLanemaskLt,
  kLanemaskGe,
  kLanemaskGt,
  kClock,
  kClockHi,
  kClock64,
  kGlobaltimer,
  kGlobaltimerLo,
  kGlobaltimerHi,
  kDynamicSmemSize,
  kTotalSmemSize,
  kEnvReg,
  kWarpSize,
  kReservedSmemOffset,  ///< %reserved_smem_offset_<n>, Operand::bits n: scratch of 1 KiB in shared
                        ///< memory that is no kernel's own; cooperative groups use it.
};

}  // namespace assay::gpu::ptx

#endif  // ASSAY_EMULATOR_PTX_OPCODE_H_
