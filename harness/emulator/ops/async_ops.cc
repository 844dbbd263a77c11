// SPDX-License-Identifier: Apache-2.0
// cp.async and mbarrier: what they do is in pending_copies.h and mbarrier.h. A test of an mbarrier
// that fails yields: programs spin on it, and those they wait for have to get their turn.
#include <algorithm>
#include <bit>
#include <cstdint>

#include "emulator/ops/collective.h"
#include "emulator/ops/copy_group_ops.h"
#include "emulator/ops/mbarrier.h"
#include "emulator/ops/pending_copies.h"
#include "emulator/ops/select.h"

namespace assay::gpu::ASSAY_GPU_ISA {
namespace {

using ptx::Mode;

/// The addresses of operand `i`: its base register is of type Base.
template <class Base>
ASSAY_GPU_INLINE void Addresses(Warp& warp, std::uint32_t base, std::uint64_t offset,
                                std::uint64_t* addresses) {
  const Base* bases = Lanes<Base>(warp, base);
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    // Shared addresses of 32 bits wrap as such.
    addresses[lane] = static_cast<Base>(bases[lane] + static_cast<Base>(offset));
  }
}

// ------------------------------------------------------------------------------------- cp.async

enum class SourceSize : std::uint8_t { kWhole, kRegister, kIgnoredIf, kIgnoredUnless };

/// Flat operands: destination, source, source's offset, size, and what kSourceSize says.
template <class Base, SourceSize kSourceSize, Form kForm>
const Step* CpAsync(Warp& warp, const Step* step) {
  const LaneMask executed = LanesToRun<kForm>(warp, step);
  if (executed == 0) {
    return step + 1;
  }
  const std::uint32_t* at = OperandTable(step);
  AsyncCopy copy;
  copy.step = step;
  copy.lanes = executed;
  copy.size_bytes = Lanes<std::uint32_t>(warp, at[3])[0];
  Addresses<Base>(warp, at[0], step->immediate, copy.to.data());
  const auto* base = Lanes<std::uint64_t>(warp, at[1]);
  const auto* offset = Lanes<std::uint64_t>(warp, at[2]);
  LaneMask whole = kAllLanes;
  if constexpr (kSourceSize == SourceSize::kIgnoredIf) {
    whole = ~Predicate(warp, at[4]);
  }
  if constexpr (kSourceSize == SourceSize::kIgnoredUnless) {
    whole = Predicate(warp, at[4]);
  }
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    copy.from.data()[lane] = base[lane] + offset[lane];
    std::uint32_t size = copy.size_bytes;
    if constexpr (kSourceSize == SourceSize::kRegister) {
      const std::uint32_t asked = Lanes<std::uint32_t>(warp, at[4])[lane];
      size = asked < size ? asked : size;
    }
    copy.from_bytes.data()[lane] =
        static_cast<std::uint8_t>(((whole >> lane) & 1U) != 0 ? size : 0);
  }
  return IssueAsyncCopy(warp, copy) ? step + 1 : nullptr;
}

template <Form kForm>
const Step* WaitAll(Warp& warp, const Step* step) {
  return CompleteAsyncCopies(warp, LanesToRun<kForm>(warp, step)) ? step + 1 : nullptr;
}

// ------------------------------------------------------------------------------------- mbarrier

enum class Operation : std::uint8_t {
  kInit,
  kInval,
  kArrive,
  kArriveExpectTx,
  kArriveDrop,
  kExpectTx,
  kCompleteTx,
  kCopiesArrive,       ///< cp.async.mbarrier.arrive
  kCopiesArriveNoinc,  ///< … .noinc
};

constexpr bool HasState(Operation operation) {
  return operation == Operation::kArrive || operation == Operation::kArriveExpectTx ||
         operation == Operation::kArriveDrop;
}

