// SPDX-License-Identifier: Apache-2.0
#include "client/layout.h"

#include <algorithm>
#include <cstring>

namespace assay {
namespace {

constexpr std::uint64_t AlignUp(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// Of inputs, how many times as much of a save area is poisoned: more than any sensible
/// submission saves.
constexpr std::uint64_t kSavePoisonFactor = 3;
constexpr std::uint64_t kSavePoisonLeast_bytes = std::uint64_t{64} << 10;

std::uint64_t SaveAreaBytes(const SaveLimits& limits) {
  // Each tensor is rounded up, and followed by a gap of one alignment (host/runtime.cc).
  return limits.bytes + std::uint64_t{limits.tensors} * 2 * wire::kAlignmentBytes;
}

std::uint64_t WireValue(const Invocation& invocation, std::size_t index, const Slot& slot) {
  const Invocation::Argument& argument = invocation.arguments()[index];
  if (argument.parameter.kind == wire::ParameterKind::kScalar) {
    return argument.bits;
  }
  const bool is_null = invocation.empty_is_null() && argument.size_bytes == 0;
  return is_null ? wire::kNullOffset_bytes : slot.offset_bytes;
}

}  // namespace

Slot Layout::Add(Arena arena, std::uint64_t size_bytes, Placement placement,
                 std::uint64_t alignment_bytes) {
  std::uint64_t& end_bytes = ends_bytes_[static_cast<int>(arena)];
  Slot slot;
  slot.size_bytes = size_bytes;
  slot.region_offset_bytes = end_bytes;
  slot.region_bytes = AlignUp(size_bytes, wire::kPageBytes);
  const std::uint64_t slack_bytes = slot.region_bytes - size_bytes;
  slot.offset_bytes =
      end_bytes +
      (placement == Placement::kAgainstGuard ? slack_bytes / alignment_bytes * alignment_bytes : 0);
  end_bytes += slot.region_bytes + wire::kPageBytes;
  if (slot.region_bytes > 0) {
    regions_.push_back({.offset_bytes = slot.region_offset_bytes,
                        .size_bytes = slot.region_bytes,
                        .data_offset_bytes = slot.offset_bytes,
                        .data_bytes = size_bytes,
                        .populate_bytes = faults_ == Faults::kBeforehand ? slot.region_bytes : 0,
                        .writable = arena == Arena::kOutputs,
                        .reserved = {}});
  }
  return slot;
}

Slot Layout::AddLimit(Arena arena, std::uint64_t limit_bytes, std::uint64_t expected_bytes) {
  const Slot slot = Add(arena, limit_bytes, Placement::kAligned, wire::kAlignmentBytes);
  if (slot.region_bytes > 0) {
    std::uint64_t& populate_bytes = regions_.back().populate_bytes;
    populate_bytes = std::min(populate_bytes, expected_bytes);
  }
  return slot;
}

std::uint64_t Layout::RegionBytes(Arena arena) const {
  std::uint64_t bytes = 0;
  for (const wire::Region& region : regions_) {
    if ((region.writable != 0) == (arena == Arena::kOutputs)) {
      bytes += region.size_bytes;
    }
  }
  return bytes;
}

bool Layout::Fits() const {
  return regions_.size() <= wire::kMaxRegions &&
         std::max(ends_bytes_[0], ends_bytes_[1]) <= wire::kArenaBytes;
}

CallPlan PlanCall(const Invocation& invocation, Layout* layout) {
  CallPlan plan;
  std::uint64_t input_bytes = 0;
  for (const Invocation::Argument& argument : invocation.arguments()) {
    Slot slot;
    if (argument.parameter.kind == wire::ParameterKind::kInput ||
        argument.parameter.kind == wire::ParameterKind::kOutput) {
      const bool is_input = argument.parameter.kind == wire::ParameterKind::kInput;
      slot = layout->Add(is_input ? Arena::kInputs : Arena::kOutputs, argument.size_bytes,
                         invocation.placement(), argument.element_bytes);
      input_bytes += is_input ? argument.size_bytes : 0;
    }
    plan.arguments.push_back(slot);
  }
  if (invocation.loads() != nullptr) {
    for (const SavedTensor& tensor : *invocation.loads()) {
      plan.loads.push_back(layout->Add(Arena::kInputs, tensor.data.size(), invocation.placement(),
                                       wire::kAlignmentBytes));
    }
  }
  if (invocation.saved() != nullptr) {
    const std::uint64_t expected = kSavePoisonFactor * input_bytes + kSavePoisonLeast_bytes;
    plan.save_area = layout->AddLimit(Arena::kOutputs, SaveAreaBytes(invocation.save_limits()),
                                      AlignUp(expected, wire::kPageBytes));
    plan.save_poison_bytes = std::min(plan.save_area.region_bytes, expected);
  }
  if (invocation.upcall_handler()) {
    plan.upcall_area = layout->AddLimit(Arena::kOutputs, invocation.upcall_limits().bytes, 0);
  }
  return plan;
}

void FillCallFrame(const Invocation& invocation, const CallPlan& plan, std::uint32_t operation,
                   wire::CallFrame* frame) {
  frame->header = {wire::FrameType::kCall, static_cast<std::uint32_t>(ASSAY_WIRE_FRAME_BYTES(
                                               wire::CallFrame, loads, plan.loads.size()))};
  frame->operation = operation;
  frame->argument_count = static_cast<std::uint32_t>(plan.arguments.size());
  frame->load_count = static_cast<std::uint32_t>(plan.loads.size());
  frame->save_limit_count = invocation.save_limits().tensors;
  frame->save_limit_bytes = invocation.save_limits().bytes;
  frame->save_offset_bytes = plan.save_area.offset_bytes;
  frame->save_bytes = plan.save_area.size_bytes;
  frame->upcall_offset_bytes = plan.upcall_area.offset_bytes;
  frame->upcall_bytes = plan.upcall_area.size_bytes;
  for (std::size_t i = 0; i < plan.arguments.size(); ++i) {
    frame->arguments[i].value = WireValue(invocation, i, plan.arguments[i]);
  }
  for (std::size_t i = 0; i < plan.loads.size(); ++i) {
    wire::Tensor& load = frame->loads[i];
    load = {};
    (*invocation.loads())[i].name.copy(load.name, wire::kNameBytes - 1);
    load.offset_bytes = plan.loads[i].offset_bytes;
    load.size_bytes = plan.loads[i].size_bytes;
  }
}

}  // namespace assay
