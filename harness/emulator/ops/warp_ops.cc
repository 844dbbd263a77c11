// SPDX-License-Identifier: Apache-2.0
// Instructions that lanes of a warp carry out together without memory; see collective.h for what
// their masks mean. shfl is in shuffle_ops.cc.
#include <bit>
#include <cstdint>

#include "emulator/ops/collective.h"
#include "emulator/ops/select.h"

namespace assay::gpu::ASSAY_GPU_ISA {
namespace {

using ptx::AtomicOp;
using ptx::Mode;
using ptx::Opcode;
using ptx::Type;

// ---------------------------------------------------------------------------------------- vote

/// What the vote of `members`, of whom those in `yes` say yes, tells each lane.
template <Mode kMode>
ASSAY_GPU_INLINE LaneMask CountVotes(LaneMask members, LaneMask yes) {
  if constexpr (kMode == Mode::kAll) {
    return (yes & members) == members ? kAllLanes : 0;
  }
  if constexpr (kMode == Mode::kAny) {
    return (yes & members) != 0 ? kAllLanes : 0;
  }
  if constexpr (kMode == Mode::kUni) {
    return (yes & members) == members || (yes & members) == 0 ? kAllLanes : 0;
  }
  return yes & members;
}

template <Mode kMode>
ASSAY_GPU_INLINE void StoreVote(Warp& warp, const Step* step, LaneMask result, LaneMask lanes) {
  if constexpr (kMode == Mode::kBallot) {
    Broadcast(Lanes<LaneMask>(warp, step->operand[0]), result, lanes);
  } else {
    StorePredicate(Predicate(warp, step->operand[0]), result, lanes);
  }
}

/// kFlip: all ones for `!p`.
template <Mode kMode, LaneMask kFlip, Form kForm>
const Step* Vote(Warp& warp, const Step* step) {
  const LaneMask yes = Predicate(warp, step->operand[1]) ^ kFlip;
  const LaneMask executed = LanesToRun<kForm>(warp, step);
  const auto* masks = Lanes<LaneMask>(warp, step->operand[2]);
  if (kForm == Form::kFull && AllName(masks)) {
    StoreVote<kMode>(warp, step, CountVotes<kMode>(kAllLanes, yes), kAllLanes);
    return step + 1;
  }
  LaneMask wanted = 0;
  if (!MembersArrived(warp, step, masks, executed, wanted)) {
    return WaitForLanes(warp, step, wanted);
  }
  alignas(64) LaneMask copy[kWarpSize];
  __builtin_memcpy(copy, masks, sizeof copy);
  ForEachMask(copy, executed, [&](LaneMask members, LaneMask lanes) {
    StoreVote<kMode>(warp, step, CountVotes<kMode>(members, yes), lanes);
  });
  return step + 1;
}

template <Mode kMode>
Handlers VoteHandlers(bool negated) {
  if (negated) {
    return {Vote<kMode, kAllLanes, Form::kFull>, Vote<kMode, kAllLanes, Form::kMasked>};
  }
  return {Vote<kMode, 0, Form::kFull>, Vote<kMode, 0, Form::kMasked>};
}

Handlers SelectVote(const ptx::Instruction& instruction) {
  if (instruction.operands.size() != 3) {
    return {};
  }
  const bool negated = instruction.operands.data()[1].negated;
  switch (instruction.mode) {
    case Mode::kAll:
      return VoteHandlers<Mode::kAll>(negated);
    case Mode::kAny:
      return VoteHandlers<Mode::kAny>(negated);
    case Mode::kUni:
      return VoteHandlers<Mode::kUni>(negated);
    case Mode::kBallot:
      return VoteHandlers<Mode::kBallot>(negated);
    default:
      return {};
  }
}

// --------------------------------------------------------------------------------------- match

/// d = the members whose value equals the lane's own. `match.all`: all members or none, and
/// whether (in the second destination, if there is one).
template <Mode kMode, class T>
ASSAY_GPU_INLINE void MatchMembers(const T* values, LaneMask members, LaneMask lanes,
                                   LaneMask* found, LaneMask& all_equal) {
  if constexpr (kMode == Mode::kAll) {
    const T first = values[std::countr_zero(members != 0 ? members : lanes)];
    const bool same = (LanesEqual(values, first) & members) == members;
    for (LaneMask left = lanes; left != 0; left &= left - 1) {
      found[std::countr_zero(left)] = same ? members : 0;
    }
    all_equal |= same ? lanes : 0;
  } else {
    for (LaneMask left = lanes; left != 0;) {
      const LaneMask equal = LanesEqual(values, values[std::countr_zero(left)]);
      for (LaneMask same = equal & left; same != 0; same &= same - 1) {
        found[std::countr_zero(same)] = equal & members;
      }
      left &= ~equal;
    }
  }
}

enum class Destinations : std::uint8_t { kOne, kTwo };

template <Mode kMode, class T, Destinations kDestinations, Form kForm>
const Step* Match(Warp& warp, const Step* step) {
  constexpr unsigned kFirstSource = kDestinations == Destinations::kTwo ? 2 : 1;
  const LaneMask executed = LanesToRun<kForm>(warp, step);
  const auto* values = Lanes<T>(warp, step->operand[kFirstSource]);
  const auto* masks = Lanes<LaneMask>(warp, step->operand[kFirstSource + 1]);
  alignas(64) LaneMask found[kWarpSize] = {};
  LaneMask all_equal = 0;
  if (kForm == Form::kFull && AllName(masks)) {
    MatchMembers<kMode>(values, kAllLanes, kAllLanes, found, all_equal);
  } else {
    LaneMask wanted = 0;
    if (!MembersArrived(warp, step, masks, executed, wanted)) {
      return WaitForLanes(warp, step, wanted);
    }
    ForEachMask(masks, executed, [&](LaneMask members, LaneMask lanes) {
      MatchMembers<kMode>(values, members, lanes, found, all_equal);
    });
  }
  StoreLanes(Lanes<LaneMask>(warp, step->operand[0]), found, executed);
  if constexpr (kDestinations == Destinations::kTwo) {
    StorePredicate(Predicate(warp, step->operand[1]), all_equal, executed);
  }
  return step + 1;
}

template <Mode kMode, class T>
Handlers MatchHandlers(bool two) {
  if (two) {
    return {Match<kMode, T, Destinations::kTwo, Form::kFull>,
            Match<kMode, T, Destinations::kTwo, Form::kMasked>};
  }
  return {Match<kMode, T, Destinations::kOne, Form::kFull>,
          Match<kMode, T, Destinations::kOne, Form::kMasked>};
}

Handlers SelectMatch(const ptx::Instruction& instruction) {
  const bool two = instruction.has_second_destination;
  const bool wide = ptx::SizeOf(instruction.type) == 8;
  if (instruction.mode == Mode::kAll) {
    return wide ? MatchHandlers<Mode::kAll, std::uint64_t>(two)
                : MatchHandlers<Mode::kAll, std::uint32_t>(two);
  }
  if (instruction.mode != Mode::kAny) {
    return {};
  }
  return wide ? MatchHandlers<Mode::kAny, std::uint64_t>(two)
              : MatchHandlers<Mode::kAny, std::uint32_t>(two);
}

// --------------------------------------------------------------------------------------- redux

template <AtomicOp kOp, class T>
ASSAY_GPU_INLINE T Combine(T a, T b) {
  if constexpr (kOp == AtomicOp::kAdd) {
    return static_cast<T>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
  }
  if constexpr (kOp == AtomicOp::kMin) {
    return a < b ? a : b;
  }
  if constexpr (kOp == AtomicOp::kMax) {
    return a > b ? a : b;
  }
  if constexpr (kOp == AtomicOp::kAnd) {
    return a & b;
  }
  if constexpr (kOp == AtomicOp::kOr) {
    return a | b;
  }
  if constexpr (kOp == AtomicOp::kXor) {
    return a ^ b;
  }
}

template <AtomicOp kOp, class T>
ASSAY_GPU_INLINE T CombineMembers(const T* values, LaneMask members) {
  T result = values[std::countr_zero(members)];
  for (LaneMask left = members & (members - 1); left != 0; left &= left - 1) {
    result = Combine<kOp>(result, values[std::countr_zero(left)]);
  }
  return result;
}

template <AtomicOp kOp, class T>
ASSAY_GPU_INLINE T CombineAll(const T* values) {
  alignas(64) T partial[16];
  for (unsigned i = 0; i < 16; ++i) {
    partial[i] = Combine<kOp>(values[i], values[i + 16]);
  }
  for (unsigned width = 8; width > 0; width /= 2) {
    for (unsigned i = 0; i < width; ++i) {
      partial[i] = Combine<kOp>(partial[i], partial[i + width]);
    }
  }
  return partial[0];
}

template <AtomicOp kOp, class T, Form kForm>
const Step* Redux(Warp& warp, const Step* step) {
  const LaneMask executed = LanesToRun<kForm>(warp, step);
  const auto* values = Lanes<T>(warp, step->operand[1]);
  const auto* masks = Lanes<LaneMask>(warp, step->operand[2]);
  if (kForm == Form::kFull && AllName(masks)) {
    Broadcast(Lanes<T>(warp, step->operand[0]), CombineAll<kOp>(values), kAllLanes);
    return step + 1;
  }
  LaneMask wanted = 0;
  if (!MembersArrived(warp, step, masks, executed, wanted)) {
    return WaitForLanes(warp, step, wanted);
  }
  alignas(64) T results[kWarpSize] = {};
  ForEachMask(masks, executed, [&](LaneMask members, LaneMask lanes) {
    // A mask that names no executing lane: no value is defined, any will do.
    const T result = CombineMembers<kOp>(values, members != 0 ? members : lanes);
    for (LaneMask left = lanes; left != 0; left &= left - 1) {
      results[std::countr_zero(left)] = result;
    }
  });
  StoreLanes(Lanes<T>(warp, step->operand[0]), results, executed);
  return step + 1;
}

template <AtomicOp kOp, class T>
constexpr Handlers kRedux{Redux<kOp, T, Form::kFull>, Redux<kOp, T, Form::kMasked>};

Handlers SelectRedux(const ptx::Instruction& instruction) {
  if (ptx::IsFloat(instruction.type) || ptx::SizeOf(instruction.type) != 4) {
    return {};
  }
  const bool is_signed = instruction.type == Type::kS32;
  switch (instruction.atomic_op) {
    case AtomicOp::kAdd:
      return kRedux<AtomicOp::kAdd, std::uint32_t>;
    case AtomicOp::kMin:
      return is_signed ? kRedux<AtomicOp::kMin, std::int32_t>
                       : kRedux<AtomicOp::kMin, std::uint32_t>;
    case AtomicOp::kMax:
      return is_signed ? kRedux<AtomicOp::kMax, std::int32_t>
                       : kRedux<AtomicOp::kMax, std::uint32_t>;
    case AtomicOp::kAnd:
      return kRedux<AtomicOp::kAnd, std::uint32_t>;
    case AtomicOp::kOr:
      return kRedux<AtomicOp::kOr, std::uint32_t>;
    case AtomicOp::kXor:
      return kRedux<AtomicOp::kXor, std::uint32_t>;
    default:
      return {};
  }
}

// --------------------------------------------------------------- activemask, elect, bar, sleep

template <Form kForm>
const Step* Activemask(Warp& warp, const Step* step) {
  const LaneMask executed = LanesToRun<kForm>(warp, step);
  Broadcast(Lanes<LaneMask>(warp, step->operand[0]), executed, executed);
  return step + 1;
}

/// The lowest lane of the mask is elected.
template <Form kForm>
const Step* Elect(Warp& warp, const Step* step) {
  const LaneMask executed = LanesToRun<kForm>(warp, step);
  const auto* masks = Lanes<LaneMask>(warp, step->operand[2]);
  LaneMask wanted = 0;
  if (!MembersArrived(warp, step, masks, executed, wanted)) {
    return WaitForLanes(warp, step, wanted);
  }
  alignas(64) std::uint32_t leaders[kWarpSize] = {};
  LaneMask elected = 0;
  ForEachMask(masks, executed, [&](LaneMask members, LaneMask lanes) {
    const auto leader =
        static_cast<std::uint32_t>(std::countr_zero(members != 0 ? members : lanes));
    for (LaneMask left = lanes; left != 0; left &= left - 1) {
      leaders[std::countr_zero(left)] = leader;
    }
    elected |= LaneMask{1} << leader;
  });
  StoreLanes(Lanes<std::uint32_t>(warp, step->operand[0]), leaders, executed);
  StorePredicate(Predicate(warp, step->operand[1]), elected, executed);
  return step + 1;
}

/// The scheduler lets lanes that wait at different bar.warp.sync go on together.
const Step* BarWarpMasked(Warp& warp, const Step* step) {
  const LaneMask executed = ExecutedLanes(warp, step);
  if (executed == 0) {
    return step + 1;
  }
  LaneMask wanted = 0;
  if (!MembersArrived(warp, step, Lanes<LaneMask>(warp, step->operand[0]), executed, wanted)) {
    return WaitForLanes(warp, step, wanted);
  }
  ++warp.sync_epoch;
  return step + 1;
}

const Step* BarWarpFull(Warp& warp, const Step* step) {
  if (!AllName(Lanes<LaneMask>(warp, step->operand[0]))) {
    return BarWarpMasked(warp, step);
  }
  ++warp.sync_epoch;
  return step + 1;
}

/// Time does not pass while a warp sleeps, but others get their turn.
template <Form kForm>
const Step* Nanosleep(Warp& warp, const Step* step) {
  if (LanesToRun<kForm>(warp, step) == 0) {
    return step + 1;
  }
  warp.stop = Stop::kYield;
  warp.resume = step + 1;
  return nullptr;
}

}  // namespace

Handlers SelectWarp(const ptx::Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kShfl:
      return SelectShuffle(instruction);
    case Opcode::kVote:
      return SelectVote(instruction);
    case Opcode::kMatch:
      return SelectMatch(instruction);
    case Opcode::kRedux:
      return SelectRedux(instruction);
    case Opcode::kActivemask:
      return {Activemask<Form::kFull>, Activemask<Form::kMasked>};
    case Opcode::kElect:
      return instruction.has_second_destination ? Handlers{Elect<Form::kFull>, Elect<Form::kMasked>}
                                                : Handlers{};
    case Opcode::kBarWarp:
      return {BarWarpFull, BarWarpMasked};
    case Opcode::kNanosleep:
      return {Nanosleep<Form::kFull>, Nanosleep<Form::kMasked>};
    case Opcode::kMma:
      return SelectMma(instruction);
    case Opcode::kWmma:
      return SelectWmma(instruction);
    case Opcode::kLdmatrix:
    case Opcode::kStmatrix:
    case Opcode::kMovmatrix:
      return SelectLdmatrix(instruction);
    case Opcode::kCpAsync:
    case Opcode::kMbarrier:
      return SelectAsync(instruction);
    case Opcode::kCpAsyncBulk:
      return SelectBulkCopy(instruction);
    default:
      return {};
  }
}

}  // namespace assay::gpu::ASSAY_GPU_ISA