/// `value`: the operand behind the address, 1 if there is none.
template <Operation kOperation>
ASSAY_GPU_INLINE MbarrierUse Operate(Block& block, std::uint64_t& state, std::uint32_t value) {
  switch (kOperation) {
    case Operation::kInit:
      state = InitialMbarrier(value);
      return MbarrierUse::kRight;
    case Operation::kInval:
      state = 0;
      return MbarrierUse::kRight;
    case Operation::kArrive:
      return ArriveAtMbarrier(block, state, value);
    case Operation::kArriveExpectTx: {
      const MbarrierUse use = ExpectBytes(block, state, value);
      return use == MbarrierUse::kRight ? ArriveAtMbarrier(block, state, 1) : use;
    }
    case Operation::kArriveDrop:
      return ArriveAndDropAtMbarrier(block, state, value);
    case Operation::kExpectTx:
      return ExpectBytes(block, state, value);
    case Operation::kCompleteTx:
      return ExpectBytes(block, state, -static_cast<std::int64_t>(value));
    case Operation::kCopiesArrive:
      return ExpectArrivals(state, 1);
    case Operation::kCopiesArriveNoinc:
      return MbarrierUse::kRight;
  }
  return MbarrierUse::kRight;
}

void ReportUse(Warp& warp, const Step* step, std::uint32_t lane, std::uint64_t address,
               MbarrierUse use) {
  if (use == MbarrierUse::kRight) {
    return;
  }
  ReportInvalidMbarrier(warp, step, lane, address,
                        use == MbarrierUse::kTooManyArrivals
                            ? "more arrivals than the mbarrier's phase expects"
                            : "mbarrier used before mbarrier.init or after mbarrier.inval");
}

enum class Value : std::uint8_t { kAbsent, kOperand };

/// Flat operands: the state token (of those that have one), the address, a value.
template <Operation kOperation, Value kValue, class Base, Form kForm>
const Step* Mbarrier(Warp& warp, const Step* step) {
  constexpr unsigned kAddress = HasState(kOperation) ? 1 : 0;
  const LaneMask executed = LanesToRun<kForm>(warp, step);
  alignas(64) std::uint64_t addresses[kWarpSize];
  Addresses<Base>(warp, step->operand[kAddress], step->immediate, addresses);
  for (LaneMask left = executed; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    std::uint64_t* state = MbarrierAt(*warp.block, warp.launch->shared_bytes, addresses[lane]);
    if (state == nullptr) {
      return FaultOnMbarrierAddress(warp, step, lane, addresses[lane]);
    }
    std::uint32_t value = 1;
    if constexpr (kValue == Value::kOperand) {
      value = Lanes<std::uint32_t>(warp, step->operand[kAddress + 1])[lane];
    }
    if constexpr (HasState(kOperation)) {
      Lanes<std::uint64_t>(warp, step->operand[0])[lane] = *state;
    }
    ReportUse(warp, step, lane, addresses[lane], Operate<kOperation>(*warp.block, *state, value));
  }
  if constexpr (kOperation == Operation::kCopiesArrive ||
                kOperation == Operation::kCopiesArriveNoinc) {
    if (!ArriveAfterAsyncCopies(warp, executed, addresses)) {
      return nullptr;
    }
  }
  return step + 1;
}

enum class WaitFor : std::uint8_t { kToken, kParity };

/// The lanes of `lanes` whose phase has completed; `outside`: a lane without an mbarrier.
template <WaitFor kWaitFor>
ASSAY_GPU_INLINE LaneMask PhasesOver(Warp& warp, const Step* step, LaneMask lanes,
                                     const std::uint64_t* addresses, LaneMask& outside) {
  LaneMask over = 0;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    const std::uint64_t* state =
        MbarrierAt(*warp.block, warp.launch->shared_bytes, addresses[lane]);
    bool done = false;
    if (state == nullptr) {
      outside |= LaneMask{1} << lane;
    } else if constexpr (kWaitFor == WaitFor::kToken) {
      done = PhaseIsOver(*state, Lanes<std::uint64_t>(warp, step->operand[2])[lane]);
    } else {
      done = ParityIsOver(*state, Lanes<std::uint32_t>(warp, step->operand[2])[lane]);
    }
    over |= static_cast<LaneMask>(done) << lane;
  }
  return over;
}

