// SPDX-License-Identifier: Apache-2.0
#include "emulator/ops/warp_rig.h"

#include <algorithm>
#include <bit>

#include "emulator/memory/lane_access.h"
#include "emulator/ops/pending_copies.h"
#include "emulator/ptx/spelling.h"
#include "emulator/report/cuda_error.h"

namespace assay::gpu {

namespace {

constexpr std::uint32_t kRegisterBytes = 1U << 18U;

WarpRig* RigOf(Warp& warp) {
  // The checker of a rig is never called: it is the way back from a warp to its rig.
  return reinterpret_cast<WarpRig*>(warp.worker->checker);
}

std::byte* MemoryAt(WarpRig& rig, ptx::Space space, std::uint64_t address, std::uint32_t size) {
  const bool generic_shared = (address >> kWindowShift) == 1;
  if (space == ptx::Space::kShared || generic_shared) {
    const std::uint64_t offset = generic_shared ? address - kSharedWindow : address;
    if (offset + size > rig.launch.shared_bytes) {
      return nullptr;
    }
    return rig.block.shared + offset;
  }
  const std::uint64_t offset = address - WarpRig::kGlobalBase;
  if (address < WarpRig::kGlobalBase || offset + size > rig.global.size()) {
    return nullptr;
  }
  return rig.global.data() + offset;
}

}  // namespace

// ------------------------------------------------------ what exec/ and memory/ do in the emulator

const Step* Fault(Warp& warp, int error, std::string detail) {
  if (warp.worker->fault.error == 0) {
    warp.worker->fault.error = error;
    warp.worker->fault.detail = std::move(detail);
  }
  warp.stop = Stop::kFault;
  return nullptr;
}

void Report(Warp& warp, const Step*, FindingKind kind, Severity severity, std::uint32_t lane,
            MemorySpace, std::uint64_t, std::uint32_t, std::string note) {
  RigOf(warp)->reports.push_back({kind, severity, lane, std::move(note)});
}

const Step* WaitForLanes(Warp& warp, const Step* step, LaneMask wanted) {
  RigOf(warp)->waits_for = wanted;
  warp.stop = Stop::kLanes;
  warp.resume = step;
  return nullptr;
}

bool ReadLanes(Warp& warp, const Step*, ptx::Space space, LaneMask lanes,
               const std::uint64_t* addresses, std::uint32_t size_bytes, void* values) {
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    const std::byte* from = MemoryAt(*RigOf(warp), space, addresses[lane], size_bytes);
    if (from == nullptr) {
      return Fault(warp, cuda_error::kIllegalAddress, "out of bounds") != nullptr;
    }
    std::memcpy(static_cast<std::byte*>(values) + std::size_t{lane} * size_bytes, from, size_bytes);
  }
  return true;
}

bool WriteLanes(Warp& warp, const Step*, ptx::Space space, LaneMask lanes,
                const std::uint64_t* addresses, std::uint32_t size_bytes, const void* values) {
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    std::byte* to = MemoryAt(*RigOf(warp), space, addresses[lane], size_bytes);
    if (to == nullptr) {
      return Fault(warp, cuda_error::kIllegalAddress, "out of bounds") != nullptr;
    }
    std::memcpy(to, static_cast<const std::byte*>(values) + std::size_t{lane} * size_bytes,
                size_bytes);
  }
  return true;
}

// ------------------------------------------------------------------------------------ arguments

Argument R32(std::uint32_t place) { return {.place = place}; }
Argument R64(std::uint32_t place) { return {.place = place, .type = ptx::Type::kB64}; }
Argument Pred(std::uint32_t place) { return {.place = place, .type = ptx::Type::kPred}; }
Argument NotPred(std::uint32_t place) {
  return {.place = place, .type = ptx::Type::kPred, .negated = true};
}
Argument At32(std::uint32_t place, std::int64_t offset_bytes) {
  return {.place = place,
          .kind = ptx::Operand::Kind::kAddress,
          .type = ptx::Type::kB32,
          .offset_bytes = offset_bytes};
}
Argument At64(std::uint32_t place, std::int64_t offset_bytes) {
  return {.place = place,
          .kind = ptx::Operand::Kind::kAddress,
          .type = ptx::Type::kB64,
          .offset_bytes = offset_bytes};
}
Argument Vec(const std::vector<std::uint32_t>& places, ptx::Type type) {
  Argument vector{.kind = ptx::Operand::Kind::kVector, .type = type};
  for (const std::uint32_t place : places) {
    vector.elements.push_back({.place = place, .type = type});
  }
  return vector;
}
Argument Imm(WarpRig& rig, std::uint64_t bits) {
  return {.place = rig.PutAll(static_cast<std::uint32_t>(bits)),
          .kind = ptx::Operand::Kind::kImmediate,
          .bits = bits};
}