/// Flat operands: the answer, the address, token or parity, and maybe a hint of time.
template <WaitFor kWaitFor, class Base, Form kForm>
const Step* TestWait(Warp& warp, const Step* step) {
  const LaneMask executed = LanesToRun<kForm>(warp, step);
  alignas(64) std::uint64_t addresses[kWarpSize];
  Addresses<Base>(warp, step->operand[1], step->immediate, addresses);
  LaneMask outside = 0;
  LaneMask over = PhasesOver<kWaitFor>(warp, step, executed, addresses, outside);
  if (outside != 0) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(outside));
    return FaultOnMbarrierAddress(warp, step, lane, addresses[lane]);
  }
  if (over != executed) {
    std::uint64_t last = ~std::uint64_t{0};
    for (LaneMask left = executed & ~over; left != 0; left &= left - 1) {
      const std::uint64_t address = addresses[std::countr_zero(left)];
      if (address == last) {
        continue;
      }
      if (!CompletePendingCopiesAt(*warp.block, address)) {
        return nullptr;
      }
      last = address;
    }
    over = PhasesOver<kWaitFor>(warp, step, executed, addresses, outside);
  }
  StorePredicate(Predicate(warp, step->operand[0]), over, executed);
  if (over == executed) {
    return step + 1;
  }
  warp.stop = Stop::kYield;
  warp.resume = step + 1;
  return nullptr;
}

template <Form kForm>
const Step* PendingCount(Warp& warp, const Step* step) {
  const auto* tokens = Lanes<std::uint64_t>(warp, step->operand[1]);
  alignas(64) std::uint32_t counts[kWarpSize];
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    counts[lane] = PendingArrivals(tokens[lane]);
  }
  StoreLanes(Lanes<std::uint32_t>(warp, step->operand[0]), counts, LanesToRun<kForm>(warp, step));
  return step + 1;
}

// ------------------------------------------------------------------------------------ selection

/// Whether the base of the address is a register of 32 bits.
bool IsNarrow(const ptx::Operand& address) {
  return address.index >= 0 && ptx::SizeOf(address.type) == 4;
}

template <class Base>
Handlers CpAsyncHandlers(SourceSize source_size) {
  switch (source_size) {
    case SourceSize::kWhole:
      return {CpAsync<Base, SourceSize::kWhole, Form::kFull>,
              CpAsync<Base, SourceSize::kWhole, Form::kMasked>};
    case SourceSize::kRegister:
      return {CpAsync<Base, SourceSize::kRegister, Form::kFull>,
              CpAsync<Base, SourceSize::kRegister, Form::kMasked>};
    case SourceSize::kIgnoredIf:
      return {CpAsync<Base, SourceSize::kIgnoredIf, Form::kFull>,
              CpAsync<Base, SourceSize::kIgnoredIf, Form::kMasked>};
    case SourceSize::kIgnoredUnless:
      return {CpAsync<Base, SourceSize::kIgnoredUnless, Form::kFull>,
              CpAsync<Base, SourceSize::kIgnoredUnless, Form::kMasked>};
  }
  return {};
}

template <Operation kOperation, Value kValue>
Handlers MbarrierHandlers(bool narrow) {
  if (narrow) {
    return {Mbarrier<kOperation, kValue, std::uint32_t, Form::kFull>,
            Mbarrier<kOperation, kValue, std::uint32_t, Form::kMasked>};
  }
  return {Mbarrier<kOperation, kValue, std::uint64_t, Form::kFull>,
          Mbarrier<kOperation, kValue, std::uint64_t, Form::kMasked>};
}

template <WaitFor kWaitFor>
Handlers TestWaitHandlers(bool narrow) {
  if (narrow) {
    return {TestWait<kWaitFor, std::uint32_t, Form::kFull>,
            TestWait<kWaitFor, std::uint32_t, Form::kMasked>};
  }
  return {TestWait<kWaitFor, std::uint64_t, Form::kFull>,
          TestWait<kWaitFor, std::uint64_t, Form::kMasked>};
}

Handlers SelectCopy(const ptx::Instruction& instruction) {
  const ptx::Operand* operands = instruction.operands.data();
  const std::size_t count = instruction.operands.size() - (instruction.has_cache_policy ? 1 : 0);
  if (count < 3 || count > 4 || operands[2].kind != ptx::Operand::Kind::kImmediate) {
    return {};
  }
  const std::uint64_t size = operands[2].bits;
  if (size != 4 && size != 8 && size != 16) {
    return {};
  }
  SourceSize source_size = SourceSize::kWhole;
  if (count == 4) {
    source_size = SourceSize::kRegister;
    if (operands[3].type == ptx::Type::kPred) {
      source_size = operands[3].negated ? SourceSize::kIgnoredUnless : SourceSize::kIgnoredIf;
    }
  }
  return IsNarrow(operands[0]) ? CpAsyncHandlers<std::uint32_t>(source_size)
                               : CpAsyncHandlers<std::uint64_t>(source_size);
}

Handlers SelectCpAsync(const ptx::Instruction& instruction) {
  const ptx::Operand* operands = instruction.operands.data();
  const std::size_t count = instruction.operands.size();
  switch (instruction.mode) {
    case Mode::kNone:
      return SelectCopy(instruction);
    case Mode::kCommitGroup:
      return CommitGroupHandlers<CommitAsyncCopies>();
    case Mode::kWaitGroup:
      return count == 1 ? WaitGroupHandlers<WaitForAsyncCopies>() : Handlers{};
    case Mode::kWaitAll:
      return {WaitAll<Form::kFull>, WaitAll<Form::kMasked>};
    case Mode::kMbarrierArrive:
      if (count != 1) {
        return {};
      }
      return instruction.no_return
                 ? MbarrierHandlers<Operation::kCopiesArriveNoinc, Value::kAbsent>(
                       IsNarrow(operands[0]))
                 : MbarrierHandlers<Operation::kCopiesArrive, Value::kAbsent>(
                       IsNarrow(operands[0]));
    default:
      return {};
  }
}

template <Operation kOperation>
Handlers OfOperation(const ptx::Instruction& instruction) {
  constexpr std::size_t kAddress = HasState(kOperation) ? 1 : 0;
  const std::size_t count = instruction.operands.size();
  if (count == kAddress + 1) {
    return MbarrierHandlers<kOperation, Value::kAbsent>(
        IsNarrow(instruction.operands.data()[kAddress]));
  }
  return count == kAddress + 2 ? MbarrierHandlers<kOperation, Value::kOperand>(
                                     IsNarrow(instruction.operands.data()[kAddress]))
                               : Handlers{};
}

Handlers SelectMbarrier(const ptx::Instruction& instruction) {
  const std::size_t count = instruction.operands.size();
  switch (instruction.mode) {
    case Mode::kInit:
      return OfOperation<Operation::kInit>(instruction);
    case Mode::kInval:
      return OfOperation<Operation::kInval>(instruction);
    case Mode::kArrive:
      return instruction.expect_tx ? OfOperation<Operation::kArriveExpectTx>(instruction)
                                   : OfOperation<Operation::kArrive>(instruction);
    case Mode::kArriveDrop:
      return instruction.expect_tx ? Handlers{} : OfOperation<Operation::kArriveDrop>(instruction);
    case Mode::kExpectTx:
      return OfOperation<Operation::kExpectTx>(instruction);
    case Mode::kComplete:
      return OfOperation<Operation::kCompleteTx>(instruction);
    case Mode::kTestWait:
    case Mode::kTryWait:
      if (count < 3 || count > 4) {
        return {};
      }
      return instruction.parity
                 ? TestWaitHandlers<WaitFor::kParity>(IsNarrow(instruction.operands.data()[1]))
                 : TestWaitHandlers<WaitFor::kToken>(IsNarrow(instruction.operands.data()[1]));
    case Mode::kPendingCount:
      return count == 2 ? Handlers{PendingCount<Form::kFull>, PendingCount<Form::kMasked>}
                        : Handlers{};
    default:
      return {};
  }
}

}  // namespace

Handlers SelectAsync(const ptx::Instruction& instruction) {
  return instruction.opcode == ptx::Opcode::kCpAsync ? SelectCpAsync(instruction)
                                                     : SelectMbarrier(instruction);
}

}  // namespace assay::gpu::ASSAY_GPU_ISA