// ------------------------------------------------------------------------------------------ rig

WarpRig::WarpRig(HandlerVariant variant, std::uint32_t shared_bytes)
    : block_rig_({.registers = kRegisterBytes, .shared = shared_bytes}, launch, worker),
      block(block_rig_.block),
      warp(block.warps[0]),
      variant_(variant) {
  launch.options = &options;
  launch.shared_bytes = shared_bytes;
  worker.checker = reinterpret_cast<MemoryChecker*>(this);
  guard_place_ = New();
  zero_place_ = New(8);
}

WarpRig::~WarpRig() { DestroyPendingCopies(warp); }

std::uint32_t WarpRig::New(std::uint32_t bytes_a_lane) {
  const std::uint32_t place = next_place_;
  next_place_ += kWarpSize * std::max(bytes_a_lane, 2U);
  if (next_place_ > kRegisterBytes) {
    std::abort();
  }
  return place;
}

namespace {

ptx::Operand OperandOf(const Argument& argument) {
  ptx::Operand operand{.kind = argument.kind,
                       .type = argument.type,
                       .negated = argument.negated,
                       .bits = argument.bits,
                       .offset = argument.offset_bytes};
  if (argument.kind == ptx::Operand::Kind::kAddress) {
    operand.index = 1;
  }
  for (const Argument& element : argument.elements) {
    operand.elements.push_back(OperandOf(element));
  }
  return operand;
}

}  // namespace

WarpRig::Assembled WarpRig::Assemble(std::string_view spelling,
                                     const std::vector<Argument>& arguments,
                                     SecondDestination second) {
  ptx::Instruction instruction = ptx::DecodeSpelling(spelling);
  instruction.spelling = spelling;
  instruction.has_second_destination = second == SecondDestination::kYes;
  auto steps = std::make_unique<Steps>();
  Step step;
  std::uint32_t addresses = 0;
  for (const Argument& argument : arguments) {
    instruction.operands.push_back(OperandOf(argument));
    for (const Argument& element : argument.elements) {
      steps->operands.push_back(element.place);
    }
    if (argument.kind == ptx::Operand::Kind::kVector) {
      continue;
    }
    steps->operands.push_back(argument.place);
    if (argument.kind != ptx::Operand::Kind::kAddress) {
      continue;
    }
    if (addresses++ == 0) {
      step.immediate = static_cast<std::uint64_t>(argument.offset_bytes);
    } else {
      steps->operands.push_back(PutAll(static_cast<std::uint64_t>(argument.offset_bytes)));
    }
  }
  std::copy_n(steps->operands.begin(), std::min<std::size_t>(steps->operands.size(), 5),
              step.operand.begin());
  if (steps->operands.size() > 5) {
    step.operands = steps->operands.data();
  }
  step.guard = guard_place_;
  const Handlers handlers =
      instruction.opcode == ptx::Opcode::kUnsupported ? Handlers{} : variant_.select(instruction);
  step.run = handlers.full;
  steps->full[0] = step;
  step.run = handlers.masked;
  steps->masked[0] = step;
  steps_.push_back(std::move(steps));
  return {&steps_.back()->full[0], &steps_.back()->masked[0], handlers};
}

bool WarpRig::Run(const Assembled& step, Form form, LaneMask guard) {
  if (step.handlers.full == nullptr || step.handlers.masked == nullptr) {
    return false;
  }
  SetPredicate(guard_place_, guard);
  const bool full = form == Form::kFullIfAll && warp.active == kAllLanes && guard == kAllLanes;
  const Step* at = full ? step.full : step.masked;
  return at->run(warp, at) == at + 1;
}

}  // namespace assay::gpu
